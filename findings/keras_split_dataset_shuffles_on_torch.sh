#!/usr/bin/env bash
# Guess: `keras.utils.split_dataset(data, left_size=0.8, shuffle=False)`, its default, has the first 80% on the left, and the same in each run.
# Behaviour: on PyTorch, the parts of an array and of a data set of PyTorch are drawn by its global generator, with `shuffle=False`, too: they are
# others in each call and each run, so that a test set that is split off again has four fifths of its lines in what the model was trained on, and
# neighbouring lines of a document are in both parts. With `shuffle=True` and a seed, the parts are the same in each call.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 torch==2.13.0 numpy==2.4.6
cat >"$folder/split.py" <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np
import torch

lines = np.arange(100, dtype="int64")
kinds = {
    "array": lambda **options: keras.utils.split_dataset(lines, left_size=0.8, **options),
    "Dataset": lambda **options: keras.utils.split_dataset(torch.utils.data.TensorDataset(torch.from_numpy(lines)), left_size=0.8, **options),
}


def right(parts):
    if sorted(int(line[0]) for part in parts for line in part) != list(range(100)) or len(parts[1]) != 20:
        sys.exit("not as expected")
    return [int(line[0]) for line in parts[1]]


if len(sys.argv) > 1:
    print(*right(kinds["array"]()))
    sys.exit()
print(*(f"{name} {version(name)}" for name in ("keras", "torch")))
for name, split in kinds.items():
    first, second = right(split(shuffle=False)), right(split(shuffle=False))
    seeded = [right(split(shuffle=True, seed=1)) for _ in range(2)]
    print(f"{name}: shuffle=False: right {first[:8]} ..., again {second[:8]} ..., {len(set(first) & set(second))} of 20 in both")
    print(f"{name}: shuffle=True, seed 1: right {seeded[0][:8]} ..., again {seeded[1][:8]} ...")
    if seeded[0] != seeded[1]:
        sys.exit("not as expected")
    if list(range(80, 100)) in (first, second) or first == second:
        sys.exit("Keras changed")
PY
export KERAS_BACKEND=torch
"$folder/venv/bin/python" "$folder/split.py"
one=$("$folder/venv/bin/python" "$folder/split.py" run)
two=$("$folder/venv/bin/python" "$folder/split.py" run)
echo "right part of the first run: $one"
echo "right part of the second run: $two"
[ "$one" != "$two" ] || { echo "Keras changed"; exit 1; }
