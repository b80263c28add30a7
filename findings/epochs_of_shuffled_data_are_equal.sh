#!/usr/bin/env bash
# Guess: data that are shuffled and repeated, or trained on for several epochs, have another order in each epoch, as `shuffle` of PyTorch's loaders,
# of `tf.data` and of arrays in Keras' `fit` have it.
# Behaviour: `shuffle(seed=1).repeat(3)` of a streamed data set has the same order three times, also after `set_epoch`. In `fit`, each epoch begins
# the Grain data set, or the loader, anew: all epochs have one order, and a random change of the examples, such as noise, draws the same numbers for
# each example in all of them; so has `text_dataset_from_directory(..., shuffle=True, format="grain")`. With `set_epoch` before each epoch, or with
# `repeat(3)` and `steps_per_epoch`, the orders differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras==3.15.1 jax==0.10.2 grain==0.2.18 datasets==5.2.0 numpy==2.4.6
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import grain
import keras
import numpy as np
from datasets import Dataset

print(*(f"{name} {version(name)}" for name in ("keras", "jax", "grain", "datasets")))
NUMBER = 64


def show(name, orders):
    """Prints the beginning of each epoch; says whether all are equal and whether all differ."""
    print(f"{name}:", "; ".join(f"{' '.join(map(str, order[:6]))} ..." for order in orders))
    if any(len(order) != NUMBER for order in orders):
        sys.exit("not as expected")
    return len({tuple(order) for order in orders})


stream = Dataset.from_dict({"number": list(range(NUMBER))}).to_iterable_dataset(num_shards=4).shuffle(seed=1, buffer_size=20)


def streamed(data):
    numbers = [line["number"] for line in data]
    return [numbers[start : start + NUMBER] for start in range(0, len(numbers), NUMBER)]


repeated = stream.repeat(3)
seen = {"datasets, shuffle and repeat(3)": show("datasets, shuffle and repeat(3)", streamed(repeated))}
repeated.set_epoch(1)
seen["datasets, the same, set_epoch(1)"] = show("datasets, the same, set_epoch(1)", streamed(repeated))
epochs = []
for epoch in range(3):
    stream.set_epoch(epoch)
    epochs += streamed(stream)
control = {"datasets, set_epoch of each": show("datasets, set_epoch of each", epochs)}


class Recorder(keras.callbacks.Callback):
    """The loss of each batch, which is the number in it."""

    def __init__(self):
        super().__init__()
        self.orders = []

    def on_epoch_begin(self, epoch, logs=None):
        self.before = 0.0
        self.orders.append([])

    def on_train_batch_end(self, batch, logs=None):
        total = logs["loss"] * (batch + 1)
        self.orders[-1].append(round(total - self.before))
        self.before = total


def fit(*data, **options):
    model, recorder = keras.Sequential([keras.layers.Input((1,)), keras.layers.Identity()]), Recorder()
    model.compile(optimizer=keras.optimizers.SGD(0.0), loss=lambda labels, outputs: outputs[:, 0])
    model.fit(*data, epochs=3, verbose=0, callbacks=[recorder], **options)
    return recorder.orders


numbers = np.arange(NUMBER, dtype="float32")[:, None]
pairs = grain.MapDataset.source(list(zip(numbers, numbers))).shuffle(seed=1)
sampler = grain.samplers.IndexSampler(NUMBER, shuffle=True, seed=1, num_epochs=1)
loader = grain.DataLoader(data_source=list(zip(numbers, numbers)), sampler=sampler, operations=[grain.transforms.Batch(1)])
noisy = pairs.random_map(lambda pair, rng: (pair[0] * 0 + rng.integers(0, 1000), pair[1]), seed=2)
for name, data in {"MapDataset": pairs.batch(1), "DataLoader": loader, "random_map": noisy.batch(1)}.items():
    seen[f"fit, {name}"] = show(f"fit, {name}", fit(data))
control["fit, repeat"] = show("fit, repeat(3) and steps_per_epoch", fit(pairs.repeat(3).batch(1), steps_per_epoch=NUMBER))
control["fit, arrays"] = show("fit, arrays", fit(numbers, numbers, batch_size=1))
with tempfile.TemporaryDirectory() as folder:
    for label in "ab":
        Path(folder, label).mkdir()
        for index in range(NUMBER // 2):
            Path(folder, label, f"{index}.txt").write_text(f"{label}{index}")
    texts = keras.utils.text_dataset_from_directory(folder, batch_size=1, shuffle=True, seed=1, format="grain", verbose=False)
    seen["texts"] = show("text_dataset_from_directory", [[text for batch, _ in texts for text in batch] for _ in range(3)])
if set(control.values()) != {3}:
    sys.exit("not as expected")
if set(seen.values()) != {1}:
    sys.exit(f"changed: {seen}")
PY
