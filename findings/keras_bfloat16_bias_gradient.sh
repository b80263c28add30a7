#!/usr/bin/env bash
# Guess: with mixed_bfloat16, TensorFlow adds the gradient of a bias over batch and time in float32, as it does for kernels and reduce_sum.
# Behaviour: on CPUs, the gradient of a bias is added one by one in bfloat16 and stops growing at 256 (BiasAddGrad): 4,096 tokens with the
# gradient 1 give 256, random gradients an eighth of their sum, eagerly, in graphs and in fit. The kernel's gradient is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 KERAS_BACKEND=tensorflow "$folder/venv/bin/python" - <<'PY'
import sys

import keras
import numpy as np
import tensorflow as tf

print("tensorflow", tf.__version__, "keras", keras.__version__)


def gradients(policy, weights):
    layer = keras.layers.Dense(2, dtype=policy)
    layer.build((None, None, 1))

    @tf.function
    def run():
        with tf.GradientTape() as tape:
            outputs = layer(tf.ones([1, len(weights), 1]))
            loss = tf.reduce_sum(tf.cast(outputs, "float32")[0, :, 0] * weights)
        return tape.gradient(loss, [layer.kernel.value, layer.bias.value])

    return [float(np.ravel(value)[0]) for value in run()]


ones = np.ones(4096, "float32")
random = np.random.default_rng(0).uniform(size=4096).astype("float32")
seen = {}
for name, weights in (("ones", ones), ("random", random)):
    for policy in ("float32", "mixed_bfloat16"):
        kernel, bias = seen[name, policy] = gradients(policy, weights)
        print(f"4,096 tokens, gradients {name}, {policy}: kernel {kernel:.1f}, bias {bias:.1f}")
if seen["ones", "mixed_bfloat16"] != [4096.0, 256.0] or seen["random", "mixed_bfloat16"][1] > 300:
    sys.exit("the gradients in bfloat16 changed")
if seen["ones", "float32"] != [4096.0, 4096.0]:
    sys.exit("float32 changed")
PY
