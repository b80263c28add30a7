"""Ctrl-C and SIGTERM as stop requests, read between two updates."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Interruption:
    """A context in which the first SIGINT or SIGTERM is only recorded, and a second one stops the program at once.

    Outside the main thread, where Python allows no signal handlers, nothing is recorded.

    Example:

    >>> with Interruption() as interruption:
    ...     print(interruption.signal)
    None
    """

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._record)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _record(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            raise SystemExit(128 + number)
        self.signal = signal.Signals(number)
