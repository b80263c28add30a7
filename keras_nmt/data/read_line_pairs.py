"""Two parallel text files as lists of lines."""

from __future__ import annotations

import os

from keras_nmt.data.read_lines import read_lines
from keras_nmt.errors import UserError


def read_line_pairs(
    source_file: str | os.PathLike[str], target_file: str | os.PathLike[str]
) -> tuple[list[str], list[str]]:
    """Reads two files, plain or gzip, whose lines pair up.

    Args:
        source_file: String or path of the source sentences, UTF-8.
        target_file: String or path of the translations, with the same number of lines.

    Returns:
        The lines of both files, two lists as `read_lines` returns them.

    Raises:
        OSError: A file cannot be opened.
        UserError: As `read_lines`, or the files have different numbers of lines.
    """
    sources, targets = read_lines(source_file), read_lines(target_file)
    if len(sources) != len(targets):
        raise UserError(
            f"The files must have the same number of lines. Received: {source_file}: {len(sources)}, "
            f"{target_file}: {len(targets)}"
        )
    return sources, targets
