#!/usr/bin/env bash
# Guess: `EmbedReduce(mask_zero=True)`, where the id 0 is padding to be masked out, takes the mean of the embeddings of the other ids.
# Behaviour: padding counts in the mean, the sum and "sqrtn": the embedding of id 0, which is drawn at random and trained, is added for each 0, and the mean
# is divided by the length with padding. The mean of two items depends on how long the longest list of the batch is. With weights of 0 at the padding,
# and without padding, it is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-rs==0.4.0 keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=numpy "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from keras_rs.layers import EmbedReduce

print(*(f"{name} {version(name)}" for name in ("keras-rs", "keras", "numpy")))
TABLE = np.array([[9.0, 9.0], [1.0, 0.0], [3.0, 2.0]], "float32")  # of padding and two items
DIVISORS = {"mean": 2, "sum": 1, "sqrtn": np.sqrt(2)}
for combiner, divisor in DIVISORS.items():
    layer = EmbedReduce(3, 2, combiner=combiner, mask_zero=True, weights=TABLE)
    right = TABLE[1:].sum(0) / divisor
    plain, padded, more = (np.asarray(layer(np.array([[1, 2] + [0] * zeros])))[0] for zeros in (0, 2, 6))
    weighted = np.asarray(layer(np.array([[1, 2, 0, 0]]), np.array([[1, 1, 0, 0]], "float32")))[0]
    print(f"{combiner} of two items: {plain.round(2)}, with two paddings {padded.round(2)}, with six {more.round(2)}, with weights of 0 {weighted.round(2)}; right {right.round(2)}")
    if not np.allclose(plain, right, atol=1e-5) or not np.allclose(weighted, right, atol=1e-5):
        sys.exit("not as expected")
    lengths = {"mean": (4, 8), "sum": (1, 1), "sqrtn": (2, np.sqrt(8))}[combiner]
    for values, zeros, length in ((padded, 2, lengths[0]), (more, 6, lengths[1])):
        if not np.allclose(values, (TABLE[1:].sum(0) + zeros * TABLE[0]) / length, atol=1e-5):
            sys.exit("keras-rs changed")
PY
