#!/usr/bin/env bash
# Guess: `quantize("gptq")` measures the inputs of each layer on the calibration texts, and changes the outputs of the layer less than rounding its weights to
# the same grid does, which is the point of the method.
# Behaviour: the weights are rounded, no more: the inputs are to be seen by a hook in `call`, but a layer whose mode is "gptq" already is called by another
# method, so that the matrix of the inputs stays 0. The texts are read and change nothing. Where inputs depend on each other, as those of a
# language model do, the method of the paper has a third of the error. Settings of the grid are followed, and nothing warns.
# Pull request 23512 of keras-team/keras, merged in August 2026, mends it; 3.15.1 is the newest release and lacks it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6
KERAS_BACKEND=numpy "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "numpy")))
keras.utils.disable_interactive_logging()
WIDTH, UNITS, VOCABULARY, BITS = 32, 16, 512, 4
random = np.random.default_rng(0)
TABLE = random.normal(size=(VOCABULARY, 4)) @ random.normal(size=(4, WIDTH)) + 0.1 * random.normal(size=(VOCABULARY, WIDTH))
WEIGHTS = random.normal(size=(WIDTH, UNITS)).astype("float32")
TEXTS = {"all words": random.permutation(np.tile(np.arange(VOCABULARY), 4)), "one word": np.full(2048, 7)}


def quantize(tokens):
    """The outputs of the layer for all words, quantized with these texts."""
    embedding, dense = keras.layers.Embedding(VOCABULARY, WIDTH), keras.layers.Dense(UNITS, use_bias=False)
    block = keras.Sequential([dense])
    model = keras.Sequential([embedding, block])
    model(np.zeros((1, 4), "int32"))
    embedding.set_weights([TABLE.astype("float32")])
    dense.set_weights([WEIGHTS])
    structure = {"pre_block_layers": [embedding], "sequential_blocks": [block]}
    config = keras.quantizers.GPTQConfig(
        dataset=[tokens], tokenizer=str.split, weight_bits=BITS, num_samples=8, sequence_length=256, group_size=-1, quantization_layer_structure=structure
    )
    model.quantize("gptq", config=config)
    return np.asarray(block(TABLE.astype("float32")[None]))[0]


def round_weights(weights):
    """16 steps from the smallest weight of a unit to the largest."""
    low, high = WEIGHTS.min(0), WEIGHTS.max(0)
    scale = (high - low) / (2**BITS - 1)
    zero = np.round(-low / scale)
    return (np.clip(np.round(weights / scale) + zero, 0, 2**BITS - 1) - zero) * scale


def compute_gptq():
    """By the paper: row by row, with the upper Cholesky factor of the inverse."""
    matrix = 2 * TABLE.T @ TABLE / len(TABLE)
    matrix += 0.01 * np.mean(np.diag(matrix)) * np.eye(WIDTH)
    factor = np.linalg.cholesky(np.linalg.inv(matrix)).T
    weights, result = WEIGHTS.astype("float64"), np.zeros((WIDTH, UNITS))
    for i in range(WIDTH):
        result[i] = round_weights(weights[i])
        weights[i + 1 :] -= np.outer(factor[i, i + 1 :], (weights[i] - result[i]) / factor[i, i])
    return result


right = TABLE @ WEIGHTS
outputs = {f"calibrated with {name}": quantize(tokens) for name, tokens in TEXTS.items()}
outputs |= {"rounding": TABLE @ round_weights(WEIGHTS), "GPTQ by the paper": TABLE @ compute_gptq()}
errors = {name: float(np.linalg.norm(values - right) / np.linalg.norm(right)) for name, values in outputs.items()}
print("relative error of the outputs:", {name: round(error, 4) for name, error in errors.items()})
if errors["GPTQ by the paper"] > 0.6 * errors["rounding"]:
    sys.exit("not as expected")
if any(np.abs(outputs[f"calibrated with {name}"] - outputs["rounding"]).max() > 1e-3 for name in TEXTS):
    sys.exit("Keras changed")
PY
