"""The tasks of a training run, their data, and the order in which they take turns."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import keras
import tensorflow as tf

from keras_nmt.errors import UserError, require

DEFAULT_TASK = "translation"  # the name of the only task of a trainer that gets batches instead of tasks
RANKS = {"source": 2, "target_input": 2, "target_output": 2, "line_numbers": 1}
LINKS = "links"  # the key of alignments, in batches for guided alignment


class Batches(Protocol):
    """The interface of a task's data. `keras_nmt.data.TrainingBatches` is one implementation.

    An element of the dataset is one part of an update's batch, a dictionary of int32 tensors:

    - `"source"` `[n, S]`: source ids, `EOS`, then `PAD`;
    - `"target_input"` `[n, T]`: `BOS`, target ids, then `PAD`;
    - `"target_output"` `[n, T]`: target ids, `EOS`, then `PAD`;
    - `"line_numbers"` `[n]`: the line number of each pair in the data, -1 for rows that are only padding. `Trainer`
      reads them only to name the lines of an update that is not finite;
    - `"links"` `[n, P]`, only for guided alignment: see `keras_nmt.training.loss.alignment_losses`.

    All parts of one update have the same `n`, `S`, `T` and `P`.
    """

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        """Makes the endless dataset of the parts of the updates `start`, `start + 1`, ...

        Args:
            start: Integer, the first update, from 0. The batch of an update must not depend on `start`, so that a
                resumed run is equal to an uninterrupted one.
            parts: Integer, number of parts into which each update's batch is split: replicas times accumulation steps.
            shard_index: Integer, number of the worker.
            num_shards: Integer, number of workers. Each worker gets `parts / num_shards` consecutive parts of an
                update, as successive elements.
        """


def check_element(name: str, dataset: tf.data.Dataset) -> None:
    """Checks that a task's dataset is as `Batches` describes."""
    spec = dataset.element_spec
    tensors = spec if isinstance(spec, dict) else {}
    ranks = {**RANKS, **({LINKS: 2} if LINKS in tensors else {})}
    fits = set(tensors) == set(ranks) and all(
        isinstance(tensors[key], tf.TensorSpec) and tensors[key].dtype == tf.int32 and tensors[key].shape.rank == rank
        for key, rank in ranks.items()
    )
    if not fits:
        raise UserError(
            f"`dataset` of task {name!r} must have dictionaries of int32 tensors: source, target_input, target_output "
            "and optionally links of rank 2, line_numbers of rank 1. "
            f"Received: element_spec={spec}"
        )


def check_ids(name: str, model: keras.Model, element: Mapping[str, tf.Tensor]) -> None:
    """Checks, in the graph of the input, that ids are below the vocabulary sizes of a task's model, if it has them.

    Else a GPU would take zeros for the embeddings of other ids, and XLA those of the last id, without a word.
    """
    for key, side in (("source", "source"), ("target_input", "target"), ("target_output", "target")):
        if (size := getattr(model, f"{side}_vocabulary_size", None)) is not None:
            largest = tf.reduce_max(element[key])
            rule = f"Ids of task {name!r} must be below {size}, the model's `{side}_vocabulary_size`"
            text = [f"UserError: {rule}. Received: {key}=", tf.strings.as_string(largest)]
            tf.debugging.Assert(largest < size, [tf.strings.join(text)])


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


def check_tasks(tasks: Sequence[Task], model: keras.Model) -> dict[str, Task]:
    """Checks that a model has all variables of its tasks, and returns the tasks by name."""
    require(model.built, "{model} must be built", model=model.name)
    names = [task.name for task in tasks]
    require(len(set(names)) == len(names), f"Tasks must have different names. Received: {names}")
    known = {id(variable) for variable in model.trainable_variables}
    for task in tasks:
        variables = task.model.trainable_variables
        foreign = [variable.path for variable in variables if id(variable) not in known]
        problem = f"`model` must have all variables that task {task.name!r} trains; {len(foreign)} are missing"
        require(not foreign, f"{problem}. Received: {', '.join(foreign[:5])}")
        require(variables, "A task must have variables to train", task=task.name)
    return {task.name: task for task in tasks}


class TaskSchedule:
    """Distributes updates over tasks.

    Task i with weight w_i has the share w_i / sum(w) of the updates. At any time, the task's number of updates differs
    from its share by less than one. With equal weights, the tasks take turns in order.

    The next task depends only on the numbers of updates of all tasks, so that a resumed run needs no other state.

    Args:
        weights: Dictionary of positive weights by task name, in the order of the turns.

    Raises:
        UserError: There are no tasks, or a weight is not positive and finite.

    Example:

    >>> schedule = TaskSchedule({"en-de": 2, "en-fr": 1})
    >>> counts = {"en-de": 0, "en-fr": 0}
    >>> for _ in range(6):
    ...     name = schedule.next(counts)
    ...     counts[name] += 1
    ...     print(name)
    en-de
    en-de
    en-fr
    en-de
    en-de
    en-fr

    Reference:
        Balinski and Young, [The Quota Method of Apportionment](https://doi.org/10.2307/2318729), American
        Mathematical Monthly, 1975: updates instead of seats.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        require(weights, "{weights} must have at least one task", weights=weights)
        for name, weight in weights.items():
            require(0 < weight < math.inf, "The weight of a task must be positive and finite", **{name: weight})
        require(sum(weights.values()) != math.inf, "The sum of the weights must be finite", weights=weights)
        self.weights = dict(weights)

    @classmethod
    def by_temperature(cls, sizes: Mapping[str, float], temperature: float) -> TaskSchedule:
        """Makes the schedule with weights size^(1/T).

        Args:
            sizes: Dictionary of the positive sizes of the tasks' data by task name.
            temperature: Float, T, positive. With 1, shares are proportional to the sizes; a larger T makes them more
                equal.

        Returns:
            The schedule. Its largest weight is 1.

        Raises:
            UserError: The temperature or a size is not positive.

        Example:

        >>> TaskSchedule.by_temperature({"en-de": 100, "en-fr": 25}, temperature=2).weights
        {'en-de': 1.0, 'en-fr': 0.5}
        """
        require(temperature > 0, "{temperature} must be positive", temperature=temperature)
        for name, size in sizes.items():
            require(0 < size < math.inf, "The size of a task's data must be positive and finite", **{name: size})
        largest = max(sizes.values(), default=1)
        return cls({name: (size / largest) ** (1 / temperature) for name, size in sizes.items()})

    def next(self, counts: Mapping[str, int]) -> str:
        """Chooses the task of the next update.

        Args:
            counts: Dictionary of the number of updates of every task.

        Returns:
            The name of the task whose next update is due first, among those that this update puts less than one update
            ahead of their share. If several are due, it is the first in order.
        """
        # The number of updates per unit of weight, with the next update.
        share = (sum(counts[name] for name in self.weights) + 1) / sum(self.weights.values())
        return min(
            (name for name, weight in self.weights.items() if counts[name] < weight * share),
            key=lambda name: (counts[name] + 1) / self.weights[name],  # the share at which an update is due
        )
