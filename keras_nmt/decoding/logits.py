"""Operations on the logits of the next token that all searches share, and checks of the searches' arguments."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from keras import ops

from keras_nmt.decoding._beams import take_beams

NEG_INF = -1e9
"""The log-probability of a token that must not follow: -1e9. It is finite, because sums and products of minus infinity
can be NaN. Searches treat log-probabilities below half of it as impossible.
"""
BLOCKS = tuple(sorted(range(32, 129), key=lambda size: abs(size - 64)))  # ids in a block of `top_k`, best size first


def is_valid(log_probabilities: Any) -> Any:
    """Tells which log-probabilities are possible: not those of empty entries and forbidden tokens."""
    return log_probabilities > NEG_INF / 2


def of_tokens(logits: Any, ids: Any) -> Any:
    """Takes the values of tokens `[B, K, M]` from logits, or any values of tokens, `[B, K, V]`: `[B, K, M]`."""
    rows = ops.reshape(logits, (-1, logits.shape[-1]))
    width = ids.shape[2] or ops.shape(ids)[2]
    return ops.reshape(take_beams(rows, ops.reshape(ids, (-1, width))), (-1, ids.shape[1], width))


def token_log_probabilities(values: Any, logits: Any, best: tuple[Any, Any] | None = None, *, plain: bool) -> Any:
    """Returns the log-probabilities of tokens among the whole vocabulary.

    Args:
        values: float32 tensor `[B, K, M]`, the tokens' logits.
        logits: float32 tensor `[B, K, V]`, all logits.
        best: The largest logit and its id, `[B, K, 1]` each. Defaults to None: searched for.
        plain: Boolean, whether no compiler joins the operators. TensorFlow's softmax is then one operator, three times
            as fast as the difference, the exponentials and their sum.

    Returns:
        float32 tensor `[B, K, M]`.
    """
    if plain:
        highest, ids = top_k(logits, 1) if best is None else best
        return (values - highest) + ops.log(of_tokens(ops.softmax(logits, axis=-1), ids))
    highest = ops.max(logits, axis=-1, keepdims=True) if best is None else best[0]
    return (values - highest) - ops.log(ops.sum(ops.exp(logits - highest), axis=-1, keepdims=True))


def top_k(logits: Any, k: int) -> tuple[Any, Any]:
    """Returns the `k` largest logits and their ids, largest first; among equal logits, the lowest ids.

    A large vocabulary is searched in two stages: the `k` largest logits are in the `k` blocks with the largest maxima.

    Args:
        logits: float32 tensor `[B, K, V]`.
        k: Integer, at most V.

    Returns:
        Values `[B, K, k]` float32 and ids `[B, K, k]` int32.
    """
    beam_size, vocabulary_size = logits.shape[1:]
    # A size that divides the vocabulary needs no padding.
    block = next((size for size in BLOCKS if vocabulary_size % size == 0), BLOCKS[0])
    num_blocks = -(-vocabulary_size // block)
    if num_blocks < 4 * k:
        values, ids = ops.top_k(logits, k)
        return values, ops.cast(ids, "int32")
    if padding := num_blocks * block - vocabulary_size:
        # Lower than even suppressed logits, so none is chosen.
        logits = ops.pad(logits, [[0, 0], [0, 0], [0, padding]], constant_values=2 * NEG_INF)
    blocks = ops.reshape(logits, (-1, num_blocks, block))  # [R, blocks, block], R = B K
    _, chosen = ops.top_k(ops.max(blocks, axis=2), k)  # [R, k]
    # In the order of the vocabulary, so equal logits are still taken from the lowest id up.
    chosen = ops.sort(ops.cast(chosen, "int32"), axis=-1)
    candidates = take_beams(blocks, chosen)  # [R, k, block]
    values, places = ops.top_k(ops.reshape(candidates, (-1, k * block)), k)
    places = ops.cast(places, "int32")
    ids = take_beams(chosen, places // block) * block + places % block
    # If logits are -inf, an entry of the padding may be chosen, and must be an id.
    ids = ops.minimum(ids, vocabulary_size - 1)
    return ops.reshape(values, (-1, beam_size, k)), ops.reshape(ids, (-1, beam_size, k))


def length_limits(batch_size: Any, max_length: Any, max_lengths: Any) -> Any:
    """Returns the most tokens of each sentence, `[B]` int32: `max_lengths`, at most `max_length`."""
    limits = ops.full((batch_size,), max_length, dtype="int32")
    return limits if max_lengths is None else ops.minimum(ops.cast(max_lengths, "int32"), limits)


def check_arguments(
    batch_size: Any,
    length_penalty: Any,
    seeds: Any = None,
    max_lengths: Any = None,
    prefix: Any = None,
    beam_sizes: Any = None,
    min_length: int = 0,
) -> None:
    """Raises a `ValueError` if the penalty is not finite, the minimum length negative, or a tensor of another shape."""
    if min_length < 0:
        raise ValueError(f"`min_length` must be at least 0. Received: min_length={min_length}")
    if isinstance(length_penalty, numbers.Real) and not math.isfinite(length_penalty):
        raise ValueError(f"`length_penalty` must be finite. Received: length_penalty={length_penalty}")
    for name, value, form in (
        ("seeds", seeds, "[B]"),
        ("max_lengths", max_lengths, "[B]"),
        ("prefix", prefix, "[B, P]"),
        ("beam_sizes", beam_sizes, "[B]"),
    ):
        if value is None:
            continue
        shape = value.shape if hasattr(value, "shape") else np.shape(value)
        if getattr(shape, "rank", 0) is None:  # unknown in a TensorFlow graph
            continue
        rows_differ = len(shape) and isinstance(batch_size, int) and shape[0] not in (None, batch_size)
        if len(shape) != form.count(",") + 1 or rows_differ:
            raise ValueError(f"`{name}` must be {form}, with B = {batch_size}. Received: shape {tuple(shape)}")
