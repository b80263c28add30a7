"""Reading of plain or gzipped text, with checks of encoding and line length."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from keras_nmt.errors import UserError

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = "\ufeff"
MAX_LINE = 2**20  # bytes of a line; also the bytes that are read at once


def read_blocks(path: str | os.PathLike[str]) -> Iterator[list[str]]:
    r"""Reads a text file as blocks of lines, with at most 2 MiB of it in memory.

    Lines end at `"\n"` and nowhere else, so that the lines of two files pair up as for `wc -l` and `paste`. The last
    line needs no `"\n"`. A carriage return at the end of a line and a byte-order mark at the start of the file are
    removed. Gzip data are recognised by their first bytes, whatever the file's name.

    Args:
        path: String or path of a file: UTF-8 text, plain or compressed by gzip, lines of at most 1 MiB each.

    Yields:
        Lists of lines, none of them empty. An empty file yields nothing.

    Raises:
        OSError: The file cannot be opened.
        UserError: A line is longer than 1 MiB or not UTF-8, or the file is damaged gzip data. The message names the
            file and the line.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "numbers.txt")
        ...     _ = open(path, "w").write("one\ntwo\nthree")
        ...     [line for block in read_blocks(path) for line in block]
        ['one', 'two', 'three']
    """
    path = Path(path)
    num_lines = 0
    rest = b""  # the beginning of the next line
    with path.open("rb") as raw:
        is_gzip = raw.peek(2)[:2] == GZIP_MAGIC  # no seeking: the file may be a pipe
        file = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_gzip else raw
        while True:
            try:
                block = file.read(MAX_LINE)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise UserError(
                    f"Damaged gzip data after line {num_lines} at the earliest. Make or fetch the file again. "
                    f"Received: path={str(path)!r} ({error})"
                ) from None
            if not block and not rest:
                return
            text, line_end, rest = (rest + block).rpartition(b"\n") if block else (rest, b"\n", b"")
            # Only a line that began in the block before can be longer than what is read at once.
            if max(len(text.partition(b"\n")[0]), len(rest)) > MAX_LINE:
                raise UserError(
                    f"Line {num_lines + 1} is longer than {MAX_LINE:,} bytes. Split or remove the line. "
                    f"Received: path={str(path)!r}"
                )
            if line_end:
                lines = _decode(text, path, num_lines).split("\n")
                if num_lines == 0:
                    lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
                num_lines += len(lines)
                yield [line.removesuffix("\r") for line in lines]


def _decode(text: bytes, path: Path, lines_before: int) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        number = lines_before + text.count(b"\n", 0, error.start) + 1
        position = error.start - text.rfind(b"\n", 0, error.start)
        raise UserError(
            f"Line {number} is not UTF-8 (byte 0x{text[error.start]:02x} at position {position} of the line). "
            f"Convert the file to UTF-8. Received: path={str(path)!r}"
        ) from None
