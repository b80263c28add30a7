"""Logit processors, which say at every step of a search what the next token may be and what it costs."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple

from keras import ops

from keras_nmt.decoding.scores import NEG_INF, is_valid
from keras_nmt.errors import UserError, is_integer, require
from keras_nmt.ids import EOS, PAD

# Halvings of an interval of at most 1, down to the distance of float32 numbers around 1e-3.
_HALVINGS = 32


class Step(NamedTuple):
    """A step of a search, as processors see it.

    Attributes:
        position: int32 scalar, the number of tokens that each hypothesis has.
        tokens: int32 tensor `[B, K, T]`, the tokens of each hypothesis, then `PAD`.
        last: int32 tensor `[B, K]`, the last token, `BOS` at position 0.
        logits: float32 tensor `[B, K, V]`, the model's.
        vocabulary: int32 tensor `[V]`, ascending: the token of each logit, in a search among the candidates of a
            shortlist. `None`: logit i is token i's.
    """

    position: Any
    tokens: Any
    last: Any
    logits: Any
    vocabulary: Any

    @property
    def size(self) -> int:
        """Integer V."""
        return int(self.logits.shape[-1])

    @property
    def ids(self) -> Any:
        """int32 tensor `[V]`, the token of each logit."""
        return ops.arange(self.size, dtype="int32") if self.vocabulary is None else self.vocabulary

    def ids_of(self, columns: Any) -> Any:
        """Returns the tokens of logits `[...]`."""
        return columns if self.vocabulary is None else ops.take(self.vocabulary, columns)

    def columns_of(self, ids: Any) -> tuple[Any, Any]:
        """Returns the places of tokens `[...]` among the logits, in 0 ... V - 1, and whether each token has one."""
        if self.vocabulary is None:
            columns = ops.clip(ids, 0, self.size - 1)
            return columns, columns == ids
        flat = ops.searchsorted(self.vocabulary, ops.reshape(ids, (-1,)))
        columns = ops.reshape(ops.minimum(ops.cast(flat, "int32"), self.size - 1), ops.shape(ids))
        return columns, ops.take(self.vocabulary, columns) == ids

    def marked(self, ids: Any) -> Any:
        """Marks the places of the tokens `ids` `[B, K, M]`: bool `[B, K, V]`. A token of -1 has no place."""
        columns, is_there = self.columns_of(ids)
        columns = ops.reshape(columns, (-1, ops.shape(ids)[2]))  # [R, M], R = B K
        rows = ops.broadcast_to(ops.arange(ops.shape(columns)[0], dtype="int32")[:, None], ops.shape(columns))
        places = ops.reshape(ops.stack([rows, columns], axis=-1), (-1, 2))
        values = ops.cast(ops.reshape(is_there, (-1,)), "int32")
        counts = ops.scatter(places, values, (ops.shape(columns)[0], self.size))
        return ops.reshape(counts, (-1, self.logits.shape[1], self.size)) > 0


class LogitProcessor(abc.ABC):
    """Changes the log-probabilities of the next token; the base class of all processors, and of your own.

    One processor serves beam search, greedy search and sampling, with and without XLA: it computes tensors from
    tensors, by `keras.ops`, with shapes that do not depend on values.

    Example:

    >>> class Discourage(LogitProcessor):
    ...     '''Makes a token e times less likely each time that it has been written.'''
    ...
    ...     def __init__(self, token):
    ...         self.token = token
    ...
    ...     def start(self, batch_size, num_hypotheses):
    ...         return ops.zeros((batch_size, num_hypotheses))
    ...
    ...     def __call__(self, log_probabilities, step, state):
    ...         state = state + ops.cast(step.last == self.token, "float32")
    ...         return ops.where(
    ...             step.ids == self.token, log_probabilities - state[:, :, None], log_probabilities
    ...         ), state
    >>> from keras_nmt.decoding import greedy_search
    >>> def model(tokens, position, constants, caches):
    ...     return ops.log(ops.array([[[0.01, 0.01, 0.01, 0.3, 0.67]]])), caches  # EOS (3), token 4
    >>> options = {"batch_size": 1, "max_length": 5}
    >>> ops.convert_to_numpy(greedy_search(model, {}, {}, **options).tokens).tolist()
    [[[4, 4, 4, 4, 4]]]
    >>> ops.convert_to_numpy(greedy_search(model, {}, {}, processors=[Discourage(4)], **options).tokens).tolist()
    [[[4, 3, 0, 0, 0]]]
    """

    def start(self, batch_size: Any, num_hypotheses: int) -> Any:
        """Returns the state before the first token: a nest of tensors `[B, K, ...]`, reordered with the beam.

        Entries of dictionaries under the key "not_reordered", `[B, ...]`, belong to a sentence, and stay with it.
        """
        return {}

    @abc.abstractmethod
    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        """Returns the log-probabilities of the next token, and the state.

        Args:
            log_probabilities: float32 tensor `[B, K, V]`: the model's, or those of the processor before.
            step: `Step`.
            state: The state that the hypotheses had before their last token.

        Returns:
            float32 tensor `[B, K, V]`, at most 0, because a beam search ends when no open hypothesis can get a better
            score; -1e9 for a token that must not follow. And the state in the same structure, shapes and dtypes.
        """


class FixedMask(LogitProcessor):
    """Forbids a few tokens that depend on the position alone, which costs next to nothing.

    Attributes:
        most: Integer, the largest number of tokens that are forbidden at a position.
    """

    most: int

    @abc.abstractmethod
    def among(self, ids: Any, step: Step) -> Any:
        """Tells which of the tokens `[...]` are forbidden at the position, bool `[...]`."""

    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        return ops.where(self.among(step.ids, step), NEG_INF, log_probabilities), state


class SuppressTokens(FixedMask):
    """Forbids tokens. Their probability is not given to other tokens: a score equals the score of teacher forcing.

    Args:
        ids: List of tokens.
    """

    def __init__(self, ids: Sequence[int]) -> None:
        if wrong := [x for x in ids if not is_integer(x)]:
            raise ValueError(f"Tokens to suppress must be ids, integers. Received: {wrong[0]!r}")
        self.tokens = list(dict.fromkeys(ids))
        self.most = len(self.tokens)

    def among(self, ids: Any, step: Step) -> Any:
        """Tells which tokens are forbidden; raises a `ValueError` if one is not in the vocabulary."""
        if step.vocabulary is None and (wrong := [token for token in self.tokens if not 0 <= token < step.size]):
            raise ValueError(f"Tokens to suppress must be ids of a vocabulary of {step.size}. Received: {wrong}")
        return ops.any(ids[..., None] == ops.convert_to_tensor(self.tokens, "int32"), axis=-1)


class MinLength(FixedMask):
    """Forbids `EOS` before a number of tokens.

    Args:
        length: Integer, the least number of tokens before `EOS`. Defaults to 1: no empty hypotheses.
    """

    def __init__(self, length: int = 1) -> None:
        self.length = length
        self.most = int(length > 0)

    def among(self, ids: Any, step: Step) -> Any:
        return (ids == EOS) & (step.position < self.length)


class TokenMask(LogitProcessor):
    """Forbids tokens that depend on the hypothesis; subclasses say which, by `forbidden`.

    Hypotheses without forbidden tokens are exactly as without the processor.
    """

    @abc.abstractmethod
    def forbidden(self, step: Step, state: Any) -> tuple[Any, Any]:
        """Returns the forbidden tokens, int32 `[B, K, M]`, -1 where there are fewer, and the state."""

    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        ids, state = self.forbidden(step, state)
        return ops.where(step.marked(ids), NEG_INF, log_probabilities), state


class NoRepeatNGram(TokenMask):
    """Forbids to write an n-gram twice.

    Args:
        n: Integer of at least 1, the number of tokens.
    """

    def __init__(self, n: int) -> None:
        require(n >= 1, f"`n` must be at least 1. Received: n={n}")
        self.n = n

    def forbidden(self, step: Step, state: Any) -> tuple[Any, Any]:
        tokens = step.tokens  # [B, K, T]
        places = ops.arange(ops.shape(tokens)[2], dtype="int32")
        repeats = places < step.position  # [T], whether token t would complete an n-gram that begins n - 1 before it
        earlier = tokens
        for i in range(1, self.n):
            earlier = ops.pad(earlier[:, :, :-1], [[0, 0], [0, 0], [1, 0]], constant_values=-1)  # token t - i
            newest = ops.sum(ops.where(places == step.position - i, tokens, 0), axis=-1, keepdims=True)
            repeats = repeats & (places >= i) & (step.position >= self.n - 1) & (earlier == newest)
        return ops.where(repeats, tokens, -1), state


class SuppressSequences(TokenMask):
    """Forbids sequences of tokens: where all but the last token of a sequence have been written, the last is forbidden.

    Args:
        sequences: int32 tensor `[B, C, L]`, sequences of each sentence, or `[1, C, L]`, of all sentences, padded with
            `PAD`; a row of `PAD` is no sequence. Or a list of lists of tokens.
    """

    def __init__(self, sequences: Any) -> None:
        if isinstance(sequences, list):
            sequences = sequences or [[PAD]]
            longest = max(map(len, sequences))
            sequences = [[[*tokens, *[PAD] * (longest - len(tokens))] for tokens in sequences]]
        self.sequences = ops.convert_to_tensor(sequences, "int32")

    def start(self, batch_size: Any, num_hypotheses: int) -> Any:
        _, count, length = ops.shape(self.sequences)
        return {
            "not_reordered": ops.broadcast_to(self.sequences, (batch_size, count, length)),
            "matched": ops.zeros((batch_size, num_hypotheses, count, length), dtype="bool"),
        }

    def forbidden(self, step: Step, state: Any) -> tuple[Any, Any]:
        sequences = state["not_reordered"][:, None]  # [B, 1, C, L]
        # Entry l of `matched` [B, K, C, L]: the hypothesis ends with the first l + 1 tokens of the sequence.
        # All beginnings are followed at the same time, so no occurrence is missed.
        last = ops.reshape(step.last, (-1, step.last.shape[1], 1, 1))
        matched = shift_in(state["matched"]) & (sequences == last)
        lengths = ops.sum(ops.cast(sequences != PAD, "int32"), axis=-1, keepdims=True)
        is_last = ops.arange(ops.shape(sequences)[-1], dtype="int32") == lengths - 1
        closes = ops.any(shift_in(matched) & is_last, axis=-1)  # [B, K, C]
        ids = ops.where(closes, ops.sum(ops.where(is_last, sequences, 0), axis=-1), -1)
        return ids, {**state, "matched": matched}


class RepetitionPenalty(LogitProcessor):
    """Makes tokens less likely that the hypothesis has: their logits are divided by p if positive, else times p.

    The probabilities are normalised after that, and are the probabilities of which scores are made. The logits of an
    ensemble are log-probabilities, none of which is positive: there, the likeliest tokens hardly change.

    Args:
        penalty: Float p from 0.01 to 100; below 1, it favours repetition.

    Reference:
        [Keskar et al., 2019](https://arxiv.org/abs/1909.05858), section 4.1.
    """

    def __init__(self, penalty: float) -> None:
        if not 0.01 <= penalty <= 100:  # logits of others would be infinite
            raise ValueError(f"`penalty` must be from 0.01 to 100. Received: penalty={penalty}")
        self.penalty = penalty

    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        places = ops.arange(ops.shape(step.tokens)[2], dtype="int32")
        is_written = step.marked(ops.where(places < step.position, step.tokens, -1))
        logits = step.logits
        changed = ops.where(logits < 0, logits * self.penalty, logits / self.penalty)
        result = log_probabilities + ops.where(is_written, changed - logits, 0.0)
        # The probability that is left stays as it is, also behind processors that took or gave some.
        before, after = (ops.logsumexp(x, axis=-1, keepdims=True) for x in (log_probabilities, result))
        return result + (before - after), state


class BiasedPrefix(LogitProcessor):
    """Gives a share of the probability to the next token of a prefix, as long as a hypothesis follows the prefix.

    Args:
        prefix: int32 tensor `[B, P]`, the tokens, then `PAD`.
        beta: Float between 0 and 1, the share.

    Reference:
        [Arivazhagan et al., 2020](https://arxiv.org/abs/1912.03393), section 4.2.
    """

    def __init__(self, prefix: Any, beta: float) -> None:
        require(0 < beta < 1, f"`beta` must be above 0 and below 1. Received: beta={beta}")
        self.prefix, self.beta = ops.cast(prefix, "int32"), beta

    def start(self, batch_size: Any, num_hypotheses: int) -> Any:
        return {"not_reordered": self.prefix, "follows": ops.ones((batch_size, num_hypotheses), dtype="bool")}

    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        before, here = (token_at(state["not_reordered"], step.position - i)[:, None] for i in (1, 0))  # [B, 1]
        follows = state["follows"] & ((step.position == 0) | (step.last == before))
        is_token = step.ids == here[:, :, None]  # [B, 1, V]
        rest = log_probabilities + ops.log(1.0 - self.beta)
        biased = ops.where(is_token, ops.logaddexp(rest, ops.log(self.beta)), rest)
        is_biased = (follows & (here != PAD))[:, :, None] & is_valid(log_probabilities)  # what is forbidden stays so
        return ops.where(is_biased, biased, log_probabilities), {**state, "follows": follows}


LOWEST_TEMPERATURE = 1e-30  # takes the likeliest token; float32 has no much smaller number


class Temperature(LogitProcessor):
    """Divides log-probabilities, so that likely tokens become likelier (below 1) or less likely (above 1).

    The probabilities are normalised after that. Tokens that become all but impossible are still allowed.

    Args:
        temperature: Float above 0.
    """

    def __init__(self, temperature: float) -> None:
        require(temperature > 0, f"`temperature` must be above 0. Received: temperature={temperature}")
        self.temperature = temperature

    def scaled(self, log_probabilities: Any) -> Any:
        """Returns the quotients, up to a constant for each hypothesis."""
        # The largest is subtracted, so that none divided by a small temperature is below a forbidden one.
        below = log_probabilities - ops.max(log_probabilities, axis=-1, keepdims=True)
        scaled = below / max(self.temperature, LOWEST_TEMPERATURE)
        return ops.where(is_valid(log_probabilities), scaled, NEG_INF)

    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        scaled = self.scaled(log_probabilities)
        scaled -= ops.logsumexp(scaled, axis=-1, keepdims=True)
        return ops.where(is_valid(log_probabilities), ops.maximum(scaled, NEG_INF / 4), NEG_INF), state


class TopP(LogitProcessor):
    """Forbids all but the smallest set of the likeliest tokens whose probabilities sum to at least p, ties included.

    Args:
        top_p: Float above 0 and at most 1.

    Reference:
        [Holtzman et al., 2020](https://arxiv.org/abs/1904.09751), Eq. 2 and 3.
    """

    def __init__(self, top_p: float) -> None:
        require(0 < top_p <= 1, f"`top_p` must be above 0 and at most 1. Received: top_p={top_p}")
        self.top_p = top_p

    def __call__(self, log_probabilities: Any, step: Step, state: Any) -> tuple[Any, Any]:
        probabilities = ops.softmax(log_probabilities, axis=-1)

        # The least probability in the set is found by bisection, which costs far less than sorting.
        def halve(_: Any, bounds: tuple[Any, Any]) -> tuple[Any, Any]:
            low, high = bounds  # [B, N, 1]; probabilities of at least `low` sum to enough
            middle = (low + high) / 2
            total = ops.sum(ops.where(probabilities >= middle, probabilities, 0.0), axis=-1, keepdims=True)
            return ops.where(total >= self.top_p, middle, low), ops.where(total >= self.top_p, high, middle)

        high = ops.max(probabilities, axis=-1, keepdims=True)
        low, _ = ops.fori_loop(0, _HALVINGS, halve, (ops.zeros_like(high), high))
        return ops.where(probabilities >= low, log_probabilities, NEG_INF), state


def token_at(prefix: Any, position: Any) -> Any:
    """Returns the token of a prefix `[B, P]` at a position, int32 `[B]`, `PAD` where there is none."""
    here = ops.arange(ops.shape(prefix)[1], dtype="int32") == position
    return ops.sum(ops.where(here, ops.cast(prefix, "int32"), 0), axis=1)


def shift_in(matched: Any) -> Any:
    """Returns whether the tokens before each entry `[..., L]` of a sequence are written: always, for the first."""
    return ops.concatenate([ops.ones_like(matched[..., :1]), matched[..., :-1]], axis=-1)


def check_processors(processors: Any) -> None:
    """Raises a `UserError` unless `processors` is a sequence of objects of `LogitProcessor`."""
    require(isinstance(processors, Sequence), "{processors} must be a list", processors=processors)
    for one in processors:
        if not isinstance(one, LogitProcessor):
            made = f": make an object, {one.__name__}(...)" if isinstance(one, type) else ""
            raise UserError(f"`processors` must be objects of `LogitProcessor`{made}. Received: {one!r}")
