"""Greedy search, and the loop over positions that greedy search and sampling share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keras import ops

from keras_nmt.decoding._next_tokens import Processing
from keras_nmt.decoding._search_loop import search_loop
from keras_nmt.decoding.interface import DecoderStep, SearchResult
from keras_nmt.decoding.logit_processors import LogitProcessor, Step
from keras_nmt.decoding.logits import check_arguments, length_limits
from keras_nmt.decoding.scores import length_penalty as penalty
from keras_nmt.ids import BOS, EOS, PAD


def greedy_search(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    *,
    batch_size: int,
    max_length: int,
    min_length: int = 1,
    max_lengths: Any = None,
    length_penalty: float = 0.6,
    suppress: Sequence[int] = (PAD, BOS),
    prefix: Any = None,
    processors: Sequence[LogitProcessor] = (),
    vocabulary: Any = None,
    drop_finished: bool = False,
) -> SearchResult:
    """Takes the likeliest token at every step, until `EOS` or the length limit.

    The result equals `beam_search` with a beam of 1 and takes less time. Runs eagerly or traced, with or
    without XLA; shapes are static unless `drop_finished` is set.

    Args:
        step: Function, a `DecoderStep`, called with a beam of 1.
        constants: Nest of tensors `[B, ...]`, passed to `step`.
        caches: Nest of tensors `[B, 1, ...]`, passed to `step`.
        batch_size: Integer, B.
        max_length: Integer, the maximum number of generated tokens, `EOS` included.
        min_length: Integer, the least number of tokens before `EOS`, which is impossible before, except where a prefix
            has it: a limit that is not larger leaves hypotheses unfinished. Defaults to 1: no empty hypotheses.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, at most `max_length`. Defaults to `max_length`.
        length_penalty: Float, alpha of the length penalty. Changes only the scores. Defaults to 0.6.
        suppress: List of ids that are never generated. Their probability is not given to the other tokens. Defaults to
            `PAD` and `BOS`.
        prefix: int32 tensor `[B, P]`, tokens with which hypotheses begin; see `beam_search`. Defaults to `None`.
        processors: Sequence of `LogitProcessor`; see `beam_search`. Defaults to none.
        vocabulary: int32 tensor `[V]`; see `beam_search`. Defaults to `None`.
        drop_finished: Boolean, whether sentences leave the batch when they are finished; see `beam_search`. Defaults to
            False.

    Returns:
        A `SearchResult` with one hypothesis for each sentence; `finished` is False if the limit truncated it.

    Raises:
        ValueError: `max_length` is below 1, or `min_length` below 0.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Counts up from 4; after 6 comes EOS (3).
    ...     next_token = ops.where(tokens == 2, 4, ops.where(tokens == 6, 3, tokens + 1))
    ...     return 9.0 * ops.one_hot(next_token, 7), caches
    >>> result = greedy_search(step, {}, {}, batch_size=1, max_length=6)
    >>> ops.convert_to_numpy(result.tokens).tolist()
    [[[4, 5, 6, 3, 0, 0]]]
    """
    if isinstance(max_length, int) and max_length < 1:  # a tensor's value is unknown
        raise ValueError(f"`max_length` must be at least 1. Received: max_length={max_length}")
    check_arguments(batch_size, length_penalty, max_lengths=max_lengths, prefix=prefix, min_length=min_length)
    processing = Processing(
        processors, suppress=suppress, min_length=min_length, prefix=prefix, vocabulary=vocabulary, plain=drop_finished
    )

    def choose(step: Step, fixed: dict[str, Any], state: Any) -> tuple[Any, Any, Any]:
        found, state = processing.top_k_candidates(step, 1, state)
        return found.ids[:, :, 0], found.log_probabilities[:, :, 0], state

    return token_by_token(
        step,
        {"model": constants},
        caches,
        choose,
        processing,
        batch_size=batch_size,
        num_hypotheses=1,
        max_length=max_length,
        max_lengths=max_lengths,
        length_penalty=length_penalty,
        drop_finished=drop_finished,
    )


def token_by_token(
    step: DecoderStep,
    fixed: dict[str, Any],
    caches: Any,
    choose: Callable[[Step, dict[str, Any], Any], tuple[Any, Any, Any]],
    processing: Processing,
    *,
    batch_size: int,
    num_hypotheses: int,
    max_length: int,
    max_lengths: Any,
    length_penalty: float,
    drop_finished: bool,
) -> SearchResult:
    """Extends N hypotheses of each sentence by chosen tokens, until `EOS` or the length limit, without reordering.

    Args:
        step: Function, a `DecoderStep`.
        fixed: Dictionary of nests of tensors `[B, ...]`: the constants of the "model", and more for `choose`.
        caches: Nest of tensors `[B, N, ...]`, passed to `step`.
        choose: Function from the `Step`, `fixed` and the state of `processing` to a token for each hypothesis `[B, N]`,
            its log-probability `[B, N]`, and the state.
        processing: `Processing`.
        batch_size: Integer, B.
        num_hypotheses: Integer, N.
        max_length: Integer, the maximum number of generated tokens, `EOS` included.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, or `None`.
        length_penalty: Float, alpha of the length penalty.
        drop_finished: Boolean, whether sentences leave the batch when they are finished.

    Returns:
        A `SearchResult` in the order of the hypotheses.
    """
    shape = (batch_size, num_hypotheses)
    limits = length_limits(batch_size, max_length, max_lengths)
    positions = ops.arange(max_length, dtype="int32")

    def extend(position: Any, hypotheses: tuple[Any, ...], fixed: Any, caches: Any) -> tuple[Any, ...]:
        last, tokens, log_probabilities, lengths, finished = hypotheses
        logits, of_model = step(last, position, fixed["model"], caches["model"])  # [B, N, V]
        token, gain, state = choose(processing.step(logits, position, tokens, last), fixed, caches["processors"])
        going_on = ops.logical_not(finished)  # [B, N]
        tokens = ops.where(going_on[:, :, None] & (positions == position), token[:, :, None], tokens)
        log_probabilities = ops.where(going_on, log_probabilities + gain, log_probabilities)
        lengths = ops.where(going_on, position + 1, lengths)
        finished = finished | (token == EOS)
        done = ops.all(finished, axis=1) | (position + 1 >= fixed["limits"])
        return (
            (token, tokens, log_probabilities, lengths, finished),
            None,
            done,
            {"model": of_model, "processors": state},
        )

    nothing = (
        ops.full(shape, BOS, dtype="int32"),
        ops.full((*shape, max_length), PAD, dtype="int32"),
        ops.zeros(shape, dtype="float32"),
        ops.zeros(shape, dtype="int32"),
        ops.zeros(shape, dtype="bool"),
    )
    _, tokens, log_probabilities, lengths, finished = search_loop(
        extend,
        nothing,
        {**fixed, "limits": limits},
        {"model": caches, "processors": processing.start(batch_size, num_hypotheses)},
        done=limits <= 0,
        drop_finished=drop_finished,
    )
    scores = log_probabilities / penalty(lengths, length_penalty)
    return SearchResult(tokens, scores, log_probabilities, lengths, finished)
