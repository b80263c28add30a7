#!/usr/bin/env bash
# Guess: `BradleyTerry(n_iter=1000)` repeats its step until the scores change by less than `tol`, and returns the scores of the greatest likelihood.
# Behaviour: it stops after the second step, whatever `n_iter` is: the scores of the step before are kept as a name for the same array, not as a copy, so
# that the difference is always 0, which is less than any `tol` but 0. Of six systems that were each compared with the next one, the best has 0.23
# instead of 0.41 and the worst 0.11 instead of 0.04. Of six with opponents of unequal strength, one that wins 16 of 20 against the last but
# one comes first instead of fourth, and the best third. Two systems are right, and so are all with `tol=0`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps crowd-kit==1.4.2 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 scikit-learn==1.9.1 nltk==3.10.4 \
    regex==2026.11.19 click==8.5.1 defusedxml==0.7.1 attrs==26.1.0 tqdm==4.70.1 joblib==1.6.0 threadpoolctl==3.8.0 cloudpickle==3.1.3 narwhals==2.29.0 python-dateutil==4.0.0 tzdata==2026.6
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
from crowdkit.aggregation import BradleyTerry

print(*(f"{name} {version(name)}" for name in ("crowd-kit", "numpy", "pandas")))
DATA = {  # pairs of systems, and how often each of them won
    "two systems": [("a", "b", 15, 5)],
    "a chain": [(left, right, 13, 8) for left, right in zip("abcde", "bcdef")],
    "unequal opponents": [("top", "mid", 11, 9), ("mid", "low", 17, 3), ("low", "poor", 17, 3), ("new", "poor", 16, 4), ("poor", "last", 17, 3)],
}


def iterate(wins, steps):
    """Scores by the steps of Hunter (2004), which always raise the likelihood."""
    games, scores = wins + wins.T, np.full(len(wins), 1 / len(wins))
    for _ in range(steps):
        scores = wins.sum(1) / np.sum(games / np.add.outer(scores, scores), axis=1)
        scores /= scores.sum()
    return scores


def compute_likelihood(wins, scores):
    return np.sum(wins * np.log(scores[:, None] / np.add.outer(scores, scores)))


ok = True
for name, pairs in DATA.items():
    names = sorted({system for pair in pairs for system in pair[:2]})
    wins = np.zeros((len(names), len(names)))
    rows = []
    for left, right, first, second in pairs:
        rows += [(left, right, left)] * first + [(left, right, right)] * second
        wins[names.index(left), names.index(right)] += first
        wins[names.index(right), names.index(left)] += second
    data = pd.DataFrame(rows, columns=["left", "right", "label"])
    found = [BradleyTerry(n_iter=n, tol=tol).fit_predict(data).reindex(names).to_numpy() for n, tol in ((2, 1e-5), (1000, 1e-5), (1000, 1e-300), (5000, 0.0))]
    right = iterate(wins, 5000)
    for n, scores in ((1000, found[1]), ("the definition", right)):
        order = ", ".join(f"{names[i]} {scores[i]:.2f}" for i in np.argsort(-scores))
        print(f"{name}, {n}: {order}; log-likelihood {compute_likelihood(wins, scores):.2f}")
    ok &= np.allclose(iterate(wins, 5001), right, rtol=1e-6) and np.allclose(found[0], iterate(wins, 2), rtol=1e-6) and np.allclose(found[3], right, rtol=1e-6)
    if name == "two systems":
        ok &= np.allclose(found[1], right, rtol=1e-6)
    elif not np.allclose(found[0], found[1], rtol=1e-9) or not np.allclose(found[0], found[2], rtol=1e-9) or np.abs(found[1] - right).max() < 0.1:
        sys.exit("crowd-kit changed")
if not ok:
    sys.exit("not as expected")
if names[right.argmax()] != "top" or names[found[1].argmax()] != "new":
    sys.exit("crowd-kit changed")
PY
