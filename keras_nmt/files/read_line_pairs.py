"""Text files whose lines correspond, as lists of lines."""

from __future__ import annotations

import os

from keras_nmt.errors import UserError
from keras_nmt.files.read_lines import read_lines


def read_line_pairs(*files: str | os.PathLike[str]) -> tuple[list[str], ...]:
    """Reads two or more files, plain or gzip, whose lines correspond: sources and translations, or several references.

    Args:
        *files: Strings or paths of UTF-8 files with the same number of lines.

    Returns:
        The lines of each file, lists as `read_lines` returns them.

    Raises:
        OSError: A file cannot be opened.
        UserError: As `read_lines`, or the files have different numbers of lines.
    """
    lines = tuple(map(read_lines, files))
    if len(set(map(len, lines))) > 1:
        counts = ", ".join(f"{os.fspath(file)}: {len(part)}" for file, part in zip(files, lines, strict=True))
        raise UserError(f"The files must have the same number of lines. Received: {counts}")
    return lines
