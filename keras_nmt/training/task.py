"""A task of a training run, and the data that a task needs."""

from __future__ import annotations

import dataclasses
from typing import Protocol

import keras
import tensorflow as tf

from keras_nmt.errors import UserError

ONLY = "translation"  # the name of the task of a trainer that is given batches instead of tasks
RANKS = {"source": 2, "target_input": 2, "target_output": 2, "line_numbers": 1}


class Batches(Protocol):
    """The data of a task: an object with the method `dataset`. `keras_nmt.data.TrainingBatches` is one.

    An element of the dataset is one part of an update's batch, a dictionary of int32 tensors:

    - `"source"` `[n, S]`: source ids, `END`, then `PAD`;
    - `"target_input"` `[n, T]`: `BEGIN`, target ids, then `PAD`;
    - `"target_output"` `[n, T]`: target ids, `END`, then `PAD`;
    - `"line_numbers"` `[n]`: the number of each pair's line in the data, -1 for rows of padding alone. `Trainer` reads
      them only to name the lines of an update that is not finite.

    All parts of one update have the same `n`, `S` and `T`.
    """

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        """Makes the endless dataset of the parts of the updates `start`, `start + 1`, ...

        Args:
            start: Integer, the first update, from 0. The same update has the same batch whatever `start` is, or a
                resumed run differs from an uninterrupted one.
            parts: Integer, number of parts into which each update's batch is split: replicas times accumulation steps.
            shard_index: Integer, number of the worker.
            num_shards: Integer, number of workers. Each worker gets `parts / num_shards` consecutive parts of an
                update, as successive elements.
        """


def check_element(name: str, dataset: object) -> None:
    """Raises a `UserError` if a task's dataset is not as `Batches` describes."""
    if not isinstance(dataset, tf.data.Dataset):
        raise UserError(
            f"The data of task {name!r} must give a tf.data.Dataset. Received: dataset={type(dataset).__name__}"
        )
    spec = dataset.element_spec
    tensors = spec if isinstance(spec, dict) else {}
    fits = set(tensors) == set(RANKS) and all(
        isinstance(tensors[key], tf.TensorSpec) and tensors[key].dtype == tf.int32 and tensors[key].shape.rank == rank
        for key, rank in RANKS.items()
    )
    if not fits:
        raise UserError(
            f"The data of task {name!r} must give dictionaries of int32 tensors: source, target_input and "
            f"target_output of rank 2, line_numbers of rank 1. Received: element_spec={spec}"
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """One of the tasks on which `Trainer` trains a model, such as one translation direction.

    Args:
        name: String, the task's name in the log, in errors and in checkpoints.
        model: Model `[source, target_input] -> logits`, made of layers of the trained model.
        data: The batches; see `Batches`.
        weight: Float, the task's share of the updates, relative to the weights of the other tasks; see
            `TaskSchedule`. Defaults to 1.

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
