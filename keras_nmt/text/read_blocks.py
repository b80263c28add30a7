"""Reading plain or gzipped text, with its encoding checked."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, cast

from keras_nmt.errors import UserError

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = "\ufeff"


def read_blocks(path: str | os.PathLike[str], block_size: int = 8192) -> Iterator[list[str]]:
    r"""Reads a text file as blocks of lines, never the whole of it at once.

    Lines end at `"\n"` and nowhere else, so that the lines of two files pair up as `wc -l` and `paste` see them (a
    last line needs no `"\n"`). A carriage return before the end of a line and a byte-order mark at the start of the
    file are taken off. Gzip is recognised by its first bytes, whatever the file is called.

    Args:
        path: The file: UTF-8 text, plain or compressed by gzip.
        block_size: How many lines a block holds; the last block holds the rest.

    Yields:
        Lists of lines, none of them empty. An empty file yields nothing.

    Raises:
        OSError: The file cannot be opened.
        UserError: A line is not UTF-8, or the file is damaged gzip data. The message names the file and the line.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "numbers.txt")
        ...     _ = open(path, "w").write("one\ntwo\nthree")
        ...     list(read_blocks(path, block_size=2))
        [['one', 'two'], ['three']]
    """
    path = Path(path)
    num_lines = 0
    with path.open("rb") as raw:
        is_gzip = raw.peek(2)[:2] == GZIP_MAGIC  # no seeking: the file may be a pipe
        file = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_gzip else raw
        while True:
            try:
                block = list(islice(file, block_size))
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise UserError(
                    f"Damaged gzip data after line {num_lines} at the earliest. Make or fetch the file again. "
                    f"Received: path={str(path)!r} ({error})"
                ) from None
            if not block:
                return
            lines = _decode(block, path, num_lines)
            if num_lines == 0:
                lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
            num_lines += len(lines)
            yield lines


def _decode(block: list[bytes], path: Path, lines_before: int) -> list[str]:
    """Decodes lines that end in `"\\n"` (the last one perhaps not)."""
    try:
        text = b"".join(block).decode("utf-8")  # much faster than line by line
    except UnicodeDecodeError:
        for number, line in enumerate(block, start=lines_before + 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise UserError(
                    f"Line {number} is not UTF-8 (byte 0x{line[error.start]:02x} at position {error.start + 1} of the "
                    f"line). Convert the file to UTF-8. Received: path={str(path)!r}"
                ) from None
        raise
    lines = text.removesuffix("\n").split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines
