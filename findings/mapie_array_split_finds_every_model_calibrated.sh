#!/usr/bin/env bash
# Guess: with `split_strategy="array split"`, `expected_calibration_error` has bins of the same number of scores, so that the error is about that of
# "quantile", and the order of the samples does not matter.
# Behaviour: the scores are cut in parts as they come, and the largest score of each part, about 1 in samples in random order, is the limit of a bin:
# nearly all samples are in the first bin, where errors cancel. A model that says 1 - p for each p has 0.01 instead of 0.50, one that is too certain 0.01
# instead of 0.17; of the same samples in the order of their scores, both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile mapie==1.6.0 scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from mapie.metrics.calibration import expected_calibration_error

print({name: version(name) for name in ("mapie", "scikit-learn", "numpy")})
BINS, SIZE = 10, 5000


def find_error(right, scores):
    """The mean distance of accuracy and score over bins of the same number of samples."""
    return np.mean([abs(np.mean(right[part]) - np.mean(scores[part])) for part in np.array_split(np.argsort(scores), BINS)])


rng = np.random.default_rng(0)
truth = rng.random(SIZE)
right = (rng.random(SIZE) < truth).astype(int)
MODELS = {"right": truth, "says 1 - p": 1 - truth, "too certain": np.where(truth < 0.5, truth / 3, 1 - (1 - truth) / 3)}
seen = {}
for name, scores in MODELS.items():
    order = np.argsort(scores)
    quantile, drawn = (expected_calibration_error(right, scores, BINS, kind) for kind in ("quantile", "array split"))
    ordered = expected_calibration_error(right[order], scores[order], BINS, "array split")
    seen[name] = drawn, ordered, find_error(right, scores)
    print(f"model {name}: array split {drawn:.3f}, of ordered samples {ordered:.3f}, quantile {quantile:.3f}, by the definition {seen[name][2]:.3f}")
    if abs(ordered - seen[name][2]) > 0.01 or abs(quantile - seen[name][2]) > 0.05:
        sys.exit("not as expected")
if seen["right"][2] > 0.03 or seen["says 1 - p"][2] < 0.4 or seen["too certain"][2] < 0.1:
    sys.exit("not as expected")
if any(seen[name][0] > 0.05 for name in MODELS):
    sys.exit("mapie changed")
PY
