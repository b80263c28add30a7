"""Operations on the logits of the next token that all searches share, and checks of the searches' arguments."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from keras import ops

from keras_nmt.decoding._beams import take_beams
from keras_nmt.ids import PAD

# Stands for minus infinity; finite, so no sum or product is NaN. Log-probabilities below half of it are impossible.
IMPOSSIBLE = -1e9
BLOCKS = tuple(sorted(range(32, 129), key=lambda size: abs(size - 64)))  # ids in a block of `top_k`, best size first


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


def given(**tensors: Any) -> dict[str, Any]:
    """The tensors that are not None, by name: a nest of tensors has no None."""
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


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
    """The logarithm of the sum of exponentials over the vocabulary, `[B, K, V]` -> `[B, K, 1]`."""
    highest = ops.max(logits, axis=-1, keepdims=True)
    return highest + ops.log(ops.sum(ops.exp(logits - highest), axis=-1, keepdims=True))


def top_k(logits: Any, k: int) -> tuple[Any, Any]:
    """The `k` largest logits and their ids, largest first; among equal logits, the lowest ids.

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
        logits = ops.pad(logits, [[0, 0], [0, 0], [0, padding]], constant_values=2 * IMPOSSIBLE)
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
    """The most tokens of each sentence, `[B]` int32: `max_lengths`, at most `max_length`."""
    limits = ops.full((batch_size,), max_length, dtype="int32")
    return limits if max_lengths is None else ops.minimum(ops.cast(max_lengths, "int32"), limits)


def check_arguments(
    batch_size: Any,
    length_penalty: Any,
    seeds: Any = None,
    max_lengths: Any = None,
    prefix: Any = None,
    beam_sizes: Any = None,
) -> None:
    """Raises a `ValueError` if the penalty is not finite, or a tensor has another rank or number of rows."""
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
