"""Operations on the logits of the next token that all searches share, and checks of the searches' arguments."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from keras import ops

from keras_nmt.ids import PAD

# Stands for minus infinity; finite, so no sum or product is NaN. Log-probabilities below half of it are impossible.
IMPOSSIBLE = -1e9
BLOCK = 64  # ids in a block of `top_k`


def possible(log_probabilities: Any) -> Any:
    """True at log-probabilities of hypotheses, False at the impossible ones of empty entries and suppressed tokens."""
    return log_probabilities > IMPOSSIBLE / 2


def suppress_tokens(logits: Any, tokens: Sequence[int]) -> Any:
    """Makes tokens impossible to choose. The other logits are unchanged.

    Args:
        logits: float32 tensor `[..., V]`.
        tokens: List of ids that must not be generated.

    Returns:
        Logits of the same shape.

    Raises:
        ValueError: An id is not in the vocabulary.
    """
    if not tokens:
        return logits
    if wrong := [token for token in tokens if not 0 <= token < logits.shape[-1]]:
        raise ValueError(f"`suppress` has ids of a vocabulary of {logits.shape[-1]} only. Received: {wrong}")
    ids = ops.arange(logits.shape[-1], dtype="int32")
    suppressed = ops.any(ids[:, None] == ops.convert_to_tensor(list(tokens), "int32")[None, :], axis=-1)  # [V]
    return ops.where(suppressed, IMPOSSIBLE, logits)


def force_prefix(logits: Any, given: Any, prefix: Any, position: Any) -> Any:
    """Makes every token but the prefix's impossible, in sentences whose prefix has a token at this position.

    Args:
        logits: float32 tensor `[B, K, V]`, the logits without a prefix, suppressed tokens impossible.
        given: float32 tensor `[B, K, V]`, the logits that the token of the prefix keeps, suppressed or not.
        prefix: int32 tensor `[B, P]`, `PAD` at positions without a forced token, or `None`.
        position: int32 scalar.

    Returns:
        Logits `[B, K, V]`.
    """
    if prefix is None:
        return logits
    if isinstance(prefix, np.ndarray) and np.any((prefix < 0) | (prefix >= logits.shape[-1])):  # unknown in a graph
        raise ValueError(f"`prefix` has ids of a vocabulary of {logits.shape[-1]} only. Received: {prefix.tolist()}")
    here = ops.arange(ops.shape(prefix)[1], dtype="int32") == position
    token = ops.sum(ops.where(here, ops.cast(prefix, "int32"), 0), axis=1)[:, None, None]  # [B, 1, 1], PAD past its end
    ids = ops.arange(logits.shape[-1], dtype="int32")
    return ops.where(token == PAD, logits, ops.where(ids == token, given, IMPOSSIBLE))


def log_normalizer(logits: Any) -> Any:
    """The logarithm of the sum of exponentials over the vocabulary, `[B, K, V]` -> `[B, K, 1]`.

    The hypotheses are put side by side, as in `top_k`, because sums over the vocabulary then vectorise.
    """
    columns = ops.transpose(logits, (2, 0, 1))  # [V, B, K]
    highest = ops.max(columns, axis=0)
    return (highest + ops.log(ops.sum(ops.exp(columns - highest), axis=0)))[:, :, None]


def top_k(logits: Any, k: int) -> tuple[Any, Any]:
    """The `k` largest logits and their ids, largest first; among equal logits, the lowest ids.

    A large vocabulary is searched in two stages: the `k` largest logits are in the `k` blocks with the largest maxima.
    The hypotheses are put side by side, which vectorises, and undoes the transposition at the end of a model's step.

    Args:
        logits: float32 tensor `[B, K, V]`.
        k: Integer, at most V.

    Returns:
        Values `[B, K, k]` float32 and ids `[B, K, k]` int32.
    """
    vocabulary_size = logits.shape[-1]
    num_blocks = vocabulary_size // BLOCK
    if num_blocks < 4 * k:
        values, ids = ops.top_k(logits, k)
        return values, ops.cast(ids, "int32")
    batch_size, beam_size = ops.shape(logits)[:2]
    num_rows = batch_size * beam_size  # R
    columns = ops.reshape(ops.transpose(logits, (2, 0, 1)), (vocabulary_size, num_rows))  # [V, R]
    whole = num_blocks * BLOCK
    maxima = ops.max(ops.reshape(columns[:whole], (num_blocks, BLOCK, num_rows)), axis=1)  # [blocks, R]
    if whole < vocabulary_size:
        maxima = ops.concatenate([maxima, ops.max(columns[whole:], axis=0, keepdims=True)], axis=0)
    _, chosen = ops.top_k(ops.transpose(maxima), k)  # [R, k]
    # In the order of the vocabulary, so equal logits are still taken from the lowest id up.
    chosen = ops.sort(ops.cast(chosen, "int32"), axis=-1)
    ids = ops.reshape(chosen[:, :, None] * BLOCK + ops.arange(BLOCK, dtype="int32"), (num_rows, k * BLOCK))
    flat = ops.minimum(ids, vocabulary_size - 1) * num_rows + ops.arange(num_rows, dtype="int32")[:, None]
    candidates = ops.take(ops.reshape(columns, (-1,)), flat, axis=0)
    # The last block may be short: entries past its end are lower than even suppressed logits, so none is chosen.
    candidates = ops.where(ids < vocabulary_size, candidates, 2 * IMPOSSIBLE)
    values, positions = ops.top_k(candidates, k)
    # If logits are -inf, an entry past the end may be chosen, and must be an id.
    ids = ops.minimum(ops.take_along_axis(ids, ops.cast(positions, "int32"), axis=-1), vocabulary_size - 1)
    shape = (batch_size, beam_size, k)
    return ops.reshape(values, shape), ops.reshape(ids, shape)


def length_limits(batch_size: Any, max_length: Any, max_lengths: Any) -> Any:
    """The most tokens of each sentence, `[B]` int32: `max_lengths`, at most `max_length`."""
    limits = ops.full((batch_size,), max_length, dtype="int32")
    return limits if max_lengths is None else ops.minimum(ops.cast(max_lengths, "int32"), limits)


def check_arguments(
    batch_size: Any, length_penalty: Any, seeds: Any = None, max_lengths: Any = None, prefix: Any = None
) -> None:
    """Raises a `ValueError` if the penalty is not finite, or a tensor has another rank or number of rows."""
    if isinstance(length_penalty, numbers.Real) and not math.isfinite(length_penalty):
        raise ValueError(f"`length_penalty` must be finite. Received: length_penalty={length_penalty}")
    for name, value, form in (
        ("seeds", seeds, "[B]"),
        ("max_lengths", max_lengths, "[B]"),
        ("prefix", prefix, "[B, P]"),
    ):
        if value is None:
            continue
        shape = value.shape if hasattr(value, "shape") else np.shape(value)
        if getattr(shape, "rank", 0) is None:  # unknown in a TensorFlow graph
            continue
        rows_differ = len(shape) and isinstance(batch_size, int) and shape[0] not in (None, batch_size)
        if len(shape) != form.count(",") + 1 or rows_differ:
            raise ValueError(f"`{name}` must be {form}, with B = {batch_size}. Received: shape {tuple(shape)}")
