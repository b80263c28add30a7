#!/usr/bin/env bash
# Guess: the weight decay of Adafactor is a part of the learning rate, as that of AdamW is in the same library and that of Adafactor in PyTorch.
# Behaviour: optax adds it behind the learning rate: with `weight_decay_rate=0.01`, each update takes 1% off every weight, whatever the schedule
# says. A weight without a gradient falls from 1 to 0.0066 in 500 updates, also where the learning rate is 0, as it is while warming up or at
# the end of a schedule; AdamW with 0.001 and the same decay, and Adafactor of PyTorch, leave it at 0.995.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile optax==0.2.8 jax==0.10.2 jaxlib==0.10.2 torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jax
import numpy as np
import optax
import torch

print(*(f"{name} {version(name)}" for name in ("optax", "jax", "torch")))
UPDATES, ZEROS = 500, np.zeros((4, 4), "float32")


def by_optax(optimizer):
    weights = np.ones((4, 4), "float32")
    state, update = optimizer.init(weights), jax.jit(optimizer.update)
    for _ in range(UPDATES):
        updates, state = update(ZEROS, state, weights)
        weights = np.asarray(weights + updates)
    return float(weights[0, 0])


def by_torch(make, **arguments):
    weights = torch.nn.Parameter(torch.ones(4, 4))
    optimizer = make([weights], **arguments)
    weights.grad = torch.zeros(4, 4)
    for _ in range(UPDATES):
        optimizer.step()
    return float(weights[0, 0].detach())


seen = {
    "optax adafactor, learning rate 0.001": by_optax(optax.adafactor(0.001, weight_decay_rate=0.01)),
    "optax adafactor, learning rate 0": by_optax(optax.adafactor(0.0, weight_decay_rate=0.01)),
    "optax adamw, learning rate 0.001": by_optax(optax.adamw(0.001, weight_decay=0.01)),
    "torch Adafactor, learning rate 0.001": by_torch(torch.optim.Adafactor, lr=0.001, weight_decay=0.01),
    "torch AdamW, learning rate 0.001": by_torch(torch.optim.AdamW, lr=0.001, weight_decay=0.01),
}
for name, weight in seen.items():
    print(f"{name}, decay 0.01: a weight of 1 without gradient is {weight:.4f} after {UPDATES} updates")
values = list(seen.values())
if any(abs(value - 0.995) > 0.0005 for value in values[2:]):
    sys.exit("not as expected")
if any(abs(value - 0.99**UPDATES) > 0.0005 for value in values[:2]):
    sys.exit("optax changed")
PY
