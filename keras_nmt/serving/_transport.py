"""The common parts of the client's two transports, REST and gRPC: failures, limits and checks of answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

USUAL_MODEL = "model"  # the name in TensorFlow Serving's image; for servers that do not list their models
# An answer has as many bytes as its request has sentences times the last number, beside the first, or is refused: a
# server must not be able to fill the memory. A sentence's share is enough for a hundred hypotheses of 256 subwords.
SMALLEST_LIMIT, BYTES_OF_A_SENTENCE = 2**24, 2**18
# The types of an export's outputs, by REST and by gRPC.
_OUTPUTS = {
    "translation": ((str, bytes), "text"),
    "score": ((float,), "a number"),
    "log_probability": ((float,), "a number"),
    "cut_off": ((bool,), "true or false"),
    "truncated": ((bool,), "true or false"),
}
# Rows of these outputs are lists of integers.
POSITIONS = ("alignment", "source_word", "target_word")
# A row of these outputs is one value, or a list of values if the export gives several hypotheses.
OF_HYPOTHESES = ("translation", "score", "cut_off")


class Failure(Exception):
    """A request without an answer. `code` is the name of a gRPC status code, or "HTTP 418" for a status without name.

    The code "MALFORMED" stands for an answer that is no answer to the request. A transport raises a `Failure` for an
    error, without the whole answer at the deadline, and for an answer of more than `largest_answer` bytes. Several
    threads and forked processes may use a transport at once.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


def seconds_left(deadline: float) -> float:
    """Seconds until a deadline; above 0, since sockets take 0 for "do not block"."""
    return max(deadline - time.monotonic(), 0.001)


def largest_answer(sentences: int) -> int:
    """The most bytes of the answer to a request of so many sentences."""
    return SMALLEST_LIMIT + BYTES_OF_A_SENTENCE * sentences


def checked_columns(columns: dict[str, list[Any]], outputs: Sequence[str], count: int) -> list[list[Any]]:
    """The columns of the outputs. An answer that an export does not give is a `Failure`."""
    widths = set()
    for name in outputs:
        if len(columns.get(name, ())) != count:
            raise Failure("MALFORMED", f"{name} is missing, or not of {count} sentence(s)")
        if name in POSITIONS:
            continue
        kinds, wanted = _OUTPUTS[name]
        for row in columns[name]:
            several = name in OF_HYPOTHESES and isinstance(row, list)
            if name in OF_HYPOTHESES:
                widths.add(len(row) if several else None)
            for value in row if several else [row]:
                if not isinstance(value, kinds):
                    raise Failure("MALFORMED", f"{name} is {type(value).__name__}, not {wanted}")
    if len(widths) > 1 or 0 in widths:
        raise Failure("MALFORMED", "sentences differ in their number of hypotheses, or have none")
    if set(POSITIONS) <= set(outputs):
        columns = {**columns, **_checked_positions(columns)}
    return [columns[name] for name in outputs]


def _checked_positions(columns: dict[str, list[Any]]) -> dict[str, list[list[int]]]:
    """The columns of an alignment as integers, each of which has its subword or word; else a `Failure`."""
    found: dict[str, list[list[int]]] = {}
    for name in POSITIONS:
        for row in columns[name]:
            # REST gives all numbers as floats.
            if not isinstance(row, list) or not all(is_kind(x, (int, float)) and x == x // 1 >= -1 for x in row):
                raise Failure("MALFORMED", f"{name} is not of lists of positions")
        found[name] = [list(map(int, row)) for row in columns[name]]
    for aligned, source_word, target_word in zip(*found.values(), strict=True):
        pairs = [(i, word) for i, word in zip(aligned, target_word, strict=False) if i >= 0]
        if len(aligned) != len(target_word) or any(
            i >= len(source_word) or source_word[i] < 0 or word < 0 for i, word in pairs
        ):
            raise Failure("MALFORMED", "alignment has positions without a subword")
    return found


def is_kind(value: Any, kind: Any) -> bool:
    """Whether a value is an instance, and no boolean."""
    return isinstance(value, kind) and not isinstance(value, bool)
