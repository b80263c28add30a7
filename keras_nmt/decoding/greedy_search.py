"""Greedy search, and the loop over positions that greedy search and sampling share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keras import ops

from keras_nmt.decoding._search_loop import search_loop
from keras_nmt.decoding.interface import DecoderStep, SearchResult
from keras_nmt.decoding.logits import (
    Forbidden,
    Likeliest,
    check_arguments,
    given,
    length_limits,
    likeliest,
    token_log_probabilities,
)
from keras_nmt.decoding.scores import length_penalty as penalty
from keras_nmt.ids import BEGIN, END, PAD


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
    suppress: Sequence[int] = (PAD, BEGIN),
    prefix: Any = None,
    shrink: bool = False,
) -> SearchResult:
    """Takes the likeliest token at every step, until `END` or the length limit.

    The result equals `beam_search` with a beam of 1 and takes less time. Runs eagerly or traced, with or
    without XLA; shapes are static unless `shrink` is set.

    Args:
        step: Function, a `DecoderStep`, called with a beam of 1.
        constants: Nest of tensors `[B, ...]`, passed to `step`.
        caches: Nest of tensors `[B, 1, ...]`, passed to `step`.
        batch_size: Integer, B.
        max_length: Integer, the maximum number of generated tokens, `END` included.
        min_length: Integer, the least number of tokens before `END`, which is impossible before, except where a prefix
            has it: a limit that is not larger leaves hypotheses unfinished. Defaults to 1: no empty hypotheses.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, at most `max_length`. Defaults to `max_length`.
        length_penalty: Float, alpha of the length penalty. Changes only the scores. Defaults to 0.6.
        suppress: List of ids that are never generated. Their probability is not given to the other tokens. Defaults to
            `PAD` and `BEGIN`.
        prefix: int32 tensor `[B, P]`, tokens with which hypotheses begin; see `beam_search`. Defaults to `None`.
        shrink: Boolean, whether sentences leave the batch when they are finished; see `beam_search`. Defaults to False.

    Returns:
        A `SearchResult` with one hypothesis for each sentence; `finished` is False if the limit truncated it.

    Raises:
        ValueError: `max_length` is below 1, or `min_length` below 0.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Counts up from 4; after 6 comes END (3).
    ...     next_token = ops.where(tokens == 2, 4, ops.where(tokens == 6, 3, tokens + 1))
    ...     return 9.0 * ops.one_hot(next_token, 7), caches
    >>> result = greedy_search(step, {}, {}, batch_size=1, max_length=6)
    >>> ops.convert_to_numpy(result.tokens).tolist()
    [[[4, 5, 6, 3, 0, 0]]]
    """
    if isinstance(max_length, int) and max_length < 1:  # a tensor's value is unknown
        raise ValueError(f"`max_length` must be at least 1. Received: max_length={max_length}")
    check_arguments(batch_size, length_penalty, max_lengths=max_lengths, prefix=prefix, min_length=min_length)
    forbidden = Forbidden(suppress, min_length)

    def choose(logits: Any, position: Any, fixed: dict[str, Any]) -> Likeliest:
        return likeliest(logits, 1, forbidden, fixed.get("prefix"), position)

    return token_by_token(
        step,
        {"model": constants, **given(prefix=prefix)},
        caches,
        choose,
        batch_size=batch_size,
        num_hypotheses=1,
        max_length=max_length,
        max_lengths=max_lengths,
        length_penalty=length_penalty,
        shrink=shrink,
    )


def token_by_token(
    step: DecoderStep,
    fixed: dict[str, Any],
    caches: Any,
    choose: Callable[[Any, Any, dict[str, Any]], Likeliest],
    *,
    batch_size: int,
    num_hypotheses: int,
    max_length: int,
    max_lengths: Any,
    length_penalty: float,
    shrink: bool,
) -> SearchResult:
    """Extends N hypotheses of each sentence by chosen tokens, until `END` or the length limit, without reordering.

    Args:
        step: Function, a `DecoderStep`.
        fixed: Dictionary of nests of tensors `[B, ...]`: the constants of the "model", and more for `choose`.
        caches: Nest of tensors `[B, N, ...]`, passed to `step`.
        choose: Function from logits `[B, N, V]` float32, the position and `fixed` to a `Likeliest` of one token for
            each hypothesis.
        batch_size: Integer, B.
        num_hypotheses: Integer, N.
        max_length: Integer, the maximum number of generated tokens, `END` included.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, or `None`.
        length_penalty: Float, alpha of the length penalty.
        shrink: Boolean, whether sentences leave the batch when they are finished.

    Returns:
        A `SearchResult` in the order of the hypotheses.
    """
    shape = (batch_size, num_hypotheses)
    limits = length_limits(batch_size, max_length, max_lengths)
    positions = ops.arange(max_length, dtype="int32")

    def extend(position: Any, hypotheses: tuple[Any, ...], fixed: Any, caches: Any) -> tuple[Any, ...]:
        last, tokens, log_probabilities, lengths, finished = hypotheses
        logits, caches = step(last, position, fixed["model"], caches)
        logits = ops.cast(logits, "float32")  # [B, N, V]
        chosen = choose(logits, position, fixed)
        token = chosen.ids[:, :, 0]  # [B, N]
        gain = token_log_probabilities(chosen.logits, logits, chosen.best, plain=shrink)[:, :, 0]
        going_on = ops.logical_not(finished)  # [B, N]
        tokens = ops.where(going_on[:, :, None] & (positions == position), token[:, :, None], tokens)
        log_probabilities = ops.where(going_on, log_probabilities + gain, log_probabilities)
        lengths = ops.where(going_on, position + 1, lengths)
        finished = finished | (token == END)
        done = ops.all(finished, axis=1) | (position + 1 >= fixed["limits"])
        return (token, tokens, log_probabilities, lengths, finished), None, done, caches

    nothing = (
        ops.full(shape, BEGIN, dtype="int32"),
        ops.full((*shape, max_length), PAD, dtype="int32"),
        ops.zeros(shape, dtype="float32"),
        ops.zeros(shape, dtype="int32"),
        ops.zeros(shape, dtype="bool"),
    )
    _, tokens, log_probabilities, lengths, finished = search_loop(
        extend, nothing, {**fixed, "limits": limits}, caches, done=limits <= 0, shrink=shrink
    )
    scores = log_probabilities / penalty(lengths, length_penalty)
    return SearchResult(tokens, scores, log_probabilities, lengths, finished)
