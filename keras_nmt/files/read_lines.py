"""A text file as a list of its lines."""

from __future__ import annotations

import os

from keras_nmt.errors import UserError
from keras_nmt.files.read_blocks import read_blocks


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    r"""Reads a text file, plain or gzip, as the list of its lines.

    Lines end at `"\n"` only, and empty lines are kept, so that the lines of two files pair up.

    Args:
        path: String or path of a UTF-8 file with lines of at most 1 MiB.

    Returns:
        List of the lines, without their ends.

    Raises:
        OSError: The file cannot be opened.
        UserError: The file is empty or damaged gzip data, or a line is not UTF-8 or too long.

    Example:

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "numbers.txt")
    ...     _ = open(path, "w").write("one\n\nthree\n")
    ...     read_lines(path)
    ['one', '', 'three']
    """
    lines = [line for block in read_blocks(path) for line in block]
    if not lines:
        raise UserError(f"The file is empty. Received: path={os.fspath(path)!r}")
    return lines
