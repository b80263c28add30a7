#!/usr/bin/env bash
# Guess: normalization layers of Keras give the same outputs, up to rounding, on every backend.
# Behaviour: on PyTorch, `keras.ops.moments` takes the variance as the mean of squares less the square of the mean, in float32. Of the values
# 10,000 to 10,003 it finds the variance 0 instead of 1.25: BatchNormalization and GroupNormalization give -1,500 to 1,500 instead of
# -1.34 to 1.34. LayerNormalization, and PyTorch's own layers, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 numpy==2.4.6 jax==0.10.2 torch==2.13.0
cat > "$folder/program.py" <<'PY'
import json

import keras
import numpy as np

x = np.arange(10_000, 10_004, dtype="float32")
row = x[None]
outputs = {
    "variance": keras.ops.moments(keras.ops.convert_to_tensor(x), axes=[0])[1],
    "BatchNormalization": keras.layers.BatchNormalization(epsilon=1e-6)(x[:, None], training=True),
    "GroupNormalization": keras.layers.GroupNormalization(1, epsilon=1e-6)(row),
    "LayerNormalization": keras.layers.LayerNormalization(epsilon=1e-6)(row),
}
print(json.dumps({name: round(float(np.max(keras.ops.convert_to_numpy(value))), 2) for name, value in outputs.items()}))
PY
on_jax=$(KERAS_BACKEND=jax "$folder/venv/bin/python" "$folder/program.py")
on_torch=$(KERAS_BACKEND=torch "$folder/venv/bin/python" "$folder/program.py")
"$folder/venv/bin/python" - "$on_jax" "$on_torch" <<'PY'
import json
import sys
from importlib.metadata import version

print({name: version(name) for name in ("keras", "torch", "jax")})
on_jax, on_torch = map(json.loads, sys.argv[1:])
print("largest outputs on JAX:    ", on_jax)
print("largest outputs on PyTorch:", on_torch)
right = {"variance": 1.25, "BatchNormalization": 1.34, "GroupNormalization": 1.34, "LayerNormalization": 1.34}
wrong = {"variance": 0.0, "BatchNormalization": 1500.0, "GroupNormalization": 1500.0, "LayerNormalization": 1.34}
if on_jax != right or on_torch != wrong:
    sys.exit("keras changed")
PY
