#!/usr/bin/env bash
# Guess: R2 of a model that predicts the mean for all samples is 0, and no R2 is above 1.
# Behaviour: `R2Score` of Keras and of torchmetrics keep the sum of the squares in float32 and subtract the square of the sum from it. Where the
# targets are large beside their spread, their variance is lost: in five draws of values around 10,000 with a deviation of 1, the mean has 0.88 or
# 1.12 and a model of 0.75 has 0.97 or 1.03; with pressures in hPa, both are off by 0.01. `ExplainedVariance` of torchmetrics does the same.
# scikit-learn has 0 and 0.75 from the same arrays of float32. Adjusted for the number of regressors, R2 of Keras counts values instead of
# samples: with three outputs, 0.258 instead of 0.086.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 torchmetrics==1.9.0 torch==2.13.0 scikit-learn==1.9.1 numpy==2.4.6
KERAS_BACKEND=torch "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np
import torch
import torchmetrics
from sklearn.metrics import r2_score

print(*(f"{name} {version(name)}" for name in ("keras", "torchmetrics", "torch", "scikit-learn")))


def scores(targets, predictions):
    """R2 of batches of 100 by Keras and torchmetrics, explained variance by torchmetrics, R2 by scikit-learn."""
    of_keras, of_torch, explained = keras.metrics.R2Score(), torchmetrics.R2Score(), torchmetrics.ExplainedVariance()
    for start in range(0, len(targets), 100):
        batch = slice(start, start + 100)
        of_keras.update_state(targets[batch, None], predictions[batch, None])
        for metric in (of_torch, explained):
            metric.update(torch.tensor(predictions[batch]), torch.tensor(targets[batch]))
    return [float(x) for x in (of_keras.result(), of_torch.compute(), explained.compute(), r2_score(targets, predictions))]


NAMES = ("Keras", "torchmetrics", "explained variance", "scikit-learn")
seen = {}
for name, mean, deviation in (("around 0", 0, 1), ("pressure in hPa", 1013, 5), ("around 10,000", 10000, 1)):
    draws = {"model": [], "mean": []}
    for seed in range(5):
        numbers = np.random.default_rng(seed)
        targets = (mean + deviation * numbers.standard_normal(2000)).astype("float32")
        draws["model"].append(scores(targets, (targets + 0.5 * deviation * numbers.standard_normal(2000)).astype("float32")))
        draws["mean"].append(scores(targets, np.full_like(targets, targets.mean(dtype="float64"))))
    for kind, values in draws.items():
        seen[name, kind] = np.array(values)
        columns = zip(NAMES, seen[name, kind].T, strict=True)
        print(f"{name}, {kind}:", ", ".join(f"{one} " + " ".join(f"{value:.2f}" for value in column) for one, column in columns))
numbers = np.random.default_rng(0)
targets = numbers.standard_normal((40, 3)).astype("float32")
predictions = (targets + 0.7 * numbers.standard_normal((40, 3))).astype("float32")
adjusted = keras.metrics.R2Score(num_regressors=10)
adjusted.update_state(targets, predictions)
other = torchmetrics.R2Score(adjusted=10)(torch.tensor(predictions), torch.tensor(targets))
right = 1 - (1 - r2_score(targets, predictions)) * 39 / (40 - 10 - 1)
adjusted = [round(float(value), 3) for value in (adjusted.result(), other, right)]
print("40 samples of three outputs, adjusted for 10 regressors: Keras {}, torchmetrics {}, by definition {}".format(*adjusted))
for name, tolerance in (("around 0", 0.001), ("pressure in hPa", 0.1)):
    if any(abs(seen[name, kind] - seen[name, kind][:, 3:]).max() > tolerance for kind in ("model", "mean")):
        sys.exit(f"{name} is not as expected")
if any(abs(seen[name, kind][:, 3] - (0.75 if kind == "model" else 0)).max() > 0.03 for name, kind in seen):
    sys.exit("scikit-learn is not as expected")
for kind in ("model", "mean"):
    if (abs(seen["around 10,000", kind] - seen["around 10,000", kind][:, 3:])[:, :3].max(axis=0) < 0.2).any():
        sys.exit("Keras or torchmetrics changed")
if abs(adjusted[0] - adjusted[2]) < 0.1 or abs(adjusted[1] - adjusted[2]) > 0.002:
    sys.exit("the adjusted R2 changed")
PY
