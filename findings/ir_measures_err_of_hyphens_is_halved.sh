#!/usr/bin/env bash
# Guess: ERR@20, and nDCG@10 with exponential gains, of queries named "2019-1", "2019-2" are the same as of queries named 1, 2.
# Behaviour: these two measures come from a script that cuts the name of a query after its last hyphen, and the values for the queries "1" and "2" that it
# gives back are not those asked for: each query has 0 beside its value, and the mean is half of it, 0.5 instead of 1 for a perfect run. Queries of two
# years, "2019-1" and "2020-1", become one query with the documents of both. Nothing warns. nDCG with linear gains, RR and P are right, and so are
# all for names without a hyphen.
set -euo pipefail
command -v perl > /dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version
from math import log2

import ir_measures
from ir_measures import ERR, RR, nDCG

print(*(f"{name} {version(name)}" for name in ("ir-measures", "pytrec-eval-terrier")))
EXPONENTIAL = nDCG(dcg="exp-log2") @ 10
MEASURES = [ERR @ 20, EXPONENTIAL, nDCG @ 10, RR]
GRADES = [{"a": 4, "b": 1, "c": 0}, {"e": 3, "f": 0, "g": 2}]  # of two queries
SCORES = [{"a": 3.0, "b": 2.0, "c": 1.0}, {"e": 3.0, "g": 2.0, "f": 1.0}]  # both in the best order


def define(grades, scores):
    """ERR and nDCG of one query, by their definitions."""
    found = [grades[name] for name in sorted(scores, key=scores.get, reverse=True)]
    err, left = 0, 1
    for place, grade in enumerate(found, 1):
        stop = (2**grade - 1) / 2**4
        err, left = err + left * stop / place, left * (1 - stop)
    gains = [sum((2**grade - 1) / log2(place + 1) for place, grade in enumerate(order, 1)) for order in (found, sorted(found, reverse=True))]
    return err, gains[0] / gains[1]


def measure(names):
    values = ir_measures.calc_aggregate(MEASURES, dict(zip(names, GRADES)), dict(zip(names, SCORES)))
    print(names, *(f"{m} {values[m]:.4f}" for m in MEASURES))
    return [values[m] for m in MEASURES]


each = [define(grades, scores) for grades, scores in zip(GRADES, SCORES)]
err, ndcg = (sum(values) / 2 for values in zip(*each))
print(f"by the definitions: ERR@20 {err:.4f}, nDCG@10 {ndcg:.4f}")
plain, hyphen, years = measure(["1", "2"]), measure(["2019-1", "2019-2"]), measure(["2019-1", "2020-1"])
for values in (plain, hyphen, years):
    if values[2:] != [1, 1]:
        sys.exit("not as expected")
if abs(plain[0] - err) > 1e-4 or abs(plain[1] - ndcg) > 1e-4:
    sys.exit("not as expected")
if abs(hyphen[0] - err / 2) > 1e-4 or abs(hyphen[1] - ndcg / 2) > 1e-4 or years[0] > 0.7 * err or years[1] > 0.7 * ndcg:
    sys.exit("ir-measures changed")
PY
