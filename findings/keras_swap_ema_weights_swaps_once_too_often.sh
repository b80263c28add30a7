#!/usr/bin/env bash
# Guess: with `use_ema=True` and `SwapEMAWeights`, evaluation and prediction use the averaged weights, training goes on with the others, and
# at the end of `fit` the model has the averaged weights, whether the training ends early or not.
# Behaviour: `predict` with the callback exchanges weights and averages and does not exchange them back. The second prediction with a new
# callback is that of the weights without average, the third is like the first; a training that goes on starts from the averages and takes
# the weights for them. With `swap_on_epoch=True`, the averages are kept only in the epoch that has the number `epochs`: where `EarlyStopping`
# ends the training, the model has the weights without average, and the averages are gone. `evaluate` is right. On JAX, `fit` with
# `use_ema=True` makes weights and averages one array, and the next `fit` of the model is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import keras
import numpy as np
from keras.callbacks import EarlyStopping, SwapEMAWeights

print(*(f"{name} {version(name)}" for name in ("keras", "jax")))
inputs = np.random.default_rng(0).random((64, 3), "float32")
targets = inputs.sum(axis=1, keepdims=True) + 1


def make():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.99), "mse")
    return model


class Biases(keras.callbacks.Callback):
    """Keeps the bias and its average after the last update."""

    def on_train_batch_end(self, batch, logs=None):
        averages = self.model.optimizer._model_variables_moving_average
        self.biases = [float(np.asarray(variable.value)[0]) for variable in (self.model.layers[0].bias, averages[1])]


def fit(epochs, *callbacks):
    model, biases = make(), Biases()
    model.fit(inputs, targets, batch_size=8, epochs=epochs, shuffle=False, verbose=0, callbacks=[biases, *callbacks])
    return model, [*biases.biases, float(model.get_weights()[1][0])]


stop = EarlyStopping("loss", min_delta=10, patience=3)  # after the fourth epoch
cases = {
    "4 epochs": (4,),
    "4 epochs, swap": (4, SwapEMAWeights(swap_on_epoch=True)),
    "stopped after 4 of 40": (40, stop),
    "stopped after 4 of 40, swap": (40, SwapEMAWeights(swap_on_epoch=True), stop),
}
last = {}
for name, arguments in cases.items():
    model, (bias, average, final) = fit(*arguments)
    last[name] = "average" if abs(final - average) < 1e-6 else "bias" if abs(final - bias) < 1e-6 else "neither"
    print(f"{name}: bias {bias:.4f}, its average {average:.4f}, in the model after fit {final:.4f}: the {last[name]}")

model = make()
for _ in range(20):
    model.train_on_batch(inputs, targets)
losses = [float(model.evaluate(inputs, targets, verbose=0, callbacks=[SwapEMAWeights()])) for _ in range(3)]
before = float(model.predict(inputs[:1], verbose=0)[0, 0])
predictions = [float(model.predict(inputs[:1], verbose=0, callbacks=[SwapEMAWeights()])[0, 0]) for _ in range(4)]
print(f"three evaluations with the callback: {[round(loss, 4) for loss in losses]}")
print(f"prediction without it {before:.4f}, four with a new one each: {[round(value, 4) for value in predictions]}")
model, _ = fit(1)
try:
    model.fit(inputs, targets, verbose=0)
    second = "works"
except Exception as error:  # the type of it depends on what comes first
    second = type(error).__name__
print("the second fit of a model with use_ema=True:", second)
if list(last.values()) != ["average", "average", "average", "bias"] or second == "works":
    sys.exit("fit changed")
if max(losses) - min(losses) > 1e-6 or abs(predictions[1] - before) > 1e-5 or abs(predictions[0] - before) < 0.1:
    sys.exit("evaluate or predict changed")
if abs(predictions[0] - predictions[2]) > 1e-5 or abs(predictions[1] - predictions[3]) > 1e-5:
    sys.exit("predict changed")
PY
