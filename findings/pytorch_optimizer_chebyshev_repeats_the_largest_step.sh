#!/usr/bin/env bash
# Guess: `get_chebyshev_schedule` gives each of the Chebyshev steps once, in the fractal order of its paper (Agarwal et al. 2021): 8 steps of gradient
# descent leave 0.053 of the error of any function whose curvature is between 0.05 and 1.
# Behaviour: the step of epoch t is that of t - 2: the largest, 17 times the learning rate, comes three times in a row, and the last two never. The error
# is 4,000 times as large as at the beginning after three steps, and 64 times after 8; with 4 epochs, two steps stand for four. The list of steps itself
# (`get_chebyshev_perm_steps(8)`) is the paper's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pytorch_optimizer==4.1.0 torch==2.13.0+cpu numpy==2.4.6 --find-links /opt/wheels
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import torch
from pytorch_optimizer.lr_scheduler import get_chebyshev_schedule
from pytorch_optimizer.lr_scheduler.chebyshev import get_chebyshev_perm_steps

print({name: version(name) for name in ("pytorch_optimizer", "torch", "numpy")})
LOW, HIGH = 0.05, 1.0
CURVATURES = torch.linspace(LOW, HIGH, 2000, dtype=torch.float64)


def find_steps(count):
    """The inverse zeros of the Chebyshev polynomial, in the order 0; 0 1; 0 3 1 2; 0 7 3 4 1 6 2 5."""
    order = [0]
    while len(order) < count:
        order = [place for first in order for place in (first, 2 * len(order) - 1 - first)]
    angles = (np.arange(count) + 0.5) * np.pi / count
    return (1 / ((HIGH + LOW) / 2 - (HIGH - LOW) / 2 * np.cos(angles)))[order]


def descend(count, schedule):
    """The largest error after each step of gradient descent from 1, with one weight for each curvature, and the learning rates."""
    weights = torch.nn.Parameter(torch.ones_like(CURVATURES))
    optimizer = torch.optim.SGD([weights], lr=1.0)
    scheduler = schedule(optimizer)
    errors, rates = [], []
    for _ in range(count):
        optimizer.zero_grad()
        (0.5 * CURVATURES * weights**2).sum().backward()
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
        errors.append(weights.detach().abs().max().item())
    return errors, rates


seen = {}
for count in (8, 16):
    steps = find_steps(count)
    bound = 1 / np.cosh(count * np.arccosh((HIGH + LOW) / (HIGH - LOW)))
    right, _ = descend(count, lambda optimizer: torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: steps[min(step, count - 1)]))
    errors, rates = descend(count, lambda optimizer: get_chebyshev_schedule(optimizer, count))
    seen[count] = errors, rates
    print(f"{count} epochs: rates", *(f"{rate:.2f}" for rate in rates), "in the paper", *(f"{step:.2f}" for step in steps))
    print(f"{count} epochs: error at the end {errors[-1]:.3g}, at most {max(errors):.3g};"
          f" in the paper's order {right[-1]:.3g}, at most {max(right):.3g}, bound {bound:.3g}")
    if not np.allclose(get_chebyshev_perm_steps(count), steps) or right[-1] > bound * 1.001:
        sys.exit("not as expected")
    if not np.allclose(rates, steps[[0, 0, *range(count - 2)]]) or errors[-1] < 1:
        sys.exit("pytorch_optimizer changed")
rates = descend(4, lambda optimizer: get_chebyshev_schedule(optimizer, 4))[1]
print("4 epochs: rates", *(f"{rate:.2f}" for rate in rates), "in the paper", *(f"{step:.2f}" for step in find_steps(4)))
if len(set(np.round(rates, 6))) != 2:
    sys.exit("pytorch_optimizer changed")
PY
