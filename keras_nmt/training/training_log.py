"""The log of a training run: a file of JSON lines, lines of progress, TensorBoard."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import struct
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import tensorflow as tf
from google.protobuf.message import DecodeError
from tensorflow.core.util.event_pb2 import Event

from keras_nmt.errors import check_positive
from keras_nmt.files.atomic_files import atomic_path, errors_that_name, plain_name
from keras_nmt.files.check_path import check_regular
from keras_nmt.training.checkpoints import Progress

LONGEST_EVENT = 1 << 20  # bytes; ours hold one number each


@dataclasses.dataclass(frozen=True, kw_only=True)
class Logging:
    """The log of `Trainer`: frequency and destinations.

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


class TrainingLog:
    """A file of JSON lines, each with the `update` that it describes.

    Args:
        path: Path of the file, which the first line creates.

    Example:

    >>> import pathlib, tempfile
    >>> log = TrainingLog(pathlib.Path(tempfile.mkdtemp()) / "training_log.jsonl")
    >>> log.append({"update": 100, "loss": 4.5})
    >>> log.append({"update": 200, "loss": 3.5})
    >>> log.truncate(100, completed=100)
    >>> log.read()
    [{'update': 100, 'loss': 4.5}]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def append(self, line: dict[str, Any]) -> None:
        """Appends a line. Numbers that are not finite become null, because JSON has no such numbers."""
        finite = {key: None if isinstance(x, float) and not math.isfinite(x) else x for key, x in line.items()}
        with errors_that_name(self.path), open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(finite) + "\n")

    def read(self) -> list[dict[str, Any]]:
        """Reads all complete lines."""
        return self._read()[0]

    def _read(self) -> tuple[list[dict[str, Any]], int]:
        """All complete lines, and the number of damaged lines. A kill explains a part of a line at the end."""
        if not self.path.exists():
            return [], 0
        check_regular(self.path)
        *texts, last = self.path.read_bytes().split(b"\n")
        found = [_parse(text) for text in texts if text.strip()]
        return [line for line in (*found, _parse(last)) if line is not None], found.count(None)

    def truncate(self, update: int, completed: int) -> None:
        """Removes the lines that a resumed run writes again: later lines, and the line on the final weights.

        Damaged lines are removed with a warning.

        Args:
            update: Integer, the last update of the run.
            completed: Integer, the last update whose evaluation, if one was due, has been saved.
        """
        lines, damaged = self._read()
        if damaged:
            warnings.warn(f"{damaged} damaged lines are left out of {self.path}", stacklevel=2)
        if self.path.exists():
            last = {True: update, False: completed}
            kept = [line for line in lines if line["update"] <= last["loss" in line] and "final" not in line]
            with atomic_path(self.path) as temporary:
                temporary.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


class LogWriter:
    """Writes the log of a run in a model directory; on workers other than the chief, nothing."""

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
        """Removes what a run that goes on from here writes again."""
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
        left = f"  {_clock(seconds_left)} left" if seconds_left is not None else ""
        self.report(
            f"update {progress.update:,}{total}  loss {metrics['loss']:.4f}  perplexity {metrics['perplexity']:.2f}  "
            f"{metrics['tokens_per_second']:,.0f} tokens/s  learning rate {metrics['learning_rate']:.3g}  "
            f"gradient {metrics['gradient_norm']:.3f}{left}"
        )

    def write_evaluation(
        self, progress: Progress, metrics: Mapping[str, float], final: list[int] | None = None
    ) -> None:
        """Writes an evaluation of the present update, or of the final weights, the mean of the updates `final`."""
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


def _parse(text: bytes) -> dict[str, Any] | None:
    """A line of the log, or None where it is damaged."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) and type(line.get("update")) is int else None


def _truncate_events(file: BinaryIO, progress: Progress) -> None:
    """Cuts a file of TensorBoard's events before the first event that a resumed run writes again.

    A record is the length of its data (8 bytes), a checksum (4), the data, and a checksum (4). TensorBoard reads no
    further than a damaged record.
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


def _clock(seconds: float) -> str:
    """Seconds as hours:minutes:seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
