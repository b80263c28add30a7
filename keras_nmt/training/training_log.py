"""The training log: one JSON object a line."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from keras_nmt.files.atomic_files import atomic_path, errors_that_name


class TrainingLog:
    """A file of JSON lines, each with the `update` it speaks of.

    Args:
        path: the file; it is made when the first line is written.

    Example:

    >>> import pathlib, tempfile
    >>> log = TrainingLog(pathlib.Path(tempfile.mkdtemp()) / "training_log.jsonl")
    >>> log.append({"update": 100, "loss": 4.5})
    >>> log.append({"update": 200, "loss": 3.5})
    >>> log.truncate(100, settled=100)
    >>> log.read()
    [{'update': 100, 'loss': 4.5}]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def append(self, line: dict[str, Any]) -> None:
        """Adds a line; numbers that are not finite, which JSON does not know, become null."""
        finite = {key: None if isinstance(x, float) and not math.isfinite(x) else x for key, x in line.items()}
        with errors_that_name(self.path), open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(finite) + "\n")

    def read(self) -> list[dict[str, Any]]:
        """All whole lines."""
        if not self.path.exists():
            return []
        lines = []
        for text in self.path.read_text(encoding="utf-8").split("\n"):
            try:
                line = json.loads(text)
            except ValueError:
                continue  # a line that a killed process did not finish
            if isinstance(line, dict) and "update" in line:
                lines.append(line)
        return lines

    def truncate(self, update: int, settled: int) -> None:
        """Drops what a continued run says again: later lines, and the one on the final weights.

        Args:
            update: The last update that has been made.
            settled: The last one whose evaluation, if it was due, has been saved.
        """
        if self.path.exists():
            last = {True: update, False: settled}
            kept = [line for line in self.read() if line["update"] <= last["loss" in line] and "final" not in line]
            with atomic_path(self.path) as temporary:
                temporary.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
