"""Limits of the lengths of sentence pairs, in subwords."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from keras_nmt.errors import UserError

RATIO_FLOOR = 4  # shorter sentences count as this many subwords: a translation of "Yes." may have eleven


def check_length_limits(max_length: int | None, max_ratio: float | None) -> None:
    """Raises a `UserError` if a limit is out of its range."""
    if max_length is not None and max_length < 2:
        raise UserError(f"The longest sentence has at least 2 subwords, end included. Received: {max_length=}")
    if max_ratio is not None and not 1 <= max_ratio < math.inf:
        raise UserError(
            f"The ratio of the longer to the shorter sentence is at least 1, and finite. Received: {max_ratio=}"
        )


def outside_limits(
    source_lengths: np.ndarray, target_lengths: np.ndarray, max_length: int | None, max_ratio: float | None
) -> Iterator[tuple[str, np.ndarray]]:
    """Finds the pairs outside limits, by reason. A pair may have several reasons; the first one counts.

    Args:
        source_lengths: Integer array `[pairs]`, subwords of the sources, without the end.
        target_lengths: Integer array `[pairs]`, subwords of the targets, without the end.
        max_length: Integer, the longest sentence kept, end included; or None for no limit.
        max_ratio: Float, the largest ratio of lengths kept; or None for no limit.

    Yields:
        Tuples of a reason and a boolean array `[pairs]`.

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
    """Drops pairs for reasons, such as those of `outside_limits`. For each pair the first reason counts.

    Args:
        keep: Boolean array `[pairs]`, which becomes False at the pairs that are dropped.
        reasons: Iterable of tuples of a reason and a boolean array `[pairs]`.

    Returns:
        Dictionary from each reason to the number of pairs dropped for this reason.
    """
    dropped = {}
    for reason, is_wrong in reasons:
        dropped[reason] = int((keep & is_wrong).sum())
        keep &= ~is_wrong
    return dropped
