from __future__ import annotations

from typing import Any

from keras import ops

from keras_nmt.decoding.suppress_tokens import IMPOSSIBLE

BLOCK = 64


def top_k(logits: Any, k: int) -> tuple[Any, Any]:
    """The `k` largest logits and their ids, largest first; of equal ones, the lowest ids.

    A large vocabulary is searched in two stages: the `k` largest lie in the `k` blocks with the largest maxima. The
    hypotheses are taken side by side: that vectorises, and undoes the transposition at the end of a model's step.

    Args:
        logits: `[B, K, V]` float32.
        k: how many, at most V.

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
    # In the order of the vocabulary, so that equal logits are still taken from the lowest id up.
    chosen = ops.sort(ops.cast(chosen, "int32"), axis=-1)
    ids = ops.reshape(chosen[:, :, None] * BLOCK + ops.arange(BLOCK, dtype="int32"), (num_rows, k * BLOCK))
    flat = ops.minimum(ids, vocabulary_size - 1) * num_rows + ops.arange(num_rows, dtype="int32")[:, None]
    candidates = ops.take(ops.reshape(columns, (-1,)), flat, axis=0)
    # The last block may be short: below even what is suppressed, or what is past its end could be chosen.
    candidates = ops.where(ids < vocabulary_size, candidates, 2 * IMPOSSIBLE)
    values, places = ops.top_k(candidates, k)
    # With logits of -inf what is past the end may be chosen all the same; it must be an id.
    ids = ops.minimum(ops.take_along_axis(ids, ops.cast(places, "int32"), axis=-1), vocabulary_size - 1)
    shape = (batch_size, beam_size, k)
    return ops.reshape(values, shape), ops.reshape(ids, shape)
