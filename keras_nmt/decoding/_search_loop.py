"""The loop over positions that all searches share, for a batch that stays whole or a batch that shrinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras import backend, ops, tree

from keras_nmt.decoding._beams import keep_done, take_beams, take_rows

# (position, sentences, constants, caches) -> (sentences, parents, done, caches): one more token of all hypotheses.
# `parents` [B, K] are the hypotheses that go on, whose caches are still those of the step, or None if all go on in
# place; `done` [B] are the sentences that this token finished.
Extend = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]


def search_loop(extend: Extend, sentences: Any, constants: Any, caches: Any, *, done: Any, drop_finished: bool) -> Any:
    """Extends the hypotheses of all sentences until each sentence is done.

    Args:
        extend: Function, see `Extend`.
        sentences: Nest of tensors `[B, ...]`, the hypotheses.
        constants: Nest of tensors `[B, ...]`.
        caches: Nest of tensors `[B, K, ...]`, or `[B, ...]` under the key "not_reordered".
        done: bool tensor `[B]`, the sentences that have no token.
        drop_finished: Boolean, whether sentences leave the batch when they are done. The shapes then change from step
            to step, which neither XLA nor JAX can do. Otherwise sentences that are done stay, and do not change.

    Returns:
        The nest `sentences`, of each sentence as it was when it was done.
    """
    loop = _dropping_finished if drop_finished else _whole
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


def _dropping_finished(extend: Extend, sentences: Any, constants: Any, caches: Any, done: Any) -> Any:
    if backend.backend() == "jax":
        raise ValueError("`drop_finished` needs shapes that change: not on JAX. Received: drop_finished=True")

    def unfinished(position: Any, rows: Any, results: Any, sentences: Any, constants: Any, caches: Any) -> Any:
        return ops.shape(rows)[0] > 0

    def body(position: Any, rows: Any, results: Any, sentences: Any, constants: Any, caches: Any) -> tuple[Any, ...]:
        sentences, parents, done, caches = extend(position, sentences, constants, caches)
        some_left = ops.any(done)
        going_on = _indices(ops.logical_not(done))
        if parents is None:
            caches = ops.cond(some_left, lambda: take_rows(caches, going_on), lambda: caches)
        else:  # one gather for the hypotheses that go on and for the sentences that go on
            caches = _take_caches(caches, take_rows(parents, going_on), going_on)

        def leave() -> tuple[Any, ...]:
            gone = _indices(done)
            places, finished = take_rows(rows, gone)[:, None], take_rows(sentences, gone)
            stored = tree.map_structure(lambda x, y: ops.scatter_update(x, places, y), results, finished)
            left = take_rows((rows, sentences, constants), going_on)
            return left[0], stored, *left[1:]

        kept = ops.cond(some_left, leave, lambda: (rows, results, sentences, constants))
        return position + 1, *kept, caches

    # The sentences that have tokens at all. Their number is unknown to a graph, as in later steps.
    rows = _indices(ops.logical_not(done))
    active = take_rows((sentences, constants, caches), rows)
    return ops.while_loop(unfinished, body, (ops.convert_to_tensor(0, "int32"), rows, sentences, *active))[2]


def _indices(where: Any) -> Any:
    """Returns the indices of True in a boolean tensor `[B]`, int32."""
    return ops.cast(ops.nonzero(where)[0], "int32")


def _take_caches(caches: Any, parents: Any, rows: Any = None) -> Any:
    """Takes the caches of the hypotheses `parents` `[B', K]` of the sentences `rows` `[B']`, or of all.

    Entries of dictionaries under the key "not_reordered" are not reordered within a sentence.
    """
    leaves = tree.flatten_with_path(caches)
    kept = [x for path, x in leaves if "not_reordered" in path]
    reordered = [x for path, x in leaves if "not_reordered" not in path]
    of_sentences = iter(kept if rows is None else take_rows(kept, rows))
    of_hypotheses = iter(reordered if parents is None else take_beams(reordered, parents, rows))
    return tree.pack_sequence_as(
        caches, [next(of_sentences if "not_reordered" in path else of_hypotheses) for path, _ in leaves]
    )
