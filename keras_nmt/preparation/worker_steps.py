"""Counts of workers, which the process that shows them reads from a file."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from keras_nmt.steps import are_shown, count_steps

SECONDS = 0.5  # between two looks at the file


@contextlib.contextmanager
def worker_steps(path: Path, total: int | None, unit: str) -> Iterator[str | None]:
    """Counts steps that workers add to a file (`add_worker_steps`), where steps are shown.

    Args:
        path: Path of the file, in a folder that all workers share. It is removed at the end.
        total: Integer, number of steps, or None where the number is not known.
        unit: String, name of the steps in the plural.

    Yields:
        The path for `add_worker_steps`, or None where nothing is shown.
    """
    if not are_shown():
        yield None
        return
    path.touch()
    finished = threading.Event()
    with count_steps(total, unit) as advance:

        def watch() -> None:
            shown, is_last = 0, False
            while not is_last:
                is_last = finished.wait(SECONDS)
                counted = int(np.fromfile(path, np.int64).sum())
                advance(counted - shown)
                shown = counted

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield str(path)
        finally:
            finished.set()
            thread.join()
            path.unlink()


def add_worker_steps(path: str | None, number: int) -> None:
    """Adds finished steps, in a worker."""
    if path is not None:
        with open(path, "ab", buffering=0) as file:
            file.write(np.int64(number).tobytes())
