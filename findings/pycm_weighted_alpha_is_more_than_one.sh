#!/usr/bin/env bash
# Guess: `weighted_alpha` is Krippendorff's alpha with distances between the grades, as `Alpha` is without them, and so at most 1; of two raters that
# do not depend on each other, it is about 0.
# Behaviour: the agreement by chance of grade i with grade j is the square of the mean of their shares, not the product of the shares of both: the sum over all
# pairs is no longer 1. Where most grades are the best one, it is more than 1: with squared distances, raters that do not depend on each other have
# 8.8, and raters who agree well 1.89 instead of 0.72; with linear distances, the same good ones have 0.14 instead of 0.62. Without distances and
# for perfect agreement it is right, and so is `weighted_kappa`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pycm==4.6 art==6.5 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from pycm import ConfusionMatrix

print({name: version(name) for name in ("pycm", "numpy")})


def alpha(table, distance):
    """1 - observed / expected distance: that within the pairs of ratings, and that of all pairs of ratings of different items or raters."""
    observed = np.sum(table * distance) / np.sum(table)
    counts = table.sum(0) + table.sum(1)
    expected = np.sum(np.outer(counts, counts) * distance) / (counts.sum() * (counts.sum() - 1))
    return 1 - observed / expected


TABLES = {
    "raters agree well": [[60, 6, 2, 0], [5, 8, 3, 0], [2, 3, 5, 1], [0, 1, 2, 2]],
    "raters do not depend on each other": [[64, 12, 4], [12, 2, 1], [4, 1, 0]],
    "raters agree in all": [[60, 0, 0], [0, 20, 0], [0, 0, 20]],
}
seen = {}
for name, counts in TABLES.items():
    table, grades = np.array(counts), range(len(counts))
    matrix = ConfusionMatrix(matrix={i: {j: counts[i][j] for j in grades} for i in grades})
    steps = np.abs(np.subtract.outer(grades, grades))
    for kind, distance in (("no distances", np.sign(steps)), ("linear", steps), ("squared", steps**2)):
        weight = {i: {j: int(distance[i, j]) for j in grades} for i in grades}
        found, kappa = matrix.weighted_alpha(weight), matrix.weighted_kappa(weight)
        seen[name, kind] = found, alpha(table, distance), kappa
        print(f"{name}, {kind}: {found:.3f}, by the definition {seen[name, kind][1]:.3f}; weighted kappa {kappa:.3f}")
for (name, kind), (found, right, kappa) in seen.items():
    if abs(right - kappa) > 0.02 or ((kind == "no distances" or name == "raters agree in all") and abs(found - right) > 1e-6):
        sys.exit("not as expected")
good, linear, independent = (seen[key] for key in (("raters agree well", "squared"), ("raters agree well", "linear"), ("raters do not depend on each other", "squared")))
if good[0] < 1 or independent[0] < 1 or abs(linear[0] - linear[1]) < 0.2:
    sys.exit("pycm changed")
PY
