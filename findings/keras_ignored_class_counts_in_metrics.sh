#!/usr/bin/env bash
# Guess: with `ignore_class=0`, the id of padding, the cross-entropy as a metric of validation is that of the loss.
# Behaviour: as a function in `metrics`, or in a `MeanMetricWrapper`, ignored tokens are left out of the sum and counted in its divisor: of lines of
# which half is padding, the metric is half of the loss, 1.15 instead of 2.31, a perplexity of 3.2 instead of 10.1, and it falls where padding is
# added. With weights of 1 for each token, it is right.
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
LINES, TOKENS, WORDS = 8, 10, 7
rng = np.random.default_rng(0)
labels = rng.integers(1, WORDS, (LINES, TOKENS))
logits = rng.normal(size=(LINES, TOKENS, WORDS)).astype("float32")


def cross_entropy(labels, outputs):
    return keras.losses.sparse_categorical_crossentropy(labels, outputs, from_logits=True, ignore_class=0)


def wrapper():
    return keras.metrics.MeanMetricWrapper(keras.losses.sparse_categorical_crossentropy, name="wrapper", from_logits=True, ignore_class=0)


entry = keras.Input((None, WORDS))
model = keras.Model(entry, keras.layers.Identity()(entry))
model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0), metrics=[cross_entropy, wrapper()])
seen = {}
for padding in (0, 10, 30):
    padded = np.pad(labels, ((0, 0), (0, padding)))
    outputs = np.pad(logits, ((0, 0), (0, padding), (0, 0)))
    chances = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    right = -np.take_along_axis(chances, labels[..., None], -1).mean()
    values = model.evaluate(outputs, padded, batch_size=LINES, verbose=0)
    weighted = wrapper()
    weighted.update_state(padded, outputs, sample_weight=np.ones(padded.shape, "float32"))
    seen[padding] = [float(value) / right for value in (*values, weighted.result())]
    shown = ", ".join(f"{name} {part * right:.4f}" for name, part in zip(("loss", "function", "wrapper", "wrapper with weights"), seen[padding]))
    print(f"{padding} of {TOKENS + padding} tokens ignored: {shown}; should be {right:.4f}; perplexities {np.exp(values[1]):.1f}, {np.exp(right):.1f}")
    if not np.allclose([seen[padding][0], seen[padding][3]], 1, rtol=1e-4):
        sys.exit("not as expected")
if not np.allclose(seen[0], 1, rtol=1e-4):
    sys.exit("not as expected")
if not np.allclose([seen[10][1:3], seen[30][1:3]], [[0.5, 0.5], [0.25, 0.25]], rtol=1e-3):
    sys.exit("Keras changed")
PY
