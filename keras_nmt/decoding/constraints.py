"""Phrases that a translation must have: dynamic beam allocation."""

from __future__ import annotations

from typing import Any, NamedTuple

from keras import ops

from keras_nmt.decoding.logit_processors import shift_in
from keras_nmt.decoding.scores import NEG_INF, is_valid
from keras_nmt.decoding.search_loop import take_beams, take_largest, take_rows
from keras_nmt.ids import EOS, PAD

# The log-probability that a token of a constraint is expected to cost more than another token. With fewer entries of
# the beam than banks, the banks with the best hypotheses by this estimate have entries.
_COST = 5.0
_NO_PHRASE = 10**6  # a length
_ALL = 10**6  # saved tokens: the constraint is met
_NEVER = 10**6  # a position behind all tokens
# Numbers of banks: those that come first, no continuations, those that end, and, from there, by the tokens needed.
_CLOSES, _EMPTY, _ENDED, _OPEN = range(4)


class Need(NamedTuple):
    """How many tokens are needed to meet all constraints."""

    tokens: Any  # int32 [B, K, M], by each continuation
    total: Any  # int32 [B], before the first token


class Constraints:
    """The constraints of sentences, as a beam search uses them.

    The continuations of a hypothesis are the likeliest tokens and the next token of each phrase of an unmet constraint.
    The beam is shared among banks: hypotheses that need equally many tokens to meet all constraints are a bank, and the
    best of each bank come before the second best of any. `EOS` follows only if all constraints are met. Hypotheses
    whose needs do not fit before the limit come last. So a beam of any size meets the constraints, if they fit one
    after the other.

    Equal constraints of a sentence are met one after the other, each by an occurrence of its own: one waits until the
    one before it is met.

    Each constraint is an automaton. Its state is the longest beginning of one of its phrases that a hypothesis ends
    with, or that it is met. Tables say by the number of a state how a hypothesis may go on: a step of the search
    computes little.

    Args:
        phrases: int32 tensor `[B, C, A, L]`, C constraints of each sentence, each of which is met by one of A phrases
            of at most L tokens. Padded with `PAD`: a row of `PAD` is no phrase, and no phrase is no constraint.
        plain: Boolean, whether shapes may depend on values.

    Attributes:
        total: int32 tensor `[B]`, how many tokens are needed to meet all constraints, before the first token.

    Reference:
        [Post and Vilar, 2018](https://arxiv.org/abs/1804.06609), sections 3 and 4;
        [Hu et al., 2019](https://aclanthology.org/N19-1090), section 3.2;
        [Aho and Corasick, 1975](https://doi.org/10.1145/360825.360855), section 3, the automaton.
    """

    def __init__(self, phrases: Any, *, plain: bool) -> None:
        phrases = ops.cast(phrases, "int32")
        batch_size, count, alternatives, longest = ops.shape(phrases)
        lengths = ops.sum(ops.cast(phrases != PAD, "int32"), axis=-1)  # [B, C, A]
        shortest = ops.min(ops.where(lengths > 0, lengths, _NO_PHRASE), axis=-1)
        shortest = ops.where(shortest < _NO_PHRASE, shortest, 0)  # [B, C]
        self.total = ops.sum(shortest, axis=-1)
        # State l A + a: the first l tokens of phrase a are written; no token, if l is 0. State L A: met.
        met = longest * alternatives
        blocks = ops.reshape(ops.arange(batch_size * count, dtype="int32") * (met + 1), (batch_size, count, 1))
        numbers = ops.arange(met, dtype="int32")
        place, phrase = numbers // alternatives, numbers % alternatives
        # The token at each place l of each phrase a, by l A + a, the state behind it, and the tokens that it saves.
        rest = ops.take(lengths, phrase, axis=-1) - place - 1  # [B, C, L A]
        of_places = {
            "tokens": ops.reshape(ops.transpose(phrases, (0, 1, 3, 2)), (batch_size, count, met)),
            "next": blocks + ops.where(rest > 0, numbers + alternatives, met),
            "saved": ops.where(rest > 0, ops.maximum(shortest[:, :, None] - rest, 0), _ALL),
        }
        firsts, places = _open_places(phrases, plain)  # of each state
        self._count, self._num_phrases, self._num_places = count, alternatives, ops.shape(places)[-1]

        def of_states(name: str, places: Any, default: int) -> Any:
            """Returns the table `[S, F]`, from places `[B, C, L A + 1, F]`."""
            size = ops.shape(places)[-1]
            entries = take_beams(
                ops.reshape(of_places[name], (-1, met)), ops.reshape(ops.maximum(places, 0), (-1, (met + 1) * size))
            )
            return ops.reshape(ops.where(places < 0, default, ops.reshape(entries, ops.shape(places))), (-1, size))

        is_met = ops.arange(met + 1, dtype="int32") == met
        self._proposed = of_states("tokens", firsts, -1)
        # Without a place there is no token, not even the -1 of an impossible hypothesis.
        self._tokens = of_states("tokens", places, -2)
        self._next, self._saved = of_states("next", places, -1), of_states("saved", places, 0)
        self._otherwise = ops.reshape(blocks + ops.where(is_met, met, 0), (-1,))  # the state after any other token
        self._needed = ops.reshape(ops.where(is_met, 0, shortest[:, :, None]), (-1,))
        self._start = blocks[:, :, 0]
        self._met = met
        earlier = _earlier_equal(phrases)
        self._earlier = ops.reshape(ops.repeat(earlier[:, :, None], met + 1, axis=2), (-1,))

    def start(self, beam_size: int) -> Any:
        """Returns the states before the first token, int32 `[B, K, C]`."""
        return ops.repeat(self._start[:, None], beam_size, axis=1)

    def advance(self, states: Any, last: Any) -> tuple[Any, Any]:
        """Returns the states after one more token `[B, K]`, and the next token of each phrase `[B, K, C A]`, or -1."""
        tokens, following, otherwise = take_rows((self._tokens, self._next, self._otherwise), states)
        following = ops.where(tokens == last[:, :, None, None], following, otherwise[..., None])  # [B, K, C, F]
        states = ops.where(self._waits(states), states, ops.max(following, axis=-1))
        proposed = ops.reshape(take_rows(self._proposed, states), (-1, last.shape[1], self._count * self._num_phrases))
        return states, proposed

    def need(self, total: Any, states: Any, ids: Any) -> Need:
        """Tells how many tokens are needed to meet all constraints, after one more token each, `[B, K, M]`.

        One phrase is needed after the other, beginning with one that is under way. `total` `[B]` is of the sentences of
        the hypotheses.
        """
        tokens, saved, needed = take_rows((self._tokens, self._saved, self._needed), states)
        # Most of the work. TensorFlow broadcasts tensors of three dimensions faster than those of more.
        shape, num_tokens = (-1, self._count * self._num_places, 1), ops.shape(ids)[2]  # R = B K rows
        is_token = ops.reshape(tokens, shape) == ops.reshape(ids, (-1, 1, num_tokens))  # [R, C F, M]
        saved = ops.cast(is_token, "int32") * ops.reshape(saved, shape)
        saved = ops.max(ops.reshape(saved, (-1, self._num_places, num_tokens)), axis=1)  # [R C, M]
        saved = ops.reshape(saved, (-1, self._count, num_tokens))
        saved = ops.where(ops.reshape(self._waits(states), (-1, self._count, 1)), 0, saved)
        is_unmet = ops.cast(saved < _ALL, "int32")
        needed = ops.sum(is_unmet * ops.reshape(needed, (-1, self._count, 1)), axis=1)
        return Need(ops.reshape(needed - ops.max(is_unmet * saved, axis=1), ops.shape(ids)), total)

    def _waits(self, states: Any) -> Any:
        """Tells which constraints wait until an equal one before them is met: bool `[B, K, C]`."""
        earlier = take_rows(self._earlier, states)
        is_met = states % (self._met + 1) == self._met
        return (earlier >= 0) & ~ops.take_along_axis(is_met, ops.maximum(earlier, 0), axis=2)


def shared_order(values: Any, ids: Any, closes: Any, need: Need, room: Any, count: int) -> Any:
    """Returns the first `count` continuations, in the order in which the beam is shared: int32 `[B, count]`.

    Continuations `[B, N]`, N = K M, have log-probabilities `values`, tokens `ids` and a `need`; those that `closes`
    marks come first of all. `room` `[B]` tokens may follow them before `EOS`. Without constraints, this is the order of
    the values. Continuations that end are a bank.
    """
    size = ops.shape(values)[1]
    needed = ops.reshape(need.tokens, (-1, size))
    estimates = values - _COST * ops.cast(needed, "float32")
    _, order = take_largest(ops.where(closes, -NEG_INF, estimates), size)
    banks = ops.where((ids == EOS) & (need.total > 0)[:, None], _ENDED, needed + _OPEN)
    banks = take_beams(ops.where(closes, _CLOSES, ops.where(is_valid(values), banks, _EMPTY)), order)  # [B, N]
    # Sorted by bank, and by this order in each bank: the rank is the distance from the first of the bank. To sort, by
    # `top_k` of all numbers, is much faster than `sort`, and than `top_k` of a few. `argsort` is such a `top_k` on
    # TensorFlow, and equal numbers keep their order on TensorFlow, JAX and PyTorch.
    index = ops.arange(size, dtype="int32")
    places = ops.argsort(banks)
    banks = take_beams(banks, places)
    is_first = ops.concatenate([ops.ones_like(banks[:, :1], "bool"), banks[:, 1:] != banks[:, :-1]], axis=1)
    firsts = -ops.top_k(-ops.where(is_first, index, size), size)[0]
    ranks = index - take_beams(firsts, ops.cumsum(ops.cast(is_first, "int32"), axis=1) - 1)
    ranks = ops.where(banks - _OPEN <= ops.maximum(room, 0)[:, None], ranks, ranks + size)
    ranks = ops.where(banks == _CLOSES, -1, ops.where(banks == _EMPTY, 2 * size, ranks))
    best = ops.argsort(take_beams(ranks, ops.argsort(places)))  # back from the order of banks, and by rank
    best = ops.reshape(best[:, :count], (-1, count))  # a graph may not know `size`
    return take_beams(ops.cast(order, "int32"), best)


def met_constraints(phrases: Any, tokens: Any) -> Any:
    """Tells which constraints `[B, C, A, L]` tokens `[B, N, T]` meet: bool `[B, N, C]`; one without a phrase is met.

    Each of several equal constraints needs an occurrence of its own, which overlaps no other; the first are met first.
    """
    size, num_tokens = ops.shape(phrases)[-1], ops.shape(tokens)[2]
    lengths = ops.sum(ops.cast(phrases != PAD, "int32"), axis=-1)  # [B, C, A]
    back = ops.arange(size, dtype="int32")  # from the last token of a phrase
    places = ops.maximum(lengths[..., None] - 1 - back, 0)
    backward = ops.where(back < lengths[..., None], ops.take_along_axis(phrases, places, axis=-1), PAD)
    backward = backward[:, None, :, :, None]  # [B, 1, C, A, 1, L]
    windows = ops.arange(num_tokens, dtype="int32")[:, None] + size - 1 - back  # [T, L], up to each token
    padded = ops.pad(tokens, [[0, 0], [0, 0], [size - 1, 0]], constant_values=PAD)
    windows = ops.take(padded, windows, axis=2)[:, :, None, None]  # [B, N, 1, 1, T, L]
    ends = ops.all((windows == backward) | (backward == PAD), axis=-1)  # [B, N, C, A, T]
    lengths = lengths[:, None, :, :, None]
    shortest = ops.min(ops.where(ends & (lengths > 0), lengths, _NEVER), axis=3)  # [B, N, C, T], of those that end
    is_phrase = phrases[..., 0, 0] != PAD  # [B, C]
    earlier = ops.broadcast_to(_earlier_equal(phrases)[:, None], ops.shape(shortest)[:3])

    def read(carry: tuple[Any, Any], shortest: Any) -> tuple[Any, Any]:
        met_at, place = carry
        behind = ops.where(earlier < 0, -1, ops.take_along_axis(met_at, ops.maximum(earlier, 0), axis=2))
        is_met = (met_at == _NEVER) & (place - shortest >= behind)
        carry = ops.where(is_met, place, met_at), place + 1
        return carry, carry  # TensorFlow's `scan` needs outputs like these

    start = ops.full_like(earlier, _NEVER), ops.zeros((), "int32")
    (met_at, _), _ = ops.scan(read, start, ops.transpose(shortest, (3, 0, 1, 2)))
    return (met_at < _NEVER) | ~is_phrase[:, None]


def _earlier_equal(phrases: Any) -> Any:
    """Returns the number of the last equal constraint before each of `[B, C, A, L]`, or -1: int32 `[B, C]`."""
    flat = ops.reshape(phrases, (*ops.shape(phrases)[:2], -1))
    is_equal = ops.all(flat[:, :, None] == flat[:, None], axis=-1) & (flat[:, :, :1] != PAD)
    numbers = ops.arange(ops.shape(phrases)[1], dtype="int32")
    is_earlier = numbers < numbers[:, None]
    return ops.max(ops.where(is_equal & is_earlier, numbers, -1), axis=-1)


def _open_places(phrases: Any, plain: bool) -> tuple[Any, Any]:
    """Returns the places at which a token may go on in the phrases `[B, C, A, L]` of a constraint, in each state.

    After "a b" of the phrase "a b a c", "a" goes on at place 2, and any "a" begins the phrase again, at place 0.
    Place l of phrase a has the number l A + a.

    Returns:
        int32 tensors `[B, C, L A + 1, A]`, the last open place of each phrase, and `[B, C, L A + 1, F]`, all open
        places; -1 for none.
    """
    batch_size, count, alternatives, longest = ops.shape(phrases)

    def read(matched: Any, token: Any) -> tuple[Any, Any]:
        is_open = shift_in(matched) & (phrases != PAD)[:, :, None]
        return is_open & (phrases[:, :, None] == token[..., None, None]), is_open

    nothing = ops.zeros((batch_size, count, alternatives, alternatives, longest), dtype="bool")
    _, is_open = ops.scan(read, nothing, ops.transpose(phrases, (3, 0, 1, 2)))  # [L, B, C, A, A, L]
    numbers = ops.arange(longest, dtype="int32") * alternatives + ops.arange(alternatives, dtype="int32")[:, None]
    places = ops.where(is_open, numbers, -1)
    last = ops.max(places, axis=-1)  # [L, B, C, A, A]
    places = ops.reshape(places, (longest, batch_size, count, alternatives, alternatives * longest))
    most = alternatives * longest
    if plain:
        most = ops.maximum(ops.max(ops.sum(ops.cast(places >= 0, "int32"), axis=-1)), 1)
    tables = []
    for of_states in (last, ops.top_k(places, most)[0]):
        by_sentence = ops.transpose(of_states, (1, 2, 0, 3, 4))
        by_sentence = ops.reshape(by_sentence, (batch_size, count, longest * alternatives, ops.shape(of_states)[-1]))
        tables.append(ops.pad(by_sentence, [[0, 0], [0, 0], [0, 1], [0, 0]], constant_values=-1))  # none if it is met
    return tables[0], tables[1]
