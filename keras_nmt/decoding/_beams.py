"""Operations on beams that both kinds of beam search share: reordering, sorting, keeping finished sentences."""

from __future__ import annotations

from typing import Any

from keras import ops, tree

from keras_nmt.decoding.interface import SearchResult


def keep_done(done: Any, old: Any, new: Any) -> Any:
    """`old` for the sentences that are done `[B]`, `new` for the others, over nests of tensors `[B, ...]`."""

    def choose(x: Any, y: Any) -> Any:
        return ops.where(ops.reshape(done, (-1,) + (1,) * (len(x.shape) - 1)), x, y)

    return tree.map_structure(choose, old, new)


def take_beams(x: Any, indices: Any, rows: Any = None) -> Any:
    """Entries `indices` [B, M] of the beams of `x` [B, K, ...]: [B, M, ...]. One flat gather: the cheapest form.

    With `rows` [B], indices and entries are those of some sentences.
    """
    beam_size = ops.shape(x)[1]
    rows = ops.arange(ops.shape(indices)[0], dtype="int32") if rows is None else rows
    flat = ops.reshape(x, (-1, *ops.shape(x)[2:]))
    return ops.take(flat, rows[:, None] * beam_size + ops.cast(indices, "int32"), axis=0)


def best_first(result: SearchResult) -> SearchResult:
    """Sorts as `SearchResult` does: finished before unfinished, each by score; equal hypotheses keep their order."""
    result = _sort(result, result.scores)
    return _sort(result, ops.cast(result.finished, "float32"))


def _sort(result: SearchResult, keys: Any) -> SearchResult:
    """Sorts by `keys` [B, K], largest first; hypotheses with equal keys keep their order."""
    _, order = ops.top_k(keys, keys.shape[1])
    return tree.map_structure(lambda x: take_beams(x, order), result)
