"""Beam search with a length penalty, n-best lists and early stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from keras import ops

from keras_nmt.decoding._beams import take_beams
from keras_nmt.decoding._search_loop import search_loop
from keras_nmt.decoding.interface import DecoderStep, SearchResult
from keras_nmt.decoding.logits import (
    IMPOSSIBLE,
    Forbidden,
    check_arguments,
    given,
    length_limits,
    likeliest,
    possible,
    token_log_probabilities,
)
from keras_nmt.decoding.scores import length_penalty as penalty
from keras_nmt.ids import BEGIN, END, PAD


class _Open(NamedTuple):
    """Open hypotheses, likeliest first. An impossible log-probability marks an empty entry."""

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
    num_hypotheses: int | None = None,
    suppress: Sequence[int] = (PAD, BEGIN),
    prefix: Any = None,
    beam_sizes: Any = None,
    shrink: bool = False,
) -> SearchResult:
    """Beam search with a length penalty, n-best lists and early stop.

    The search keeps a beam of `beam_size` open hypotheses, and the best finished hypotheses. Every step considers the
    `2 * beam_size` likeliest continuations. Continuations that end in `END` are finished hypotheses, with the score
    `log_probability / ((5 + length) / 6) ** length_penalty`, `END` counted, and never change again; the likeliest
    other continuations are the next beam. A beam of 1 considers only one continuation, so the search is greedy.

    A hypothesis that reaches its sentence's limit is finished if `END` is among the `2 * beam_size` likeliest tokens
    at that position. Otherwise the hypothesis is unfinished, and is returned, after the finished hypotheses, only if
    there are too few finished hypotheses.

    A sentence stops at its limit, or as soon as no open hypothesis can get a better score than its `num_hypotheses`
    finished hypotheses, whatever tokens follow; the search stops with its last sentence. Neither the early stop nor
    the rest of the batch changes the result.

    Runs eagerly or traced, with or without XLA; all shapes are static unless `shrink` is set. Equal scores are resolved
    by the order of the beam, equal logits by the lower id.

    Args:
        step: Function, a `DecoderStep` such as `model.decoder_step`.
        constants: Nest of tensors `[B, ...]`, passed to `step`.
        caches: Nest of tensors `[B, beam_size, ...]`, passed to `step` and reordered with the beam, except those under
            the key "kept", `[B, ...]`.
        batch_size: Integer, B.
        beam_size: Integer, K, number of open hypotheses of each sentence.
        max_length: Integer, the maximum number of generated tokens, `END` included.
        min_length: Integer, the least number of tokens before `END`, which is impossible before, except where a prefix
            has it: a limit that is not larger leaves hypotheses unfinished. Defaults to 1: no empty hypotheses.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, at most `max_length`. Defaults to `max_length`.
        length_penalty: Float, alpha of the length penalty, 0 for none. Defaults to 0.6.
        num_hypotheses: Integer, N, number of returned hypotheses, at most `beam_size`. With fewer, the search may stop
            earlier. Defaults to `beam_size`.
        suppress: List of ids that are never generated. Their probability is not given to the other tokens, so a score
            equals the score of teacher forcing. Defaults to `PAD` and `BEGIN`.
        prefix: int32 tensor `[B, P]`, tokens with which hypotheses begin: an entry other than `PAD` is generated at its
            position, even if the entry is in `suppress`; `END` ends the hypothesis. Scores and lengths include the
            prefix. Defaults to `None`.
        beam_sizes: int32 tensor `[B]`, a beam size for each sentence, from 1 to `beam_size`, for the result of a search
            with this `beam_size`: N is then at most the sentence's beam size, and further entries are empty. Defaults
            to `beam_size`.
        shrink: Boolean, whether sentences leave the batch when they are finished, which saves their part of the later
            steps. The result is the same. Shapes then change from step to step: not for XLA, nor for JAX. Defaults to
            False.

    Returns:
        A `SearchResult` with N hypotheses of each sentence.

    Raises:
        ValueError: `beam_size` or `max_length` is below 1, `min_length` below 0, or `num_hypotheses` not in 1 ...
            `beam_size`.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Whatever was before: END (3) with probability 0.4, token 4 with 0.6.
    ...     probabilities = ops.array([0.0, 0.0, 0.0, 0.4, 0.6])
    ...     return ops.broadcast_to(ops.log(probabilities + 1e-9), (1, 2, 5)), caches
    >>> result = beam_search(step, {}, {}, batch_size=1, beam_size=2, max_length=3, length_penalty=0.0)
    >>> ops.convert_to_numpy(result.tokens).tolist()
    [[[4, 3, 0], [4, 4, 3]]]
    >>> [round(score, 2) for score in ops.convert_to_numpy(ops.exp(result.scores))[0].tolist()]
    [0.24, 0.14]

    Reference:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), section 7 and equation 14.
    """
    if num_hypotheses is None:
        num_hypotheses = beam_size
    if beam_size < 1 or (isinstance(max_length, int) and max_length < 1):  # a tensor's value is unknown
        raise ValueError(
            f"`beam_size` and `max_length` must be at least 1. Received: beam_size={beam_size}, max_length={max_length}"
        )
    if not 1 <= num_hypotheses <= beam_size:
        raise ValueError(
            "`num_hypotheses` must be at least 1 and at most `beam_size`. "
            f"Received: num_hypotheses={num_hypotheses}, beam_size={beam_size}"
        )
    check_arguments(
        batch_size,
        length_penalty,
        max_lengths=max_lengths,
        prefix=prefix,
        beam_sizes=beam_sizes,
        min_length=min_length,
    )
    forbidden = Forbidden(suppress, min_length)
    limits = ops.maximum(length_limits(batch_size, max_length, max_lengths), 0)
    fixed = {"model": constants, "limits": limits, **given(prefix=prefix, beam_sizes=beam_sizes)}
    # Enough for an END of each hypothesis and a full beam of other continuations.
    num_candidates = 2 * beam_size if beam_size > 1 else 1

    def extend(position: Any, hypotheses: tuple[_Open, SearchResult], fixed: Any, caches: Any) -> tuple[Any, ...]:
        open_beam, finished = hypotheses
        limits, beam_sizes = fixed["limits"], fixed.get("beam_sizes")
        logits, caches = step(open_beam.last, position, fixed["model"], caches)
        length = position + 1
        logits = ops.cast(logits, "float32")  # [B, K, V]
        next_tokens = likeliest(logits, min(num_candidates, logits.shape[-1]), forbidden, fixed.get("prefix"), position)
        # Only the candidates' log-probabilities are stored, never those of the whole vocabulary.
        gains = token_log_probabilities(next_tokens.logits, logits, next_tokens.best, plain=shrink)
        candidates = _continue(
            open_beam, next_tokens.ids, gains, position, length >= limits, num_candidates, beam_sizes
        )
        finished = _merge(finished, _finish(candidates, length, length_penalty), num_hypotheses)
        open_beam, parents = _go_on(candidates, beam_size, beam_sizes)
        worst = finished.scores[:, -1]
        if beam_sizes is not None:
            last = ops.minimum(beam_sizes, num_hypotheses)[:, None] - 1
            worst = ops.take_along_axis(finished.scores, last, axis=1)[:, 0]
        hopeless = _best_possible(open_beam, length, limits, length_penalty) <= worst
        return (open_beam, finished), parents, hopeless | (length >= limits), caches

    nothing = _begin(batch_size, beam_size, max_length), _nothing_finished(batch_size, num_hypotheses, max_length)
    open_beam, finished = search_loop(extend, nothing, fixed, caches, done=limits == 0, shrink=shrink)
    result = _fill_up(finished, _truncated(open_beam, limits, length_penalty), num_hypotheses)
    return result if beam_sizes is None else _of_beam(result, beam_sizes)


def _begin(batch_size: int, beam_size: int, max_length: int) -> _Open:
    """A beam whose first entry is the hypothesis without tokens; the other entries are empty."""
    first = ops.arange(beam_size) == 0
    log_probabilities = ops.where(first, 0.0, IMPOSSIBLE)
    return _Open(
        tokens=ops.full((batch_size, beam_size, max_length), PAD, dtype="int32"),
        last=ops.full((batch_size, beam_size), BEGIN, dtype="int32"),
        log_probabilities=ops.broadcast_to(ops.cast(log_probabilities, "float32"), (batch_size, beam_size)),
    )


def _nothing_finished(batch_size: int, num_hypotheses: int, max_length: int) -> SearchResult:
    shape = (batch_size, num_hypotheses)
    return SearchResult(
        tokens=ops.full((*shape, max_length), PAD, dtype="int32"),
        scores=ops.full(shape, IMPOSSIBLE, dtype="float32"),
        log_probabilities=ops.full(shape, IMPOSSIBLE, dtype="float32"),
        lengths=ops.zeros(shape, dtype="int32"),
        finished=ops.zeros(shape, dtype="bool"),
    )


def _continue(
    open_beam: _Open,
    ids: Any,
    gains: Any,
    position: Any,
    at_limit: Any,
    num_candidates: int,
    beam_sizes: Any,
) -> _Candidates:
    """The likeliest continuations of a whole beam, likeliest first (at the limit: finished continuations first).

    `ids` `[B, K, k]` are the likeliest tokens that may follow each hypothesis, `gains` their log-probabilities.
    """
    beam_size, per_beam = ids.shape[1:]
    values = gains + open_beam.log_probabilities[:, :, None]  # [B, K, k]
    considered = None  # [B], the number of candidates of each sentence with a beam size of its own
    if beam_sizes is not None:
        considered = ops.where(beam_sizes > 1, 2 * beam_sizes, 1)
        values = ops.where(ops.arange(per_beam, dtype="int32") < considered[:, None, None], values, IMPOSSIBLE)
    values = ops.reshape(values, (-1, beam_size * per_beam))
    ids = ops.reshape(ids, (-1, beam_size * per_beam))
    # At the limit, finished candidates precede unfinished ones, which are returned only if too few finish.
    closes = at_limit[:, None] & (ids == END) & possible(values)
    _, chosen = ops.top_k(ops.where(closes, 1.0, values), min(num_candidates, beam_size * per_beam))
    chosen = ops.cast(chosen, "int32")  # [B, C]
    parents = chosen // per_beam
    last, log_probabilities = take_beams((ids, values), chosen)
    if considered is not None:
        log_probabilities = _first(considered, log_probabilities)
    positions = ops.arange(ops.shape(open_beam.tokens)[-1], dtype="int32")
    tokens = ops.where(positions == position, last[:, :, None], take_beams(open_beam.tokens, parents))
    return _Candidates(tokens, last, log_probabilities, parents)


def _finish(candidates: _Candidates, length: Any, alpha: float) -> SearchResult:
    """The candidates as finished hypotheses; candidates that do not end in `END` get an impossible score."""
    finished = (candidates.last == END) & possible(candidates.log_probabilities)
    scores = candidates.log_probabilities / penalty(length, alpha)
    return SearchResult(
        tokens=candidates.tokens,
        scores=ops.where(finished, scores, IMPOSSIBLE),
        log_probabilities=candidates.log_probabilities,
        lengths=ops.broadcast_to(length, ops.shape(candidates.last)),
        finished=finished,
    )


def _go_on(candidates: _Candidates, beam_size: int, beam_sizes: Any) -> tuple[_Open, Any]:
    """The likeliest candidates that do not end in `END`, and their parents `[B, K]`."""
    log_probabilities = ops.where(candidates.last == END, IMPOSSIBLE, candidates.log_probabilities)
    log_probabilities, chosen = ops.top_k(log_probabilities, beam_size)
    if beam_sizes is not None:
        log_probabilities = _first(beam_sizes, log_probabilities)
    tokens, last, parents = take_beams((candidates.tokens, candidates.last, candidates.parents), chosen)
    return _Open(tokens, last, log_probabilities), parents


def _best_possible(open_beam: _Open, length: Any, limits: Any, alpha: float) -> Any:
    """The upper bound `[B]` of the scores that open hypotheses can reach."""
    best = ops.max(open_beam.log_probabilities, axis=1)
    # A log-probability only falls. In the best case a hypothesis keeps its log-probability and ends where the penalty
    # is largest: at the limit if alpha is positive, at the next token if alpha is negative.
    bound = best / ops.maximum(penalty(length + 1, alpha), penalty(limits, alpha))
    return ops.where(possible(best), bound, IMPOSSIBLE)


def _truncated(open_beam: _Open, limits: Any, alpha: float) -> SearchResult:
    """Open hypotheses as unfinished results; all have the length of their sentence's limit."""
    there = possible(open_beam.log_probabilities)
    lengths = ops.where(there, limits[:, None], 0)
    scores = open_beam.log_probabilities / penalty(limits, alpha)[:, None]
    return SearchResult(
        tokens=ops.where(there[:, :, None], open_beam.tokens, PAD),
        scores=ops.where(there, scores, IMPOSSIBLE),
        log_probabilities=ops.where(there, open_beam.log_probabilities, IMPOSSIBLE),
        lengths=lengths,
        finished=ops.zeros_like(there),
    )


def _merge(first: SearchResult, second: SearchResult, count: int) -> SearchResult:
    """The best of two sets by score; among equal scores, hypotheses of the first set."""
    both = _concatenate(first, second)
    _, chosen = ops.top_k(both.scores, count)
    return take_beams(both, chosen)


def _fill_up(finished: SearchResult, unfinished: SearchResult, count: int) -> SearchResult:
    """Finished hypotheses, then unfinished hypotheses in the remaining entries."""
    num_finished = ops.sum(ops.cast(finished.finished, "int32"), axis=1, keepdims=True)  # [B, 1]
    entries = ops.arange(count, dtype="int32")[None, :]
    chosen = ops.where(entries < num_finished, entries, count + entries - num_finished)  # [B, N]
    return take_beams(_concatenate(finished, unfinished), chosen)


def _first(counts: Any, log_probabilities: Any) -> Any:
    """Log-probabilities `[B, C]`, those after the first `counts` `[B]` of each sentence impossible."""
    places = ops.arange(log_probabilities.shape[1], dtype="int32")
    return ops.where(places < counts[:, None], log_probabilities, IMPOSSIBLE)


def _of_beam(result: SearchResult, beam_sizes: Any) -> SearchResult:
    """The first `beam_sizes` `[B]` hypotheses of each sentence; the other entries are empty."""
    there = ops.arange(result.scores.shape[1], dtype="int32") < beam_sizes[:, None]  # [B, N]
    return SearchResult(
        tokens=ops.where(there[:, :, None], result.tokens, PAD),
        scores=ops.where(there, result.scores, IMPOSSIBLE),
        log_probabilities=ops.where(there, result.log_probabilities, IMPOSSIBLE),
        lengths=ops.where(there, result.lengths, 0),
        finished=result.finished & there,
    )


def _concatenate(first: SearchResult, second: SearchResult) -> SearchResult:
    return SearchResult(*(ops.concatenate(pair, axis=1) for pair in zip(first, second, strict=True)))
