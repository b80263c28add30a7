#!/usr/bin/env bash
# Guess: Matthews' correlation of predictions that are all the same is 0, or not defined: that is why it is preferred to accuracy for rare
# classes. scikit-learn returns 0.
# Behaviour: where both classes occur in the data and only one is predicted, torchmetrics returns
# (right - wrong) / sqrt((right + wrong) * right * wrong). Of 100 samples with 1 of the other class, the larger class for all has 0.985, the
# smaller one -0.985, and of 1,000 with 1 it has 0.998: more than a classifier that finds every sample of the rare class and is wrong in 1 of
# the others (0.707). The same happens where the data have one class: 9 of 10 right are 0.84. With three classes it is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile torchmetrics==1.9.0 torch==2.13.0 scikit-learn==1.9.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import torch
from sklearn.metrics import matthews_corrcoef
from torchmetrics import MatthewsCorrCoef

print(*(f"{name} {version(name)}" for name in ("torchmetrics", "torch", "scikit-learn")))


def correlations(name, labels, predictions, num_classes=2):
    metric = MatthewsCorrCoef("binary") if num_classes == 2 else MatthewsCorrCoef("multiclass", num_classes=num_classes)
    values = [float(metric(torch.tensor(predictions), torch.tensor(labels))), float(matthews_corrcoef(labels, predictions))]
    print(f"{name}: torchmetrics {values[0]:.4f}, scikit-learn {values[1]:.4f}")
    return [round(value, 3) + 0.0 for value in values]


def rare(number):
    return np.arange(number) == 0  # 1 of NUMBER samples


seen = {
    "all 0": correlations("1 of 100 is rare, all are called common", rare(100) * 1, np.zeros(100, int)),
    "all 1": correlations("1 of 100 is rare, all are called rare", rare(100) * 1, np.ones(100, int)),
    "1,000": correlations("1 of 1,000 is rare, all are called common", rare(1000) * 1, np.zeros(1000, int)),
    "good": correlations("1 of 1,000 is rare, it and one other are called rare", rare(1000) * 1, (np.arange(1000) < 2) * 1),
    "half": correlations("50 of 100 are rare, all are called common", (np.arange(100) < 50) * 1, np.zeros(100, int)),
    "one class": correlations("all of 10 are common, 9 are called common", np.zeros(10, int), rare(10) * 1),
    "three": correlations("three classes, 98, 1 and 1 samples, all called the first", np.maximum(np.arange(100) - 97, 0), np.zeros(100, int), 3),
}
expected = {"all 0": 0.985, "all 1": -0.985, "1,000": 0.998, "good": 0.707, "half": 0, "one class": 0.843, "three": 0}
if {name: values[0] for name, values in seen.items()} != expected:
    sys.exit("torchmetrics changed")
if {name: values[1] for name, values in seen.items()} != {**dict.fromkeys(expected, 0), "good": 0.707}:
    sys.exit("scikit-learn changed")
PY
