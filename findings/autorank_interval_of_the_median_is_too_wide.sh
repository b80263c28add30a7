#!/usr/bin/env bash
# Guess: the confidence interval that `autorank` gives for a median goes from the value at n/2 - z*sqrt(n)/2 to that at 1 + n/2 + z*sqrt(n)/2 of the n
# sorted ones, which covers the median with the probability asked for, and turns around where the signs of all values do.
# Behaviour: the root is taken of n/2, so that the interval is 1.4 times as long, and the places, which count from 1, are used as if they counted from
# 0, so that both ends are one value too high: of 40 values, it goes from the 11th to the 32nd instead of from the 13th to the 28th, with a
# probability of 0.9988 instead of the 0.975 of two systems at alpha 0.05; of the same values with minus signs, it goes to the 9th and the 30th. Two
# systems whose intervals are disjoint by the definition overlap. The interval of a mean is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile autorank==1.3.0 statsmodels==0.15.0 baycomp==1.0.3 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 matplotlib==3.11.2 jinja2==3.1.6
MPLBACKEND=agg OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import contextlib
import io
import sys
from importlib.metadata import version
from math import comb, sqrt

import numpy as np
import pandas as pd
from autorank import autorank
from scipy.stats import norm, t

print(*(f"{name} {version(name)}" for name in ("autorank", "scipy")))
SIZE, ALPHA = 40, 0.05


def rank(first, second):
    with contextlib.redirect_stdout(io.StringIO()):  # it prints its table
        return autorank(pd.DataFrame({"first": first, "second": second}), alpha=ALPHA)


def cover(low, high):
    """The probability that the median lies between the sorted values LOW and HIGH, counted from 1: that of LOW to HIGH - 1 values below it."""
    return sum(comb(SIZE, k) for k in range(low, high)) / 2**SIZE


z = norm.ppf(1 - ALPHA / 2 / 2)  # two systems, by Bonferroni
right = round(SIZE / 2 - z * sqrt(SIZE) / 2), round(1 + SIZE / 2 + z * sqrt(SIZE) / 2)
scores = np.exp(np.arange(SIZE) / 8)  # not normal
places = {}
for name, sign in (("values", 1), ("the same with minus signs", -1)):
    result = rank(sign * scores, sign * scores[::-1] * 1.001)
    interval = sorted(sign * result.rankdf.loc["first", ["ci_lower", "ci_upper"]].astype(float))
    places[sign] = tuple(int(np.abs(scores - value).argmin()) + 1 for value in interval)
    print(f"{name}: from place {places[sign][0]} to {places[sign][1]}, which covers the median with {cover(*places[sign]):.4f}; by the definition {right}, {cover(*right):.4f}")
better = scores * 9
result = rank(better, scores).rankdf.astype({"ci_lower": float, "ci_upper": float})
gap = result.loc["first", "ci_lower"] - result.loc["second", "ci_upper"]
gap_right = better[right[0] - 1] - scores[right[1] - 1]
print(f"a system with 9 times the scores: between the intervals lie {gap:.2f}, by the definition {gap_right:.2f}")
normal = norm.ppf((np.arange(SIZE) + 0.5) / SIZE)
result = rank(normal, normal + 0.1)
width = normal.std(ddof=1) / sqrt(SIZE) * t.ppf(1 - ALPHA / 2 / 2, SIZE - 1)
if not result.all_normal or abs(result.rankdf.loc["first", "ci_upper"] - normal.mean() - width) > 1e-6 or not 0.96 < cover(*right) < 0.99 or gap_right <= 0:
    sys.exit("not as expected")
if places[1] != (11, 32) or places[-1] != (9, 30) or gap >= 0:
    sys.exit("autorank changed")
PY
