#!/usr/bin/env bash
# Guess: with gradients accumulated over four batches, an update has the mean gradient of its batches, and no batch is lost.
# Behaviour: of the 10 batches of an epoch, Lightning and accelerate make a third update of the last two, whose gradients they have divided by
# four: it is half as large as it should be, one of a single batch a quarter. Keras makes no third update: the gradients of the last two batches
# go into the first update of the next epoch, and at the end of the training they are lost.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile lightning==2.6.6 accelerate==1.15.0 keras==3.15.1 torch==2.13.0 numpy==2.4.6
cd "$folder"
KERAS_BACKEND=torch venv/bin/python -W ignore - <<'PY'
import logging
import sys
from importlib.metadata import version

import keras
import lightning
import numpy as np
import torch
from accelerate import Accelerator

print(*(f"{name} {version(name)}" for name in ("lightning", "accelerate", "keras", "torch")))
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def batches(number):
    return torch.utils.data.DataLoader(torch.ones(number, 1), batch_size=1)


class Module(lightning.LightningModule):
    """One weight, whose gradient is 1 in each batch."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        self.seen = [0.0]

    def training_step(self, batch, _):
        return self.weight * batch.mean()

    def configure_optimizers(self):
        return torch.optim.SGD([self.weight], 1.0)

    def on_train_batch_end(self, *_):
        self.seen.append(float(self.weight))


def by_lightning(number):
    module = Module()
    options = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
    lightning.Trainer(max_epochs=1, accelerator="cpu", accumulate_grad_batches=4, **options).fit(module, batches(number))
    return module.seen


def by_accelerate(number):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 1.0), batches(number))
    seen = [0.0]
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
        seen.append(float(model.weight))
    return seen


def by_keras(number, epochs=1):
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(1.0, gradient_accumulation_steps=4), loss=lambda _, outputs: outputs)
    seen = [0.0]
    note = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(float(model.get_weights()[0].item())))
    model.fit(np.ones((number, 1)), np.ones((number, 1)), batch_size=1, epochs=epochs, verbose=0, callbacks=[note])
    return seen


seen = {}
for name, train in (("Lightning", by_lightning), ("accelerate", by_accelerate), ("Keras", by_keras)):
    for number in (8, 9, 10):
        weights = np.array(train(number))
        seen[name, number] = [float(x) for x in weights[:-1] - weights[1:] if x]
        print(f"{name}, {number} batches, each with a gradient of 1, over 4: updates {seen[name, number]}")
two_epochs = -np.diff(by_keras(10, epochs=2))
print("Keras, two epochs of 10 batches:", int((two_epochs == 1).sum()), "updates by 1")
if any(updates != [1, 1] for (_, number), updates in seen.items() if number == 8):
    sys.exit("not as expected")
for name in ("Lightning", "accelerate"):
    if seen[name, 9] != [1, 1, 0.25] or seen[name, 10] != [1, 1, 0.5]:
        sys.exit(f"{name} changed")
if seen["Keras", 9] != [1, 1] or seen["Keras", 10] != [1, 1] or (two_epochs == 1).sum() != 5:
    sys.exit("Keras changed")
PY
