"""Reads the lines of text files, plain or compressed, local or remote, alone or several in parallel."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import importlib
import io
import math
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import Any, BinaryIO

from keras_nmt.errors import UserError, error_and_type, require
from keras_nmt.files.file_cache import cached_by_file
from keras_nmt.files.paths import STANDARD_STREAM, address_of, check_regular
from keras_nmt.text._elements import begins_file, error_of_file

GZIP_MAGIC = b"\x1f\x8b"
ZSTANDARD_MAGICS = (
    b"\x28\xb5\x2f\xfd",
    *(bytes((i, 0x2A, 0x4D, 0x18)) for i in range(0x50, 0x60)),
)  # data and skippable frames
MAGICS = (GZIP_MAGIC, *ZSTANDARD_MAGICS)
BYTE_ORDER_MARK = "\ufeff"
COMPRESSED_BYTES = 2**14  # Zstandard data that are decompressed at once
MAX_LINE = 2**20  # largest size of a line in bytes, and the number of bytes that are read at once
BLOCK_PAIRS = 8192  # largest number of pairs of a block
BLOCK_CHARACTERS = 2**23  # a block ends earlier if it has more characters


def read_blocks(
    source: str | os.PathLike[str] | BinaryIO,
    errors: str = "strict",
    max_line: float | None = None,
    *,
    keep_ends: bool = False,
) -> Iterator[list[str]]:
    r"""Reads text as blocks of lines, with at most 2 MiB of text in memory.

    Lines end only at `"\n"`, as for `wc -l` and `paste`, so that the lines of two files correspond. The last line does
    not need `"\n"`. A carriage return at the end of a line and a byte-order mark at the start of the file are removed.
    Compressed data are recognised by their first bytes, not by the file's name.

    Args:
        source: String or path of a file, or a stream, or "-" for standard input: UTF-8 text, plain or compressed by
            gzip or Zstandard, with lines of at most 1 MiB. `fsspec` opens a storage address, such as
            "gs://bucket/text.gz". Lines of a stream are yielded as soon as they arrive. Zstandard and addresses need
            the packages `zstandard` and `fsspec`.
        errors: String, how bytes that are not UTF-8 are decoded, as of `bytes.decode`: "surrogateescape" keeps them as
            surrogates. Defaults to "strict": they are an error.
        max_line: Number, the largest size of a line in bytes. Defaults to 1 MiB.
        keep_ends: Boolean, whether lines keep their ends, with carriage returns. Defaults to False.

    Yields:
        Lists of at least one line. An empty file yields nothing.

    Raises:
        OSError: The file cannot be opened.
        UserError: A line is too long or not UTF-8, all lines end with carriage returns alone, the text is UTF-16, or a
            whole file of XLIFF, TMX, TBX or Qt Linguist, compressed data are damaged, or an address cannot be read. The
            message names the file and the line.

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
    max_line = MAX_LINE if max_line is None else max_line
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
            raw = io.BufferedReader(source)  # an unbuffered stream
            stack.callback(raw.detach)  # otherwise the stream would be closed with its wrapper
        file: Any = io.BufferedReader(_Beginning(raw))  # the file may be a pipe, in which one cannot seek
        magic = file.peek(4)[:4]
        if magic.startswith(GZIP_MAGIC):
            file = gzip.GzipFile(fileobj=file)
        elif magic in ZSTANDARD_MAGICS:
            zstandard = _optional("zstandard", name)
            kind, damages = "Zstandard", (EOFError, zstandard.ZstdError)
            file = _ZstandardFile(file, zstandard.ZstdDecompressor())
        while True:
            try:
                block = file.read1(MAX_LINE)  # only the available bytes, because a pipe may stay open
            except damages as error:
                raise UserError(
                    f"Damaged {kind} data, at some place after line {num_lines}: make or fetch the file again. "
                    f"Received: {name} ({error})"
                ) from None
            if not block and not rest:
                return
            text, line_end, rest = (rest + block).rpartition(b"\n") if block else (rest, b"\n", b"")
            # Only a line that began in the previous block can be longer than one read.
            if max(len(text.partition(b"\n")[0]), len(rest)) > max_line:
                raise UserError(
                    f"Line {num_lines + 1} is longer than {max_line:,} bytes: split or remove it. Received: {name}"
                )
            if line_end:
                lines, fault = _decode(text, name, num_lines, errors)
                # Most UTF-16 is valid UTF-8, too. A NUL elsewhere is a character, which the subwords know.
                if num_lines < 2 and any("\0" in (line[:1], line[-1:]) for line in lines[:2]):
                    raise UserError(
                        "The first lines begin or end with NUL, as those of UTF-16 do: convert the text to UTF-8. "
                        f"Received: {name}"
                    )
                if num_lines == 0 and lines:
                    lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
                    if not keep_ends and begins_file("\n".join(lines[:100])):
                        raise error_of_file(name)
                    if not keep_ends and not block and "\r" in lines[0][:-1]:  # two such files would be a pair of lines
                        raise UserError(
                            "The lines end with carriage returns alone, as those of Excel's text for Macintosh do: "
                            f"convert them, for example by tr '\\r' '\\n'. Received: {name}"
                        )
                    if not block and lines == [""]:
                        return  # there is the mark alone
                num_lines += len(lines)
                if lines:
                    end = "\n" if block else ""  # of the last line, which may have none
                    yield [f"{x}{end}" for x in lines] if keep_ends else [x.removesuffix("\r") for x in lines]
                if fault is not None:
                    raise fault


class _Beginning(io.RawIOBase):
    """A stream whose first read has all bytes that identify compressed data, even if a pipe gives single bytes."""

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
    """Decompressed Zstandard data as a file. Unlike the library's own reader, it notices truncated data."""

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
    """Turns any error in reading an address into a `UserError`, because each library of fsspec has its own errors."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if address_of(name) is None:
            raise
        raise UserError(f"The address cannot be read ({error_and_type(error)}). Received: {name}") from error


def _optional(library: str, name: str) -> Any:
    """Imports a library that only some files need. (The extra `prepare` would exchange more, or is of keras_nmt.)"""
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise UserError(f"Missing package for {name}: pip install {library}. Received: {error}") from None


def _decode(text: bytes, name: str, lines_before: int, errors: str) -> tuple[list[str], UserError | None]:
    """Returns the lines of a text up to the first one that is not UTF-8, and the error about this line or None."""
    try:
        return text.decode("utf-8", errors).split("\n"), None
    except UnicodeDecodeError as error:
        before = text[: error.start].split(b"\n")
        number = lines_before + len(before)
        unpack = ", or unpack it: only gzip and Zstandard are read" if number == 1 else ""
        return [line.decode("utf-8") for line in before[:-1]], UserError(
            f"Line {number} is not UTF-8 (byte 0x{text[error.start]:02x} at position {len(before[-1]) + 1} of the "
            f"line): convert the text to UTF-8{unpack}. Received: {name}"
        )


def read_lines(path: str | os.PathLike[str], errors: str = "strict") -> list[str]:
    r"""Reads the lines of a text file into a list, as `read_blocks` reads them; for `errors`, see there.

    Raises:
        OSError: The file cannot be opened.
        UserError: The file is empty or damaged, or a line is too long or not UTF-8.

    Example:

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "numbers.txt")
    ...     _ = open(path, "w").write("one\n\nthree\n")
    ...     read_lines(path)
    ['one', '', 'three']
    """
    lines = [line for block in read_blocks(path, errors) for line in block]
    require(lines, f"The file is empty. Received: {os.fspath(path)!r}")
    return lines


def read_text(path: str | os.PathLike[str]) -> str:
    """Reads a file that is one text, such as JSON, as `read_blocks` reads it, but with lines of any length.

    Raises:
        OSError: The file cannot be opened.
        UserError: The file is damaged or not UTF-8.
    """
    return "\n".join(line for block in read_blocks(path, max_line=math.inf) for line in block)


def check_read_once(*files: str | os.PathLike[str] | None) -> None:
    """Raises a `UserError` if more than one of the files is standard input, of which the second would be empty."""
    names = [os.fspath(file) for file in files if file is not None]
    count = names.count(STANDARD_STREAM)
    require(count < 2, f"Standard input can be read once: give the other texts as files. Received: - as {count} files")


def read_line_pairs(*files: str | os.PathLike[str]) -> tuple[list[str], ...]:
    """Reads files whose lines correspond, such as sources and translations, into lists of lines.

    Raises:
        OSError: A file cannot be opened.
        UserError: See `read_paired_blocks`.
    """
    blocks = list(read_paired_blocks(*files))
    return tuple(list(chain.from_iterable(side)) for side in zip(*blocks, strict=True))


def check_any_text(name: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Raises a `UserError` if all lines of the references of this name are empty: a score would be of no meaning."""
    received = f"Received: {os.fspath(name)!r}"
    require(any(map(str.strip, lines)), f"All references to score with are empty: give translations. {received}")


def read_paired_blocks(*files: str | os.PathLike[str]) -> Iterator[tuple[list[str], ...]]:
    """Reads files whose lines correspond in blocks: tuples of lists with the same number of lines, one for each file.

    Raises:
        OSError: A file cannot be opened.
        UserError: See `read_blocks`; or a file is empty, or the files have different numbers of lines.
    """
    check_read_once(*files)
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


def text_digest(path: str | os.PathLike[str]) -> str:
    r"""Returns the SHA-256 of the lines of a text file, as a string of 64 hexadecimal digits.

    The digest depends on the lines as `read_blocks` reads them, not on compression, a byte-order mark, carriage returns
    or a missing end of the last line. Otherwise it equals `sha256sum` of the plain file. It is cached until the file
    changes.

    Raises:
        OSError: The file cannot be opened.
        UserError: The path is not a regular file, or see `read_blocks`.

    Example:

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "numbers.txt")
    ...     _ = open(path, "w").write("one\ntwo\n")
    ...     text_digest(path)[:16]
    'c3f9c8c283a2b1f2'
    """
    return _measure(path)[1]


def count_lines(path: str | os.PathLike[str]) -> int:
    """Returns the number of lines of a text file, which is cached with its `text_digest`; for errors, see there."""
    return _measure(path)[0]


def _measure(path: str | os.PathLike[str]) -> tuple[int, str]:
    check_regular(path)
    return _read_once(path)


@cached_by_file(1024)
def _read_once(path: str) -> tuple[int, str]:
    """Returns the number of lines and the digest of a file."""
    number, digest = 0, hashlib.sha256()
    for block in read_blocks(path):
        number += len(block)
        digest.update("".join(f"{line}\n" for line in block).encode())
    return number, digest.hexdigest()
