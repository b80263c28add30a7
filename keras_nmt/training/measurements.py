"""The measurements of updates, fetched from the device and summed between two lines of the training log."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.task import Task
from keras_nmt.training.update import MEASUREMENTS


class NotFiniteError(UserError):
    """The error of an update whose loss or gradient is not finite."""


class Measurements:
    """Collects the measurements of updates and makes the training metrics of them.

    `parts` is the number of parts of an update's batch, `is_scaled` whether the optimizer scales the loss.
    """

    def __init__(self, tasks: Mapping[str, Task], parts: int, normalize_by: str, is_scaled: bool) -> None:
        self._tasks = tasks
        self._parts = parts
        self._normalize_by = normalize_by
        self._is_scaled = is_scaled
        # Updates whose measurements are still on the device: task, number of the task's updates before, measurements.
        self._unread: list[tuple[str, int, tf.Tensor]] = []
        self.stopwatch = Stopwatch()

    def add(self, name: str, number: int, measurements: tf.Tensor) -> None:
        """Adds the measurements of update `number` of the task `name`, without waiting for them."""
        self._unread.append((name, number, measurements))

    def fetch(self, progress: Progress) -> None:
        """Fetches the measurements and adds them to the sums of `progress`.

        Only here does the loop wait for the device. A loss or a gradient that is not finite is a `UserError`. Every
        save comes after a fetch, so nothing is saved after such an update.
        """
        first = progress.update - len(self._unread)
        rows = [
            (name, number, dict(zip(MEASUREMENTS, map(float, vector.numpy()), strict=True)))
            for name, number, vector in self._unread
        ]
        self._unread.clear()
        sums = progress.pending
        for update, (name, number, row) in enumerate(rows, first):
            skipped = self._is_scaled and not math.isfinite(row["gradient_norm"]) and row["loss_scale"] >= 1
            if skipped:  # the scale was too large for float16: the optimizer halved the scale and changed nothing else
                sums["skipped"] = sums.get("skipped", 0) + 1
                row["gradient_norm"] = sums.get("gradient_norm", 0.0)
            if not all(math.isfinite(value) for value in row.values()):
                self._refuse(update, name, number, row)
            task_sums = progress.task_pending.setdefault(name, {})
            for key in ("loss", "nll", "extra_loss", "tokens", "sentences"):
                sums[key] = sums.get(key, 0.0) + row[key]
                task_sums[key] = task_sums.get(key, 0.0) + row[key]
            sums["updates"] = sums.get("updates", 0) + 1
            for key in ("gradient_norm", "learning_rate", "loss_scale"):
                sums[key] = row[key]
            progress.tokens += int(row["tokens"])
            self.stopwatch.tokens += row["tokens"]

    def metrics(self, progress: Progress) -> tuple[dict[str, float], dict[str, float]]:
        """Takes the sums since the last call from `progress`, and returns their means by name.

        The second dictionary has the loss of each task with updates, if there are several tasks.
        """
        sums, task_sums = progress.pending, progress.task_pending
        metrics = {
            "loss": self._mean_loss(sums),
            "perplexity": math.exp(min(sums["nll"] / sums["tokens"], 100.0)),
            "learning_rate": sums["learning_rate"],
            "gradient_norm": sums["gradient_norm"],
            "tokens_per_second": self.stopwatch.rate(),
        }
        if self._is_scaled:
            metrics |= {"loss_scale": sums["loss_scale"], "skipped_updates": sums.get("skipped", 0)}
        if sums["extra_loss"]:
            metrics["extra_loss"] = sums["extra_loss"] / sums["sentences"]
        task_losses: dict[str, float] = {}
        if len(self._tasks) > 1:
            task_losses = {name: self._mean_loss(task_sums[name]) for name in self._tasks if name in task_sums}
        progress.pending, progress.task_pending = {}, {}
        return metrics, task_losses

    def _mean_loss(self, sums: dict[str, float]) -> float:
        """The mean loss, extra losses included, of sums over updates."""
        return sums["loss"] / sums[self._normalize_by] + sums["extra_loss"] / sums["sentences"]

    def _refuse(self, update: int, name: str, number: int, row: dict[str, float]) -> None:
        """Raises the error of an update that is not finite, with the lines of the task's batch `number`."""
        parts = self._tasks[name].data.dataset(number, parts=self._parts).take(self._parts)
        lines = np.concatenate([part["line_numbers"].numpy() for part in parts])
        lines = np.sort(lines[lines >= 0])
        shown = ", ".join(map(str, lines[:20])) + (f" and {len(lines) - 20} more" if len(lines) > 20 else "")
        numbers = ", ".join(f"{key}={row[key]:g}" for key in ("loss", "extra_loss", "gradient_norm", "learning_rate"))
        of_task = f" of task {name!r}" if len(self._tasks) > 1 else ""
        raise NotFiniteError(
            f"The loss or the gradient is not finite at update {update + 1}{of_task}, whose batch holds line numbers "
            f"{shown}, counted through all files of its data. The last checkpoint is unchanged; a lower learning "
            f"rate or clipping may help. Received: {numbers}"
        )


class Stopwatch:
    """Tokens and seconds since the last line of the log, without the time for evaluations and saves."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Starts again at zero."""
        self.tokens = 0.0
        self._before = 0.0  # seconds before the last pause
        self._since: float | None = time.monotonic()

    def pause(self) -> None:
        """Stops counting seconds."""
        self._before, self._since = self.seconds(), None

    def resume(self) -> None:
        """Goes on counting seconds after a pause."""
        self._since = time.monotonic()

    def seconds(self) -> float:
        """The seconds counted."""
        return self._before + (0.0 if self._since is None else time.monotonic() - self._since)

    def rate(self) -> float:
        """Tokens a second."""
        return self.tokens / max(self.seconds(), 1e-9)
