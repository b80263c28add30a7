"""The log of a training run: measures updates, and writes them as JSON lines, as text and for TensorBoard."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import datetime
import math
import struct
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import tensorflow as tf
from google.protobuf.message import DecodeError
from tensorflow.core.util.event_pb2 import Event

from keras_nmt.errors import UserError, check_positive
from keras_nmt.files.atomic_files import plain_name
from keras_nmt.files.training_log import TrainingLog
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.tasks import Task
from keras_nmt.training.update import MEASUREMENTS

LONGEST_TIME = 1e9  # seconds, some 30 years: a larger number of updates means no limit
LONGEST_EVENT = 1 << 20  # bytes; an event of this package holds one number


@dataclasses.dataclass(frozen=True, kw_only=True)
class Logging:
    """How often and where `Trainer` logs.

    Args:
        every: Integer, number of updates between lines of the log. Defaults to 100.
        tensorboard: Boolean, whether to write the log for TensorBoard too. Defaults to `False`.
        report: Function that gets each line of progress. Defaults to printing.

    Raises:
        UserError: `every` is below 1.
    """

    every: int = 100
    tensorboard: bool = False
    report: Callable[[str], None] = lambda line: print(line, flush=True)

    def __post_init__(self) -> None:
        check_positive(every=self.every)


class LogWriter:
    """Writes the log of a run in a model directory. Workers other than the chief write nothing."""

    def __init__(self, directory: Path, logging: Logging, is_chief: bool) -> None:
        self.file = TrainingLog(directory / "training_log.jsonl")
        self.report = logging.report if is_chief else lambda line: None
        self._is_chief = is_chief
        self._tensorboard = directory / "tensorboard" if logging.tensorboard and is_chief else None
        self._writer: tf.summary.SummaryWriter | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> LogWriter:
        if self._tensorboard is not None:
            self._tensorboard.mkdir(parents=True, exist_ok=True)
            self._writer = tf.summary.create_file_writer(self._open.enter_context(plain_name(self._tensorboard)))
            self._open.callback(self._writer.close)
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def truncate(self, progress: Progress) -> None:
        """Removes the lines that the resumed run writes again."""
        if self._is_chief:
            self.file.truncate(progress.update, progress.completed)
        for path in self._tensorboard.glob("events.*") if self._tensorboard is not None else ():
            if path.is_file():
                with open(path, "rb+") as file:
                    _truncate_events(file, progress)

    def write_training(
        self,
        progress: Progress,
        metrics: Mapping[str, float],
        task_losses: Mapping[str, float],
        max_updates: int | None,
        seconds_left: float | None,
    ) -> None:
        """Writes the metrics of the updates since the last line."""
        self._append(
            {
                "update": progress.update,
                **metrics,
                **({"task_loss": task_losses} if task_losses else {}),
                "tokens": progress.tokens,
                "seconds": round(progress.seconds, 3),
            }
        )
        losses = {f"task_loss/{name}": loss for name, loss in task_losses.items()}
        self._write_summary(progress.update, {**metrics, **losses})
        total = f"/{max_updates:,}" if max_updates else ""
        left = f"  {show_duration(seconds_left)} left" if seconds_left is not None else ""
        self.report(
            f"update {progress.update:,}{total}  loss {metrics['loss']:.4f}  perplexity {metrics['perplexity']:.2f}  "
            f"{metrics['tokens_per_second']:,.0f} tokens/s  learning rate {metrics['learning_rate']:.3g}  "
            f"gradient {metrics['gradient_norm']:.3f}{left}"
        )

    def write_evaluation(
        self, progress: Progress, metrics: Mapping[str, float], final: list[int] | None = None
    ) -> None:
        """Writes an evaluation of the current update, or of the final weights, the mean of the updates `final`."""
        named = {f"val_{name}": value for name, value in metrics.items()}
        seconds = round(progress.seconds, 3)
        self._append({"update": progress.update, **({"final": final} if final else {}), **named, "seconds": seconds})
        if final is None:
            self._write_summary(progress.update, named)
        text = "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
        weights = "final weights" if final else f"update {progress.update:,}"
        best = "  (best so far)" if not final and progress.best_update == progress.update else ""
        self.report(f"evaluation of {weights}  {text}{best}")

    def _append(self, line: dict[str, Any]) -> None:
        if self._is_chief:
            self.file.append(line)

    def _write_summary(self, update: int, values: Mapping[str, float]) -> None:
        if self._writer is not None:
            with self._writer.as_default(step=update):
                for name, value in values.items():
                    tf.summary.scalar(name, value)
            self._writer.flush()


def _truncate_events(file: BinaryIO, progress: Progress) -> None:
    """Cuts a file of TensorBoard's events before the first event that a resumed run writes again.

    A record is the length of its data (8 bytes), a checksum (4), the data, and a checksum (4). TensorBoard stops
    reading at a damaged record. The mark of a restart that it also knows (`purge_step`) would hide all events from one
    update on; here evaluations and training go on from different updates, and other readers do not know the mark.
    """
    begin = 0
    while len(head := file.read(12)) == 12:
        (length,) = struct.unpack("<Q", head[:8])
        if length > LONGEST_EVENT or len(content := file.read(length + 4)) < length + 4:
            return
        try:
            event = Event.FromString(content[:length])
        except DecodeError:
            return
        is_evaluation = any(value.tag.startswith("val_") for value in event.summary.value)
        if event.step > (progress.completed if is_evaluation else progress.update):
            file.truncate(begin)
            return
        begin = file.tell()


class Measurements:
    """Collects the measurements of updates, and computes the training metrics from them.

    `parts` is the number of parts of an update's batch, `is_scaled` tells whether the optimizer scales the loss.
    """

    def __init__(self, tasks: Mapping[str, Task], parts: int, normalize_by: str, is_scaled: bool) -> None:
        self._tasks = tasks
        self._parts = parts
        self._normalize_by = normalize_by
        self._is_scaled = is_scaled
        # Updates whose measurements are still on the device: task, number of its earlier updates, measurements.
        self._unread: list[tuple[str, int, tf.Tensor]] = []
        self.clock = Clock()

    def add(self, name: str, number: int, measurements: tf.Tensor) -> None:
        """Adds the measurements of update `number` of the task `name` without waiting for the device."""
        self._unread.append((name, number, measurements))

    def fetch(self, progress: Progress) -> None:
        """Fetches the measurements, and adds them to the sums of `progress`.

        The loop waits for the device only here. Raises a `UserError` if a loss or a gradient is not finite. Every save
        comes after a fetch, so that nothing is saved after such an update.
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
            if skipped:  # the scale was too large for float16, so the optimizer only halved the scale
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
            self.clock.tokens += row["tokens"]

    def metrics(self, progress: Progress) -> tuple[dict[str, float], dict[str, float]]:
        """Returns the means of the updates since the last call by name, and removes their sums from `progress`.

        If there are several tasks, the second dictionary has the loss of each task that had updates.
        """
        sums, task_sums = progress.pending, progress.task_pending
        metrics = {
            "loss": self._mean_loss(sums),
            "perplexity": math.exp(min(sums["nll"] / sums["tokens"], 100.0)),
            "learning_rate": sums["learning_rate"],
            "gradient_norm": sums["gradient_norm"],
            "tokens_per_second": self.clock.tokens_per_second(),
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
        """Returns the mean loss, extra losses included, of sums over updates."""
        return sums["loss"] / sums[self._normalize_by] + sums["extra_loss"] / sums["sentences"]

    def _refuse(self, update: int, name: str, number: int, row: dict[str, float]) -> None:
        """Raises the error about an update that is not finite, with the lines of the task's batch `number`."""
        parts = self._tasks[name].data.dataset(number, parts=self._parts).take(self._parts)
        lines = np.concatenate([part["line_numbers"].numpy() for part in parts])
        lines = np.sort(lines[lines >= 0])
        shown = ", ".join(map(str, lines[:20])) + (f" and {len(lines) - 20} more" if len(lines) > 20 else "")
        numbers = ", ".join(f"{key}={row[key]:g}" for key in ("loss", "extra_loss", "gradient_norm", "learning_rate"))
        whose = f" of task {name!r}" if len(self._tasks) > 1 else ""
        raise UserError(
            f"The loss or the gradient is not finite at update {update + 1}{whose}. Its batch holds line numbers "
            f"{shown}, counted through all files of its data. The last checkpoint is unchanged; a lower learning "
            f"rate or clipping may help. Received: {numbers}"
        )


class Clock:
    """Measures the time of a run: its seconds, its pace, and the tokens per second without evaluations and saves."""

    tokens = 0.0  # since the last line of the log

    def start(self, progress: Progress, lines: int) -> None:
        """Starts from `progress`. The pace is that of the last `lines` lines of the log, at least one."""
        self._began = time.monotonic() - progress.seconds  # when the run would have begun without stops
        # Update and seconds at the lines of one round, so that the pace includes an evaluation or a save.
        self._lines = collections.deque([(progress.update, progress.seconds)], maxlen=max(1, lines))
        self._begin_line()

    def _begin_line(self) -> None:
        self.tokens = 0.0
        self._counted = 0.0  # seconds of updates between the last line and the last pause
        self._since: float | None = time.monotonic()

    def seconds(self) -> float:
        """Returns the seconds of the run over all its starts."""
        return time.monotonic() - self._began

    def pause(self) -> None:
        """Stops counting the seconds of updates."""
        self._counted, self._since = self._counted_now(), None

    def resume(self) -> None:
        """Continues to count after a pause."""
        self._since = time.monotonic()

    def tokens_per_second(self) -> float:
        """Returns the tokens per second since the last line of the log."""
        return self.tokens / max(self._counted_now(), 1e-9)

    def end_line(self, update: int) -> float:
        """Begins the next line of the log, and returns the pace in seconds per update."""
        self._begin_line()
        seconds = self.seconds()  # includes the wait for the device
        first_update, first_seconds = self._lines[0]
        self._lines.append((update, seconds))
        return (seconds - first_seconds) / max(1, update - first_update)

    def _counted_now(self) -> float:
        return self._counted + (0.0 if self._since is None else time.monotonic() - self._since)


def show_duration(seconds: float) -> str:
    """Returns hours, minutes and seconds as a text.

    >>> show_duration(3661.4), show_duration(1e15)
    ('1:01:01', 'more than 30 years')
    """
    return str(datetime.timedelta(seconds=round(seconds))) if seconds < LONGEST_TIME else "more than 30 years"
