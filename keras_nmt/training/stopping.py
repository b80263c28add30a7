"""Limits and stop requests, which end a training run."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

import keras
import tensorflow as tf

from keras_nmt.errors import check_positive
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.interruption import Interruption

# Reasons to stop that only one worker may know of; all workers act on them after the same update. DELAY is the number
# of updates after which a request is read: by then the device has computed the sum, so the loop does not wait.
STOP_REQUESTS = ("interruption", "time_limit", "callback")
DELAY = 4


@dataclasses.dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits of `Trainer`.

    Args:
        max_updates: Integer, number of updates after which the run ends. Defaults to `None`, no limit.
        time_limit: Float, seconds after which the run ends. The time counts over all starts of the run and includes
            saves and evaluations, but not the last evaluation and the averaging of weights. Defaults to `None`, no
            limit.

    Raises:
        UserError: A limit is not positive.
    """

    max_updates: int | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        check_positive(max_updates=self.max_updates, time_limit=self.time_limit)

    def seconds_left(self, progress: Progress, pace: float) -> float | None:
        """The seconds until the first limit is reached at `pace` seconds an update, or None without a limit."""
        left: list[float] = []
        if self.max_updates is not None:
            left.append((self.max_updates - progress.update) * pace)
        if self.time_limit is not None:
            left.append(max(0.0, self.time_limit - progress.seconds))
        return min(left, default=None)


class Stopping:
    """Decides after each update whether the run ends. With the same stop requests, all workers decide the same.

    For `patience`, see `Evaluation`; callbacks set `stop_training` of the model.
    """

    def __init__(self, budget: Budget, patience: int | None, model: keras.Model, num_workers: int) -> None:
        self.budget = budget
        self.patience = patience
        # This worker's requests, which every update sums over workers. None with one worker, who agrees with itself.
        self.requests = tf.Variable(tf.zeros([len(STOP_REQUESTS)]), trainable=False) if num_workers > 1 else None
        self._model = model
        self._unread: collections.deque[tf.Tensor] = collections.deque()

    def own_requests(self, progress: Progress, interruption: Interruption | None = None) -> list[str]:
        """The stop requests of this worker, of `STOP_REQUESTS`."""
        limit = self.budget.time_limit
        is_requested = {
            "interruption": interruption is not None and interruption.signal is not None,
            "time_limit": limit is not None and progress.seconds >= limit,
            "callback": bool(self._model.stop_training),
        }
        return [name for name in STOP_REQUESTS if is_requested[name]]

    def agreed_requests(self, own: list[str], summed: tf.Tensor | None) -> list[str]:
        """The requests that any worker made `DELAY` updates ago, the same on all workers; with one worker, `own`.

        The next update sums `own` over workers; `summed` are the sums of the last one (see `UpdateOutput`).
        """
        if self.requests is None or summed is None:
            return own
        self._unread.append(summed)
        self.requests.assign([float(name in own) for name in STOP_REQUESTS])
        if len(self._unread) < DELAY:
            return []
        return [name for name, number in zip(STOP_REQUESTS, self._unread.popleft().numpy(), strict=True) if number > 0]

    def reason(self, progress: Progress, requests: Sequence[str]) -> str | None:
        """The reason why the run ends now, or None."""
        if "interruption" in requests:
            return "interruption"
        if self.budget.max_updates is not None and progress.update >= self.budget.max_updates:
            return "max_updates"
        if self.patience is not None and progress.evaluations_since_best >= self.patience:
            return "patience"
        return requests[0] if requests else None
