#!/usr/bin/env bash
# Guess: `normalize` and `UnitNormalization` of a vector of zeros are zeros, so padding that is zero does no harm.
# Behaviour: on JAX, the values are zeros, but the gradient is NaN, also where the loss gives the padding no weight: one zero vector in a batch
# makes every weight before the layer NaN at the first update. The epsilon limits the result of the root, whose slope at 0
# is infinite. The same holds for the cosine similarity, `ops.norm` and `ops.std`. Layer normalization adds its epsilon before the root.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import os
import sys
from importlib.metadata import version

os.environ["KERAS_BACKEND"] = "jax"
import jax
import keras
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras", "jax")))
x = np.array([[[1, 2, 2], [0, 0, 0]]], "float32")  # [line, token, unit]; the second token is padding
weights = np.array([[1, 0]], "float32")
unit, norm = keras.layers.UnitNormalization(), keras.layers.LayerNormalization()
norm.build(x.shape)
functions = {
    "ops.normalize": keras.ops.normalize,
    "UnitNormalization": unit,
    "cosine_similarity": lambda x: keras.losses.cosine_similarity(keras.ops.ones_like(x), x)[..., None],
    "ops.norm": lambda x: keras.ops.norm(x, axis=-1, keepdims=True),
    "ops.std": lambda x: keras.ops.std(x, axis=-1, keepdims=True),
    "LayerNormalization": norm,
}
seen = {}
for name, function in functions.items():
    value, gradient = np.asarray(function(x))[0, 1], jax.grad(lambda x: keras.ops.sum(function(x) * weights[..., None]))(x)[0]
    seen[name] = np.isfinite(gradient).all(axis=-1).tolist()
    print(f"{name}: the padding becomes {value.tolist()}; gradients of token {gradient[0].tolist()}, of padding {gradient[1].tolist()}")

model = keras.Sequential([keras.layers.Dense(4, use_bias=False), keras.layers.UnitNormalization()])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, np.ones((1, 2, 4), "float32"), sample_weight=weights, epochs=1, verbose=0)
print("weights after one update:", model.get_weights()[0][0].tolist())
if not np.isnan(model.get_weights()[0]).all() or any(fine != [True, name == "LayerNormalization"] for name, fine in seen.items()):
    sys.exit("keras changed")
PY
