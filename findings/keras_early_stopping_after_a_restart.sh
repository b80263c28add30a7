#!/usr/bin/env bash
# Guess: with BackupAndRestore, a training that was interrupted and started again ends as the uninterrupted one, early stopping included.
# Behaviour: only weights, optimizer and epoch come back. EarlyStopping begins with an infinite best value and full patience: a plateau
# lasts longer by the epochs before the interruption, and restore_best_weights returns weights that are worse than the best ones seen.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6
cd "$folder"
TF_CPP_MIN_LOG_LEVEL=3 KERAS_BACKEND=tensorflow venv/bin/python - <<'PY'
import sys

import keras
import numpy as np

print("keras", keras.__version__)
LOSSES = [5.0, 1.0, 4.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]  # of the development set; the best is in epoch 1


class Interrupt(Exception):
    pass


class Scores(keras.callbacks.Callback):
    def __init__(self, epochs, interrupt):
        super().__init__()
        self.epochs, self.interrupt = epochs, interrupt

    def on_epoch_end(self, epoch, logs):
        logs["dev_loss"] = LOSSES[epoch]
        self.epochs.append(epoch)
        self.model.layers[-1].bias.assign([float(epoch)])  # the weights say which epoch they are of

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.interrupt:
            raise Interrupt


def train(folder, epochs, interrupt=None):
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(0.0), loss="mse")
    stopping = keras.callbacks.EarlyStopping(monitor="dev_loss", mode="min", patience=3, restore_best_weights=True)
    callbacks = [Scores(epochs, interrupt), stopping, keras.callbacks.BackupAndRestore(folder)]
    model.fit(np.ones((2, 1)), np.ones((2, 1)), epochs=len(LOSSES), verbose=0, callbacks=callbacks)
    return float(np.ravel(model.layers[-1].bias)[0])


whole, parts = [], []
best = train("whole", whole)
try:
    train("parts", parts, interrupt=3)
    sys.exit("not interrupted")
except Interrupt:
    best_of_parts = train("parts", parts)
print(f"uninterrupted: epochs {whole}, weights of epoch {best:.0f}, loss {LOSSES[int(best)]}")
print(f"interrupted after epoch 2: epochs {parts}, weights of epoch {best_of_parts:.0f}, loss {LOSSES[int(best_of_parts)]}")
if whole != [0, 1, 2, 3, 4] or best != 1:
    sys.exit("the uninterrupted run changed")
if parts != [0, 1, 2, 3, 4, 5, 6] or best_of_parts != 3:
    sys.exit("the interrupted run changed")
PY
