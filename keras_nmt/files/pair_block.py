"""Pairs of sentences as arrays: the unit in which corpora are prepared, written and read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class Rows:
    """Rows of different lengths in one flat array.

    Args:
        values: Array `[values]`, one row after the other.
        lengths: int64 array `[rows]`, the number of values of each row.

    Example:

    >>> rows = Rows(np.array([4, 5, 6]), np.array([2, 1]))
    >>> rows.select(np.array([1, 0, 1])).values.tolist()
    [6, 4, 5, 6]
    """

    values: np.ndarray
    lengths: np.ndarray

    @classmethod
    def from_bytes(cls, texts: Sequence[bytes]) -> Rows:
        """Makes uint8 rows of texts."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        return cls(np.frombuffer(b"".join(texts), np.uint8), lengths)

    @classmethod
    def concatenate(cls, several: Sequence[Rows]) -> Rows:
        """Concatenates rows."""
        return cls(
            np.concatenate([rows.values for rows in several]), np.concatenate([rows.lengths for rows in several])
        )

    def select(self, rows: np.ndarray) -> Rows:
        """The rows of these numbers, int64 array, in this order. Numbers may repeat."""
        lengths = self.lengths[rows]
        begins = (np.cumsum(self.lengths) - self.lengths)[rows]
        shifts = begins - (np.cumsum(lengths) - lengths)  # from a place in the result to a place in the values
        return Rows(self.values[np.arange(lengths.sum()) + np.repeat(shifts, lengths)], lengths)

    def to_bytes(self) -> np.ndarray:
        """Array of bytes objects `[rows]`, the texts of uint8 rows."""
        content, ends = self.values.tobytes(), np.cumsum(self.lengths).tolist()
        texts = np.empty(len(ends), object)
        texts[:] = [content[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        return texts


@dataclasses.dataclass(frozen=True, eq=False)
class PairBlock:
    """Pairs of sentences.

    Args:
        lines: int32 array `[pairs]`, the line of each pair in its file, counted from 1.
        ids: Tuple of `Rows`, the subword ids of each side.
        text: Tuple of `Rows`, the UTF-8 text of each side; or None. Defaults to None.
        keys: uint64 array `[pairs, keys]`, numbers that preparation compares and sorts by; or None. Defaults to None.
    """

    lines: np.ndarray
    ids: tuple[Rows, ...]
    text: tuple[Rows, ...] | None = None
    keys: np.ndarray | None = None

    @classmethod
    def concatenate(cls, blocks: Iterable[PairBlock]) -> PairBlock:
        """Concatenates at least one block."""
        blocks = list(blocks)

        def joined(sides: Sequence[tuple[Rows, ...]]) -> tuple[Rows, ...]:
            return tuple(Rows.concatenate(side) for side in zip(*sides, strict=True))

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
        """The pairs of these numbers, int64 array, in this order; or of a boolean mask."""
        pairs = np.flatnonzero(pairs) if pairs.dtype == bool else pairs
        return PairBlock(
            self.lines[pairs],
            tuple(side.select(pairs) for side in self.ids),
            None if self.text is None else tuple(side.select(pairs) for side in self.text),
            None if self.keys is None else self.keys[pairs],
        )
