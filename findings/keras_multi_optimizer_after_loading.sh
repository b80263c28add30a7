#!/usr/bin/env bash
# Guess: `OptimizerMap` gives each layer its optimizer by name, "encoder/.*" as in its documentation, before and after a model is saved and loaded.
# Behaviour: the pattern must match the whole path of a variable. In a `Sequential` model or a subclass of `Model`, paths begin with the model's name as
# long as it is new, "sequential/encoder/kernel", and without it once it was loaded. So "encoder/.*" is ignored in the first training, where the
# default optimizer trains the encoder, and counts after loading; "sequential/encoder/.*" is the other way round. Nothing warns of a pattern that
# matches no variable. A functional model is right in both cases, and so is ".*encoder/.*".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore::DeprecationWarning - "$folder/model.keras" <<'PY'
import sys
import warnings

import keras
import numpy as np
from keras.optimizers import SGD, MultiOptimizer, OptimizerMap

warnings.filterwarnings("error", category=UserWarning)  # there is none
print("keras", keras.__version__)
inputs, targets = np.ones((8, 4), "float32"), np.ones((8, 2), "float32")


def layers():
    return keras.layers.Dense(3, name="encoder"), keras.layers.Dense(2, name="decoder")


def functional():
    encoder, decoder = layers()
    tokens = keras.Input((4,))
    return keras.Model(tokens, decoder(encoder(tokens)))


def moves(model):
    """Whether one step of training changes the encoder and the decoder."""
    before = model.get_weights()
    model.train_on_batch(inputs, targets)
    changed = [bool(np.any(np.asarray(a) != np.asarray(b))) for a, b in zip(before, model.get_weights())]
    return changed[0], changed[2]


def sequential():
    return keras.Sequential([keras.Input((4,)), *layers()], name="sequential")


seen = {}
for create in (functional, sequential):
    for pattern in ("encoder/.*", "sequential/encoder/.*", ".*encoder/.*"):
        keras.utils.set_random_seed(1)
        model = create()
        model.compile(MultiOptimizer(OptimizerMap(SGD(0.0), {pattern: SGD(0.1)})), "mse")  # the encoder alone
        new = moves(model)
        model.save(sys.argv[1])
        loaded = keras.saving.load_model(sys.argv[1])
        seen[create, pattern] = new, moves(loaded)
        paths = model.trainable_variables[0].path, loaded.trainable_variables[0].path
        print(f"{create.__name__}, {pattern}: the encoder moves {new[0]} as {paths[0]}, loaded {seen[create, pattern][1][0]} as {paths[1]}")
expected = {
    (functional, "encoder/.*"): (True, True),
    (functional, ".*encoder/.*"): (True, True),
    (functional, "sequential/encoder/.*"): (False, False),
    (sequential, ".*encoder/.*"): (True, True),
    (sequential, "encoder/.*"): (False, True),
    (sequential, "sequential/encoder/.*"): (True, False),
}
if any(tuple(each[0] for each in seen[case]) != right or any(each[1] for each in seen[case]) for case, right in expected.items()):
    sys.exit("keras changed")
PY
