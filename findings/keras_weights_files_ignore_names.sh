#!/usr/bin/env bash
# Guess: layers that were given names find their weights in a .weights.h5 file by these names, or load_weights says that they differ.
# Behaviour: the file numbers the layers of each class in the order of the model ("dense", "dense_1") and ignores their names. A model whose
# code was reordered, with layers of equal shapes, loads without a word: each layer has the weights of another.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 numpy==2.4.6 jax==0.10.2 h5py==3.14.0
cd "$folder"
KERAS_BACKEND=jax venv/bin/python - <<'PY'
import sys

import h5py
import keras
import numpy as np

print("keras", keras.__version__, "h5py", h5py.__version__)
VALUES = {"german": 1.0, "french": 2.0}


def model(names):
    x = inputs = keras.Input((2,))
    for name in names:
        start = keras.initializers.Constant(VALUES[name])
        x = keras.layers.Dense(2, use_bias=False, name=name, kernel_initializer=start)(x)
    return keras.Model(inputs, x)


model(["german", "french"]).save_weights("model.weights.h5")
reordered = model(["french", "german"])
reordered.load_weights("model.weights.h5")
seen = {name: float(np.ravel(reordered.get_layer(name).kernel)[0]) for name in VALUES}
with h5py.File("model.weights.h5") as file:
    print("layers in the file:", list(file["layers"]))
print("saved:", VALUES, "loaded by name:", seen)
if seen != {"german": 2.0, "french": 1.0}:
    sys.exit("keras changed")
PY
