"""Greedy search."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from table_decoder import TableDecoder, beam_search, greedy_search, hypotheses, penalty

from keras_nmt.ids import BOS, EOS, PAD


def expected_tokens(decoder: TableDecoder, sentence: int, limit: int, min_length: int) -> list[int]:
    tokens: list[int] = []
    while len(tokens) < limit and EOS not in tokens:
        logits = decoder.logits(sentence, tokens)
        logits[[PAD, BOS] + [EOS] * (len(tokens) < min_length)] = -np.inf
        tokens.append(int(np.argmax(logits)))
    return tokens


@pytest.mark.parametrize(
    ("compiled", "vocabulary_size", "min_length"),
    [("graph", 7, 1), ("graph", 7, 0), ("xla", 600, 4)],
    indirect=["compiled"],
)
def test_takes_the_likeliest_token_and_a_beam_of_one_does_the_same(compiled, vocabulary_size, min_length):
    decoder = TableDecoder(vocabulary_size, seed=21, end_bias=1.0 if vocabulary_size == 7 else 3.0)
    sentences, limits = list(range(12)), [9, 1, 3, 20, 12, 12, 12, 12, 2, 12, 12, 0]
    options = {"max_length": 12, "max_lengths": limits, "length_penalty": 0.9, "min_length": min_length}
    options["batch_size"] = 12
    constants, caches = decoder.start(sentences, 1, 12)
    greedy = compiled(lambda: greedy_search(decoder.step, constants, caches, **options))()
    beam = compiled(lambda: beam_search(decoder.step, constants, caches, beam_size=1, **options))()
    endings = set()
    for sentence, limit in enumerate(limits):
        (found,) = hypotheses(greedy, sentence)
        assert found.tokens == expected_tokens(decoder, sentence, min(limit, 12), min_length)
        log_probability = decoder.score_tokens(sentence, found.tokens)
        assert found.log_probability == pytest.approx(log_probability, abs=1e-4)
        assert found.score == pytest.approx(log_probability / penalty(len(found.tokens), 0.9), abs=1e-4)
        endings.add(found.finished)
    assert endings == {True, False}, "both endings are to be seen"
    for one, other in zip(greedy, beam, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("compiled", ["graph"], indirect=True)
def test_ties_go_to_the_lowest_id(compiled):
    decoder = TableDecoder(vocabulary_size=900)
    decoder.table = np.zeros_like(decoder.table)
    decoder.table[:, [5, 700]] = 1.0
    constants, caches = decoder.start([0], 1, 4)
    result = compiled(lambda: greedy_search(decoder.step, constants, caches, batch_size=1, max_length=4))()
    assert hypotheses(result, 0)[0].tokens == [5, 5, 5, 5]


def test_stops_with_the_last_sentence():
    decoder = TableDecoder(vocabulary_size=7, seed=21, end_bias=9.0)
    constants, caches = decoder.start([0, 1, 2], 1, 40)
    result = greedy_search(decoder.step, constants, caches, batch_size=3, max_length=40)
    assert len(decoder.steps) == result.lengths.numpy().max() < 40


def test_stops_at_the_largest_limit():
    decoder = TableDecoder(vocabulary_size=7, end_bias=-50.0)
    constants, caches = decoder.start([0, 1, 2], 1, 9)

    def step(tokens, position, *arguments):
        assert int(position) < 4  # else the search would never end
        return decoder.step(tokens, position, *arguments)

    result = greedy_search(step, constants, caches, batch_size=3, max_length=9, max_lengths=[2, 4, 3])
    assert result.lengths.numpy().tolist() == [[2], [4], [3]]


def test_is_traced_once_for_the_same_shapes():
    decoder, traces = TableDecoder(vocabulary_size=8), []

    @tf.function
    def run(constants, caches):
        traces.append(1)
        return greedy_search(decoder.step, constants, caches, batch_size=2, max_length=5)

    for sentences in ([0, 1], [2, 3]):
        run(*decoder.start(sentences, 1, 5))
    assert len(traces) == 1


def test_a_maximum_length_of_zero_is_rejected():
    with pytest.raises(ValueError, match="max_length=0"):
        greedy_search(TableDecoder(5).step, {}, {}, batch_size=1, max_length=0)


def test_a_token_that_must_not_follow_is_impossible_even_alone():
    def step(tokens, position, constants, caches):  # only PAD and EOS are possible
        return tf.constant([[[0.0, -np.inf, -np.inf, 1.0, -np.inf, -np.inf]]]), caches

    result = greedy_search(step, {}, {}, batch_size=1, max_length=2, suppress=(PAD, BOS, EOS))
    assert result.log_probabilities[0, 0] < -1e8
