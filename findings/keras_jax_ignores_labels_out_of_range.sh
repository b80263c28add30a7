#!/usr/bin/env bash
# Guess: a label that is no class is an error, or the loss is NaN.
# Behaviour: on JAX, Keras makes a one-hot row of each label, which is all zeros for one that is too large or negative: the loss of that token
# is 0, the best one, with no gradient, and it counts in the mean. A vocabulary that is one entry larger than the model's output, or a shift of
# the ids, thus lowers the loss. -100, a common mark of tokens without a loss, is such a label, too. optax has NaN for labels that are too
# large and for -100, but counts -1 from the end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 optax==0.2.8 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import os
import sys
from importlib.metadata import version

os.environ["KERAS_BACKEND"] = "jax"
import jax
import keras
import numpy as np
import optax

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "optax")))
logits = np.random.default_rng(0).normal(size=(4, 5)).astype("float32")
of_class_4 = float(optax.softmax_cross_entropy_with_integer_labels(logits[3], np.array(4)))
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
seen = {}
for label in (4, 5, 1000, -1, -100):
    labels = np.array([0, 1, 2, label])
    each = np.asarray(keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True))
    gradient = np.asarray(jax.grad(lambda x: loss(labels, x))(logits))[3]
    other = float(optax.softmax_cross_entropy_with_integer_labels(logits, labels)[3])
    seen[label] = (float(each[3]), float(np.abs(gradient).max()), other)
    print(f"label {label:4} of 5 classes: loss {each[3]:.3f}, mean of four labels {float(loss(labels, logits)):.3f}, "
          f"largest gradient {np.abs(gradient).max():.3f}; optax {other:.3f}")
if any(abs(seen[4][i] - of_class_4) > 1e-5 for i in (0, 2)) or seen[4][1] == 0:
    sys.exit("not as expected")
if any(seen[label][:2] != (0, 0) for label in (5, 1000, -1, -100)):
    sys.exit("keras changed")
if not np.isnan([seen[label][2] for label in (5, 1000, -100)]).all() or abs(seen[-1][2] - of_class_4) > 1e-5:
    sys.exit("optax changed")
PY
