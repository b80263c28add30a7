#!/usr/bin/env bash
# Guess: `clip_by_global_norm(1.0)` leaves gradients of norm 1, whatever their type.
# Behaviour: the squares are summed and kept in the type of the gradients. In float16, whose largest number is 65,504, the square of a norm of 256 is
# infinite, and all gradients become 0: no update, no warning. In bfloat16, the sums of 400 small arrays add nothing to that of a large one before
# them: the norm is 64 instead of 71.4. In float32, both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile optax==0.2.8 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax.numpy as jnp
import numpy as np
import optax

print(*(f"{name} {version(name)}" for name in ("optax", "jax", "numpy")))


def norm(arrays):
    return float(np.sqrt(sum((np.asarray(array, "float64") ** 2).sum() for array in arrays)))


cases = {
    "65,025 ones": [np.ones(65025, "float32")],
    "65,536 ones": [np.ones(65536, "float32")],
    "300 times 16": [np.full(300, 16, "float32")],
    "a large and 400 small arrays of quarters": [np.full(size, 0.25, "float32") for size in [65536] + [40] * 400],
}
seen = {}
for name, arrays in cases.items():
    for dtype in ("float32", "float16", "bfloat16"):
        gradients = [jnp.asarray(array, dtype) for array in arrays]
        if norm(gradients) != norm(arrays):
            sys.exit("not as expected")
        update, _ = optax.clip_by_global_norm(1.0).update(gradients, optax.EmptyState())
        seen[name, dtype] = float(optax.global_norm(gradients)), norm(update)
        print(f"{name}, {dtype}: norm {seen[name, dtype][0]:.1f}, should be {norm(arrays):.1f}; clipped to 1: {seen[name, dtype][1]:.3f}")
    if abs(seen[name, "float32"][0] - norm(arrays)) > 0.1 or abs(seen[name, "float32"][1] - 1) > 0.01:
        sys.exit("not as expected")
ones, many, sixteen, parts = cases
if abs(seen[ones, "float16"][1] - 1) > 0.01:
    sys.exit("not as expected")
if [seen[name, "float16"] for name in (many, sixteen)] != [(np.inf, 0.0)] * 2 or seen[parts, "bfloat16"][0] > 65:
    sys.exit("optax changed")
PY
