"""Applies the logit processors of a search to its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from keras_nmt.decoding.logit_processors import (
    FixedMask,
    LogitProcessor,
    MinLength,
    Step,
    SuppressTokens,
    TokenMask,
    check_processors,
    token_at,
)
from keras_nmt.decoding.scores import NEG_INF, log_probabilities_of, of_tokens, top_k
from keras_nmt.decoding.search_loop import take_largest
from keras_nmt.ids import PAD


class NextTokens(NamedTuple):
    log_probabilities: Any  # float32 [B, K, k], impossible where fewer tokens may follow
    ids: Any  # int32 [B, K, k]
    num_likeliest: int  # the first tokens, which are the likeliest; the others were proposed


class Processing:
    """Applies the processors of a search.

    Masks that depend on the position alone, and that only masks follow, are applied to the likeliest tokens only: the
    `k` likeliest tokens are among the likeliest `k` and as many more as are forbidden. Without other processors, the
    whole vocabulary is read once.

    Args:
        processors: Sequence of `LogitProcessor`, applied in this order.
        suppress: List of ids that are never generated.
        min_length: Integer, the least number of tokens before `EOS`.
        prefix: int32 tensor `[B, P]`, `PAD` at positions without a forced token, or `None`. A forced token is the only
            one that may follow, whatever the processors say, and has the model's log-probability.
        vocabulary: See `Step`.
        plain: Boolean, see `log_probabilities_of`.
    """

    def __init__(
        self,
        processors: Sequence[LogitProcessor],
        *,
        suppress: Sequence[int],
        min_length: int,
        prefix: Any,
        vocabulary: Any,
        plain: bool,
    ) -> None:
        check_processors(processors)
        every = [*processors, SuppressTokens(suppress), MinLength(min_length)]
        every = [x for x in every if not isinstance(x, FixedMask) or x.most]
        last = max((i for i, x in enumerate(every) if not isinstance(x, FixedMask | TokenMask)), default=-1)
        self._masks = [x for i, x in enumerate(every) if isinstance(x, FixedMask) and i > last]
        self._others = [x for i, x in enumerate(every) if not isinstance(x, FixedMask) or i < last]
        self._most = sum(mask.most for mask in self._masks)
        # Masks alone work on logits, with the same result and less to compute.
        self._normalizes = not all(isinstance(x, TokenMask) for x in self._others)
        self._prefix, self._vocabulary, self._plain = prefix, vocabulary, plain
        are_known = isinstance(prefix, np.ndarray) and isinstance(vocabulary, Sequence | np.ndarray)  # no tensors
        if are_known and not np.all(np.isin(prefix, np.asarray(vocabulary)) | (prefix == PAD)):
            raise ValueError(f"`prefix` must have ids of `vocabulary` only. Received: {prefix.tolist()}")

    def start(self, batch_size: Any, num_hypotheses: int) -> dict[str, Any]:
        """Returns the state before the first token."""
        states: dict[str, Any] = {"states": tuple(x.start(batch_size, num_hypotheses) for x in self._others)}
        return states if self._prefix is None else {**states, "not_reordered": self._prefix}

    def step(self, logits: Any, position: Any, tokens: Any, last: Any) -> Step:
        """Returns the `Step` of logits `[B, K, V]`."""
        prefix, size = self._prefix, logits.shape[-1]
        # The values of tensors are unknown in a graph.
        if isinstance(prefix, np.ndarray) and self._vocabulary is None and np.any((prefix < 0) | (prefix >= size)):
            raise ValueError(f"`prefix` must have ids from 0 to below {size}. Received: {prefix.tolist()}")
        return Step(position, tokens, last, ops.cast(logits, "float32"), self._vocabulary)

    def top_k_candidates(self, step: Step, k: int, state: Any, proposed: Any = None) -> tuple[NextTokens, Any]:
        """Returns the `min(k, V)` likeliest tokens, likeliest first, then the `proposed` `[B, K, M]` not among them.

        A proposed token of -1 is none.
        """
        k = min(k, step.size)
        scores, state = self._processed(step, state)
        values, columns = top_k(scores, min(k + self._most, step.size))
        # The largest logit and its place, if they are known.
        best = None if self._others else (values[:, :, :1], columns[:, :, :1])
        ids, count = step.ids_of(columns), values.shape[2]
        every = ids if proposed is None else ops.concatenate([ids, proposed], axis=2)
        if proposed is not None:
            columns, is_there = step.columns_of(proposed)
            values = ops.concatenate([values, of_tokens(scores, columns)], axis=2)
        if not self._normalizes:
            values = log_probabilities_of(values, step.logits, best, plain=self._plain)
        values = self._masked(values, every, step)
        values, more = values[:, :, :count], values[:, :, count:]
        values, order = take_largest(values, k)
        ids = of_tokens(ids, order)
        if proposed is not None:
            ids = ops.concatenate([ids, proposed], axis=2)
            more = ops.where(is_there & ~_repeats(ids, proposed), more, NEG_INF)
            values = ops.concatenate([values, more], axis=2)
        if self._prefix is not None:
            token = _forced(state, step)
            column, is_known = step.columns_of(ops.broadcast_to(token, (*ops.shape(values)[:2], 1)))
            forced = log_probabilities_of(of_tokens(step.logits, column), step.logits, best, plain=self._plain)
            is_there = (ops.arange(ops.shape(values)[2], dtype="int32") == 0) & is_known  # [B, K, k]
            values = ops.where(token == PAD, values, ops.where(is_there, forced, NEG_INF))
            ids = ops.where(token == PAD, ids, step.ids_of(column))
        return NextTokens(values, ids, k), state

    def every(self, step: Step, state: Any) -> tuple[Any, Any, Any]:
        """Returns the scores `[B, K, V]` of all tokens, up to a constant; the log-probabilities, or `None` if they are
        the model's; and the state.
        """
        scores, state = self._processed(step, state)
        allowed = self._masked(scores, step.ids, step)
        if self._prefix is not None:
            token = _forced(state, step)
            allowed = ops.where(token == PAD, allowed, ops.where(step.ids == token, 0.0, NEG_INF))
        return allowed, scores if self._normalizes else None, state

    def log_probabilities(self, step: Step, columns: Any, scores: Any, state: Any) -> Any:
        """Returns the log-probabilities `[B, K, M]` of the tokens at `columns`, with what `every` returned."""
        of_model = log_probabilities_of(of_tokens(step.logits, columns), step.logits, plain=self._plain)
        if scores is None:
            return of_model
        if self._prefix is None:
            return of_tokens(scores, columns)
        return ops.where(_forced(state, step) != PAD, of_model, of_tokens(scores, columns))

    def _processed(self, step: Step, state: Any) -> tuple[Any, Any]:
        scores = step.logits
        if self._normalizes:
            scores = log_probabilities_of(scores, scores, plain=self._plain)
        states = []
        for processor, before in zip(self._others, state["states"], strict=True):
            answer = processor(scores, step, before)
            _check_answer(processor, answer, scores, before)
            scores, after = answer
            states.append(after)
        return scores, {**state, "states": tuple(states)}

    def _masked(self, values: Any, ids: Any, step: Step) -> Any:
        """Makes values `[B, K, M]` impossible where a mask forbids their token."""
        for mask in self._masks:
            values = ops.where(mask.among(ids, step), NEG_INF, values)
        return values


def _forced(state: Any, step: Step) -> Any:
    """Returns the token that a prefix forces at a step, int32 `[B, 1, 1]`, `PAD` for none."""
    return token_at(state["not_reordered"], step.position)[:, None, None]


def _check_answer(processor: LogitProcessor, answer: Any, scores: Any, state: Any) -> None:
    """Checks what a processor returns for scores `[B, K, V]` and its state."""
    whose = f"`{type(processor).__name__}`"
    processed, after = answer
    if _form(processed) != _form(scores) or processed.shape[2] != scores.shape[2]:
        raise ValueError(
            f"{whose} must return log-probabilities [B, K, {scores.shape[2]}] in float32. Received: {processed!r}"
        )
    forms = [keras.tree.map_structure(_form, x) for x in (state, after)]
    if forms[0] != forms[1]:
        raise ValueError(
            f"{whose} must return its state with the dtypes and the number of axes that `start` gives. "
            f"Received: {after!r} instead of {state!r}"
        )


def _form(x: Any) -> str:
    return f"{keras.backend.standardize_dtype(x.dtype)} {len(x.shape)}"


def _repeats(ids: Any, last: Any) -> Any:
    """Tells whether each of the last M of tokens `[B, K, N]`, which are `[B, K, M]`, is one of the tokens before it."""
    size, count = ops.shape(ids)[2], ops.shape(last)[2]
    is_before = ops.arange(size, dtype="int32")[:, None] < size - count + ops.arange(count, dtype="int32")  # [N, M]
    # TensorFlow broadcasts tensors of three dimensions faster than those of more.
    is_equal = ops.reshape(ids, (-1, size, 1)) == ops.reshape(last, (-1, 1, count))
    return ops.reshape(ops.any(is_equal & is_before, axis=1), ops.shape(last))
