"""The files of MuCoW's translation suite."""

from __future__ import annotations

from pathlib import Path

KEY, TEXT = ".key.txt", ".text.txt"


def text_of_key(path: Path) -> Path | None:
    """The file of sources beside a key of MuCoW's translation suite; None for a file of another name.

    Example:

    >>> text_of_key(Path("en-de.key.txt")).name
    'en-de.text.txt'
    """
    return path.with_name(path.name.removesuffix(KEY) + TEXT) if path.name.endswith(KEY) else None
