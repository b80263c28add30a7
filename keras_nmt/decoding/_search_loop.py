"""The loop over positions that all searches share, for a batch that stays whole or a batch that shrinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras import backend, ops, tree

from keras_nmt.decoding._beams import keep_done, take_beams

# (position, sentences, constants, caches) -> (sentences, parents, done, caches): one more token of all hypotheses.
# `parents` [B, K] are the hypotheses that go on, whose caches are still those of the step, or None if all go on in
# place; `done` [B] are the sentences that this token finished.
Extend = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]


def search_loop(extend: Extend, sentences: Any, constants: Any, caches: Any, *, done: Any, shrink: bool) -> Any:
    """Extends the hypotheses of all sentences until each sentence is done.

    Args:
        extend: Function, see `Extend`.
        sentences: Nest of tensors `[B, ...]`, the hypotheses.
        constants: Nest of tensors `[B, ...]`.
        caches: Nest of tensors `[B, K, ...]`, or `[B, ...]` under the key "kept".
        done: bool tensor `[B]`, the sentences that have no token.
        shrink: Boolean, whether sentences leave the batch when they are done. The shapes then change from step to step,
            which neither XLA nor JAX can do. Otherwise sentences that are done stay, and do not change.

    Returns:
        The nest `sentences`, of each sentence as it was when it was done.
    """
    loop = _shrinking if shrink else _whole
    return loop(extend, sentences, constants, caches, done)


def _whole(extend: Extend, sentences: Any, constants: Any, caches: Any, done: Any) -> Any:
    def unfinished(position: Any, done: Any, sentences: Any, caches: Any) -> Any:
        return ops.logical_not(ops.all(done))

    def body(position: Any, done: Any, sentences: Any, caches: Any) -> tuple[Any, ...]:
        new, parents, now_done, caches = extend(position, sentences, constants, caches)
        caches = _take_caches(caches, parents)
        return position + 1, done | now_done, keep_done(done, sentences, new), caches

    start = ops.convert_to_tensor(0, "int32")
    return ops.while_loop(unfinished, body, (start, done, sentences, caches))[2]


def _shrinking(extend: Extend, sentences: Any, constants: Any, caches: Any, done: Any) -> Any:
    if backend.backend() == "jax":
        raise ValueError("`shrink` needs shapes that change, which JAX does not have. Received: shrink=True")

    def unfinished(position: Any, rows: Any, results: Any, sentences: Any, constants: Any, caches: Any) -> Any:
        return ops.shape(rows)[0] > 0

    def body(position: Any, rows: Any, results: Any, sentences: Any, constants: Any, caches: Any) -> tuple[Any, ...]:
        sentences, parents, done, caches = extend(position, sentences, constants, caches)
        some_left = ops.any(done)
        going_on = _indices(ops.logical_not(done))
        if parents is None:
            caches = ops.cond(some_left, lambda: _take(caches, going_on), lambda: caches)
        else:  # one gather for the hypotheses that go on and for the sentences that go on
            caches = _take_caches(caches, ops.take(parents, going_on, axis=0), going_on)

        def leave() -> tuple[Any, ...]:
            gone = _indices(done)
            places = ops.take(rows, gone)[:, None]
            stored = tree.map_structure(lambda x, y: ops.scatter_update(x, places, y), results, _take(sentences, gone))
            return ops.take(rows, going_on), stored, _take(sentences, going_on), _take(constants, going_on)

        kept = ops.cond(some_left, leave, lambda: (rows, results, sentences, constants))
        return position + 1, *kept, caches

    # The sentences that have tokens at all. Their number is unknown to a graph, as in later steps.
    rows = _indices(ops.logical_not(done))
    active = (_take(x, rows) for x in (sentences, constants, caches))
    return ops.while_loop(unfinished, body, (ops.convert_to_tensor(0, "int32"), rows, sentences, *active))[2]


def _indices(where: Any) -> Any:
    """The indices of True in a boolean tensor `[B]`, int32."""
    return ops.cast(ops.nonzero(where)[0], "int32")


def _take(nest: Any, rows: Any) -> Any:
    """Some rows of a nest of tensors `[B, ...]`."""
    return tree.map_structure(lambda x: ops.take(x, rows, axis=0), nest)


def _take_caches(caches: Any, parents: Any, rows: Any = None) -> Any:
    """Caches of the hypotheses `parents` `[B', K]` of the sentences `rows` `[B']`, which are all sentences if None.

    Entries of dictionaries under the key "kept" are not reordered within a sentence.
    """

    def take(path: tuple[Any, ...], x: Any) -> Any:
        if "kept" in path:
            return x if rows is None else ops.take(x, rows, axis=0)
        return x if parents is None else take_beams(x, parents, rows)

    leaves = [take(path, leaf) for path, leaf in tree.flatten_with_path(caches)]
    return tree.pack_sequence_as(caches, leaves)
