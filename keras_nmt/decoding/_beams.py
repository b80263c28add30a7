"""What both kinds of beam search share: places of a beam, empty ones, sentences that are done."""

from __future__ import annotations

from typing import Any

from keras import ops, tree

from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.decoding.suppress_tokens import IMPOSSIBLE


def possible(log_probabilities: Any) -> Any:
    """Whether this is the log-probability of a hypothesis: an empty place and a suppressed token have none."""
    return log_probabilities > IMPOSSIBLE / 2


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
    """Caches of the hypotheses `parents` [B, K]; entries of dictionaries named "kept" stay as they are."""
    leaves = [leaf if "kept" in path else take_beams(leaf, parents) for path, leaf in tree.flatten_with_path(caches)]
    return tree.pack_sequence_as(caches, leaves)


def best_first(result: SearchResult) -> SearchResult:
    """In the order of a `SearchResult`: finished before unfinished, each by score; equal ones stay in their order."""
    result = _sort(result, result.scores)
    return _sort(result, ops.cast(result.finished, "float32"))


def _sort(result: SearchResult, keys: Any) -> SearchResult:
    """By `keys` [B, K], largest first; those of equal keys stay in their order."""
    _, order = ops.top_k(keys, keys.shape[1])
    return tree.map_structure(lambda x: take_beams(x, order), result)
