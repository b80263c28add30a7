#!/usr/bin/env bash
# Guess: `kripp_alpha` is Krippendorff's alpha, and `rater_bias` the share of the differing pairs in which the second rater's grade is the higher one, with any
# number of grades.
# Behaviour: the pairs above the diagonal are found by numpy's `k`, which is computed of the number of grades: right for four grades, and the diagonal
# is read as well for two and three. Of two grades, raters who agree well have -0.5 instead of 0.7; of three, -0.9 instead of 0.8. The bias is 0.95
# instead of 0.5 with three grades, and of five it is wrong, too. `kappa2`, and alpha of four grades, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pyirr==0.84.1.2 setuptools==80.9.0 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 statsmodels==0.15.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import pyirr

print({name: version(name) for name in ("pyirr", "numpy")})


def alpha(ratings):
    """1 - observed / expected disagreement of two raters: the shares of unequal pairs within the items, and among all ratings."""
    values = ratings.ravel()
    counts = np.unique(values, return_counts=True)[1]
    expected = 1 - np.sum(counts * (counts - 1)) / (len(values) * (len(values) - 1))
    return 1 - np.mean(ratings[:, 0] != ratings[:, 1]) / expected


def bias(ratings):
    return np.sum(ratings[:, 0] < ratings[:, 1]) / np.sum(ratings[:, 0] != ratings[:, 1])


def kappa(ratings):
    observed = np.mean(ratings[:, 0] == ratings[:, 1])
    expected = sum(np.mean(ratings[:, 0] == grade) * np.mean(ratings[:, 1] == grade) for grade in np.unique(ratings))
    return (observed - expected) / (1 - expected)


rng = np.random.default_rng(0)
seen = {}
for grades in (2, 3, 4, 5):
    first = rng.integers(1, grades + 1, 200)
    second = np.where(rng.random(200) < 0.8, first, rng.integers(1, grades + 1, 200))
    ratings = np.stack([first, second], 1)
    found = pyirr.kripp_alpha(ratings, "nominal").value, pyirr.rater_bias(ratings).value, pyirr.kappa2(ratings, "unweighted").value
    right = alpha(ratings), bias(ratings), kappa(ratings)
    seen[grades] = found, right
    print(f"{grades} grades: alpha {found[0]:.3f}, by the definition {right[0]:.3f}; bias {found[1]:.3f}, by the definition {right[1]:.3f}; kappa {found[2]:.3f}")
    if abs(found[2] - right[2]) > 1e-9:
        sys.exit("not as expected")
if not np.allclose(*seen[4]):
    sys.exit("not as expected")
if any(seen[grades][0][0] > 0 or seen[grades][1][0] < 0.6 for grades in (2, 3)) or any(abs(seen[grades][0][1] - seen[grades][1][1]) < 0.05 for grades in (2, 3, 5)):
    sys.exit("pyirr changed")
PY
