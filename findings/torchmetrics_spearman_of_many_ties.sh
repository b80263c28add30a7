#!/usr/bin/env bash
# Guess: ties do not harm a rank correlation, whatever the number of samples.
# Behaviour: the ranks of equal values are summed in 32 bits. Where their sum is 2^31 or more, as with 25,000 equal values at the top of
# 100,000, it becomes negative, and so does the mean rank. Human judgements have such ties: of 100,000 scores of which half are 100, or which
# are grades from 1 to 5, the correlation with a metric is -0.37 or -0.39 instead of 0.63. Of 60,000 scores it is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torchmetrics==1.9.0 torch==2.13.0 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import torch
from scipy.stats import spearmanr
from torchmetrics.regression import SpearmanCorrCoef

print(*(f"{name} {version(name)}" for name in ("torchmetrics", "torch", "scipy")))
seen = {}
for number in (60_000, 100_000, 200_000):
    generator = np.random.default_rng(0)
    quality = generator.normal(size=number)
    scores = quality + generator.normal(size=number)
    judgements = {
        "no ties": quality,
        "half are 100": np.clip(np.round(100 + 20 * quality), 0, 100),
        "grades": np.digitize(quality, [-2, -1, -0.5, 0]) + 1.0,
    }
    for name, human in judgements.items():
        metric = SpearmanCorrCoef()
        for part in np.array_split(np.arange(number), 10):
            metric.update(torch.tensor(scores[part]), torch.tensor(human[part]))
        seen[name, number] = float(metric.compute()), float(spearmanr(scores, human)[0])
        print(f"{number:,} samples, {name}: torchmetrics {seen[name, number][0]:.4f}, SciPy {seen[name, number][1]:.4f}")
if any(abs(seen[name, 60_000][0] - seen[name, 60_000][1]) > 1e-4 for name in judgements):
    sys.exit("not as expected")
if any(abs(seen["no ties", number][0] - seen["no ties", number][1]) > 1e-3 for number in (60_000, 100_000, 200_000)):
    sys.exit("not as expected")
if any(seen[name, 100_000][0] > 0 or seen[name, 100_000][1] < 0.55 for name in ("half are 100", "grades")):
    sys.exit("torchmetrics changed")
PY
