#!/usr/bin/env bash
# Guess: a product in bfloat16 is the product in float32, rounded to bfloat16, as a cast rounds.
# Behaviour: where oneDNN does not compute it (by default on a processor with AVX2 alone, and anywhere with TF_ENABLE_ONEDNN_OPTS=0, which
# this script sets), TensorFlow sums in float32 and then cuts the lower 16 bits off. Each product errs toward zero, so that the errors
# add up: states that 24 rotations leave as large in float32 lose 6.5% of their size. The same function compiled by XLA rounds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 numpy==2.4.6
TF_ENABLE_ONEDNN_OPTS=0 TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" - <<'PY'
import sys

import numpy as np
import tensorflow as tf

print("tensorflow", tf.__version__)
compiled = tf.function(tf.matmul, jit_compile=True)
row = tf.constant([[1.0, 1.0]], tf.bfloat16)
column = tf.constant([[1.0], [3 / 512]], tf.bfloat16)  # exact in bfloat16; the sum lies nearer to 1 + 4/512 than to 1
found = [float(x) for x in (tf.matmul(row, column)[0, 0], compiled(row, column)[0, 0], tf.cast(1 + 3 / 512, tf.bfloat16))]
print("1 * 1 + 1 * 3/512: matmul {}, compiled by XLA {}, tf.cast of the sum {}".format(*found))
if found != [1.0, 1.0078125, 1.0078125]:
    sys.exit("products are no longer cut off")

rng = np.random.default_rng(1)
states = tf.constant(rng.normal(size=(512, 256)), tf.bfloat16)
rotations = [tf.constant(np.linalg.qr(rng.normal(size=(256, 256)))[0], tf.bfloat16) for _ in range(24)]


def size_after(x, rotations):
    for rotation in rotations:
        x = tf.matmul(x, rotation)
    return float(tf.sqrt(tf.reduce_mean(tf.cast(x, tf.float32) ** 2)))


@tf.function(jit_compile=True, autograph=False)
def rotate_compiled(x, rotations):
    for rotation in rotations:
        x = tf.matmul(x, rotation)
    return x


exact = size_after(tf.cast(states, tf.float32), [tf.cast(x, tf.float32) for x in rotations])
plain, rounded = size_after(states, rotations), size_after(rotate_compiled(states, rotations), [])
print(f"root mean square after 24 rotations: float32 {exact:.4f}, bfloat16 {plain:.4f}, bfloat16 compiled by XLA {rounded:.4f}")
if not (plain < 0.95 * exact and abs(rounded - exact) < 0.001):
    sys.exit("the errors no longer add up")
PY
