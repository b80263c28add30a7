"""A small task and model, a trainer with options by name, and comparisons of runs, for the tests of training."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.data import ParallelCorpus, TrainingBatches, prepared_folder, training_batches, write_prepared
from keras_nmt.files.atomic_files import plain_name
from keras_nmt.training import Evaluation, Logging, Saving, StopCriteria, Trainer, TrainingLog, UpdateConfig, WarmStart

TIMES = ("tokens_per_second", "seconds")  # values that differ between runs
VOCABULARY_SIZE = 20
PARTS: dict[str, Any] = {
    "update_config": UpdateConfig,
    "stop_criteria": StopCriteria,
    "evaluation": Evaluation,
    "saving": Saving,
    "warm_start": WarmStart,
    "logging": Logging,
}
# The names of options in tests, each with the trainer's part and the option's name in the part.
OPTIONS = {field.name: (part, field.name) for part in PARTS for field in dataclasses.fields(PARTS[part])}
OPTIONS |= {
    "evaluate_every": ("evaluation", "every"),
    "save_every": ("saving", "every"),
    "log_every": ("logging", "every"),
}


def trainer_of(model: keras.Model, data: Any, directory: Path, **options: Any) -> Trainer:
    """A trainer with options of its parts by name; by default the trainer prints nothing and logs each update."""
    parts: dict[str, dict[str, Any]] = {}
    for name, value in {"log_every": 1, "report": lambda line: None, **options}.items():
        if name in OPTIONS:
            part, own_name = OPTIONS[name]
            parts.setdefault(part, {})[own_name] = value
    rest = {name: value for name, value in options.items() if name not in OPTIONS}
    return Trainer(model, data, directory, **{part: PARTS[part](**given) for part, given in parts.items()}, **rest)


def copies(seed: int = 0, longest: int = 11, number: int = 150) -> ParallelCorpus:
    """The task of copying random sentences."""
    random = np.random.RandomState(seed)
    sizes = random.randint(1, longest + 1, number)
    sentences = [random.randint(4, VOCABULARY_SIZE, size).tolist() for size in sizes]
    return ParallelCorpus.from_lists(sentences, sentences)


def batches_of(corpus: Any, batch_size: int = 16, **options: Any) -> TrainingBatches:
    return TrainingBatches(corpus, batch_size=batch_size, batch_unit="sentences", **{"seed": 3, **options})


def write_copies(folder: Path) -> None:
    """Writes sentences to copy as a corpus on disk."""
    subwords: Any = SimpleNamespace(vocabulary_size=VOCABULARY_SIZE, proto=b"")
    write_prepared(copies(), folder, subwords, subwords, shard_pairs=70)


def read_by_portions() -> None:
    """Lets batches of corpora on disk be read portion by portion, although the corpora are small."""
    prepared_folder.BLOCK = 8
    training_batches.WHOLE, training_batches.PORTION, training_batches.PORTION_UPDATES = 0, 60, 1


def make_copier(dropout: float = 0.0, seed: int = 0, units: int = 8) -> keras.Model:
    """Makes a small model `[source, target_input] -> logits`, equal for equal arguments."""
    keras.utils.set_random_seed(seed)
    source, target_input = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    embedding = keras.layers.Embedding(VOCABULARY_SIZE, units, name="embedding")
    context = keras.layers.GlobalAveragePooling1D(keepdims=True, name="mean")(embedding(source))
    states = keras.layers.Dense(units, activation="tanh", name="hidden")(embedding(target_input) + context)
    states = keras.layers.Dropout(dropout, seed=1, name="first_dropout")(states)
    states = keras.layers.Dropout(dropout, seed=1, name="second_dropout")(states)
    logits = keras.layers.Dense(VOCABULARY_SIZE, dtype="float32", name="output")(states)
    return keras.Model([source, target_input], logits)


def with_hidden(layer: keras.layers.Layer, inputs: int = 1) -> keras.Model:
    """The same model with a layer of the hidden states and of the source (0) or the target input (1)."""
    model = make_copier()
    return keras.Model(
        model.inputs, model.get_layer("output")(layer(model.get_layer("hidden").output, model.inputs[inputs]))
    )


class Penalty(keras.layers.Layer):
    """Adds a loss: the mean over the sentences of a batch of the square of their first state."""

    def call(self, states: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
        real = keras.ops.cast(ids[:, 0] != 0, states.dtype)
        penalties = real * keras.ops.sum(states[:, 0] ** 2, -1)
        self.add_loss(keras.ops.sum(penalties) / keras.ops.maximum(keras.ops.sum(real), 1))
        return states


class Languages(keras.Model):
    """An encoder and a decoder for each language, with a layer, dropout and an extra loss that all pairs share."""

    def __init__(self, dropout: float = 0.0, seed: int = 0) -> None:
        super().__init__()
        keras.utils.set_random_seed(seed)
        self.encoders = {x: keras.layers.Embedding(VOCABULARY_SIZE, 8, name=f"encoder_{x}") for x in "abc"}
        self.decoders = {x: keras.layers.Embedding(VOCABULARY_SIZE, 8, name=f"decoder_{x}") for x in "abc"}
        self.outputs_ = {x: keras.layers.Dense(VOCABULARY_SIZE, name=f"output_{x}", dtype="float32") for x in "abc"}
        self.bridge = keras.layers.Dense(8, activation="tanh", name="bridge")
        self.dropout = keras.layers.Dropout(dropout, seed=1)
        self.penalty = Penalty()
        for pair in ("a-b", "b-c", "c-a"):
            self.pair(pair)  # builds all layers
        self.built = True

    def pair(self, name: str) -> keras.Model:
        source, target = name.split("-")
        ids, target_input = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
        context = keras.layers.GlobalAveragePooling1D(keepdims=True)(self.encoders[source](ids))
        context = self.penalty(self.bridge(context), ids)
        states = self.dropout(self.decoders[target](target_input) + context)
        return keras.Model([ids, target_input], self.outputs_[target](states))


def log_of(trainer: Trainer) -> list[dict[str, Any]]:
    """The log, without values that differ between runs."""
    return [{k: v for k, v in line.items() if k not in TIMES} for line in TrainingLog(trainer.log.file.path).read()]


def events_of(folder: Path) -> Counter[tuple[str, int, float]]:
    """How often the event files of a folder have a tag, a step and a value; TensorBoard reads up to a damaged event."""
    found: Counter[tuple[str, int, float]] = Counter()
    with plain_name(folder) as name:
        for file in folder.iterdir():
            with contextlib.suppress(tf.errors.DataLossError):
                for event in tf.compat.v1.train.summary_iterator(f"{name}/{file.name}"):
                    for value in event.summary.value:
                        found[value.tag, event.step, float(tf.make_ndarray(value.tensor))] += 1
    return found


def losses_of(trainer: Trainer) -> list[float]:
    return [line["loss"] for line in log_of(trainer) if "loss" in line]


def evaluated_updates(trainer: Trainer) -> list[int]:
    """The updates with an evaluation, without that of the final weights."""
    return [line["update"] for line in log_of(trainer) if "val_bleu" in line and "final" not in line]


def values_of(trainer: Trainer) -> list[np.ndarray]:
    return [v.numpy() for v in trainer.model.weights + trainer.optimizer.variables]


def assert_same(a: list[np.ndarray], b: list[np.ndarray]) -> None:
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


def assert_equal_runs(whole: Trainer, other: Trainer) -> None:
    """Compares the weights, states, logs, kept checkpoints and events of two runs."""
    assert_same(values_of(whole), values_of(other))
    assert log_of(whole) == log_of(other)
    folders = [trainer.directory for trainer in (whole, other)]
    index = [json.loads((folder / "checkpoints" / "index.json").read_text()) for folder in folders]
    assert index[0] == index[1]
    events = [events_of(folder / "tensorboard") for folder in folders]
    events = [Counter({of: number for of, number in x.items() if "second" not in of[0]}) for x in events]
    assert events[0] == events[1]
    assert set(events[0].values()) == {1}


class Kill(keras.callbacks.Callback):
    """A callback that ends the program in the middle of the run, by Ctrl-C, SIGTERM, or a crash."""

    def __init__(self, update: int, number: signal.Signals | None) -> None:
        super().__init__()
        self.update, self.number = update, number

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        if batch + 1 == self.update:
            if self.number is None:
                raise RuntimeError("crash")
            os.kill(os.getpid(), self.number)


class Recorder(keras.callbacks.Callback):
    """Keeps the trained weights before the first update and after each update."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: list[dict[str, np.ndarray]] = []

    def on_train_begin(self, logs: Any = None) -> None:
        self.weights.append({variable.path: variable.numpy() for variable in self.model.trainable_variables})

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.on_train_begin()


def scores(*values: float) -> Callable[[], dict[str, float]]:
    """An evaluation that gives these scores, and then always the last score."""
    left = list(values)
    return lambda: {"bleu": left.pop(0) if len(left) > 1 else left[0], "chrf": 1.0}
