#!/usr/bin/env bash
# Guess: `inject_hyperparams(optax.adamw)(0.01)` is `adamw(0.01)` whose learning rate can be changed.
# Behaviour: its numbers take the type of the weights. In bfloat16, a decay of 0.999, the default of Adam, is 1: the second moment stays 0, its
# correction divides 0 by 0, and all weights are NaN after the first update, also with a warm-up from a learning rate of 0. Decays from 0.9981 on
# are 1, 0.98 is 0.980469. With `hyperparam_dtype=jnp.float32`, or without `inject_hyperparams`, bfloat16 weights are trained.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile optax==0.2.8 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np
import optax

print(*(f"{name} {version(name)}" for name in ("optax", "jax")))
GOAL = (1.0, 2.0, 3.0)


def train(optimizer, dtype, steps):
    """Weights after STEPS gradients from 0 towards GOAL."""
    weights, goal = jnp.zeros(3, dtype), jnp.array(GOAL, dtype)
    state, update = optimizer.init(weights), jax.jit(optimizer.update)
    for _ in range(steps):
        updates, state = update(weights - goal, state, weights)
        weights = optax.apply_updates(weights, updates)
    return np.asarray(weights.astype("float32"))


plain, injected = optax.adamw, optax.inject_hyperparams(optax.adamw)
float32 = optax.inject_hyperparams(optax.adamw, hyperparam_dtype=jnp.float32)
warm = optax.warmup_constant_schedule(0.0, 0.01, 100)
cases = {
    "adamw": plain(0.01),
    "inject_hyperparams": injected(0.01),
    "inject_hyperparams, warm-up": injected(warm),
    "inject_hyperparams, b2=0.98": injected(0.01, b2=0.98),
    "inject_hyperparams, hyperparam_dtype float32": float32(0.01),
}
seen = {}
for dtype in ("float32", "bfloat16"):
    for name, optimizer in cases.items():
        seen[dtype, name] = train(optimizer, dtype, 1), train(optimizer, dtype, 100)
        print(f"{dtype}, {name}: after 1 and 100 updates {seen[dtype, name][0].round(4)}, {seen[dtype, name][1].round(3)}")
for name, factory in {"amsgrad": optax.amsgrad, "nadam": optax.nadam}.items():
    seen["bfloat16", name] = train(optax.inject_hyperparams(factory)(0.01), "bfloat16", 1), None
    print(f"bfloat16, inject_hyperparams({name}): after 1 update {seen['bfloat16', name][0]}")
decays = {value: float(jnp.bfloat16(value)) for value in (0.98, 0.995, 0.998, 0.9981, 0.999)}
print("in bfloat16:", decays)
broken = ["inject_hyperparams", "inject_hyperparams, warm-up", "amsgrad", "nadam"]
for (dtype, name), (first, last) in seen.items():
    if dtype == "bfloat16" and name in broken:
        if not np.isnan(first).all():
            sys.exit("optax changed")
    elif np.isnan(first).any() or not (0.3 < last[0] < 1.1 and 0.3 < last[2] < 1.2):
        sys.exit("not as expected")
if [decays[value] == 1 for value in decays] != [False, False, False, True, True]:
    sys.exit("not as expected")
PY
