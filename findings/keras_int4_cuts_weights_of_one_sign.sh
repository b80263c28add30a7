#!/usr/bin/env bash
# Guess: `quantize("int4")`, which gives each block of 128 weights a scale and a zero point "for weight distributions that are not centered around
# zero", keeps the outputs of a layer whose weights are all positive to about a percent.
# Behaviour: the zero point is cut to the range of the four bits, so a block whose weights do not reach 0 loses what lies beyond its own width: weights
# from 0.5 to 1.5 become 0 to 1 at the most, outputs are 0.87 of what they were, of weights from 2 to 3 0.39; the same for negative weights. With
# `block_size=-1`, one scale for each output and no zero point, and with int8, the errors are below 1.2%.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "numpy")))

generator = np.random.default_rng(0)
inputs = generator.uniform(0, 1, (32, 128)).astype("float32")
WAYS = {"int4": (), "int4, block_size=-1": (keras.quantizers.Int4QuantizationConfig(block_size=-1),), "int8": ()}
seen = {}
for low, high in ((0, 1), (0.5, 1.5), (2, 3), (-1.5, -0.5)):
    weights = generator.uniform(low, high, (128, 8)).astype("float32")
    exact = inputs @ weights
    for way, config in WAYS.items():
        layer = keras.layers.Dense(8, use_bias=False, kernel_constraint="non_neg" if low >= 0 else None)
        model = keras.Sequential([keras.Input((128,)), layer])
        layer.kernel.assign(weights)
        model.quantize(way[:4], config=config[0] if config else None)
        outputs = np.asarray(model(inputs))
        seen[low, way] = float(np.mean(outputs) / np.mean(exact)), float(np.linalg.norm(outputs - exact) / np.linalg.norm(exact))
    print(f"weights from {low} to {high}:", *(f"{way}: {seen[low, way][0]:.3f} of the outputs, error {seen[low, way][1]:.1%};" for way in WAYS))
if seen[0, "int4"][1] > 0.02 or any(error > 0.02 for (_, way), (_, error) in seen.items() if way != "int4"):
    sys.exit("not as expected")
if seen[0.5, "int4"][0] > 0.95 or seen[2, "int4"][0] > 0.6 or seen[-1.5, "int4"][0] > 0.95:
    sys.exit("Keras changed")
PY
