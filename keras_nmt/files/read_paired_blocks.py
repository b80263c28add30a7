"""Text files whose lines correspond, as blocks of lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, zip_longest

from keras_nmt.errors import UserError
from keras_nmt.files.read_blocks import read_blocks

BLOCK_PAIRS = 8192  # pairs of a block
BLOCK_CHARACTERS = 2**23  # a block with long lines ends earlier


def read_paired_blocks(*files: str | os.PathLike[str]) -> Iterator[tuple[list[str], ...]]:
    """Reads files, as `read_blocks` reads each, in blocks with equally many lines.

    Args:
        *files: Strings or paths of files with equally many lines, such as sources and translations.

    Yields:
        Tuples of lists of lines, one for each file.

    Raises:
        OSError: A file cannot be opened.
        UserError: As `read_blocks`, or a file is empty, or the files differ in their number of lines.
    """
    block: tuple[list[str], ...] = tuple([] for _ in files)
    counts, num_characters = [0] * len(files), 0
    for lines in zip_longest(*(chain.from_iterable(read_blocks(file)) for file in files)):
        if None in lines:
            counts = [count + (line is not None) for count, line in zip(counts, lines, strict=True)]
            continue
        for side, line in zip(block, lines, strict=True):
            side.append(line)
            num_characters += len(line)
        if len(block[0]) == BLOCK_PAIRS or num_characters > BLOCK_CHARACTERS:
            yield block
            counts = [count + len(block[0]) for count in counts]
            block, num_characters = tuple([] for _ in files), 0
    counts = [count + len(block[0]) for count in counts]
    if block[0]:
        yield block
    if 0 in counts:
        raise UserError(f"The file is empty. Received: {os.fspath(files[counts.index(0)])!r}")
    if len(set(counts)) > 1:
        received = ", ".join(f"{os.fspath(file)!r} with {count}" for file, count in zip(files, counts, strict=True))
        raise UserError(f"The files must have the same number of lines. Received: {received}")
