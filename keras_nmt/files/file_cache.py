"""Caches what is read from files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def cached_by_file(maxsize: int) -> Callable[[Callable[[str], T]], Callable[[str | os.PathLike[str]], T]]:
    """Caches the results of a function of a file, for the last `maxsize` files, until they change in size or time.

    The function gets the absolute path.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> count = cached_by_file(8)(lambda path: print("reads") or len(pathlib.Path(path).read_bytes()))
    >>> path.write_text("one"), count(path), count(path), path.write_text("three"), count(path)
    reads
    reads
    (3, 3, 3, 5, 5)
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str | os.PathLike[str]], T]:
        @functools.lru_cache(maxsize)
        def read(path: str, size: int, changed: int) -> T:
            return function(path)

        @functools.wraps(function)
        def wrapper(path: str | os.PathLike[str]) -> T:
            status = os.stat(path)
            return read(os.path.abspath(path), status.st_size, status.st_mtime_ns)

        return wrapper

    return decorate
