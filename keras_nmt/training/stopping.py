"""Decides when a training run ends: limits, signals, callbacks, and the agreement of several workers."""

from __future__ import annotations

import collections
import dataclasses
import signal
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.errors import check_positive
from keras_nmt.training.checkpoints import Progress

# Reasons to stop that perhaps only one worker knows. All workers act on them after the same update.
STOP_REQUESTS = ("interruption", "time_limit", "callback")
ONE_REQUEST = 1.0  # seconds in which signals are one request: `timeout` and services signal several times
DELAY = 4  # updates until a request is read: by then the device has computed it, so that the loop does not wait


@dataclasses.dataclass(frozen=True, kw_only=True)
class StopCriteria:
    """Limits of `Trainer`.

    Args:
        max_updates: Integer, number of updates after which the run ends. Defaults to `None`, no limit.
        time_limit: Float, minutes after which the run ends, over all its starts. They include saves and evaluations,
            but not the last evaluation and the averaging of weights. Defaults to `None`, no limit.

    Raises:
        UserError: A limit is not positive.
    """

    max_updates: int | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        check_positive(max_updates=self.max_updates, time_limit=self.time_limit)

    def seconds_left(self, progress: Progress, pace: float) -> float | None:
        """Returns the seconds until the first limit, with `pace` seconds per update; None without a limit."""
        by_updates = [] if self.max_updates is None else [(self.max_updates - progress.update) * pace]
        by_time = [] if self.time_limit is None else [max(0.0, 60 * self.time_limit - progress.seconds)]
        return min([*by_updates, *by_time], default=None)


class Interruption:
    """A context in which the first SIGINT, SIGTERM or SIGHUP is only recorded, and a later signal stops the program.

    Signals within a second of the first are ignored: a process may get that of its group and that of its parent. So is
    every later SIGHUP, because some terminals send two. If `nohup` makes the process ignore SIGHUP, it remains ignored.
    Outside the main thread, where Python allows no signal handlers, nothing is recorded. `is_at_once` tells whether the
    program has nothing to save, so that the first signal stops it, too.

    Example:

    >>> with Interruption() as interruption:
    ...     print(interruption.signal)
    None
    """

    def __init__(self, is_at_once: Callable[[], bool] = lambda: False) -> None:
        self.signal: signal.Signals | None = None
        self.was_at_once = False
        self._is_at_once = is_at_once
        self._since = 0.0  # when the first signal came
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            is_ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            for number in (signal.SIGINT, signal.SIGTERM, *([] if is_ignored else [signal.SIGHUP])):
                self._before[number] = signal.signal(number, self._record)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _record(self, number: int, frame: FrameType | None) -> None:
        if self.signal is None:
            self.signal, self._since = signal.Signals(number), time.monotonic()
            self.was_at_once = self._is_at_once()
            if self.was_at_once:
                raise SystemExit(128 + number)
        elif number != signal.SIGHUP and time.monotonic() - self._since >= ONE_REQUEST:
            raise SystemExit(128 + number)


class Stopping:
    """Decides after each update whether the run ends. All workers decide the same, from the same stop requests.

    For `patience`, see `Evaluation`. Callbacks set `stop_training` of the model.
    """

    def __init__(self, criteria: StopCriteria, patience: int | None, model: keras.Model, num_workers: int) -> None:
        self.criteria = criteria
        self.patience = patience
        # This worker's requests, which every update sums over workers. One worker needs no agreement.
        self.requests = tf.Variable(tf.zeros([len(STOP_REQUESTS)]), trainable=False) if num_workers > 1 else None
        self._model = model
        self._unread: collections.deque[tf.Tensor] = collections.deque()

    def own_requests(self, progress: Progress, interruption: Interruption | None = None) -> list[str]:
        """Returns the stop requests of this worker, some of `STOP_REQUESTS`."""
        limit = self.criteria.time_limit
        is_requested = {
            "interruption": interruption is not None and interruption.signal is not None,
            "time_limit": limit is not None and progress.seconds >= 60 * limit,
            "callback": bool(self._model.stop_training),
        }
        return [name for name in STOP_REQUESTS if is_requested[name]]

    def agreed_requests(self, requests: list[str], summed: tf.Tensor | None) -> list[str]:
        """Returns the requests that any worker made `DELAY` updates ago; with one worker, its `requests`.

        The next update sums `requests` over workers. `summed` are the sums of the last update; see `UpdateOutput`.
        """
        if self.requests is None or summed is None:
            return requests
        self._unread.append(summed)
        self.requests.assign([float(name in requests) for name in STOP_REQUESTS])
        if len(self._unread) < DELAY:
            return []
        return [name for name, number in zip(STOP_REQUESTS, self._unread.popleft().numpy(), strict=True) if number > 0]

    def reason(self, progress: Progress, requests: Sequence[str]) -> str | None:
        """Returns the reason why the run ends now, or None."""
        if "interruption" in requests:
            return "interruption"
        if self.criteria.max_updates is not None and progress.update >= self.criteria.max_updates:
            return "max_updates"
        if self.patience is not None and progress.evaluations_since_best >= self.patience:
            return "patience"
        return requests[0] if requests else None
