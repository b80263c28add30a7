"""Progress bars on standard error, where standard error is a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from keras_nmt.cli.lines import write_line
from keras_nmt.progress import show_steps

if TYPE_CHECKING:
    from rich.progress import Progress

LINES_OF_A_STEP = 512  # lines that are translated at once with a bar; without one, more, because this is faster
Advance = Callable[..., None]

_open: list[Progress] = []  # the bars on the terminal, which has room for one display


@contextlib.contextmanager
def progress(total: int | None, unit: str, *, text: str = "", shown: bool = True) -> Iterator[Advance]:
    """Shows a bar with rate and time left during a block; the bar disappears at the end.

    A bar inside the block of another bar stands below the other bar. Nothing is written unless standard error is a
    terminal. Without a total, the bar has the time since its start instead of the time left.

    Yields:
        A function `advance(number=1, text="")` that adds finished units, such as "lines", and shows a text before the
        bar, which defaults to `unit`.
    """
    if not (shown and (_open or sys.stderr.isatty())):
        yield lambda number=1, text="": None
        return
    with contextlib.nullcontext(_open[0]) if _open else _display() as display:
        task = display.add_task(text or unit, total=total, unit=unit)

        def advance(number: int = 1, text: str = "") -> None:
            display.update(task, advance=number, description=text or None)

        try:
            yield advance
        finally:
            display.refresh()
            display.remove_task(task)


@contextlib.contextmanager
def working(text: str) -> Iterator[None]:
    """Shows on a terminal that work goes on, and the steps that the work counts (`keras_nmt.progress`)."""
    with progress(None, "", text=text), show_steps(progress):
        yield


def write_above(line: str) -> None:
    """Writes a line to standard output, above an open bar if standard output is the same terminal."""
    if _open:
        _open[0].stop()
    write_line(line)
    sys.stdout.flush()
    if _open:
        _open[0].start()


@contextlib.contextmanager
def _display() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Count(ProgressColumn):
        """Finished units of all; nothing where no units are counted, unlike rich's own `MofNCompleteColumn`."""

        def render(self, task: Task) -> Text:
            total = "?" if task.total is None else f"{task.total:,.0f}"
            is_counted = task.total is not None or task.completed
            return Text(f"{task.completed:,.0f}/{total}" if is_counted else "")

    class Rate(ProgressColumn):
        """Units a second, or seconds a unit. Rich's own column is for bytes."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            if not speed:
                return Text("")
            return Text(f"{speed:,.1f} {task.fields['unit']}/s" if speed >= 1 else f"{1 / speed:,.1f} s each")

    class Time(TimeRemainingColumn):
        """Time left, or the time since the start where the end is not known."""

        def render(self, task: Task) -> Text:
            return TimeElapsedColumn().render(task) if task.total is None else super().render(task)

    text = TextColumn("{task.description}", markup=False, table_column=Column(max_width=50, no_wrap=True))
    columns = text, BarColumn(), Count(), Rate(), Time()
    # A descriptor of its own: preparation silences standard error. Standard output may go to a pipe or a file, whose
    # bytes are not the bar's business.
    stream = sys.stderr
    with open(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors="backslashreplace") as terminal:
        console = Console(file=terminal)
        with Progress(
            *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=True
        ) as display:
            _open.append(display)
            try:
                yield display
            finally:
                _open.remove(display)
