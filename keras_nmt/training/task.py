"""A task of a training run."""

from __future__ import annotations

import dataclasses
from typing import Protocol

import keras
import tensorflow as tf


class Batches(Protocol):
    """What the trainer needs of its data; `keras_nmt.data.TrainingBatches` is one."""

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        """The endless dataset of this shard's parts of update `start`, `start + 1`, ..."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """One of the tasks that `Trainer` trains a model on, such as translating from one language into another.

    Attributes:
        name: what the task is called in the log, in errors and in the checkpoints of a run.
        model: model `[source, target_input] -> logits`, made of layers of the model that is trained.
        data: the batches; see `keras_nmt.data.TrainingBatches`.
        weight: the task's share of the updates, relative to the other tasks' weights; see `TaskSchedule`. Default 1.

    Example:

    >>> from keras_nmt.data import ParallelCorpus, TrainingBatches
    >>> from keras_nmt.models import Transformer
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=16)
    >>> corpus = ParallelCorpus.from_lists([[4, 5], [6]], [[7], [8, 9]])
    >>> Task(name="en-de", model=model, data=TrainingBatches(corpus, batch_size=16)).weight
    1.0
    """

    name: str
    model: keras.Model
    data: Batches
    weight: float = 1.0
