"""The look at the input before the work: numbers of lines, and digests."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Any

from keras_nmt.files.read_paired_blocks import read_paired_blocks


def scan(
    source: str | os.PathLike[str], target: str | os.PathLike[str], advance: Callable[[int], None] = lambda number: None
) -> dict[str, Any]:
    """Reads a pair of files, and counts their lines.

    Args:
        source: String or path of a file.
        target: String or path of a file with as many lines.
        advance: Function that gets the number of lines of each block. Defaults to none.

    Returns:
        Dictionary: "files", the names without folders; "lines"; "sha256", the digests of the lines of both files, as
        `keras_nmt.data.text_digest` computes them.

    Raises:
        OSError: A file cannot be read.
        UserError: As `read_paired_blocks`.
    """
    digests = hashlib.sha256(), hashlib.sha256()
    num_lines = 0
    for block in read_paired_blocks(source, target):
        num_lines += len(block[0])
        for digest, lines in zip(digests, block, strict=True):
            digest.update("".join(f"{line}\n" for line in lines).encode())
        advance(len(block[0]))
    names = [os.fspath(file).rpartition("/")[2] for file in (source, target)]
    return {"files": names, "lines": num_lines, "sha256": [digest.hexdigest() for digest in digests]}
