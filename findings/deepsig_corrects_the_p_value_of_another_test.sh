#!/usr/bin/env bash
# Guess: `bonferroni_correction` returns for each p-value the corrected one, in the order in which they were given.
# Behaviour: it sorts them, and puts them back by the order of sorting instead of its inverse: of 0.02, 0.6 and 0.001, the corrected ones are 0.6, 0.003 and
# 0.04, so that the system with p = 0.6 is said to differ from the baseline and the one with 0.02 not. Of four p-values, 14 of the 24 orders are wrong.
# They are not monotone either: of 0.03, 0.031 and 0.032, only the largest is below 0.05. Sorted p-values come back in their order.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile deepsig==1.2.8 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 joblib==1.6.0
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version
from itertools import permutations

import numpy as np
from deepsig import bonferroni_correction

print(*(f"{name} {version(name)}" for name in ("deepsig", "numpy")))


def correct(values):
    """The corrected p-value of each: its multiple by the number of those that are not smaller, as the documentation of the package cites it."""
    values = np.array(values)
    return np.array([min(1, value * np.sum(values >= value)) for value in values])


ROWS = {"three systems": [0.02, 0.6, 0.001], "the same, sorted": [0.001, 0.02, 0.6], "close to each other": [0.03, 0.031, 0.032]}
seen = {}
for name, values in ROWS.items():
    seen[name] = bonferroni_correction(values), correct(values)
    print(f"{name}: {values} is corrected to {seen[name][0].round(4).tolist()}, in the right order {seen[name][1].round(4).tolist()}")
orders = list(permutations([0.001, 0.012, 0.1, 0.4]))
wrong = sum(not np.allclose(bonferroni_correction(list(order)), correct(order)) for order in orders)
print(f"of {len(orders)} orders of four p-values, {wrong} are wrong")
for name in ("the same, sorted", "close to each other"):
    if not np.allclose(*seen[name]):
        sys.exit("not as expected")
if not all(np.allclose(sorted(found), sorted(right)) for found, right in seen.values()):
    sys.exit("not as expected")
if seen["three systems"][0].argmin() != 1 or seen["three systems"][1].argmin() != 2 or wrong != 14 or (seen["close to each other"][0] < 0.05).tolist() != [False, False, True]:
    sys.exit("deepsig changed")
PY
