#!/usr/bin/env bash
# Guess: `F1Score()` of a model with one output from 0 to 1, such as the probability that a translation is wrong, takes 0.5 as the limit, as
# `Precision()` and `Recall()` do.
# Behaviour: without a threshold, the largest output of each sample counts as yes, which of one output is that output: all samples are a yes. Of 100
# translations of which 10 are wrong, F1 is 0.18 for a perfect model, one that is always mistaken and one that always says no. Where two outputs are
# equal, both classes are a yes. With `threshold=0.5`, F1 is that of scikit-learn.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 scikit-learn==1.9.1 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np
from sklearn.metrics import f1_score

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "scikit-learn")))
labels = (np.arange(100) % 10 == 0).astype("float32")[:, None]
noise = np.random.default_rng(0).uniform(0, 0.3, labels.shape).astype("float32")
MODELS = {
    "perfect": np.abs(labels - noise),
    "always mistaken": np.abs(1 - labels - noise),
    "always no": noise,
    "half of the wrong ones": np.where(np.arange(100)[:, None] < 50, labels, 0) * 0.9 + 0.05,
}
entry = keras.Input((1,))
model = keras.Model(entry, keras.layers.Identity()(entry))
metrics = [keras.metrics.F1Score(), keras.metrics.F1Score(threshold=0.5, name="at_half"), keras.metrics.Precision(), keras.metrics.Recall()]
model.compile(loss="binary_crossentropy", metrics=metrics)
seen, right = [], []
for name, outputs in MODELS.items():
    _, default, at_half, precision, recall = (float(np.squeeze(value)) for value in model.evaluate(outputs, labels, verbose=0))
    right.append(float(f1_score(labels[:, 0], outputs[:, 0] > 0.5, zero_division=0)))
    seen.append(default)
    print(f"{name}: F1 {default:.3f}, with threshold {at_half:.3f}, scikit-learn {right[-1]:.3f}; precision {precision:.2f}, recall {recall:.2f}")
    if abs(at_half - right[-1]) > 1e-4:
        sys.exit("not as expected")
two = keras.metrics.F1Score()
two.update_state(np.hstack([1 - labels, labels]), np.full((100, 2), 0.5, "float32"))
two = np.asarray(two.result()).round(3).tolist()
print(f"two equal outputs: F1 of the classes {two}")
if [round(value, 2) for value in right] != [1, 0, 0, 0.67]:
    sys.exit("not as expected")
if not np.allclose(seen, 2 * 0.1 / 1.1, atol=1e-4) or not np.allclose(two, [2 * 0.9 / 1.9, 2 * 0.1 / 1.1], atol=2e-3):
    sys.exit("Keras changed")
PY
