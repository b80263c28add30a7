"""Commands whose standard error is a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest


def on_a_terminal(*command: object) -> tuple[int, bytes, str]:
    """Runs `python COMMAND` with a terminal as standard error: exit code, standard output, text of the terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, *map(str, command)], stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the terminal is closed
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    output, _ = process.communicate()
    return process.returncode, output, shown.decode(errors="replace")


@contextlib.contextmanager
def terminal_for_errors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Makes a terminal the standard error of this process.

    Gives a function that closes the terminal and returns the text on it.
    """
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(ours, 4096):
                shown.append(part)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")
    terminal = open(theirs, "w", encoding="utf-8")  # noqa: SIM115  closed below, before the text is read
    monkeypatch.setattr(sys, "stderr", terminal)

    def text() -> str:
        terminal.close()
        thread.join()
        return b"".join(shown).decode()

    try:
        yield text
    finally:
        terminal.close()
        thread.join()
        os.close(ours)
