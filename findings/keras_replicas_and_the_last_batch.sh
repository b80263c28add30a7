#!/usr/bin/env bash
# Guess: under MirroredStrategy, fit gives the weights of one device, because Keras scales the loss to the number of replicas.
# Behaviour: it divides by the replicas also where some got nothing. Of five lines in batches of two, the last line is alone, one of two
# replicas is empty, and its gradient is halved. The losses that fit and evaluate print are those of one device, so nothing shows it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 KERAS_BACKEND=tensorflow "$folder/venv/bin/python" - <<'PY' 2> "$folder/log" || { tail -5 "$folder/log"; exit 1; }
import contextlib
import sys

import keras
import numpy as np
import tensorflow as tf

print("tensorflow", tf.__version__, "keras", keras.__version__)
devices = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], devices)
x = np.arange(1, 6, dtype="float32")[:, None]
y = np.zeros((5, 1), "float32")


def train(lines, strategy):
    with strategy.scope() if strategy else contextlib.nullcontext():
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")])
        model.compile(optimizer=keras.optimizers.SGD(0.01), loss="mse")
    loss = model.fit(x[:lines], y[:lines], batch_size=2, shuffle=False, verbose=0).history["loss"][0]
    return round(float(np.ravel(model.layers[-1].kernel)[0]), 5), round(loss, 3)


strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
seen = {lines: (train(lines, None), train(lines, strategy)) for lines in (4, 5)}
for lines, (one, two) in seen.items():
    print(f"{lines} lines in batches of 2: weight and loss on one device {one}, on two replicas {two}")
if seen[4][0][0] != seen[4][1][0]:
    print("full batches changed", file=sys.stdout)
    sys.exit(1)
if (seen[5][0][0], seen[5][1][0]) != (0.35625, 0.53437):
    print("the last batch changed", file=sys.stdout)
    sys.exit(1)
PY
