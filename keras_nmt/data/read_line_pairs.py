"""Two text files as lists of lines that belong together."""

from __future__ import annotations

import os

from keras_nmt.data.read_lines import read_lines
from keras_nmt.errors import UserError


def read_line_pairs(
    source_file: str | os.PathLike[str], target_file: str | os.PathLike[str]
) -> tuple[list[str], list[str]]:
    """Reads two files, plain or gzip, whose lines pair up.

    Args:
        source_file: The source sentences, UTF-8.
        target_file: Their translations, as many lines.

    Returns:
        The lines of either, as `read_lines` gives them.

    Raises:
        OSError: A file cannot be opened.
        UserError: As `read_lines`, or the files differ in their number of lines.
    """
    sources, targets = read_lines(source_file), read_lines(target_file)
    if len(sources) != len(targets):
        raise UserError(
            f"The files must have as many lines as each other. Received: {source_file}: {len(sources)}, "
            f"{target_file}: {len(targets)}"
        )
    return sources, targets
