#!/usr/bin/env bash
# Guess: a schedule that lowers the learning rate on a plateau does so for any number that is to be minimised or maximised.
# Behaviour: by default, an improvement is relative, and the best value is multiplied by 1 - 0.0001 or 1 + 0.0001, which brings one below zero
# on the wrong side: each value that equals the best one, and one that is a little worse, counts as the next best. On the negative BLEU or
# accuracy that optax needs, or on the log-likelihood that PyTorch is to maximise, the learning rate never falls, even while the value
# gets worse for 200 evaluations. An absolute threshold (`threshold_mode="abs"`, `atol`) helps; of the same values above zero, both see the
# plateau.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile optax==0.2.8 jax==0.10.2 jaxlib==0.10.2 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax
import jax.numpy as jnp
import optax
import torch

print(*(f"{name} {version(name)}" for name in ("optax", "jax", "torch")))


def by_torch(values, **arguments):
    optimizer = torch.optim.SGD([torch.zeros(1)], 1.0)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, **arguments)
    for value in values:
        schedule.step(value)
    return optimizer.param_groups[0]["lr"]


def by_optax(values, **arguments):
    plateau = optax.contrib.reduce_on_plateau(patience=3, **arguments)
    state, update = plateau.init(jnp.zeros(1)), jax.jit(plateau.update)
    for value in values:
        _, state = update(jnp.zeros(1), state, value=jnp.float32(value))
    return float(state.scale)


steady, worse = [30.0] * 200, [30 - 0.001 * i for i in range(200)]  # BLEU, higher is better
seen = {}
for name, bleu in (("steady", steady), ("getting worse", worse)):
    negative, above = [-x for x in bleu], [100 - x for x in bleu]
    seen[name] = {
        "torch, BLEU, max": by_torch(bleu, mode="max"),
        "torch, 100 - BLEU, min": by_torch(above),
        "optax, 100 - BLEU": by_optax(above),
        "torch, -BLEU, min, absolute": by_torch(negative, threshold_mode="abs"),
        "optax, -BLEU, absolute": by_optax(negative, rtol=0.0, atol=1e-3),
        "torch, -BLEU, min": by_torch(negative),
        "torch, BLEU - 100, max": by_torch([x - 100 for x in bleu], mode="max"),
        "optax, -BLEU": by_optax(negative),
    }
    for case, rate in seen[name].items():
        print(f"BLEU {name}, {case}: learning rate {rate:.1e} of 1")
for rates in seen.values():
    if any(rate > 1e-5 for rate in list(rates.values())[:5]):
        sys.exit("not as expected")
    if any(rate != 1 for case, rate in rates.items() if case.startswith("torch") and case in list(rates)[5:]):
        sys.exit("PyTorch changed")
    if rates["optax, -BLEU"] != 1:
        sys.exit("optax changed")
PY
