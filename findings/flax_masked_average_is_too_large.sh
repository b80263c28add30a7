#!/usr/bin/env bash
# Guess: `nnx.metrics.Average` and `Accuracy` with a mask of a shape "broadcastable to the shape of values", as the documentation has it, are those of
# the values that the mask leaves.
# Behaviour: the sum is over the values, the count over the mask as it is. Of losses of 64 tokens in each of 3 lines and a mask of lines, of shape
# (3, 1), the average is 64 times as large; with a mask of tokens, of shape (64,), 3 times. The accuracy is 64 where all tokens are right, and 48
# where three quarters are. A mask of the full shape, `jnp.broadcast_to(mask, values.shape)`, is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile flax==0.12.8 jax==0.10.2 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

print(*(f"{name} {version(name)}" for name in ("flax", "jax")))
LINES, TOKENS = 3, 64
losses = np.random.default_rng(1).uniform(1, 3, (LINES, TOKENS)).astype("float32")
labels = np.arange(LINES * TOKENS, dtype="int32").reshape(LINES, TOKENS) % 7
predicted = labels.copy()
predicted[:, ::4] += 1
logits = jax.nn.one_hot(predicted, 8)
MASKS = {
    "lines": np.array([[True], [True], [False]]),
    "tokens": np.arange(TOKENS) < 48,
    "one": np.array([[True]]),
}
seen = {}
for name, mask in MASKS.items():
    for full in (False, True):
        used = jnp.broadcast_to(mask, losses.shape) if full else jnp.asarray(mask)
        average, accuracy, perfect = nnx.metrics.Average(), nnx.metrics.Accuracy(), nnx.metrics.Accuracy()
        average.update(values=jnp.asarray(losses), mask=used)
        accuracy.update(logits=logits, labels=jnp.asarray(labels), mask=used)
        perfect.update(logits=logits, labels=jnp.asarray(predicted), mask=used)
        seen[name, full] = [float(metric.compute()) for metric in (average, accuracy, perfect)]
    left = np.broadcast_to(mask, losses.shape)
    right = [float(losses[left].mean()), float((predicted == labels)[left].mean()), 1.0]
    print(f"mask of {name}, {mask.shape}: loss, accuracy, accuracy of perfect {seen[name, False]}, full {seen[name, True]}, right {right}")
    if not np.allclose(seen[name, True], right, rtol=1e-5):
        sys.exit("not as expected")
    if not np.allclose(seen[name, False], np.array(right) * losses.size / mask.size, rtol=1e-5):
        sys.exit("flax changed")
PY
