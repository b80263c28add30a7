"""Callbacks, evaluations and comparisons of runs, for the tests of training."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.files.atomic_files import plain_name
from keras_nmt.training import Trainer, TrainingLog

TIMES = ("tokens_per_second", "seconds")  # values that differ between runs
Make = Callable[..., Trainer]
MakeModel = Callable[..., keras.Model]


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


def values_of(trainer: Trainer) -> list[np.ndarray]:
    return [v.numpy() for v in trainer.model.weights + trainer.optimizer.variables]


def assert_same(a: list[np.ndarray], b: list[np.ndarray]) -> None:
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


class Penalty(keras.layers.Layer):
    """Adds a loss: the mean over the sentences of a batch of the square of their first state."""

    def call(self, states: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
        real = keras.ops.cast(ids[:, 0] != 0, states.dtype)
        penalties = real * keras.ops.sum(states[:, 0] ** 2, -1)
        self.add_loss(keras.ops.sum(penalties) / keras.ops.maximum(keras.ops.sum(real), 1))
        return states


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


class Scores:
    """An evaluation that gives these scores, and then always the last score."""

    def __init__(self, *scores: float) -> None:
        self.scores, self.calls = list(scores), 0

    def __call__(self) -> dict[str, float]:
        self.calls += 1
        return {"bleu": self.scores[min(self.calls, len(self.scores)) - 1], "chrf": 1.0}
