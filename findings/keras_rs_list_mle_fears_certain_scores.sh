#!/usr/bin/env bash
# Guess: `ListMLELoss` is the negative logarithm of the probability of the right order, which is almost 0 for scores in this order with large differences.
# Behaviour: 1e-10 is added to each sum of exponentials after the largest score of the list was subtracted. Items more than 23 below the largest score (2.3
# with `temperature=0.1`) lose as many points as they are below that: the right order with scores 40, 30, 20, 10, 0 has a loss of 24.0 instead of
# 0.0002, and five equal scores, which say nothing, have 4.8. The gradient pulls the last item up, though it is where it should be. Wrong orders,
# and scores that are close to each other, have the right loss.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-rs==0.4.0 keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=numpy "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from keras_rs.losses import ListMLELoss

print(*(f"{name} {version(name)}" for name in ("keras-rs", "keras", "numpy")))
LABELS = np.array([[4, 3, 2, 1, 0]], "float32")


def compare(scores, temperature=1.0):
    """The loss of keras-rs, and by its definition."""
    found = float(ListMLELoss(temperature=temperature)(LABELS, np.array([scores], "float32")))
    scaled = np.array(scores, float) / temperature
    right = -sum(scaled[i] - np.logaddexp.reduce(scaled[i:]) for i in range(len(scaled)))
    print(f"scores {scores}, temperature {temperature}: {found:.4f}, by the definition {right:.4f}")
    return found, right


right_ones = [compare(scores) for scores in ([0, 0, 0, 0, 0], [4, 3, 2, 1, 0], [0, 10, 20, 30, 40])]
right_ones.append(compare([0.4, 0.3, 0.2, 0.1, 0], 0.1))
certain, cold = compare([40, 30, 20, 10, 0]), compare([4, 3, 2, 1, 0], 0.1)
nearer = compare([40, 30, 20, 10, 1])
print(f"one point more for the last item changes the loss by {nearer[0] - certain[0]:.3f}, by the definition {nearer[1] - certain[1]:.6f}")
if not all(abs(found - right) < 1e-3 * max(1, right) for found, right in right_ones) or abs(certain[1]) > 1e-3 or abs(cold[1]) > 1e-3:
    sys.exit("not as expected")
if not all(23.9 < found < 24.1 for found, _ in (certain, cold)) or certain[0] < 4 * right_ones[0][0] or abs(nearer[0] - certain[0] + 1) > 0.01:
    sys.exit("keras-rs changed")
PY
