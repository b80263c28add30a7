"""Operations on beams that both kinds of beam search share: reordering, sorting, keeping finished sentences."""

from __future__ import annotations

from typing import Any

from keras import backend, ops, tree

from keras_nmt.decoding.interface import SearchResult


def keep_done(done: Any, old: Any, new: Any) -> Any:
    """Returns `old` for the sentences that are done `[B]`, `new` for the others; nests of tensors `[B, ...]`."""

    def choose(x: Any, y: Any) -> Any:
        return ops.where(ops.reshape(done, (-1,) + (1,) * (len(x.shape) - 1)), x, y)

    return tree.map_structure(choose, old, new)


def take_rows(nest: Any, rows: Any) -> Any:
    """Takes the rows `rows` `[...]`, each in 0 ... B - 1, of a nest of tensors `[B, ...]`."""
    if backend.backend() != "tensorflow":
        return tree.map_structure(lambda x: ops.take(x, rows, axis=0), nest)
    import tensorflow as tf

    # Keras' `take` lets negative indices count from the end: ten more operators for each tensor of each step.
    return tree.map_structure(lambda x: tf.gather(x, rows), nest)


def take_beams(nest: Any, indices: Any, rows: Any = None) -> Any:
    """Takes the entries `indices` [B, M] of the beams of a nest of tensors [B, K, ...]: [B, M, ...].

    One flat gather a tensor is the cheapest form. With `rows` [B], indices and entries are those of some sentences.
    """
    leaves = tree.flatten(nest)
    if not leaves:
        return nest
    beam_size = leaves[0].shape[1] or ops.shape(leaves[0])[1]
    rows = ops.arange(ops.shape(indices)[0], dtype="int32") if rows is None else rows
    flat = rows[:, None] * beam_size + ops.cast(indices, "int32")  # [B, M]
    return take_rows(tree.map_structure(lambda x: ops.reshape(x, (-1, *_sizes(x)[2:])), nest), flat)


def _sizes(x: Any) -> Any:
    """Returns the sizes of `x`, read from the tensor only if the graph does not know one after the first two."""
    return ops.shape(x) if None in x.shape[2:] else x.shape


def best_first(result: SearchResult) -> SearchResult:
    """Sorts as `SearchResult` does: finished before unfinished, each by score; equal hypotheses keep their order."""
    result = _sort(result, result.scores)
    return _sort(result, ops.cast(result.finished, "float32"))


def _sort(result: SearchResult, keys: Any) -> SearchResult:
    """Sorts by `keys` [B, K], largest first; hypotheses with equal keys keep their order."""
    _, order = ops.top_k(keys, keys.shape[1])
    return take_beams(result, order)
