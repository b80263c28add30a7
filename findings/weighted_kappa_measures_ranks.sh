#!/usr/bin/env bash
# Guess: Cohen's kappa with quadratic weights squares the differences of the ratings: on a scale of 0 to 100, raters who differ by 1 agree
# much better than raters who differ by 49.
# Behaviour: a rating counts by its place among the ratings that occur. Where nobody gives 3 or 4, 5 stands next to 2: kappa is 0.77 instead of
# 0.54, and falls to 0.56 once both raters agree on a 3 and a 4. Of 0, 50, 51 and 100, 51 is as near to 100 as to 50: 0.79 instead of 0.9998.
# With `labels`, the list of all ratings that may be given, it is the kappa of the differences.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile scikit-learn==1.9.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from sklearn.metrics import cohen_kappa_score

print("scikit-learn", version("scikit-learn"))


def defined(first, second):
    """Returns 1 - observed / expected mean squared difference, of all pairs of ratings for the latter."""
    first, second = np.array(first, float), np.array(second, float)
    return 1 - ((first - second) ** 2).mean() / ((first[:, None] - second) ** 2).mean()


def kappas(name, first, second, labels):
    values = {
        "scikit-learn": cohen_kappa_score(first, second, weights="quadratic"),
        "with labels": cohen_kappa_score(first, second, weights="quadratic", labels=list(labels)),
        "of the differences": defined(first, second),
    }
    print(f"{name}:", ", ".join(f"{key} {value:.4f}" for key, value in values.items()))
    return [round(float(value), 4) for value in values.values()]


first = [1, 2, 5, 5, 1, 2, 2, 1, 5, 2]
second = [1, 5, 5, 5, 1, 2, 5, 1, 2, 2]
scale = [1, 2, 3, 4, 5]
seen = [
    kappas("nobody gives 3 or 4", first, second, scale),
    kappas("both give 3 and 4 once", [*first, 3, 4], [*second, 3, 4], scale),
    kappas("three of six differ by 1 of 100", [0, 50, 51, 100, 50, 0], [0, 51, 50, 100, 51, 0], range(101)),
    kappas("two of six differ by 1, two by 49", [0, 50, 51, 100, 51, 0], [0, 51, 50, 51, 100, 0], range(101)),
]
if seen != [[0.7692, 0.5361, 0.5361], [0.5574] * 3, [0.7907, 0.9998, 0.9998], [0.7273, 0.6625, 0.6625]]:
    sys.exit("scikit-learn changed")
PY
