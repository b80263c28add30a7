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


def take_beams(x: Any, indices: Any) -> Any:
    """Rows `indices` [B, M] of the beams of `x` [B, K, ...]: [B, M, ...]. One flat gather: the cheapest form."""
    shape = ops.shape(x)
    batch_size, beam_size = shape[:2]
    offsets = ops.arange(batch_size, dtype="int32")[:, None] * beam_size
    return ops.take(ops.reshape(x, (-1, *shape[2:])), offsets + ops.cast(indices, "int32"), axis=0)


def take_caches(caches: Any, parents: Any) -> Any:
    """Caches of the hypotheses `parents` [B, K]; entries of dictionaries under the key "kept" are unchanged."""
    leaves = [leaf if "kept" in path else take_beams(leaf, parents) for path, leaf in tree.flatten_with_path(caches)]
    return tree.pack_sequence_as(caches, leaves)


def best_first(result: SearchResult) -> SearchResult:
    """Sorts as `SearchResult` does: finished before unfinished, each by score; equal hypotheses keep their order."""
    result = _sort(result, result.scores)
    return _sort(result, ops.cast(result.finished, "float32"))


def _sort(result: SearchResult, keys: Any) -> SearchResult:
    """Sorts by `keys` [B, K], largest first; hypotheses with equal keys keep their order."""
    _, order = ops.top_k(keys, keys.shape[1])
    return tree.map_structure(lambda x: take_beams(x, order), result)
