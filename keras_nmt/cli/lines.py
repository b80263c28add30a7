"""Lines of text in and out: files and standard streams."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from keras_nmt.cli.run_app import check_open
from keras_nmt.errors import without_controls
from keras_nmt.files.atomic_files import atomic_path, check_writable
from keras_nmt.files.read_blocks import read_blocks

LINES_AT_ONCE = 4096
Line = TypeVar("Line")  # a line, or the lines of several files


def check_streams(input_: Path | None, output: Path | None) -> None:
    """Raises an error, before the work, if the input or the output of a command cannot be used.

    None stands for standard input, or for standard output.
    """
    if input_ is None:
        check_open(sys.stdin, "Standard input")
    if output is None:
        check_open(sys.stdout, "Standard output")
    else:
        check_writable(output)


def input_lines(path: Path | None = None) -> Iterator[str]:
    """Yields the lines of a file or of standard input. For format and errors, see `read_blocks`."""
    blocks = read_blocks(sys.stdin.buffer if path is None else path)
    return itertools.chain.from_iterable(blocks)


@contextlib.contextmanager
def output_lines(path: Path | None = None) -> Iterator[Callable[[str], None]]:
    """Gives a function that writes a line to standard output, or to a file that appears when the block ends."""
    if path is None:
        yield write_line
        return
    with atomic_path(path) as temporary, open(temporary, "wb") as file:

        def write(text: str) -> None:
            file.write(text.encode() + b"\n")

        yield write


def write_line(text: str) -> None:
    """Writes a line to standard output, as UTF-8 in any locale; on a terminal with its control characters escaped."""
    text = without_controls(text) if sys.stdout.isatty() else text
    sys.stdout.buffer.write(text.encode("utf-8") + b"\n")


def chunks(lines: Iterable[Line], at_once: int | None = None) -> Iterator[list[Line]]:
    """Yields lists of `LINES_AT_ONCE` or `at_once` lines: lines of similar length are translated together."""
    remaining = iter(lines)
    while chunk := list(itertools.islice(remaining, at_once or LINES_AT_ONCE)):
        yield chunk
