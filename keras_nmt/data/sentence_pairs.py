"""Sentence pairs as arrays, in which corpora are prepared, written and read, and limits of their lengths."""

from __future__ import annotations

import dataclasses
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from keras_nmt.errors import require

RATIO_FLOOR = 4  # shorter sentences count as this many subwords: a good translation of "Yes." can be much longer


def plain_text(text: str) -> str:
    """Returns a text in Unicode's NFC with single spaces: copies of a text are equal in this form.

    Example:

    >>> plain_text("une  caf\u0065\u0301 ") == "une caf\u00e9"
    True
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclasses.dataclass(frozen=True, eq=False)
class RaggedArray:
    """Rows of different lengths in one flat array.

    Args:
        values: Array `[values]`, one row after the other.
        lengths: int64 array `[rows]`, the number of values of each row.

    Example:

    >>> rows = RaggedArray(np.array([4, 5, 6]), np.array([2, 1]))
    >>> rows.select(np.array([1, 0, 1])).values.tolist()
    [6, 4, 5, 6]
    """

    values: np.ndarray
    lengths: np.ndarray

    @classmethod
    def from_bytes(cls, texts: Sequence[bytes]) -> RaggedArray:
        """Makes one uint8 row of each text."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        return cls(np.frombuffer(b"".join(texts), np.uint8), lengths)

    @classmethod
    def concatenate(cls, several: Sequence[RaggedArray]) -> RaggedArray:
        """Concatenates rows."""
        values, lengths = zip(*((rows.values, rows.lengths) for rows in several), strict=True)
        return cls(np.concatenate(values), np.concatenate(lengths))

    def select(self, rows: np.ndarray) -> RaggedArray:
        """Returns the rows with these numbers, an int64 array, in this order. Numbers may repeat."""
        lengths = self.lengths[rows]
        begins = (np.cumsum(self.lengths) - self.lengths)[rows]
        shifts = begins - (np.cumsum(lengths) - lengths)  # from a place in the result to a place in the values
        return RaggedArray(self.values[np.arange(lengths.sum()) + np.repeat(shifts, lengths)], lengths)

    def to_bytes(self) -> np.ndarray:
        """Returns the texts of uint8 rows as an array of bytes objects `[rows]`."""
        content, ends = self.values.tobytes(), np.cumsum(self.lengths).tolist()
        texts = np.empty(len(ends), object)
        texts[:] = [content[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        return texts


@dataclasses.dataclass(frozen=True, eq=False)
class PairBlock:
    """Pairs of sentences.

    Args:
        lines: int32 array `[pairs]`, the line of each pair in its file, counted from 1.
        ids: Tuple of `RaggedArray`, the subword ids of each side.
        text: Tuple of `RaggedArray`, the UTF-8 text of each side; or None. Defaults to None.
        keys: uint64 array `[pairs, keys]`, the numbers by which preparation compares and sorts; or None. Defaults to
            None.
    """

    lines: np.ndarray
    ids: tuple[RaggedArray, ...]
    text: tuple[RaggedArray, ...] | None = None
    keys: np.ndarray | None = None

    @classmethod
    def concatenate(cls, blocks: Iterable[PairBlock]) -> PairBlock:
        """Concatenates at least one block."""
        blocks = list(blocks)

        def joined(sides: Sequence[tuple[RaggedArray, ...]]) -> tuple[RaggedArray, ...]:
            return tuple(RaggedArray.concatenate(side) for side in zip(*sides, strict=True))

        texts = [block.text for block in blocks if block.text is not None]
        keys = [block.keys for block in blocks if block.keys is not None]
        return cls(
            np.concatenate([block.lines for block in blocks]),
            joined([block.ids for block in blocks]),
            joined(texts) if texts else None,
            np.concatenate(keys) if keys else None,
        )

    def __len__(self) -> int:
        return len(self.lines)

    def select(self, pairs: np.ndarray) -> PairBlock:
        """Returns the pairs with these numbers, an int64 array, in this order; or the pairs of a boolean mask."""
        pairs = np.flatnonzero(pairs) if pairs.dtype == bool else pairs
        return PairBlock(
            self.lines[pairs],
            tuple(side.select(pairs) for side in self.ids),
            None if self.text is None else tuple(side.select(pairs) for side in self.text),
            None if self.keys is None else self.keys[pairs],
        )


def check_length_limits(max_length: int | None, max_ratio: float | None) -> None:
    """Checks that the limits are in their ranges; raises a `UserError` otherwise."""
    is_right = max_length is None or max_length >= 2
    require(is_right, "{max_length} must be at least 2, because EOS counts", max_length=max_length)
    is_right = max_ratio is None or 1 <= max_ratio < math.inf
    require(is_right, "{max_ratio} must be finite and at least 1", max_ratio=max_ratio)


def outside_limits(
    source_lengths: np.ndarray, target_lengths: np.ndarray, max_length: int | None, max_ratio: float | None
) -> Iterator[tuple[str, np.ndarray]]:
    """Yields reasons, each with a boolean array `[pairs]`: the pairs outside the limits. The first reason counts.

    The lengths are integer arrays `[pairs]`, subwords without EOS; `max_length` is that of a sentence with EOS. None is
    no limit.

    Example:

    >>> lengths = np.array([0, 5, 9]), np.array([3, 5, 2])
    >>> [(reason, is_wrong.tolist()) for reason, is_wrong in outside_limits(*lengths, max_length=6, max_ratio=2.0)]
    [('empty', [True, False, False]), ('too long', [False, False, True]), ('badly matched', [False, False, True])]
    """
    longer, shorter = np.maximum(source_lengths, target_lengths), np.minimum(source_lengths, target_lengths)
    yield "empty", shorter == 0
    yield "too long", longer + 1 > (max_length or np.inf)
    yield "badly matched", longer > (max_ratio or np.inf) * np.maximum(shorter, RATIO_FLOOR)


def drop_pairs(keep: np.ndarray, reasons: Iterable[tuple[str, np.ndarray]]) -> dict[str, int]:
    """Drops pairs for the reasons that `outside_limits` yields, and counts them by the first reason of each pair.

    The boolean array `keep` `[pairs]` becomes False for dropped pairs.
    """
    dropped = {}
    for reason, is_wrong in reasons:
        dropped[reason] = int((keep & is_wrong).sum())
        keep &= ~is_wrong
    return dropped
