"""The log of a training run, a file of JSON lines. Imports no TensorFlow."""

from __future__ import annotations

import json
import math
import os
import warnings
from pathlib import Path
from typing import Any

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
        """Reads all complete lines."""
        return self._read()[0]

    def _read(self) -> tuple[list[dict[str, Any]], int]:
        """Returns all complete lines, and the number of damaged lines, without a part of a line that a kill left."""
        if not self.path.exists():
            return [], 0
        check_regular(self.path)
        *texts, last = self.path.read_bytes().split(b"\n")
        parsed = [_parse(text) for text in texts if text.strip()]
        return [line for line in (*parsed, _parse(last)) if line is not None], parsed.count(None)

    def truncate(self, update: int, completed: int) -> None:
        """Removes the lines that a resumed run will write again: later lines, and the line about the final weights.

        Damaged lines are removed with a warning.

        Args:
            update: Integer, the last update of the run so far.
            completed: Integer, the last update whose evaluation, if there was one, has been saved.
        """
        lines, damaged = self._read()
        if damaged:
            warnings.warn(f"Removed {damaged} damaged lines from {self.path}", stacklevel=2)
        if self.path.exists():
            last = {True: update, False: completed}
            kept = [line for line in lines if line["update"] <= last["loss" in line] and "final" not in line]
            with atomic_path(self.path) as temporary:
                temporary.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def _parse(text: bytes) -> dict[str, Any] | None:
    """Returns a line of the log, or None if it is damaged."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) and type(line.get("update")) is int else None
