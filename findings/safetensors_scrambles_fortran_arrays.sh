#!/usr/bin/env bash
# Guess: safetensors saves the values of a NumPy array. Arrays must be “contiguous and dense”, as its documentation says, which those in
# Fortran's order are, such as a kernel of Keras that is transposed for PyTorch.
# Behaviour: since 0.8.0, `safetensors.numpy` writes the bytes as they lie in memory beside the shape of the array: a transposed matrix is
# loaded with the right shape and its values in other places, without a word. 0.7.0 was right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 0.7.0 0.8.0; do
    "$folder/venv/bin/pip" install -q --no-compile safetensors==$version numpy==2.4.6
    "$folder/venv/bin/python" - $version "$folder" <<'PY'
import sys

import numpy as np
import safetensors
from safetensors.numpy import load, load_file, save, save_file

print("safetensors", safetensors.__version__, "numpy", np.__version__)
kernel = np.arange(6, dtype="float32").reshape(2, 3)
arrays = {"kernel": kernel, "transposed": kernel.T, "copied in that order": np.asfortranarray(kernel)}
path = f"{sys.argv[2]}/arrays.safetensors"
save_file(arrays, path)
loaded, from_bytes = load_file(path), load(save(arrays))
wrong = set()
for name, array in arrays.items():
    order = "C" if array.flags.c_contiguous else "Fortran"
    is_right = bool(np.array_equal(loaded[name], array))
    print(f"{name}, in the order of {order}: {'right' if is_right else 'wrong'}; shape {loaded[name].shape}")
    if not np.array_equal(loaded[name], from_bytes[name]) or loaded[name].shape != array.shape:
        sys.exit("save_file and save differ, or the shape changed")
    wrong |= set() if is_right else {order}
print("transposed", kernel.T.tolist(), "is loaded as", loaded["transposed"].tolist())
if wrong != ({"Fortran"} if sys.argv[1] == "0.8.0" else set()):
    sys.exit("safetensors changed")
PY
done
