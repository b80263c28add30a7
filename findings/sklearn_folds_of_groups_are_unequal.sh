#!/usr/bin/env bash
# Guess: `GroupKFold` makes folds of about as many samples, with `shuffle=True` in the first place, as its documentation has it, and
# `StratifiedGroupKFold` does as well as it can.
# Behaviour: with `shuffle=True`, the folds have the same number of groups, and only without, of samples: of 60 documents of 400 to 6 sentences, the
# largest fold has 2 to 6 times as many as the smallest. `StratifiedGroupKFold` places groups by the deviation of their numbers of samples in the
# classes, which is 0, whatever the size, where a group has as many in each, such as a good and a bad translation of each sentence: where the large
# documents come last, folds have from 266 to 632 samples instead of 382 to 402.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile scikit-learn==1.9.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

print(*(f"{name} {version(name)}" for name in ("scikit-learn", "numpy")))
LENGTHS = (400 / np.arange(1, 61)).astype(int)


def sizes(folds, lengths, labels=None):
    """Number of samples in the test part of each fold."""
    groups = np.repeat(np.arange(len(lengths)), lengths)
    labels = np.zeros(len(groups), int) if labels is None else labels
    parts = [test for _, test in folds.split(groups, labels, groups)]
    if sorted(np.concatenate(parts).tolist()) != list(range(len(groups))):
        sys.exit("not as expected")
    return [len(part) for part in parts]


plain = sizes(GroupKFold(5), LENGTHS)
print(f"GroupKFold, 60 documents, {LENGTHS.sum()} sentences: {plain}")
ratios = []
for seed in range(10):
    shuffled = sizes(GroupKFold(5, shuffle=True, random_state=seed), LENGTHS)
    ratios.append(max(shuffled) / min(shuffled))
    if seed < 3:
        print(f"  shuffle=True, seed {seed}: {shuffled}")
print(f"  largest by smallest fold: {max(plain) / min(plain):.2f}; of 10 seeds {min(ratios):.2f} to {max(ratios):.2f}")
if max(plain) > 1.2 * min(plain):
    sys.exit("not as expected")
if np.median(ratios) < 1.8 or max(ratios) < 3:
    sys.exit("scikit-learn changed")

even = LENGTHS // 2 * 2 + 2
seen = {}
for name, lengths in {"largest first": even, "largest last": even[::-1]}.items():
    half = np.arange(lengths.sum()) % 2
    quarter = (np.arange(lengths.sum()) % 4 == 0).astype(int)
    seen[name] = (sizes(StratifiedGroupKFold(5), lengths, half), sizes(StratifiedGroupKFold(5), lengths, quarter), sizes(GroupKFold(5), lengths))
    print(f"{name}: StratifiedGroupKFold, half of each document good {seen[name][0]}, a quarter {seen[name][1]}; GroupKFold {seen[name][2]}")
    if any(max(folds) > 1.1 * min(folds) for folds in seen[name][1:]):
        sys.exit("not as expected")
if max(seen["largest last"][0]) < 2 * min(seen["largest last"][0]):
    sys.exit("scikit-learn changed")
PY
