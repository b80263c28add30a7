#!/usr/bin/env bash
# Guess: Hyperband continues the best trials of a round: a trial that goes from epoch 3 to 9 ends as 9 epochs in a row do.
# Behaviour: it gets the weights, and a new optimizer: a schedule of the learning rate, with its warm-up, begins again, and the moments of Adam are
# 0. A rate that falls from 0.9 to 0.1 within 9 epochs is 0.9 again at epoch 3, and 0.4 instead of 0.1 in the last. So the trials that win are
# chosen by another training than the one that their hyperparameters stand for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-tuner==1.4.8 keras==3.15.1 jax==0.10.2 six==1.17.0
cd "$folder"
KERAS_BACKEND=jax venv/bin/python -W ignore - <<'PY'
import sys
from importlib.metadata import version

import keras
import keras_tuner
import numpy as np

print(*(f"{name} {version(name)}" for name in ("keras-tuner", "keras", "jax")))
keras.utils.set_random_seed(1)
EPOCHS, STEPS = 9, 4
seen = []


class Rates(keras.callbacks.Callback):
    """Keeps the rate of each epoch's first update."""

    def on_train_begin(self, logs=None):
        seen.append({})

    def on_epoch_begin(self, epoch, logs=None):
        seen[-1][epoch] = round(float(self.model.optimizer.learning_rate), 3)


def build(hp):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name=hp.Choice("name", list("abcdefghijklmnopqrst")))])
    schedule = keras.optimizers.schedules.PolynomialDecay(0.9, EPOCHS * STEPS, 0.0)  # 0.1 less each epoch
    model.compile(keras.optimizers.Adam(schedule), "mse")
    return model


data = dict(x=np.random.rand(4 * STEPS, 2), y=np.random.rand(4 * STEPS, 1), batch_size=4, verbose=0)
build(keras_tuner.HyperParameters()).fit(**data, epochs=EPOCHS, callbacks=[Rates()])
whole = seen.pop()
tuner = keras_tuner.Hyperband(build, keras_tuner.Objective("loss", "min"), max_epochs=EPOCHS, seed=1)
tuner.search(**data, callbacks=[Rates()])
print("9 epochs in a row", whole)
continued = [rates for rates in seen if 0 not in rates]
for rates in map(dict, {tuple(rates.items()) for rates in continued}):
    print("continued by Hyperband", rates)
if whole != {epoch: round(0.9 - 0.1 * epoch, 3) for epoch in range(EPOCHS)}:
    sys.exit("not as expected")
if not continued or any(rates[min(rates)] != 0.9 for rates in continued):
    sys.exit("keras-tuner changed")
PY
