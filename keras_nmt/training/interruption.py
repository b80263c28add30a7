"""Ctrl-C, SIGTERM and SIGHUP as stop requests, read between two updates."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Interruption:
    """A context in which the first SIGINT, SIGTERM or SIGHUP is only recorded, and a second signal stops the program.

    A second SIGHUP, which some terminals send, changes nothing. Where `nohup` lets SIGHUP be ignored, it is. Outside
    the main thread, where Python allows no signal handlers, nothing is recorded.

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
            self.signal = signal.Signals(number)
        elif number != signal.SIGHUP:
            raise SystemExit(128 + number)
