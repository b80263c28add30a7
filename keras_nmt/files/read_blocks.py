"""Reading of plain or compressed text, local or remote, with checks of encoding and line length."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import os
import sys
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from keras_nmt.errors import UserError, error_and_type
from keras_nmt.files.check_path import STANDARD_STREAM, address_of

GZIP_MAGIC = b"\x1f\x8b"
ZSTANDARD_MAGICS = (b"\x28\xb5\x2f\xfd", *(bytes((i, 0x2A, 0x4D, 0x18)) for i in range(0x50, 0x60)))  # of any frame
MAGICS = (GZIP_MAGIC, *ZSTANDARD_MAGICS)
BYTE_ORDER_MARK = "\ufeff"
COMPRESSED_BYTES = 2**14  # of Zstandard data that are decompressed at once
MAX_LINE = 2**20  # bytes of a line; also the bytes that are read at once


def read_blocks(source: str | os.PathLike[str] | BinaryIO) -> Iterator[list[str]]:
    r"""Reads text as blocks of lines, with at most 2 MiB of text in memory.

    Lines end at `"\n"` and nowhere else, so that the lines of two files pair up as for `wc -l` and `paste`. The last
    line needs no `"\n"`. A carriage return at the end of a line and a byte-order mark at the start of the file are
    removed. Compressed data are recognised by their first bytes, not by the file's name.

    Args:
        source: String or path of a file, or a stream, or "-" for standard input: UTF-8 text, plain or compressed by
            gzip or Zstandard, lines of at most 1 MiB each. `fsspec` opens an address, such as "gs://bucket/text.gz". A
            stream's lines are yielded as soon as the stream has them. Zstandard and addresses need the extra `prepare`.

    Yields:
        Lists of lines, none of them empty. An empty file yields nothing.

    Raises:
        OSError: The file cannot be opened.
        UserError: A line is longer than 1 MiB or not UTF-8, or the file is damaged compressed data, or an address
            cannot be read. The message names the file and the line.

    Example:

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "numbers.txt")
    ...     _ = open(path, "w").write("one\ntwo\nthree")
    ...     [line for block in read_blocks(path) for line in block]
    ['one', 'two', 'three']
    """
    if isinstance(source, (str, os.PathLike)):
        name = address_of(source) or os.fspath(source)
        if name == STANDARD_STREAM:
            name, source = "standard input", sys.stdin.buffer
    else:
        name = str(getattr(source, "name", "a stream"))
    kind = "gzip"
    damages: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    num_lines = 0
    rest = b""  # the beginning of the next line
    with contextlib.ExitStack() as stack:
        stack.enter_context(_errors_of_address(name))
        raw: Any
        if isinstance(source, (str, os.PathLike)):
            raw = stack.enter_context(_open(name))
        elif hasattr(source, "read1"):
            raw = source
        else:
            raw = io.BufferedReader(source)  # a stream of one system call for each read
            stack.callback(raw.detach)  # else the stream would be closed with its wrapper
        file: Any = io.BufferedReader(_Beginning(raw))  # no seeking: the file may be a pipe
        magic = file.peek(4)[:4]
        if magic.startswith(GZIP_MAGIC):
            file = gzip.GzipFile(fileobj=file)
        elif magic in ZSTANDARD_MAGICS:
            zstandard = _optional("zstandard", name)
            kind, damages = "Zstandard", (EOFError, zstandard.ZstdError)
            file = _ZstandardFile(file, zstandard.ZstdDecompressor())
        while True:
            try:
                block = file.read1(MAX_LINE)  # the bytes that are available: a pipe may stay open
            except damages as error:
                raise UserError(
                    f"Damaged {kind} data after line {num_lines} at the earliest. Make or fetch the file again. "
                    f"Received: {name} ({error})"
                ) from None
            if not block and not rest:
                return
            text, line_end, rest = (rest + block).rpartition(b"\n") if block else (rest, b"\n", b"")
            # Only a line that began in the previous block can be longer than one read.
            if max(len(text.partition(b"\n")[0]), len(rest)) > MAX_LINE:
                raise UserError(
                    f"Line {num_lines + 1} is longer than {MAX_LINE:,} bytes. Split or remove the line. "
                    f"Received: {name}"
                )
            if line_end:
                lines, fault = _decode(text, name, num_lines)
                if num_lines == 0 and lines:
                    lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
                num_lines += len(lines)
                if lines:
                    yield [line.removesuffix("\r") for line in lines]
                if fault is not None:
                    raise fault


class _Beginning(io.RawIOBase):
    """A stream whose first read has all bytes that tell compressed data, though a pipe may give one byte at a time."""

    def __init__(self, raw: Any) -> None:
        self._raw, self._is_first = raw, True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._raw.read1(len(buffer))
        while self._is_first and any(magic.startswith(read) and magic != read for magic in MAGICS):
            more = self._raw.read1(len(buffer) - len(read)) if read else b""
            read += more
            self._is_first = bool(more)
        self._is_first = False
        buffer[: len(read)] = read
        return len(read)


class _ZstandardFile:
    """Zstandard data as a file. Unlike the library's own reader, it notices that the data end too early."""

    def __init__(self, raw: io.BufferedReader, decompressor: Any) -> None:
        self._raw, self._decompressor = raw, decompressor
        self._frame: Any = None
        self._compressed = self._text = b""

    def read1(self, size: int) -> bytes:
        while not self._text:
            self._compressed = self._compressed or self._raw.read1(COMPRESSED_BYTES)
            if not self._compressed:
                if self._frame is not None:
                    raise EOFError("Compressed file ended before the end of a frame")
                return b""
            self._frame = self._frame or self._decompressor.decompressobj()
            self._text, self._compressed = self._frame.decompress(self._compressed), b""
            if self._frame.eof:
                self._compressed, self._frame = self._frame.unused_data, None
        text, self._text = self._text[:size], self._text[size:]
        return text


def _open(name: str) -> io.BufferedReader:
    if address_of(name) is None:
        return open(name, "rb")
    file = _optional("fsspec", name).open(name, "rb").open()
    return file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)


@contextlib.contextmanager
def _errors_of_address(name: str) -> Iterator[None]:
    """A block in which any error at an address names the address: each library of fsspec has errors of its own."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if address_of(name) is None:
            raise
        raise UserError(f"The address cannot be read ({error_and_type(error)}). Received: {name}") from error


def _optional(library: str, name: str) -> Any:
    """A library that only some files need."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise UserError(f"This file needs {library}: pip install 'keras_nmt[prepare]'. Received: {name}") from None


def _decode(text: bytes, name: str, lines_before: int) -> tuple[list[str], UserError | None]:
    """The lines of a text, or the lines before the first one that is not UTF-8, and the error about this one."""
    try:
        return text.decode("utf-8").split("\n"), None
    except UnicodeDecodeError as error:
        before = text[: error.start].split(b"\n")
        return [line.decode("utf-8") for line in before[:-1]], UserError(
            f"Line {lines_before + len(before)} is not UTF-8 (byte 0x{text[error.start]:02x} at position "
            f"{len(before[-1]) + 1} of the line). Convert the text to UTF-8. Received: {name}"
        )
