"""Beam search with a length penalty, n-best lists and early stop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from keras_nmt.decoding.constraints import Constraints, Need, shared_order
from keras_nmt.decoding.logit_processors import LogitProcessor
from keras_nmt.decoding.processing import NextTokens, Processing
from keras_nmt.decoding.scores import NEG_INF, is_valid, keep_there
from keras_nmt.decoding.scores import length_penalty as penalty_of
from keras_nmt.decoding.search_loop import (
    DecoderStep,
    SearchResult,
    best_first,
    check_arguments,
    length_limits,
    search_loop,
    take_beams,
    take_largest,
)
from keras_nmt.errors import require
from keras_nmt.ids import BOS, EOS, PAD

_Penalty = Callable[[Any], Any]  # from the lengths of hypotheses to the divisors of their log-probabilities


class _Open(NamedTuple):
    """Open hypotheses, likeliest first, or in the order in which constraints share the beam.

    An impossible log-probability marks an empty entry.
    """

    tokens: Any  # [B, K, max_length]
    last: Any  # [B, K]
    log_probabilities: Any  # [B, K]


class _Candidates(NamedTuple):
    """Continuations of open hypotheses by one token."""

    tokens: Any  # [B, C, max_length]
    last: Any  # [B, C]
    log_probabilities: Any  # [B, C]
    parents: Any  # [B, C], index of the continued hypothesis in the beam


def beam_search(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    *,
    batch_size: int,
    beam_size: int,
    max_length: int,
    min_length: int = 1,
    max_lengths: Any = None,
    length_penalty: float = 0.6,
    length_penalty_form: str = "gnmt",
    patience: float | None = None,
    num_hypotheses: int | None = None,
    suppress: Sequence[int] = (PAD, BOS),
    prefix: Any = None,
    beam_sizes: Any = None,
    processors: Sequence[LogitProcessor] = (),
    constraints: Any = None,
    vocabulary: Any = None,
    drop_finished: bool = False,
) -> SearchResult:
    """Searches for the best hypotheses, with a length penalty, n-best lists and early stop.

    The search keeps a beam of `beam_size` open hypotheses, and the best finished hypotheses. Every step considers the
    `2 * beam_size` likeliest continuations. Continuations that end in `EOS` are finished hypotheses, whose score is
    their log-probability divided by the length penalty, `EOS` counted, and never change again; the likeliest other
    continuations are the next beam. A beam of 1 considers only one continuation, so the search is greedy.

    A hypothesis that reaches its sentence's limit is finished if `EOS` is among the `2 * beam_size` likeliest tokens
    at that position. Otherwise the hypothesis is unfinished, and is returned, after the finished hypotheses, only if
    there are too few finished hypotheses.

    A sentence stops at its limit, or as soon as no open hypothesis can get a better score than its `num_hypotheses`
    finished hypotheses, whatever tokens follow; the search stops with its last sentence. Neither the early stop nor
    the rest of the batch changes the result.

    With `patience` p, a sentence also stops when p K hypotheses are finished, K its beam size, which may be fewer than
    `num_hypotheses`; and a continuation finishes a hypothesis only if it is among the K likeliest. With p = 1, this is
    the search of fairseq, of CTranslate2, and of transformers with `early_stopping=True` (first come, first served).

    Runs eagerly or traced, with or without XLA; all shapes are static unless `drop_finished` is set. Equal scores are
    resolved by the order of the beam, equal logits by the lower id.

    (`BeamSampler` of keras_hub has no length penalty, and adds to the score of a hypothesis what follows its end.)

    Args:
        step: Function, a `DecoderStep` such as `model.decoder_step`.
        constants: Nest of tensors `[B, ...]`, passed to `step`.
        caches: Nest of tensors `[B, beam_size, ...]`, passed to `step` and reordered with the beam, except those under
            the key "not_reordered", `[B, ...]`.
        batch_size: Integer, B.
        beam_size: Integer, K, number of open hypotheses of each sentence.
        max_length: Integer, the maximum number of generated tokens, `EOS` included.
        min_length: Integer, the least number of tokens before `EOS`, which is impossible before, except where a prefix
            has it: a limit that is not larger leaves hypotheses unfinished. Defaults to 1: no empty hypotheses.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, at most `max_length`. Defaults to `max_length`.
        length_penalty: Float, alpha of the length penalty, 0 for none. Defaults to 0.6.
        length_penalty_form: String, "gnmt" or "power"; see `keras_nmt.decoding.length_penalty`. Defaults to "gnmt".
        patience: Float, above 0; p K is rounded, and at least 1. Defaults to `None`: the search goes on until no open
            hypothesis can get a better score.
        num_hypotheses: Integer, N, number of returned hypotheses, at most `beam_size`. With fewer, the search may stop
            earlier. Defaults to `beam_size`.
        suppress: List of ids that are never generated. Their probability is not given to the other tokens, so a score
            equals the score of teacher forcing. Defaults to `PAD` and `BOS`.
        prefix: int32 tensor `[B, P]`, tokens with which hypotheses begin: an entry other than `PAD` is generated at its
            position, even if the entry is in `suppress`, by each hypothesis that has not ended before; `EOS` ends it.
            Scores and lengths include the prefix. Defaults to `None`.
        beam_sizes: int32 tensor `[B]`, a beam size for each sentence, from 1 to `beam_size`, for the result of a search
            with this `beam_size`: N is then at most the sentence's beam size, and further entries are empty. Defaults
            to `beam_size`.
        processors: Sequence of `LogitProcessor`, which change the log-probabilities of the next token, one after the
            other, before `suppress`, `min_length` and `prefix`. Defaults to none.
        constraints: int32 tensor `[B, C, A, L]`, phrases that hypotheses must have: each of C constraints by one of its
            A phrases of at most L tokens; see `Constraints`. A sentence whose constraints do not fit its limit, or
            are forbidden, may have unfinished hypotheses without them. Defaults to `None`.
        vocabulary: int32 tensor `[V]`, ascending, the token of each logit, for a step with logits of a part of a
            vocabulary. Defaults to `None`: logit i is token i's.
        drop_finished: Boolean, whether sentences leave the batch when they are finished, which saves their part of the
            later steps. The result is the same. Shapes then change from step to step: not for XLA, nor for JAX.
            Defaults to False.

    Returns:
        A `SearchResult` with N hypotheses of each sentence.

    Raises:
        ValueError: `max_length` is below 1, `patience` not above 0, or `num_hypotheses` or one of NumPy `beam_sizes`
            not in 1 ... `beam_size`.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Whatever was before: EOS (3) with probability 0.4, token 4 with 0.6.
    ...     probabilities = ops.array([0.0, 0.0, 0.0, 0.4, 0.6])
    ...     return ops.broadcast_to(ops.log(probabilities + 1e-9), (1, 2, 5)), caches
    >>> result = beam_search(step, {}, {}, batch_size=1, beam_size=2, max_length=3, length_penalty=0.0)
    >>> ops.convert_to_numpy(result.tokens).tolist()
    [[[4, 3, 0], [4, 4, 3]]]
    >>> [round(score, 2) for score in ops.convert_to_numpy(ops.exp(result.scores))[0].tolist()]
    [0.24, 0.14]

    Reference:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), section 7 and equation 14;
        [Kasai et al., 2022](https://arxiv.org/abs/2204.05424), for `patience`.
    """
    if num_hypotheses is None:
        num_hypotheses = beam_size
    problem = "{num_hypotheses} must be at least 1 and at most {beam_size}"
    require(1 <= num_hypotheses <= beam_size, problem, num_hypotheses=num_hypotheses, beam_size=beam_size)
    require(patience is None or patience > 0, f"`patience` must be above 0. Received: patience={patience}")
    tensors = {"max_lengths": max_lengths, "prefix": prefix, "beam_sizes": beam_sizes}
    check_arguments(batch_size, max_length, length_penalty, length_penalty_form, **tensors)
    # The values of tensors are unknown in a graph.
    if isinstance(beam_sizes, np.ndarray) and not np.all((beam_sizes >= 1) & (beam_sizes <= beam_size)):
        raise ValueError(f"`beam_sizes` must be from 1 to {beam_size}. Received: {beam_sizes.tolist()}")
    penalty = functools.partial(penalty_of, alpha=length_penalty, form=length_penalty_form)
    processing = Processing(
        processors, suppress=suppress, min_length=min_length, prefix=prefix, vocabulary=vocabulary, plain=drop_finished
    )
    constrained = None if constraints is None else Constraints(constraints, plain=drop_finished)
    limits = ops.maximum(length_limits(batch_size, max_length, max_lengths), 0)
    fixed = {"model": constants, "limits": limits}
    if beam_sizes is not None:  # a nest of tensors has no None
        fixed["beam_sizes"] = beam_sizes = ops.cast(beam_sizes, "int32")
    caches = {"model": caches, "processors": processing.start(batch_size, beam_size)}
    if constrained is not None:
        fixed["total"] = constrained.total
        caches["constraints"] = constrained.start(beam_size)
    # Enough for an EOS of each hypothesis and a full beam of other continuations.
    num_candidates = 2 * beam_size if beam_size > 1 else 1

    def extend(position: Any, hypotheses: tuple[_Open, SearchResult, Any], fixed: Any, caches: Any) -> tuple[Any, ...]:
        open_beam, finished, num_finished = hypotheses
        limits, beam_sizes = fixed["limits"], fixed.get("beam_sizes")
        logits, of_model = step(open_beam.last, position, fixed["model"], caches["model"])  # [B, K, V]
        length = position + 1
        now = processing.step(logits, position, open_beam.tokens, open_beam.last)
        caches, proposed = {**caches, "model": of_model}, None
        if constrained is not None:
            caches["constraints"], proposed = constrained.advance(caches["constraints"], open_beam.last)
        next_tokens, caches["processors"] = processing.top_k_candidates(
            now, num_candidates, caches["processors"], proposed
        )
        need = None
        if constrained is not None:
            need = constrained.need(fixed["total"], caches["constraints"], next_tokens.ids)
        candidates = _continue(open_beam, next_tokens, length, limits, num_candidates, beam_sizes, need)
        ended = _finish(candidates, length, penalty)
        if patience is not None:
            widths = ops.convert_to_tensor(beam_size) if beam_sizes is None else beam_sizes[:, None]
            ended = _among_first(widths, ended)
            num_finished += ops.sum(ops.cast(ended.finished, "int32"), axis=1, keepdims=True)  # [B, 1]
        finished = _merge(finished, ended, num_hypotheses)
        open_beam, parents = _next_beam(candidates, beam_size, beam_sizes)
        if patience is not None:
            enough = ops.maximum(ops.floor(patience * ops.cast(widths, "float32") + 0.5), 1.0)
            is_over = ops.cast(num_finished, "float32") >= enough
            open_beam = open_beam._replace(log_probabilities=ops.where(is_over, NEG_INF, open_beam.log_probabilities))
        worst = finished.scores[:, -1]
        if beam_sizes is not None:
            last = ops.minimum(beam_sizes, num_hypotheses)[:, None] - 1
            worst = ops.take_along_axis(finished.scores, last, axis=1)[:, 0]
        hopeless = _best_possible(open_beam, length, limits, penalty) <= worst
        return (open_beam, finished, num_finished), parents, hopeless | (length >= limits), caches

    nothing = (
        _begin(batch_size, beam_size, max_length),
        _nothing_finished(batch_size, num_hypotheses, max_length),
        ops.zeros((batch_size, 1), dtype="int32"),
    )
    open_beam, finished, _ = search_loop(extend, nothing, fixed, caches, done=limits == 0, drop_finished=drop_finished)
    result = _fill_up(finished, _truncated(open_beam, limits, penalty), num_hypotheses)
    result = result if constrained is None else best_first(result)
    return result if beam_sizes is None else _of_beam(result, beam_sizes)


def _begin(batch_size: int, beam_size: int, max_length: int) -> _Open:
    """Returns a beam whose first entry is the hypothesis without tokens; the other entries are empty."""
    first = ops.arange(beam_size, dtype="int32") == 0
    log_probabilities = ops.where(first, 0.0, NEG_INF)
    return _Open(
        tokens=ops.full((batch_size, beam_size, max_length), PAD, dtype="int32"),
        last=ops.full((batch_size, beam_size), BOS, dtype="int32"),
        log_probabilities=ops.broadcast_to(ops.cast(log_probabilities, "float32"), (batch_size, beam_size)),
    )


def _nothing_finished(batch_size: int, num_hypotheses: int, max_length: int) -> SearchResult:
    shape = (batch_size, num_hypotheses)
    return SearchResult(
        tokens=ops.full((*shape, max_length), PAD, dtype="int32"),
        scores=ops.full(shape, NEG_INF, dtype="float32"),
        log_probabilities=ops.full(shape, NEG_INF, dtype="float32"),
        lengths=ops.zeros(shape, dtype="int32"),
        finished=ops.zeros(shape, dtype="bool"),
    )


def _continue(
    open_beam: _Open,
    next_tokens: NextTokens,
    length: Any,
    limits: Any,
    num_candidates: int,
    beam_sizes: Any,
    need: Need | None,
) -> _Candidates:
    """Returns the likeliest continuations of a whole beam, likeliest first (at the limit: finished ones first).

    With constraints, `need` is what they need, and continuations are in the order of `shared_order`.
    """
    ids = next_tokens.ids  # [B, K, k]
    beam_size, per_beam = ids.shape[1], ops.shape(ids)[2]
    values = next_tokens.log_probabilities + open_beam.log_probabilities[:, :, None]
    considered = None  # [B], the number of candidates of each sentence with a beam size of its own
    if beam_sizes is not None:
        considered = ops.where(beam_sizes > 1, 2 * beam_sizes, 1)
        places = ops.arange(per_beam, dtype="int32")
        is_considered = places < considered[:, None, None]
        if need is not None:  # the tokens that constraints propose are the last ones; some are among the likeliest
            is_considered |= _are_among(ids, ids[:, :, next_tokens.num_likeliest :])
        values = ops.where(is_considered, values, NEG_INF)
    if need is not None:
        values = ops.where((ids == EOS) & (need.tokens > 0), NEG_INF, values)
    count = beam_size * per_beam
    num_candidates = min(num_candidates, beam_size * next_tokens.num_likeliest)
    values, ids = ops.reshape(values, (-1, count)), ops.reshape(ids, (-1, count))
    # At the limit, finished candidates precede unfinished ones, which are returned only if too few finish.
    closes = (length >= limits)[:, None] & (ids == EOS) & is_valid(values)
    if need is None:
        _, chosen = take_largest(ops.where(closes, 1.0, values), num_candidates)
        chosen = ops.cast(chosen, "int32")  # [B, C]
    else:
        chosen = shared_order(values, ids, closes, need, limits - length - 1, num_candidates)
    parents = chosen // per_beam
    last, log_probabilities = take_beams((ids, values), chosen)
    if considered is not None:
        log_probabilities = _first(considered, log_probabilities)
    positions = ops.arange(ops.shape(open_beam.tokens)[-1], dtype="int32")
    tokens = ops.where(positions == length - 1, last[:, :, None], take_beams(open_beam.tokens, parents))
    return _Candidates(tokens, last, log_probabilities, parents)


def _are_among(ids: Any, proposed: Any) -> Any:
    """Tells whether each of tokens `[B, K, k]` is one of the `proposed` `[B, K, M]` of its hypothesis."""
    # TensorFlow broadcasts tensors of three dimensions faster than those of more.
    pairs = ops.reshape(ids, (-1, ops.shape(ids)[2], 1)) == ops.reshape(proposed, (-1, 1, ops.shape(proposed)[2]))
    return ops.reshape(ops.any(pairs, axis=2), ops.shape(ids))


def _finish(candidates: _Candidates, length: Any, penalty: _Penalty) -> SearchResult:
    """Returns the candidates as finished hypotheses; those that do not end in `EOS` get an impossible score."""
    finished = (candidates.last == EOS) & is_valid(candidates.log_probabilities)
    scores = candidates.log_probabilities / penalty(length)
    return SearchResult(
        tokens=candidates.tokens,
        scores=ops.where(finished, scores, NEG_INF),
        log_probabilities=candidates.log_probabilities,
        lengths=ops.broadcast_to(length, ops.shape(candidates.last)),
        finished=finished,
    )


def _among_first(widths: Any, ended: SearchResult) -> SearchResult:
    """Returns hypotheses of which only those among the first `widths` `[B, 1]`, or scalar, are finished."""
    finished = ended.finished & (ops.arange(ended.scores.shape[1], dtype="int32") < widths)
    return ended._replace(scores=ops.where(finished, ended.scores, NEG_INF), finished=finished)


def _next_beam(candidates: _Candidates, beam_size: int, beam_sizes: Any) -> tuple[_Open, Any]:
    """Returns the first candidates that do not end in `EOS`, and their parents `[B, K]`."""
    log_probabilities = ops.where(candidates.last == EOS, NEG_INF, candidates.log_probabilities)
    places = ops.arange(log_probabilities.shape[1], dtype="float32")
    _, chosen = take_largest(ops.where(is_valid(log_probabilities), -places, NEG_INF), beam_size)
    log_probabilities = take_beams(log_probabilities, chosen)
    if beam_sizes is not None:
        log_probabilities = _first(beam_sizes, log_probabilities)
    tokens, last, parents = take_beams((candidates.tokens, candidates.last, candidates.parents), chosen)
    return _Open(tokens, last, log_probabilities), parents


def _best_possible(open_beam: _Open, length: Any, limits: Any, penalty: _Penalty) -> Any:
    """Returns the upper bound `[B]` of the scores that open hypotheses can reach."""
    best = ops.max(open_beam.log_probabilities, axis=1)
    # A log-probability only falls. In the best case a hypothesis keeps its log-probability and ends where the penalty
    # is largest: at the limit if alpha is positive, at the next token if alpha is negative.
    bound = best / ops.maximum(penalty(length + 1), penalty(limits))
    return ops.where(is_valid(best), bound, NEG_INF)


def _truncated(open_beam: _Open, limits: Any, penalty: _Penalty) -> SearchResult:
    """Returns open hypotheses as unfinished results; all have the length of their sentence's limit."""
    values = open_beam.log_probabilities
    there = is_valid(values)
    scores = values / penalty(limits)[:, None]
    return keep_there(there, SearchResult(open_beam.tokens, scores, values, limits[:, None], ops.zeros_like(there)))


def _merge(first: SearchResult, second: SearchResult, count: int) -> SearchResult:
    """Returns the best of two sets by score; among equal scores, hypotheses of the first set."""
    both = _concatenate(first, second)
    _, chosen = take_largest(both.scores, count)
    return take_beams(both, chosen)


def _fill_up(finished: SearchResult, unfinished: SearchResult, count: int) -> SearchResult:
    """Returns finished hypotheses, then unfinished hypotheses in the remaining entries."""
    num_finished = ops.sum(ops.cast(finished.finished, "int32"), axis=1, keepdims=True)  # [B, 1]
    entries = ops.arange(count, dtype="int32")[None, :]
    chosen = ops.where(entries < num_finished, entries, count + entries - num_finished)  # [B, N]
    return take_beams(_concatenate(finished, unfinished), chosen)


def _first(counts: Any, log_probabilities: Any) -> Any:
    """Makes the log-probabilities `[B, C]` after the first `counts` `[B]` of each sentence impossible."""
    places = ops.arange(log_probabilities.shape[1], dtype="int32")
    return ops.where(places < counts[:, None], log_probabilities, NEG_INF)


def _of_beam(result: SearchResult, beam_sizes: Any) -> SearchResult:
    """Returns the first `beam_sizes` `[B]` hypotheses of each sentence; the other entries are empty."""
    there = ops.arange(result.scores.shape[1], dtype="int32") < beam_sizes[:, None]  # [B, N]
    return keep_there(there, result)._replace(finished=result.finished & there)


def _concatenate(first: SearchResult, second: SearchResult) -> SearchResult:
    return SearchResult(*(ops.concatenate(pair, axis=1) for pair in zip(first, second, strict=True)))
