"""The search of TensorFlow Addons' `BeamSearchDecoder`: finished and open hypotheses in one beam, ranked by score."""

from __future__ import annotations

from typing import Any, NamedTuple

from keras import ops

from keras_nmt.decoding.scores import NEG_INF, is_valid, log_probabilities_of, top_k
from keras_nmt.decoding.scores import length_penalty as penalty
from keras_nmt.decoding.search_loop import DecoderStep, SearchResult, best_first, search_loop, take_beams
from keras_nmt.ids import BOS, EOS, PAD


class _Beam(NamedTuple):
    """Finished and open hypotheses together. An impossible log-probability marks an empty entry."""

    tokens: Any  # [B, K, max_length]
    last: Any  # [B, K], meaningless once finished
    log_probabilities: Any  # [B, K]
    lengths: Any  # [B, K], EOS counted
    finished: Any  # [B, K]


def joint_beam_search(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    *,
    batch_size: int,
    beam_size: int,
    max_length: int,
    length_penalty: float,
) -> SearchResult:
    """Returns the `beam_size` hypotheses of each sentence; arguments as those of `beam_search`.

    A finished hypothesis is kept as long as its score is among the best, and takes the entry of an open hypothesis. In
    the step that gives `EOS` a hypothesis is ranked by its length without `EOS`, in all later steps and in the result
    by its length with `EOS`. A sentence stops when its whole beam is finished, or at `max_length`.
    """

    def extend(position: Any, beam: _Beam, fixed: Any, caches: Any) -> tuple[Any, ...]:
        logits, caches = step(beam.last, position, fixed, caches)
        logits = ops.cast(logits, "float32")  # [B, K, V]
        # All continuations but EOS have one length, so K tokens of each hypothesis are enough.
        is_end = ops.arange(logits.shape[-1]) == EOS
        values, ids = top_k(ops.where(is_end, NEG_INF, logits), min(beam_size, logits.shape[-1]))
        # EOS first: if two scores are equal, EOS wins.
        ids = ops.concatenate([ops.full_like(ids[:, :, :1], EOS), ids], axis=2)  # [B, K, C]
        values = ops.concatenate([logits[:, :, EOS : EOS + 1], values], axis=2)
        gains = log_probabilities_of(values, logits, plain=False)
        beam, parents = _next_beam(beam, ids, gains, position, length_penalty)
        still_open = ops.logical_not(beam.finished) & is_valid(beam.log_probabilities)
        done = ops.logical_not(ops.any(still_open, axis=1)) | (position + 1 >= max_length)
        return beam, parents, done, caches

    shape = (batch_size, beam_size)
    first = ops.arange(beam_size) == 0  # the empty hypothesis; the other entries are empty
    log_probabilities = ops.cast(ops.where(first, 0.0, NEG_INF), "float32")
    beam = _Beam(
        tokens=ops.full((*shape, max_length), PAD, dtype="int32"),
        last=ops.full(shape, BOS, dtype="int32"),
        log_probabilities=ops.broadcast_to(log_probabilities, shape),
        lengths=ops.zeros(shape, dtype="int32"),
        finished=ops.zeros(shape, dtype="bool"),
    )
    beam = search_loop(extend, beam, constants, caches, done=ops.zeros(batch_size, "bool"), drop_finished=False)
    return _result(beam, length_penalty)


def _next_beam(beam: _Beam, ids: Any, gains: Any, position: Any, alpha: float) -> tuple[_Beam, Any]:
    """The K continuations `[B, K]` with the best scores, best first, and their parents.

    `ids` `[B, K, C]` are EOS and the likeliest tokens that may follow each hypothesis, `gains` their log-probabilities.
    """
    beam_size, per_beam = ids.shape[1:]
    of_finished = ops.where(ops.arange(per_beam) == 0, 0.0, NEG_INF)  # only EOS follows, which costs nothing
    gains = ops.where(beam.finished[:, :, None], of_finished, gains)
    log_probabilities = beam.log_probabilities[:, :, None] + gains  # [B, K, C]
    # In the step that gives EOS, a hypothesis is ranked by its length without EOS (see `beam_search`).
    lengths = beam.lengths[:, :, None] + ops.cast(ids != EOS, "int32")
    scores = ops.where(is_valid(log_probabilities), log_probabilities / penalty(lengths, alpha), NEG_INF)
    _, chosen = ops.top_k(ops.reshape(scores, (-1, beam_size * per_beam)), beam_size)
    chosen = ops.cast(chosen, "int32")  # [B, K]
    parents = chosen // per_beam
    columns = (ops.reshape(x, (-1, beam_size * per_beam)) for x in (ids, log_probabilities))
    last, log_probabilities = take_beams(tuple(columns), chosen)
    before = (beam.tokens, beam.lengths, beam.finished)
    tokens, lengths, finished = take_beams(before, parents)
    positions = ops.arange(ops.shape(beam.tokens)[-1], dtype="int32")
    here = (positions == position) & ops.logical_not(finished)[:, :, None]
    next_beam = _Beam(
        tokens=ops.where(here, last[:, :, None], tokens),
        last=last,
        log_probabilities=log_probabilities,
        lengths=lengths + ops.cast(ops.logical_not(finished), "int32"),
        finished=finished | (last == EOS),
    )
    return next_beam, parents


def _result(beam: _Beam, alpha: float) -> SearchResult:
    """The beam as a `SearchResult`; empty entries come last."""
    there = is_valid(beam.log_probabilities)
    lengths = ops.where(there, beam.lengths, 0)
    result = SearchResult(
        tokens=ops.where(there[:, :, None], beam.tokens, PAD),
        scores=ops.where(there, beam.log_probabilities / penalty(lengths, alpha), NEG_INF),
        log_probabilities=ops.where(there, beam.log_probabilities, NEG_INF),
        lengths=lengths,
        finished=there & beam.finished,
    )
    return best_first(result)
