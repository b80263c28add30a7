"""The log of a training run, a file of JSON lines. Imports no TensorFlow."""

from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from pathlib import Path
from typing import Any

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import atomic_path, errors_that_name
from keras_nmt.files.paths import check_regular


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
        """Appends a line. Numbers that are not finite become null, because JSON does not have them."""
        finite = {key: None if isinstance(x, float) and not math.isfinite(x) else x for key, x in line.items()}
        with errors_that_name(self.path), open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(finite) + "\n")

    def read(self) -> list[dict[str, Any]]:
        """Reads all complete lines.

        Raises:
            UserError: A line has no JSON object of finite numbers with its update, or comes before an earlier update.
        """
        lines, latest = self._read(), 0
        for number, line in lines.items():
            if line is None or line["update"] < latest:
                raise UserError(
                    "A line of a training log must be a JSON object of finite numbers, with its `update`, in the order "
                    f"of updates: restore the file, or remove the line. Received: {self.path}, line {number}"
                )
            latest = line["update"]
        return list(filter(None, lines.values()))

    def _read(self) -> dict[int, dict[str, Any] | None]:
        """Returns the lines by their numbers, None for damaged ones, without a part of a line that a kill left."""
        if not self.path.exists():
            return {}
        check_regular(self.path)
        texts = self.path.read_bytes().split(b"\n")
        lines = {number: _parse(text) for number, text in enumerate(texts, 1) if text.strip()}
        if lines.get(len(texts), {}) is None:
            del lines[len(texts)]
        return lines

    def truncate(self, update: int, completed: int) -> None:
        """Removes the lines that a resumed run will write again: later lines, and the line about the final weights.

        Damaged lines are removed with a warning.

        Args:
            update: Integer, the last update of the run so far.
            completed: Integer, the last update whose evaluation, if there was one, has been saved.
        """
        lines = self._read()
        if damaged := [number for number, line in lines.items() if line is None]:
            first = f"line {damaged[0]} first"
            warnings.warn(f"Removed {len(damaged)} damaged line(s) from {self.path}, {first}", stacklevel=2)
        if self.path.exists():
            last, whole = {True: update, False: completed}, filter(None, lines.values())
            kept = [line for line in whole if line["update"] <= last["loss" in line] and "final" not in line]
            with atomic_path(self.path) as temporary:
                temporary.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def _parse(text: bytes) -> dict[str, Any] | None:
    """Returns a line of the log, or None if it is damaged."""
    with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        line = json.loads(text)
        numbers = [*line.get("task_loss", {}).values(), *line.get("final", [])]
        numbers += [x for name, x in line.items() if name not in ("task_loss", "final")]
        if type(line["update"]) is int and all(x is None or math.isfinite(x) for x in numbers):
            return line
    return None
