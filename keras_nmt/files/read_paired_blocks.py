"""Two text files whose lines correspond, as blocks of lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, zip_longest

from keras_nmt.errors import UserError
from keras_nmt.files.read_blocks import read_blocks

BLOCK_PAIRS = 8192  # pairs of a block
BLOCK_CHARACTERS = 2**23  # a block with long lines ends earlier


def read_paired_blocks(
    source_file: str | os.PathLike[str], target_file: str | os.PathLike[str]
) -> Iterator[tuple[list[str], list[str]]]:
    """Reads two files, as `read_blocks` reads each, in blocks with equally many lines.

    Args:
        source_file: String or path of a file.
        target_file: String or path of a file with as many lines.

    Yields:
        Pairs of lists of lines.

    Raises:
        OSError: A file cannot be opened.
        UserError: As `read_blocks`, or a file is empty, or the files differ in their number of lines.
    """
    sides: tuple[list[str], list[str]] = [], []
    num_source = num_target = num_characters = 0
    lines = (chain.from_iterable(read_blocks(file)) for file in (source_file, target_file))
    for source, target in zip_longest(*lines):
        num_source += source is not None
        num_target += target is not None
        if num_source == num_target:
            sides[0].append(source)
            sides[1].append(target)
            num_characters += len(source) + len(target)
            if len(sides[0]) == BLOCK_PAIRS or num_characters > BLOCK_CHARACTERS:
                yield sides
                sides, num_characters = ([], []), 0
    if sides[0]:
        yield sides
    for name, file, num_lines in (
        ("source_file", source_file, num_source),
        ("target_file", target_file, num_target),
    ):
        if num_lines == 0:
            raise UserError(f"The file is empty. Received: {name}={os.fspath(file)!r}")
    if num_source != num_target:
        raise UserError(
            "The two files differ in their number of lines. Received: "
            f"{os.fspath(source_file)!r} with {num_source} lines, {os.fspath(target_file)!r} with {num_target}"
        )
