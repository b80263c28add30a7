#!/usr/bin/env bash
# Guess: `spiegelhalter_p_value` is the p-value of the hypothesis that probabilities are calibrated, small for models that are too certain and for
# models that are not certain enough.
# Behaviour: it is one-sided: a model whose probabilities are all too near to 0.5 has p = 1.000 of 5,000 samples with a statistic of -28, the
# best there is. One that is too certain has 0. The Kolmogorov-Smirnov and Kuiper tests beside it reject both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile mapie==1.6.0 scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from mapie.metrics.calibration import kolmogorov_smirnov_p_value, kuiper_p_value, spiegelhalter_p_value, spiegelhalter_statistic

print({name: version(name) for name in ("mapie", "scikit-learn", "numpy")})
SIZE, DRAWS = 5000, 2000
rng = np.random.default_rng(0)
truth = rng.random(SIZE)
right = (rng.random(SIZE) < truth).astype(int)
MODELS = {"right": truth, "too certain": np.where(truth < 0.5, truth / 3, 1 - (1 - truth) / 3), "too cautious": 0.5 + (truth - 0.5) / 3}


def score(right, scores):
    """The Brier score."""
    return np.mean((right - scores) ** 2)


def simulate(scores):
    """The share of Brier scores, with outcomes drawn by the scores, that are as far from their mean as that of the model, or further, on either side."""
    drawn = np.array([score(rng.random(SIZE) < scores, scores) for _ in range(DRAWS)])
    return np.mean(np.abs(drawn - drawn.mean()) >= abs(score(right, scores) - drawn.mean()))


seen = {}
for name, scores in MODELS.items():
    found = [float(function(right, scores)) for function in (spiegelhalter_statistic, spiegelhalter_p_value, kolmogorov_smirnov_p_value, kuiper_p_value)]
    seen[name] = found, simulate(scores)
    print(f"model {name}: statistic {found[0]:.1f}, p {found[1]:.3f}, of {DRAWS} simulations {seen[name][1]:.3f},"
          f" Kolmogorov-Smirnov {abs(found[2]):.3f}, Kuiper {abs(found[3]):.3f}")
if seen["right"][1] < 0.05 or any(seen[name][1] > 0 or max(seen[name][0][2:]) > 0.001 for name in ("too certain", "too cautious")):
    sys.exit("not as expected")
if seen["too certain"][0][1] > 0.001 or seen["too cautious"][0][0] > -10:
    sys.exit("not as expected")
if seen["too cautious"][0][1] < 0.999:
    sys.exit("mapie changed")
PY
