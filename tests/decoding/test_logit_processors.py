"""Logit processors, in every search: what they forbid, what they make of scores, and a processor of one's own."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from table_decoder import TableDecoder, assert_equal, beam_search, find, greedy_search, hypotheses, sampling_search

from keras_nmt.decoding import (
    NEG_INF,
    BiasedPrefix,
    LogitProcessor,
    NoRepeatNGram,
    RepetitionPenalty,
    SearchResult,
    SuppressSequences,
    SuppressTokens,
    Temperature,
    TopP,
)
from keras_nmt.decoding.processing import Processing
from keras_nmt.ids import BOS, EOS, PAD

SLOW = pytest.mark.slow


def search(decoder: TableDecoder, processors: list[LogitProcessor], beam_size: int = 3, **options) -> SearchResult:
    return find(beam_search, decoder, beam_size=beam_size, max_length=9, processors=processors, **options)


def of_every_search(decoder: TableDecoder, processors: list[LogitProcessor], **options) -> list[list[int]]:
    """The hypotheses of all searches; greedy search must equal a beam of 1."""
    options = {"max_length": 7, "processors": processors, **options}
    greedy = find(greedy_search, decoder, **options)
    assert_equal(greedy, find(beam_search, decoder, beam_size=1, **options))
    beam = find(beam_search, decoder, **options)
    drawn = find(sampling_search, decoder, seeds=[1, 2], num_samples=3, **options)
    found = [x.tokens for result in (greedy, beam, drawn) for i in (0, 1) for x in hypotheses(result, i)]
    return [tokens for tokens in found if tokens]


@pytest.mark.parametrize(
    ("n", "vocabulary"), [(2, [0, 1, 2, 3, 5, 8]), pytest.param(1, None, marks=SLOW), pytest.param(3, None, marks=SLOW)]
)
def test_no_n_gram_occurs_twice(n, vocabulary):
    decoder = TableDecoder(7 if vocabulary is None else len(vocabulary), seed=n, end_bias=-1.0)
    ids = None if vocabulary is None else tf.constant(vocabulary)
    free = of_every_search(decoder, [], vocabulary=ids)
    found = of_every_search(decoder, [NoRepeatNGram(n)], vocabulary=ids)

    def repeats(tokens: list[int]) -> bool:
        grams = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
        return len(set(grams)) < len(grams)

    assert any(map(repeats, free)), "the test tests something"
    assert not any(map(repeats, found))
    assert {token for tokens in found for token in tokens} <= set(vocabulary or range(7))


@settings(max_examples=2)
@given(
    sequences=st.lists(st.lists(st.integers(4, 6), min_size=1, max_size=3), min_size=1, max_size=3),
    seed=st.integers(0, 99),
)
def test_sequences_never_occur(sequences, seed):
    decoder = TableDecoder(7, seed)
    for tokens in of_every_search(decoder, [SuppressSequences(sequences), SuppressTokens([1])]):
        assert 1 not in tokens
        for unwanted in sequences:
            assert not any(tokens[i : i + len(unwanted)] == unwanted for i in range(len(tokens)))


@pytest.mark.parametrize("penalty", [0.5, 1.7])
def test_the_repetition_penalty_by_its_definition(penalty):
    decoder = TableDecoder(9, seed=4)
    for result in (search(decoder, [RepetitionPenalty(penalty)]), search(decoder, [RepetitionPenalty(penalty)], 1)):
        for sentence in (0, 1):
            for found in hypotheses(result, sentence):
                expected = 0.0
                for i, token in enumerate(found.tokens):
                    logits = decoder.logits(sentence, found.tokens[:i])
                    written = found.tokens[:i]
                    logits[written] = np.where(logits < 0, logits * penalty, logits / penalty)[written]
                    expected += logits[token] - np.log(np.sum(np.exp(logits)))
                assert found.log_probability == pytest.approx(expected, abs=1e-3)


def test_a_biased_prefix_by_its_definition():
    decoder, beta, prefix = TableDecoder(9, seed=4), 0.6, [7, 8, 5]
    result = search(decoder, [BiasedPrefix(tf.constant([[*prefix, PAD], [PAD] * 4]), beta)], 5)
    free = search(decoder, [], 5)
    np.testing.assert_array_equal(result.tokens[1], free.tokens[1])  # without a prefix
    begun = []
    for found in hypotheses(result, 0):
        expected, follows = 0.0, True
        for i, token in enumerate(found.tokens):
            probability = np.exp(decoder.log_probabilities(0, found.tokens[:i])[token])
            if follows and i < len(prefix):
                probability = (1 - beta) * probability + beta * (token == prefix[i])
                follows = token == prefix[i]
            expected += np.log(probability)
        assert found.log_probability == pytest.approx(expected, abs=1e-4)
        begun.append(found.tokens[:3] == prefix)
    assert any(begun)
    assert not any(tokens.tokens[:3] == prefix for tokens in hypotheses(free, 0))


def test_a_biased_prefix_allows_nothing_that_is_forbidden():
    prefix = BiasedPrefix(tf.constant([[7, 8], [7, 8]]), 0.9)
    masks = [SuppressSequences([[8]]), NoRepeatNGram(1)]
    result = search(TableDecoder(9, seed=4), [*masks, prefix], 5)
    for sentence in range(2):
        for found in hypotheses(result, sentence):
            assert 8 not in found.tokens
            assert len(set(found.tokens)) == len(found.tokens)


def test_a_forced_prefix_takes_precedence_over_masks():
    decoder = TableDecoder(9, seed=4)
    processors = [NoRepeatNGram(1), RepetitionPenalty(2.0)]
    for tokens in of_every_search(decoder, processors, prefix=tf.constant([[5, 5, EOS], [5, 5, BOS]]), max_length=4):
        assert tokens[:3] in ([5, 5, EOS], [5, 5, BOS])


class Alternate(LogitProcessor):
    """Allows even tokens after an even number of odd tokens only: its state must follow its hypothesis."""

    def start(self, batch_size, num_hypotheses):
        return {"odd": ops.zeros((batch_size, num_hypotheses), dtype="int32")}

    def __call__(self, log_probabilities, step, state):
        odd = state["odd"] + ops.cast((step.last % 2 == 1) & (step.last > EOS), "int32")
        allowed = (step.ids % 2 == 1) | (odd % 2 == 0)[:, :, None]
        return ops.where(allowed, log_probabilities, -1e9), {"odd": odd}


def test_masks_and_other_processors_are_applied_in_their_order():
    """Of the tokens 3 to 7, the likeliest, 7, is forbidden before the others are shared out, or after."""
    decoder = TableDecoder(8)
    decoder.table[:] = np.log([1e-9] * 3 + [0.2, 0.05, 0.2, 0.1, 0.45])
    (first, *_), (behind, *_) = (
        hypotheses(find(greedy_search, decoder, [0], max_length=3, min_length=0, processors=processors), 0)
        for processors in ([SuppressTokens([7]), TopP(0.4)], [TopP(0.4), SuppressTokens([7])])
    )
    assert first.tokens
    assert not behind.tokens
    for temperature in (2.0, 1.0, 0.5):
        scaled = decoder.table[0] / temperature
        options = {"max_length": 1, "min_length": 0, "processors": [Temperature(temperature)]}
        (best,) = hypotheses(find(greedy_search, decoder, [0], **options), 0)
        assert best.tokens == [7]
        assert best.log_probability == pytest.approx(scaled[7] - scipy.special.logsumexp(scaled), abs=1e-5)
    (best, *_) = hypotheses(find(beam_search, decoder, [0], max_length=3, processors=[Temperature(1e-10)]), 0)
    assert best.tokens[:2] == [7, 7]
    for wrong in (0.0, -3.0):
        with pytest.raises(ValueError, match="`temperature` must be above 0"):
            Temperature(wrong)
        with pytest.raises(ValueError, match="`top_p` must be above 0"):
            TopP(wrong)


@pytest.mark.parametrize("before", [True, False])
def test_a_penalty_behind_another_processor_makes_no_probability_larger_than_one(before):
    decoder = TableDecoder(6)
    decoder.table[:] = [-9.0, -9.0, -9.0, 0.0, 8.0, -2.0]
    processors = [BiasedPrefix(np.array([[4, 5, 5]]), 0.5), RepetitionPenalty(4.0)]
    found = find(beam_search, decoder, [0], max_length=4, processors=processors if before else processors[::-1])
    assert (ops.convert_to_numpy(found.log_probabilities) <= 1e-5).all()


def test_the_state_of_a_processor_of_ones_own_follows_its_hypothesis():
    for tokens in of_every_search(TableDecoder(9, seed=6, end_bias=-1.0), [Alternate()]):
        odd = 0
        for token in tokens:
            assert token % 2 == 1 or odd % 2 == 0
            odd += token % 2 == 1 and token > EOS


class Answers(LogitProcessor):
    """Returns what a function makes of the log-probabilities and of the state, an int32 tensor [B, K]."""

    def __init__(self, answer):
        self.answer = answer

    def start(self, batch_size, num_hypotheses):
        return ops.zeros((batch_size, num_hypotheses), dtype="int32")

    def __call__(self, log_probabilities, step, state):
        return self.answer(log_probabilities, state)


def test_wrong_processors_are_named():
    decoder = TableDecoder(9, seed=1)
    for processors, message in (
        (Alternate(), "`processors` must be a list"),
        ([Alternate], r"objects of `LogitProcessor`: make an object, Alternate\(...\)"),
        (["no repeats"], "objects of `LogitProcessor`. Received: 'no repeats'"),
        ([Answers(lambda scores, state: scores)], r"must return log-probabilities \[B, K, 9\]"),
        ([Answers(lambda scores, state: (scores[:, :, :4], state))], r"must return log-probabilities \[B, K, 9\]"),
        ([Answers(lambda scores, state: (ops.cast(scores, "float16"), state))], r"\[B, K, 9\] in float32"),
        ([Answers(lambda scores, state: (scores, {"state": state}))], "its state with the dtypes and the number of ax"),
    ):
        with pytest.raises(ValueError, match=message):
            search(decoder, processors)


@settings(max_examples=30)
@given(
    vocabulary_size=st.sampled_from([5, 40, 700]),
    k=st.integers(1, 5),
    suppress=st.lists(st.integers(0, 4), max_size=4),  # repeated ids, too
    prefix=st.sampled_from([None, [PAD, PAD], [PAD, 4], [1, PAD]]),
    min_length=st.integers(0, 2),
    levels=st.sampled_from([3, 100_000]),
    seed=st.integers(0, 1000),
    is_plain=st.booleans(),
)
def test_the_likeliest_tokens_that_may_follow(vocabulary_size, k, suppress, prefix, min_length, levels, seed, is_plain):
    logits = np.random.default_rng(seed).integers(0, levels, (2, 3, vocabulary_size)).astype("float32")
    prefixes = None if prefix is None else np.array([prefix, [PAD, PAD]], "int32")
    forced = None if prefix is None else tf.constant(prefixes)
    processing = Processing(
        [], suppress=suppress, min_length=min_length, prefix=forced, vocabulary=None, plain=is_plain
    )
    step = processing.step(tf.constant(logits), 1, tf.zeros([2, 3, 4], tf.int32), tf.zeros([2, 3], tf.int32))
    found, _ = processing.top_k_candidates(step, k, processing.start(2, 3))
    masked = logits.copy()
    masked[..., suppress + [EOS] * (min_length > 1)] = NEG_INF
    for sentence in range(2):
        token = PAD if prefixes is None else prefixes[sentence, 1]
        if token != PAD:  # alone, suppressed or not
            masked[sentence] = NEG_INF
            masked[sentence, :, token] = logits[sentence, :, token]
    order = np.argsort(-masked, axis=-1, kind="stable")[..., :k]
    values = np.take_along_axis(masked, order, axis=-1)
    expected = values - scipy.special.logsumexp(logits.astype("float64"), axis=-1, keepdims=True)
    is_possible = values > NEG_INF
    np.testing.assert_allclose(
        np.where(is_possible, found.log_probabilities, 0), np.where(is_possible, expected, 0), rtol=1e-5, atol=1e-5
    )
    assert (found.log_probabilities.numpy()[~is_possible] < NEG_INF / 2).all()
    np.testing.assert_array_equal(np.where(values > NEG_INF, found.ids, -1), np.where(values > NEG_INF, order, -1))


class NothingAfter7(LogitProcessor):
    def __call__(self, log_probabilities, step, state):
        return ops.where(step.last[:, :, None] == 7, NEG_INF, log_probabilities), state


class FewAfter7(LogitProcessor):
    """Leaves it to `suppress` to forbid the rest."""

    def __call__(self, log_probabilities, step, state):
        is_left = (step.last[:, :, None] != 7) | (step.ids == PAD) | (step.ids == BOS)
        return ops.where(is_left, log_probabilities, NEG_INF), state


@pytest.mark.parametrize("options", [None, {"temperature": 2.0, "top_p": 0.9}, pytest.param({"top_k": 3}, marks=SLOW)])
def test_a_hypothesis_after_which_nothing_may_follow_is_none(options):
    """In the first sentence, which begins with token 7, nothing may follow a 7; as a beam search has it."""
    decoder, size = TableDecoder(9, seed=4, end_bias=2.0), 1 if options is None else 2
    shared = {"max_length": 5, "prefix": tf.constant([[7], [4]]), "suppress": (PAD, BOS, 7)}
    for processor in (NothingAfter7(), FewAfter7()):
        more = {**shared, "processors": [processor]}
        if options is None:
            found = find(greedy_search, decoder, **more)
        else:
            found = find(sampling_search, decoder, num_samples=size, **options, **more)
        beam = find(beam_search, decoder, beam_size=size, **more)
        for name, one, other in zip(found._fields, found, beam, strict=True):
            np.testing.assert_array_equal(one[0], other[0], err_msg=name)
        assert (found.scores.numpy()[1] > -1e8).all()
