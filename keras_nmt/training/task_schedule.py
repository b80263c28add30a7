"""The order of the tasks of a training run."""

from __future__ import annotations

import math
from collections.abc import Mapping

from keras_nmt.errors import UserError


class TaskSchedule:
    """Distributes updates over tasks.

    Task i with weight w_i has the share w_i / sum(w) of the updates. After any number of updates, the task's number of
    updates differs from its share by less than one. With equal weights, the tasks take turns in order.

    The next task depends only on the numbers of updates of all tasks, so a resumed run needs no other state.

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
        if not weights:
            raise UserError(f"There must be at least one task. Received: weights={weights!r}")
        for name, weight in weights.items():
            if not 0 < weight < math.inf:
                raise UserError(f"The weight of a task is positive and finite. Received: {name}={weight!r}")
        self.weights = dict(weights)

    @classmethod
    def by_temperature(cls, sizes: Mapping[str, float], temperature: float) -> TaskSchedule:
        """The schedule with weights size^(1/T).

        Args:
            sizes: Dictionary of the positive sizes of the tasks' data by task name.
            temperature: Float, T, positive. 1 gives shares proportional to the sizes, a larger T more even shares.

        Returns:
            The schedule; the largest of its `weights` is 1.

        Raises:
            UserError: The temperature or a size is not positive.

        Example:

        >>> TaskSchedule.by_temperature({"en-de": 100, "en-fr": 25}, temperature=2).weights
        {'en-de': 1.0, 'en-fr': 0.5}
        """
        if not temperature > 0:
            raise UserError(f"The temperature is positive. Received: temperature={temperature!r}")
        for name, size in sizes.items():
            if not 0 < size < math.inf:
                raise UserError(f"The size of a task's data is positive and finite. Received: {name}={size!r}")
        largest = max(sizes.values(), default=1)
        return cls({name: (size / largest) ** (1 / temperature) for name, size in sizes.items()})

    def next(self, counts: Mapping[str, int]) -> str:
        """The task of the next update.

        Args:
            counts: Dictionary of the number of updates of every task.

        Returns:
            The name of the first task to be due, among the tasks that one more update puts less than a whole update
            ahead of their share; of equal tasks, the first in order.
        """
        # The number of updates per unit of weight, the next update included.
        share = (sum(counts[name] for name in self.weights) + 1) / sum(self.weights.values())
        return min(
            (name for name, weight in self.weights.items() if counts[name] < weight * share),
            key=lambda name: (counts[name] + 1) / self.weights[name],  # the share at which an update is due
        )
