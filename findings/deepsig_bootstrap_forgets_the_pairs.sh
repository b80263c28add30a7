#!/usr/bin/env bash
# Guess: `bootstrap_test`, a paired bootstrap test by its documentation, draws lines of a test set, and takes the scores of both systems for each line drawn.
# Behaviour: it draws the scores of both systems independently of each other, so that the score of one line is compared with that of another. Lines of a test
# set differ more from each other than systems do: where system A is better by 1 to 3 on each of 100 lines whose scores go from 5 to 95, the p-value is
# 0.3 instead of 0.001, and where it is better on 80 of 100 lines, the difference is not significant either. For scores that do not depend on each
# other, both tests agree; `permutation_test` keeps the pairs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile deepsig==1.2.8 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 joblib==1.6.0
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from deepsig import bootstrap_test, permutation_test

print(*(f"{name} {version(name)}" for name in ("deepsig", "numpy")))
LINES, SAMPLES = 100, 1000
rng = np.random.default_rng(0)
hard = rng.uniform(5, 95, LINES)  # what both systems get for a line


def paired_bootstrap(a, b):
    """Efron and Tibshirani: the part of samples of lines whose difference is at least twice that of the test set."""
    differences = a - b
    means = differences[rng.integers(0, LINES, (SAMPLES, LINES))].mean(1)
    return (np.sum(means >= 2 * differences.mean()) + 1) / (SAMPLES + 1)


CASES = {
    "better on each line": (hard + rng.uniform(1, 3, LINES), hard),
    "better on 80 of 100 lines": (hard + np.where(np.arange(LINES) < 80, 3.0, -3.0), hard),
    "equal systems": (hard + rng.normal(0, 1, LINES), hard + rng.normal(0, 1, LINES)),
    "independent scores": [scores - scores.mean() + mean for scores, mean in ((rng.uniform(5, 95, LINES), 55), (rng.uniform(5, 95, LINES), 50))],
}
seen = {}
for name, (a, b) in CASES.items():
    seen[name] = bootstrap_test(a, b, num_samples=SAMPLES, seed=1), paired_bootstrap(a, b), permutation_test(a, b, num_samples=SAMPLES, seed=1)
    print("{}: mean difference {:.2f}; bootstrap_test {:.3f}, a paired bootstrap {:.3f}, permutation_test {:.3f}".format(name, np.mean(a - b), *seen[name]))
found, right, permuted = (np.array(values) for values in zip(*seen.values()))
if right[:2].max() > 0.01 or permuted[:2].max() > 0.01 or min(right[2], permuted[2]) < 0.1 or max(abs(found[3] - right[3]), abs(permuted[3] - right[3])) > 0.04 or right[3] < 0.03:
    sys.exit("not as expected")
if found[:2].min() < 0.2:
    sys.exit("deepsig changed")
PY
