"""How far long work is: the work counts its steps, and a program may show them."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator

Advance = Callable[..., None]
Show = Callable[[int | None, str], contextlib.AbstractContextManager[Advance]]

_show: contextvars.ContextVar[Show | None] = contextvars.ContextVar("show", default=None)


@contextlib.contextmanager
def count_steps(total: int | None, unit: str) -> Iterator[Advance]:
    """Counts the steps of long work, for the function of `show_steps`; without one, nothing happens.

    Args:
        total: Integer, number of steps, or None where the number is not known.
        unit: String, name of the steps in the plural, such as "lines".

    Yields:
        A function `advance(number=1)` that adds finished steps.

    Example:

    >>> with show_steps(lambda total, unit: contextlib.nullcontext(lambda number=1: print(number, "of", total, unit))):
    ...     with count_steps(3, "files") as advance:
    ...         advance(2)
    2 of 3 files
    """
    show = _show.get()
    if show is None:
        yield lambda number=1: None
        return
    with show(total, unit) as advance:
        yield advance


@contextlib.contextmanager
def show_steps(show: Show) -> Iterator[None]:
    """Shows the steps of all work inside the block.

    Args:
        show: Function from the arguments of `count_steps` to a context manager, whose value is the function that
            `count_steps` yields. Work inside other work opens a second one before the first is closed.
    """
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


def are_shown() -> bool:
    """Whether counted steps are shown, for work that is costly to count."""
    return _show.get() is not None
