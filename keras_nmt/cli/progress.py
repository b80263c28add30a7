"""A progress bar on standard error, where standard error is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from keras_nmt.cli.lines import input_lines

LINES_OF_A_STEP = 512  # lines that are translated at once with a bar; without one, more, because this is faster
Advance = Callable[..., None]


@contextlib.contextmanager
def progress(total: int | None, unit: str, *, shown: bool = True) -> Iterator[Advance]:
    """Shows a bar with rate and time left during a block; the bar disappears at the end.

    Nothing is written unless standard error is a terminal.

    Args:
        total: Integer, number of units, or None where the number is not known: the bar then has no time left.
        unit: String, name of the units in the plural, such as "lines".
        shown: Boolean, whether a bar is wanted. Defaults to `True`.

    Yields:
        A function `advance(number=1, text="")` that adds finished units, and shows a text before the bar.
    """
    if not (shown and sys.stderr.isatty()):
        yield lambda number=1, text="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units a second, or seconds a unit."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            if not speed:
                return Text("")
            return Text(f"{speed:,.1f} {unit}/s" if speed >= 1 else f"{1 / speed:,.1f} s each")

    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), Rate(), TimeLeft()
    # Standard output may go to a pipe or a file, whose bytes are not the bar's business.
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=True) as bar:
        task = bar.add_task(unit, total=total)

        def advance(number: int = 1, text: str = "") -> None:
            bar.update(task, advance=number, description=text or unit)

        yield advance


def number_of_lines(path: Path | None) -> int | None:
    """The number of lines of a file, or None of standard input."""
    return None if path is None else sum(1 for _ in input_lines(path))
