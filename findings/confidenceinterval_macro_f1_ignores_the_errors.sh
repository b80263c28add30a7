#!/usr/bin/env bash
# Guess: `f1_score(average="macro")`, `precision_score` and `recall_score` have intervals by the delta method (Takahashi et al. 2022), so that an
# interval of 95% holds the true value in 95 of 100 samples.
# Behaviour: three formulas are not the paper's. Of macro F1, two factors are added instead of multiplied and counts stand for shares: the interval
# is twice as long as it should be for three classes of the same size, half as long where one class is rare (the true value is in 71 of 100).
# Of macro precision and recall, a derivative lacks its divisor (in the docstring, too): with a rare class, 80 of 100 for recall. Of binary F1,
# squares of shares stand for products. Micro F1, accuracy and the bootstrap of the same library are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile confidenceinterval==1.0.4 scikit-learn==1.9.1 statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6 pandas==3.1.1
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import confidenceinterval as ci
import numpy as np

print({name: version(name) for name in ("confidenceinterval", "scikit-learn", "numpy")})
TABLES = {  # shares of right class (rows) and answer (columns)
    "equal classes": [[0.30, 0.02, 0.01], [0.025, 0.25, 0.025], [0.005, 0.015, 0.35]],
    "a rare class": [[0.90, 0.02, 0.0], [0.03, 0.03, 0.0], [0.005, 0.005, 0.01]],
    "two classes": [[0.40, 0.10], [0.05, 0.45]],
}
METRICS = {
    "macro F1": lambda p: np.mean(2 * np.diag(p) / (p.sum(0) + p.sum(1))),
    "macro precision": lambda p: np.mean(np.diag(p) / p.sum(0)),
    "macro recall": lambda p: np.mean(np.diag(p) / p.sum(1)),
    "micro F1": lambda p: np.trace(p),
    "binary F1": lambda p: 2 * p[1, 1] / (p[1].sum() + p[:, 1].sum()),
}
CALLS = {
    "macro F1": lambda *labels: ci.f1_score(*labels, average="macro"),
    "macro precision": lambda *labels: ci.precision_score(*labels, average="macro"),
    "macro recall": lambda *labels: ci.recall_score(*labels, average="macro"),
    "micro F1": lambda *labels: ci.f1_score(*labels, average="micro"),
    "binary F1": lambda *labels: ci.f1_score(*labels, average="binary"),
}
SIZE, DRAWS, Z = 1000, 400, 1.959964


def find_half(metric, shares, count):
    """Half of the interval by the delta method, with numerical derivatives."""
    slopes = np.zeros_like(shares)
    for place in np.ndindex(shares.shape):
        step = np.zeros_like(shares)
        step[place] = 1e-6
        slopes[place] = (metric(shares + step) - metric(shares - step)) / 2e-6
    return Z * np.sqrt((np.sum(slopes**2 * shares) - np.sum(slopes * shares) ** 2) / count)


rng = np.random.default_rng(0)
seen = {}
for name, shares in TABLES.items():
    shares = np.array(shares)
    shares = shares / shares.sum()
    for kind, metric in METRICS.items():
        if kind == "binary F1" and len(shares) > 2:
            continue
        held, held_by_delta, ratios = 0, 0, []
        for _ in range(DRAWS):
            table = rng.multinomial(SIZE, shares.ravel()).reshape(shares.shape)
            labels = [np.repeat(numbers, table.ravel()) for numbers in np.indices(shares.shape).reshape(2, -1)]
            value, (low, high) = CALLS[kind](*labels)
            half, truth = find_half(metric, table / SIZE, SIZE), metric(shares)
            if abs(value - metric(table / SIZE)) > 1e-6:
                sys.exit("not as expected")
            held += low <= truth <= high
            held_by_delta += abs(value - truth) <= half
            ratios.append((high - low) / 2 / half)
        seen[name, kind] = held / DRAWS, held_by_delta / DRAWS, np.mean(ratios)
        print(f"{name}, {kind}: holds the true value in {held / DRAWS:.3f} of the samples, by the delta method {held_by_delta / DRAWS:.3f};"
              f" {np.mean(ratios):.2f} times as long")
table = np.round(np.array(TABLES["a rare class"]) * SIZE).astype(int)
labels = [np.repeat(numbers, table.ravel()) for numbers in np.indices(table.shape).reshape(2, -1)]
half = find_half(METRICS["macro F1"], table / SIZE, SIZE)
_, (low, high) = ci.f1_score(*labels, average="macro", method="bootstrap_percentile", n_resamples=2000, random_state=np.random.default_rng(1))
print(f"a rare class, macro F1: the bootstrap of the library is {(high - low) / 2 / half:.2f} times as long as by the delta method")
if any(by_delta < 0.91 for _, by_delta, _ in seen.values()) or abs((high - low) / 2 / half - 1) > 0.15:
    sys.exit("not as expected")
if any(abs(seen[name, "micro F1"][2] - 1) > 0.01 for name in TABLES):
    sys.exit("not as expected")
wrong = seen["equal classes", "macro F1"][2] > 1.7 and seen["a rare class", "macro F1"][0] < 0.8 and seen["a rare class", "macro recall"][0] < 0.9
if not wrong or seen["two classes", "binary F1"][2] < 1.1:
    sys.exit("confidenceinterval changed")
PY
