#!/usr/bin/env bash
# Guess: with `axis=1`, the cross-entropy of outputs with the classes before the positions is that of the transposed outputs with the default
# axis, with label smoothing as without it.
# Behaviour: label smoothing divides by the size of the last axis, whatever `axis` is. Of 100 classes before 5 positions, each label sums to 2.9
# instead of 1: the loss is 14.9 instead of 5.2, and the outputs with the least loss give the right class 0.32 instead of 0.90; `CategoricalFocalCrossentropy`
# does the same. Without smoothing, both orders have the same loss.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "numpy")))

CLASSES, POSITIONS, SMOOTHING = 100, 5, 0.1
generator = np.random.default_rng(0)
labels = np.eye(CLASSES, dtype="float32")[generator.integers(0, CLASSES, (8, POSITIONS))]
logits = generator.normal(size=(8, POSITIONS, CLASSES)).astype("float32")
best = (1 - SMOOTHING) * labels + SMOOTHING / CLASSES
seen = {}
for kind in (keras.losses.CategoricalCrossentropy, keras.losses.CategoricalFocalCrossentropy):
    for smoothing in (0.0, SMOOTHING):
        last = kind(from_logits=True, label_smoothing=smoothing)(labels, logits)
        first = kind(from_logits=True, label_smoothing=smoothing, axis=1)(labels.transpose(0, 2, 1), logits.transpose(0, 2, 1))
        seen[kind.__name__, smoothing] = float(last), float(first)
        print(f"{kind.__name__}, smoothing {smoothing}: classes last {float(last):.3f}, classes before positions {float(first):.3f}")


def measure(right_class, axis):
    """The loss of outputs that give the right class this probability and the others equal ones."""
    outputs = np.where(labels == 1, right_class, (1 - right_class) / (CLASSES - 1)).astype("float32")
    order = (0, 2, 1) if axis == 1 else (0, 1, 2)
    return float(keras.losses.CategoricalCrossentropy(label_smoothing=SMOOTHING, axis=axis)(labels.transpose(order), outputs.transpose(order)))


steps = np.arange(0.02, 1, 0.02)
lowest = {axis: float(steps[np.argmin([measure(step, axis) for step in steps])]) for axis in (-1, 1)}
print(f"probability of the right class with the least loss: classes last {lowest[-1]:.2f}, classes before positions {lowest[1]:.2f}")
plain, smooth, focal = (seen[key] for key in (("CategoricalCrossentropy", 0.0), ("CategoricalCrossentropy", SMOOTHING), ("CategoricalFocalCrossentropy", SMOOTHING)))
oracle = float(np.mean(np.log(np.sum(np.exp(logits), -1)) - np.sum(best * logits, -1)))
if abs(plain[0] - plain[1]) > 1e-4 or abs(smooth[0] - oracle) > 1e-3 or abs(lowest[-1] - 0.9) > 0.03:
    sys.exit("not as expected")
if smooth[1] < 2 * smooth[0] or focal[1] < 1.5 * focal[0] or lowest[1] > 0.5:
    sys.exit("Keras changed")
PY
