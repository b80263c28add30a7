"""The parts that all searches share: the step that they call, their results, and the loop over positions.

The loop keeps the batch whole, or lets finished sentences leave it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from keras import backend, ops, tree

from keras_nmt.errors import check_choice, is_integer, require

# (position, sentences, constants, caches) -> (sentences, parents, done, caches): one more token of all hypotheses.
# `parents` [B, K] are the hypotheses that go on, whose caches are still those of the step, or None if all go on in
# place; `done` [B] are the sentences that this token finished.
Extend = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]


class DecoderStep(Protocol):
    """The function of a model that a search calls: the logits after one more token of every hypothesis.

    `decoder_step` of a translation model is such a function; any function with this signature works.

    Call arguments:
        tokens: int32 tensor `[B, K]`, the last token of every hypothesis (`BOS` at position 0).
        position: int32 scalar, number of tokens generated before this call.
        constants: Nest of tensors `[B, ...]`, computed once for each sentence. Never reordered.
        caches: Nest of tensors `[B, K, ...]`, the state of each hypothesis. The search reorders the rows as hypotheses
            survive or are dropped. Entries of dictionaries under the key "not_reordered", `[B, ...]`, are not reordered
            within a sentence: the step must keep track of what belongs to which hypothesis.

    Returns:
        The logits `[B, K, V]` of the next token, and the caches in the same structure, shapes and dtypes.
    """

    def __call__(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]: ...


class SearchResult(NamedTuple):
    """The hypotheses that a search returns: `[B, N]`, N hypotheses for each sentence, best first.

    Finished hypotheses, which end in `EOS`, come first, ordered by score. If a sentence has fewer than N finished
    hypotheses, unfinished hypotheses that the length limit truncated follow, ordered by score. If a sentence has fewer
    than N hypotheses in total, the remaining entries are empty: no tokens, length 0, scores of -1e9. If the limit is 0,
    all hypotheses are empty, and scores have no meaning.

    Attributes:
        tokens: int32 tensor `[B, N, max_length]`, `EOS` included, then `PAD`.
        scores: float32 tensor `[B, N]`, log-probability divided by the length penalty; see `length_penalty`.
        log_probabilities: float32 tensor `[B, N]`, natural logarithm, `EOS` included.
        lengths: int32 tensor `[B, N]`, number of tokens, `EOS` included.
        finished: bool tensor `[B, N]`, whether the hypothesis ends in `EOS`.
    """

    tokens: Any
    scores: Any
    log_probabilities: Any
    lengths: Any
    finished: Any


def length_limits(batch_size: Any, max_length: Any, max_lengths: Any) -> Any:
    """Returns the most tokens of each sentence, `[B]` int32: `max_lengths`, at most `max_length`."""
    limits = ops.full((batch_size,), max_length, dtype="int32")
    return limits if max_lengths is None else ops.minimum(ops.cast(max_lengths, "int32"), limits)


def limits_of_sources(lengths: Any, options: Any) -> Any:
    """Returns the most tokens, EOS included, of translations of sources with `lengths` tokens, by `SearchOptions`."""
    limits = options.max_length_factor * lengths + options.max_length_offset
    return ops.minimum(ops.maximum(limits, options.min_length + 1), options.max_length)


def check_arguments(
    batch_size: Any, max_length: Any, length_penalty: Any, length_penalty_form: str, **tensors: Any
) -> None:
    """Raises a `ValueError` if the length or the penalty is out of its range, or a tensor `[B]` has another shape.

    The tensor `prefix` is `[B, P]`. The values of tensors are not known, nor is a tensor `max_length`.
    """
    require(not is_integer(max_length) or max_length >= 1, "{max_length} must be at least 1", max_length=max_length)
    is_finite = not isinstance(length_penalty, numbers.Real) or math.isfinite(length_penalty)
    require(is_finite, f"`length_penalty` must be finite. Received: length_penalty={length_penalty}")
    check_choice("length_penalty_form", length_penalty_form, ("gnmt", "power"))
    for name, value in tensors.items():
        shape = value.shape if hasattr(value, "shape") else np.shape(value)
        if value is None or getattr(shape, "rank", 0) is None:  # unknown in a TensorFlow graph
            continue
        form = "[B, P]" if name == "prefix" else "[B]"
        rows_differ = len(shape) and isinstance(batch_size, int) and shape[0] not in (None, batch_size)
        if len(shape) != form.count(",") + 1 or rows_differ:
            raise ValueError(f"`{name}` must be {form}, with B = {batch_size}. Received: shape {tuple(shape)}")


def search_loop(extend: Extend, sentences: Any, constants: Any, caches: Any, *, done: Any, drop_finished: bool) -> Any:
    """Extends hypotheses until each sentence is done, and returns `sentences` as each was when it was done.

    `sentences` and `constants` are nests of tensors `[B, ...]`, the hypotheses and what belongs to them; `caches` are
    `[B, K, ...]`, or `[B, ...]` under the key "not_reordered". Sentences that are `done` `[B]` at the start get no
    token. With `drop_finished`, sentences leave the batch when they are done. The shapes then change from step to step,
    which neither XLA nor JAX can do. Otherwise sentences that are done stay, and do not change.
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


def take_largest(values: Any, k: int) -> tuple[Any, Any]:
    """Returns the `k` largest values along the last axis and their places; equal values are in the order of places."""
    if backend.backend() != "torch":
        return ops.top_k(values, k)
    order = ops.argsort(-values, axis=-1)[..., :k]  # `torch.topk` gives equal values in any order
    return ops.take_along_axis(values, order, axis=-1), order


def best_first(result: SearchResult) -> SearchResult:
    """Sorts as `SearchResult` does: finished before unfinished, each by score; equal hypotheses keep their order."""
    result = _sort(result, result.scores)
    return _sort(result, ops.cast(result.finished, "float32"))


def _sort(result: SearchResult, keys: Any) -> SearchResult:
    """Sorts by `keys` [B, K], largest first; hypotheses with equal keys keep their order."""
    _, order = take_largest(keys, keys.shape[1])
    return take_beams(result, order)
