"""Greedy search and sampling, which extend hypotheses token by token, and never reorder them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.decoding.logit_processors import LogitProcessor, Step, Temperature, TopP
from keras_nmt.decoding.processing import Processing
from keras_nmt.decoding.scores import NEG_INF, is_valid, keep_there, of_tokens
from keras_nmt.decoding.scores import length_penalty as penalty
from keras_nmt.decoding.scores import top_k as largest
from keras_nmt.decoding.search_loop import (
    DecoderStep,
    SearchResult,
    best_first,
    check_arguments,
    length_limits,
    search_loop,
    take_rows,
)
from keras_nmt.errors import require
from keras_nmt.ids import BOS, EOS, PAD

OnTokens = Callable[[Any], Any]  # from the tokens [B, N] of a position to those with which to go on
# A fraction made of 32 random bits: its unit, and the largest fraction below 1 in float32.
_UNIT = 2.0**-32
_LARGEST = 1.0 - 2.0**-24


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
    length_penalty_form: str = "gnmt",
    suppress: Sequence[int] = (PAD, BOS),
    prefix: Any = None,
    processors: Sequence[LogitProcessor] = (),
    vocabulary: Any = None,
    drop_finished: bool = False,
    on_tokens: OnTokens | None = None,
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
        length_penalty_form: String, "gnmt" or "power"; see `keras_nmt.decoding.length_penalty`. Defaults to "gnmt".
        suppress: List of ids that are never generated. Their probability is not given to the other tokens. Defaults to
            `PAD` and `BOS`.
        prefix: int32 tensor `[B, P]`, tokens with which hypotheses begin; see `beam_search`. Defaults to `None`.
        processors: Sequence of `LogitProcessor`; see `beam_search`. Defaults to none.
        vocabulary: int32 tensor `[V]`; see `beam_search`. Defaults to `None`.
        drop_finished: Boolean, whether sentences leave the batch when they are finished; see `beam_search`. Defaults to
            False.
        on_tokens: Function that is called at each position with the tokens `[B, N]` of the sentences in the batch, and
            returns those with which to go on: to show tokens as they are made. Defaults to `None`.

    Returns:
        A `SearchResult` with one hypothesis for each sentence; `finished` is False if the limit truncated it.

    Raises:
        ValueError: `max_length` is below 1.

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
    tensors = {"max_lengths": max_lengths, "prefix": prefix}
    check_arguments(batch_size, max_length, length_penalty, length_penalty_form, **tensors)
    processing = Processing(
        processors, suppress=suppress, min_length=min_length, prefix=prefix, vocabulary=vocabulary, plain=drop_finished
    )

    def choose(step: Step, fixed: dict[str, Any], state: Any) -> tuple[Any, Any, Any]:
        likeliest, state = processing.top_k_candidates(step, 1, state)
        return likeliest.ids[:, :, 0], likeliest.log_probabilities[:, :, 0], state

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
        length_penalty_form=length_penalty_form,
        drop_finished=drop_finished,
        on_tokens=on_tokens,
    )


def sampling_search(
    step: DecoderStep,
    constants: Any,
    caches: Any,
    *,
    batch_size: int,
    max_length: int,
    seeds: Any,
    num_samples: int = 1,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_length: int = 1,
    max_lengths: Any = None,
    length_penalty: float = 0.6,
    length_penalty_form: str = "gnmt",
    suppress: Sequence[int] = (PAD, BOS),
    prefix: Any = None,
    processors: Sequence[LogitProcessor] = (),
    vocabulary: Any = None,
    drop_finished: bool = False,
    on_tokens: OnTokens | None = None,
) -> SearchResult:
    """Draws hypotheses at random, each token by its probability, until `EOS` or the length limit.

    A token is drawn from `softmax(logits / temperature)` over the tokens that are not forbidden; with `top_k`, over
    the likeliest k of these tokens; with `top_p`, over the smallest set of the likeliest tokens whose probabilities,
    normalised after `top_k`, sum to at least p.

    The randomness of a sentence comes from its own seed: its samples are the same alone and in any batch, in every
    run, with and without XLA, up to rounding if two tokens are nearly equal. Sample n does not depend on the number of
    samples. Samples are independent, so two may be equal. As in every search, samples are returned best first: to get a
    sample that is not chosen by its score, draw one.

    (Samplers of keras_hub have one seed for a batch, and return no log-probabilities.)

    Runs eagerly or traced, with or without XLA; all shapes are static. With a `top_k` of, say, 100, drawing and `top_p`
    cost almost nothing; without `top_k`, both work on the whole vocabulary at every position.

    Args:
        step: Function, a `DecoderStep`, called with `num_samples` hypotheses of each sentence.
        constants: Nest of tensors `[B, ...]`, passed to `step`.
        caches: Nest of tensors `[B, num_samples, ...]`, passed to `step`.
        batch_size: Integer, B.
        max_length: Integer, the maximum number of generated tokens, `EOS` included.
        seeds: int32 tensor `[B]`, a seed for each sentence.
        num_samples: Integer, N, number of hypotheses of each sentence. Defaults to 1.
        temperature: Float, divisor of the logits: below 1 likely tokens become likelier, above 1 less likely. Defaults
            to 1.
        top_k: Integer, the number of likeliest tokens that may be drawn, 0 for all. Defaults to 0.
        top_p: Float, total probability of the tokens that may be drawn, above 0 and at most 1. Defaults to 1, for
            all.
        min_length: Integer, the least number of tokens before `EOS`, which is impossible before, except where a prefix
            has it: a limit that is not larger leaves hypotheses unfinished. Defaults to 1: no empty hypotheses.
        max_lengths: int32 tensor `[B]`, a limit for each sentence, at most `max_length`. Defaults to `max_length`.
        length_penalty: Float, alpha of the length penalty. Changes only the scores. Defaults to 0.6.
        length_penalty_form: String, "gnmt" or "power"; see `keras_nmt.decoding.length_penalty`. Defaults to "gnmt".
        suppress: List of ids that are never generated. Defaults to `PAD` and `BOS`.
        prefix: int32 tensor `[B, P]`, tokens with which hypotheses begin; see `beam_search`. Defaults to `None`.
        processors: Sequence of `LogitProcessor`, before `temperature`, `top_k` and `top_p`; see `beam_search`. Defaults
            to none.
        vocabulary: int32 tensor `[V]`; see `beam_search`. Defaults to `None`.
        drop_finished: Boolean, whether sentences leave the batch when they are finished; see `beam_search`. Defaults to
            False.
        on_tokens: Function that is called at each position with the tokens `[B, N]` of the sentences in the batch, and
            returns those with which to go on: to show tokens as they are made. Defaults to `None`.

    Returns:
        A `SearchResult` with N hypotheses of each sentence. Log-probabilities and scores are those of the model, as in
        every search: temperature, `top_k`, `top_p`, `suppress` and `min_length` do not change them, `processors` do.

    Raises:
        ValueError: `max_length` is below 1, `temperature` not above 0, `top_k` negative, or `top_p` not above 0 and at
            most 1.

    Example:

    >>> from keras import ops
    >>> def step(tokens, position, constants, caches):
    ...     # Whatever was before: EOS (3) with probability 0.4, token 4 with 0.6.
    ...     probabilities = ops.array([0.0, 0.0, 0.0, 0.4, 0.6])
    ...     return ops.broadcast_to(ops.log(probabilities + 1e-9), (1000, 1, 5)), caches
    >>> result = sampling_search(step, {}, {}, batch_size=1000, max_length=9, seeds=ops.arange(1000))
    >>> ended_at_once = ops.convert_to_numpy(result.lengths) == 2
    >>> round(float(ended_at_once.mean()), 1)
    0.4

    Reference:
        [Fan et al., 2018](https://arxiv.org/abs/1805.04833), section 5.1, for `top_k`;
        [Holtzman et al., 2020](https://arxiv.org/abs/1904.09751), Eq. 2 and 3 for `top_p`, Eq. 4 for the temperature.
    """
    divide, limit = Temperature(temperature), TopP(top_p)
    require(top_k >= 0, f"`top_k` must be at least 0. Received: top_k={top_k}")
    require(num_samples >= 1, f"`num_samples` must be at least 1. Received: num_samples={num_samples}")
    tensors = {"seeds": seeds, "max_lengths": max_lengths, "prefix": prefix}
    check_arguments(batch_size, max_length, length_penalty, length_penalty_form, **tensors)
    processing = Processing(
        processors, suppress=suppress, min_length=min_length, prefix=prefix, vocabulary=vocabulary, plain=drop_finished
    )
    samples = ops.arange(num_samples, dtype="int32")[:, None]  # [N, 1]

    def draw(step: Step, fixed: dict[str, Any], state: Any) -> tuple[Any, Any, Any]:
        """Draws a token of each of the logits [B, N, V]."""
        scores, processed, state = processing.every(step, state)
        columns = ops.arange(step.size, dtype="int32")
        if top_k:
            scores, columns = largest(scores, min(top_k, step.size))  # [B, N, k]
        allowed = scores
        scores = divide.scaled(scores)
        if top_p < 1:
            scores, _ = limit(scores, step, {})
        named = columns if vocabulary is None else take_rows(vocabulary, columns)
        _, drawn = largest(scores + gumbel_noise(fixed["seeds"], samples, step.position, named), 1)  # [B, N, 1]
        column = ops.take_along_axis(columns, drawn, axis=-1) if top_k else drawn
        gains = processing.log_probabilities(step, column, processed, state)
        gains = ops.where(is_valid(of_tokens(allowed, drawn)), gains, NEG_INF)
        return step.ids_of(column)[:, :, 0], gains[:, :, 0], state

    result = token_by_token(
        step,
        {"model": constants, "seeds": ops.cast(seeds, "int32")[:, None, None]},
        caches,
        draw,
        processing,
        batch_size=batch_size,
        num_hypotheses=num_samples,
        max_length=max_length,
        max_lengths=max_lengths,
        length_penalty=length_penalty,
        length_penalty_form=length_penalty_form,
        drop_finished=drop_finished,
        on_tokens=on_tokens,
    )
    return best_first(result)


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
    length_penalty_form: str,
    drop_finished: bool,
    on_tokens: OnTokens | None,
) -> SearchResult:
    """Extends N hypotheses of each sentence by chosen tokens, until `EOS` or the length limit, and keeps their order.

    A hypothesis with which nothing may go on, because the chosen token is impossible, ends as an empty entry.

    `fixed` holds the constants of the "model", and more tensors `[B, ...]` for `choose`: a function from the `Step`,
    `fixed` and the state of `processing` to a token of each hypothesis `[B, N]`, its log-probability `[B, N]`, and the
    state.
    """
    shape = (batch_size, num_hypotheses)
    limits = length_limits(batch_size, max_length, max_lengths)
    positions = ops.arange(max_length, dtype="int32")

    def extend(position: Any, hypotheses: tuple[Any, ...], fixed: Any, caches: Any) -> tuple[Any, ...]:
        last, tokens, log_probabilities, lengths, finished = hypotheses
        logits, of_model = step(last, position, fixed["model"], caches["model"])  # [B, N, V]
        token, gain, state = choose(processing.step(logits, position, tokens, last), fixed, caches["processors"])
        if on_tokens is not None:
            token = on_tokens(token)
        going_on = is_valid(log_probabilities) & ~finished  # [B, N]
        tokens = ops.where(going_on[:, :, None] & (positions == position), token[:, :, None], tokens)
        log_probabilities = ops.where(going_on, log_probabilities + gain, log_probabilities)
        lengths = ops.where(going_on, position + 1, lengths)
        finished = finished | (going_on & (token == EOS))
        is_open = is_valid(log_probabilities) & ~finished
        done = ~ops.any(is_open, axis=1) | (position + 1 >= fixed["limits"])
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
    scores = log_probabilities / penalty(lengths, length_penalty, length_penalty_form)
    result = SearchResult(tokens, scores, log_probabilities, lengths, finished)
    there = is_valid(log_probabilities)
    return keep_there(there, result)._replace(finished=finished & there)


def gumbel_noise(seeds: Any, samples: Any, position: Any, ids: Any) -> Any:
    """Returns random numbers of the standard Gumbel distribution, each a function of seed, sample, position and id.

    Keras' random generators draw a whole tensor from one seed, so a number depends on its index in the batch. These
    numbers are hashes, as in a counter-based generator: the same on every device, with or without XLA, and in any
    batch. The arguments are int32 tensors that broadcast; the result is float32.

    Reference:
        [Salmon et al., 2011](https://doi.org/10.1145/2063384.2063405), counter-based generators;
        [Maddison et al., 2014](https://arxiv.org/abs/1411.0030), section 2: the id with the largest sum of its logit
        and its Gumbel number is a sample of the softmax.
    """
    state = _uint32(seeds)
    for counter in (samples, position, ids):
        state = _mix(ops.bitwise_xor(state, _wrapped(_uint32(counter) * _constant(0x9E3779B9) + _constant(0x7F4A7C15))))
    # Small fractions are exact in float32. Small fractions give the large numbers, which decide.
    fraction = ops.minimum((ops.cast(state, "float32") + 0.5) * _UNIT, _LARGEST)
    # -log1p(-fraction), which XLA does not vectorise: a series where 1 - fraction would round.
    series = fraction * (1.0 + fraction * (1 / 2 + fraction * (1 / 3 + fraction / 4)))
    return -ops.log(ops.where(fraction < 0.01, series, -ops.log(1.0 - fraction)))


def _mix(bits: Any) -> Any:
    """Makes every bit depend on every bit: the finalizer of MurmurHash3."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        bits = _wrapped(ops.bitwise_xor(bits, ops.right_shift(bits, _constant(shift))) * _constant(factor))
    return ops.bitwise_xor(bits, ops.right_shift(bits, _constant(16)))


def _uint32(x: Any) -> Any:
    return _wrapped(ops.cast(ops.cast(x, "int32"), "uint32"))


def _wrapped(bits: Any) -> Any:
    """Keeps the lower 32 bits: on PyTorch, which has no uint32, Keras' uint32 has 64."""
    return ops.bitwise_and(bits, _constant(0xFFFFFFFF)) if keras.backend.backend() == "torch" else bits


def _constant(value: int) -> Any:
    return ops.convert_to_tensor(value, "uint32")
