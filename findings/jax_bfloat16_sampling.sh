#!/usr/bin/env bash
# Guess: bfloat16 rounds the probabilities a little, so of 32,000 tokens that are equally likely, samples are still spread over all of them.
# Behaviour: `jax.random.categorical` draws its noise in the dtype of the logits. In bfloat16, so few values are possible that many tokens
# share the largest sum, and the first of them is taken: 1,000 samples have a mean of 125 and stay below token 2,000, in float16 below 10,000.
# The noise also ends early: 1,000 tokens with a probability of 0.1 together are drawn in 0.7 % of all cases in bfloat16, in 0.04 % in float16.
# `mode="high"` mends part of it; logits in float32 are right. `keras.random.categorical` calls this function on JAX.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np

print(*(f"{name} {version(name)}" for name in ("jax", "jaxlib", "ml_dtypes")))
equal = jnp.zeros(32000)
one_likely = jnp.log(jnp.array([0.9] + [0.1 / 1000] * 1000))
seen = {}
for dtype, mode in (("float32", "low"), ("bfloat16", "low"), ("bfloat16", "high"), ("float16", "low")):
    tokens = np.asarray(jax.random.categorical(jax.random.key(1), equal.astype(dtype), shape=(1000,), mode=mode))
    others = np.asarray(jax.random.categorical(jax.random.key(2), one_likely.astype(dtype), shape=(20000,), mode=mode)) > 0
    seen[dtype, mode] = (tokens.mean(), tokens.max(), others.mean())
    print(f"{dtype}, {mode}: 1,000 draws of 32,000 equal tokens: {len(set(tokens.tolist()))} different, mean {tokens.mean():.0f},", end=" ")
    print(f"largest {tokens.max()}; 1,000 tokens with 0.1 together are drawn in a share of {others.mean():.4f}")
if abs(seen["float32", "low"][0] - 16000) > 1000 or abs(seen["float32", "low"][2] - 0.1) > 0.01:
    sys.exit("float32 is not as expected")
limits = {("bfloat16", "low"): (2000, 0.02), ("float16", "low"): (10000, 0.005)}
if any(seen[case][1] >= largest or seen[case][2] > share for case, (largest, share) in limits.items()):
    sys.exit("jax changed")
PY
