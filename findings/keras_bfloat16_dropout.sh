#!/usr/bin/env bash
# Guess: with mixed_bfloat16, a dropout of 0.01 sets one value of 100 to zero.
# Behaviour: on TensorFlow, the random numbers have the dtype of the inputs, so in bfloat16 they are multiples of 1/128: a dropout of 0.002
# drops 1 of 128, which is four times as many; 0.01 drops 2 of 128, half as many again; 0.1 and 0.3 drop 13 and 39 of 128. Compiled by
# XLA, and on JAX, the shares are the rates, but for the rounding of the rate itself. The mean of the outputs, where inputs are 1, is 0.992 to
# 1.006, since the factor for what is kept is rounded to bfloat16.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6 jax==0.10.2
cat > "$folder/program.py" <<'PY'
import json
import sys

import keras
import numpy as np

keras.config.set_dtype_policy("mixed_bfloat16")
inputs = np.ones((2000, 2000), "float32")
results = {}
for rate in (0.002, 0.01, 0.05, 0.1, 0.3):
    layer = keras.layers.Dropout(rate, seed=1)
    if sys.argv[1:] == ["compiled"]:
        import tensorflow as tf

        outputs = tf.function(layer, jit_compile=True)(inputs, training=True)
    else:
        outputs = layer(inputs, training=True)
    outputs = keras.ops.convert_to_numpy(keras.ops.cast(outputs, "float32"))
    results[rate] = (float((outputs == 0).mean()), float(outputs.mean()))
print(json.dumps(results))
PY
export TF_CPP_MIN_LOG_LEVEL=3
on_jax=$(KERAS_BACKEND=jax "$folder/venv/bin/python" "$folder/program.py" 2>/dev/null)
compiled=$(KERAS_BACKEND=tensorflow "$folder/venv/bin/python" "$folder/program.py" compiled 2>/dev/null)
plain=$(KERAS_BACKEND=tensorflow "$folder/venv/bin/python" "$folder/program.py" 2>/dev/null)
"$folder/venv/bin/python" - "$on_jax" "$compiled" "$plain" <<'PY'
import json
import sys
from importlib.metadata import version

print({name: version(name) for name in ("keras", "tensorflow", "jax")})
results = dict(zip(("JAX", "TensorFlow, XLA", "TensorFlow"), map(json.loads, sys.argv[1:])))
steps = {"0.002": 1, "0.01": 2, "0.05": 7, "0.1": 13, "0.3": 39}
for name, shares in results.items():
    for rate, (share, mean) in shares.items():
        print(f"{name}: rate {rate} drops {share:.4f}, mean {mean:.4f}")
        expected = steps[rate] / 128 if name == "TensorFlow" else float(rate)
        if abs(share - expected) > 0.002:
            sys.exit("keras, tensorflow or jax changed")
PY
