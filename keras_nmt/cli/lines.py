"""Lines of text in and out: files and standard streams."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from keras_nmt.cli.run_app import check_open
from keras_nmt.errors import UserError, without_controls
from keras_nmt.files.atomic_files import atomic_path, check_kept, check_writable, errors_that_name
from keras_nmt.files.paths import STANDARD_STREAM, address_of
from keras_nmt.text.text_files import read_blocks, read_paired_blocks

LINES_AT_ONCE = 4096
STANDARD = Path(STANDARD_STREAM)  # standard input or standard output
Line = TypeVar("Line")  # a line, or the lines of several files


def check_input(path: Path) -> None:
    """Raises an error, before the work, if the input is standard input, and standard input is closed."""
    if path == STANDARD:
        check_open(sys.stdin, "Standard input")


def check_outputs(*paths: Path, texts: Iterable[Path | None] = ()) -> None:
    """Raises an error, before the work, if an output cannot be written, or would replace one of the texts."""
    for path in paths:
        if path == STANDARD:
            check_open(sys.stdout, "Standard output")
        else:
            check_writable(path)
            check_kept(texts, path)


def input_lines(path: Path) -> Iterator[str]:
    """Yields the lines of a file or of standard input. For format and errors, see `read_blocks`."""
    return itertools.chain.from_iterable(read_blocks(path))


def input_document(path: Path) -> Iterator[str]:
    """Yields a file or standard input as one text, with the line ends that it has; nothing if it is empty."""
    if text := "".join(itertools.chain.from_iterable(read_blocks(path, keep_ends=True))):
        yield text


def number_of_lines(*paths: Path) -> int | None:
    """Reads a file, or files whose lines correspond, to find faults before the work. Returns the number of lines.

    The number is None if one is standard input, a pipe or an address, which may be read only once, or is far.
    """
    for path in paths:
        if path == STANDARD or address_of(path) or not (path.is_dir() or stat.S_ISREG(path.stat().st_mode)):
            return None
    blocks = read_paired_blocks(*paths) if len(paths) > 1 else zip(read_blocks(paths[0]))  # which alone may be empty
    return sum(len(lines) for lines, *_ in blocks)


@contextlib.contextmanager
def output_lines(path: Path, end: str = "\n") -> Iterator[Callable[[str], None]]:
    """Gives a function that writes a line and `end` to standard output, or to a file that appears as the block ends.

    If the block ends with an error, the lines so far stay in a file with the end `.partial`, which a message names.
    """
    if path == STANDARD:
        yield functools.partial(write_line, end=end)
        return
    partial = path.with_name(f"{path.name}.partial")
    with atomic_path(path) as temporary, open(temporary, "wb") as file:

        def write(text: str) -> None:
            file.write(f"{text}{end}".encode(errors="backslashreplace"))

        try:
            yield write
        except BaseException:
            if file.tell() and temporary != path:
                with contextlib.suppress(OSError):  # the disk may be full
                    file.close()
                os.replace(temporary, partial)
                print(f"The lines until then are in {partial}", file=sys.stderr)
            raise


def write_line(text: str, end: str = "\n") -> None:
    """Writes a line to standard output, as UTF-8 in any locale. A byte of a name that is not UTF-8 is escaped.

    On a terminal, control characters are escaped, too.
    """
    text = without_controls(text) if sys.stdout.isatty() else text
    with errors_that_name("standard output"):
        sys.stdout.buffer.write(f"{text}{end}".encode(errors="backslashreplace"))


def chunks(lines: Iterable[Line], at_once: int | None = None) -> Iterator[list[Line]]:
    """Yields lists of `LINES_AT_ONCE` or `at_once` lines: lines of similar length are translated together.

    An error of the lines is raised after the lines before it have been yielded.
    """
    size, chunk = at_once or LINES_AT_ONCE, []
    try:
        for line in lines:
            chunk.append(line)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except UserError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk
