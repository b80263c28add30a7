"""Checks that a server's answer has the outputs of an export."""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Sequence
from typing import Any

# The type of each output, and the depth of the lists with its values in a row.
_OUTPUTS: dict[str, tuple[type, int]] = {
    **{"translation": (str, 1), "score": (float, 1), "cut_off": (bool, 1), "met": (str, 1)},
    **{"token": (str, 2), "token_log_probability": (float, 2)},
    **{"alignment": (float, 1), "source_word": (float, 1), "target_word": (float, 1)},
    **{"log_probability": (float, 0), "truncated": (bool, 0)},
}
HYPOTHESES = ("translation", "score", "cut_off")
PIECES = ("token", "token_log_probability")
_OF_HYPOTHESES = {*HYPOTHESES, "met", *PIECES}  # outputs with a value for each hypothesis
POSITIONS = ("alignment", "source_word", "target_word")


class Failure(Exception):
    """The failure of a request.

    `code` is the name of a gRPC status code, "HTTP 418" for a status without a name, or "MALFORMED" for an answer that
    no export gives.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


def checked_rows(columns: dict[str, list[Any]], outputs: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Returns the outputs of each of `count` sentences. Raises a `Failure` if no export gives such an answer."""
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name in outputs:
        kind, depth = _OUTPUTS[name]
        column = columns.get(name, ())
        if len(column) != count:
            raise Failure("MALFORMED", f"{name} is missing, or not of {count} sentence(s)")
        for row, value in zip(rows, column, strict=True):
            # A single hypothesis is not in a list.
            row[name] = [value] if name in _OF_HYPOTHESES and not isinstance(value, list) else value
            if not _is_of(row[name], kind, depth):
                raise Failure("MALFORMED", f"{name} must be of type {kind.__name__}, and is {reprlib.repr(value)}")
    counts = {len(row[name]) for row in rows for name in _OF_HYPOTHESES & row.keys()}
    if len(counts) > 1 or 0 in counts:
        raise Failure("MALFORMED", "sentences differ in their number of hypotheses, or have none")
    for row in rows:
        if PIECES[0] in row and len({tuple(map(len, row[name])) for name in PIECES}) > 1:
            raise Failure("MALFORMED", "subwords and their log-probabilities differ in number")
        if POSITIONS[0] in row:
            row |= _checked_positions(*(row[name] for name in POSITIONS))
    return rows


def _is_of(value: Any, kind: type, depth: int) -> bool:
    """Tells whether a value has a type, inside lists of a depth."""
    if depth:
        return isinstance(value, list) and all(_is_of(item, kind, depth - 1) for item in value)
    return type(value) is kind


def _checked_positions(alignment: list[float], source: list[float], target: list[float]) -> dict[str, list[int]]:
    """Returns the positions of an alignment as integers. Raises a `Failure` if one has no subword or word."""
    if len(alignment) == len(target) and all(x == x // 1 >= -1 for x in itertools.chain(alignment, source, target)):
        aligned = [(int(i), word) for i, word in zip(alignment, target, strict=True) if i >= 0]
        if all(i < len(source) and source[i] >= 0 and word >= 0 for i, word in aligned):
            columns = zip(POSITIONS, (alignment, source, target), strict=True)
            return {name: list(map(int, column)) for name, column in columns}
    raise Failure("MALFORMED", "alignment has positions without a subword")
