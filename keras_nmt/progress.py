"""Progress reporting: long-running functions count their steps, and a program can show them."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator

Advance = Callable[..., None]
Show = Callable[[int | None, str], contextlib.AbstractContextManager[Advance]]

_show: contextvars.ContextVar[Show | None] = contextvars.ContextVar("show", default=None)


@contextlib.contextmanager
def count_steps(total: int | None, unit: str) -> Iterator[Advance]:
    """Counts the steps of a long-running function, which are shown only inside `show_steps`.

    There are `total` steps, or an unknown number if it is None. `unit` is their name in the plural, such as "lines".

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
    """Shows the steps that functions called inside the block count.

    `show` takes the arguments of `count_steps`, and returns a context manager whose value is the function that
    `count_steps` yields. Context managers of nested calls of `count_steps` are nested, too.
    """
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


def are_shown() -> bool:
    """Returns whether steps are shown, for functions whose steps are costly to count."""
    return _show.get() is not None
