#!/usr/bin/env bash
# Guess: like softmax, sparsemax (Martins and Astudillo, 2016) gives numbers from 0 to 1 that sum to one; only some of them are exactly 0.
# Behaviour: it is right only where a single output is not 0. Otherwise the threshold is taken from the sum of the cumulative sums instead of
# the last of them, so that it depends on a constant that is added to all inputs: two equal inputs of 1 give 0 and 0, of -5 give 3 and 3. Of
# 1,000 rows of ten normal numbers, 866 do not sum to one, but to anything from 0 to 4.6. A classifier whose last layer has this activation
# learns nothing: of three classes with straight borders, it finds 0.32, with softmax 0.99. The code is the same for all backends.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax")))


def projected(row):
    """Returns the point of the simplex that is nearest to ROW, by bisection of the threshold."""
    low, high = row.min() - 1, row.max()
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(row - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(row - low, 0)


seen = {}
for row in ([3, 1, 0], [1, 1, 0], [1, 0.9, 0], [0.5, 0.4, 0.3], [-5, -5]):
    seen[tuple(row)] = [round(float(value), 3) for value in keras.ops.sparsemax(np.array(row, "float32"))]
    print(f"sparsemax of {row}: {seen[tuple(row)]}, nearest point of the simplex: {projected(np.array(row, float)).round(3).tolist()}")
rows = np.random.default_rng(0).standard_normal((1000, 10)).astype("float32")
sums = keras.ops.convert_to_numpy(keras.ops.sparsemax(rows)).sum(axis=1)
wrong = float((abs(sums - 1) > 0.001).mean())
print(f"1,000 rows of ten normal numbers: {wrong:.3f} do not sum to 1, smallest sum {sums.min():.3f}, largest {sums.max():.3f}")
points = np.random.default_rng(1).standard_normal((3000, 2)).astype("float32")
labels = np.digitize(points[:, 0], [-0.43, 0.43])
found = {}
for activation in ("softmax", "sparsemax"):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(3, activation)])
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
    found[activation] = model.fit(points, labels, epochs=5, verbose=0).history["accuracy"][-1]
print("classes found after five epochs:", {name: round(share, 3) for name, share in found.items()})
expected = {(3, 1, 0): [1, 0, 0], (1, 1, 0): [0, 0, 0], (1, 0.9, 0): [0.05, 0, 0], (0.5, 0.4, 0.3): [0, 0, 0], (-5, -5): [3, 3]}
if seen != expected or wrong < 0.8 or found["softmax"] < 0.95 or found["sparsemax"] > 0.5:
    sys.exit("Keras changed")
PY
