"""Forced prefixes: all searches with a `prefix`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from table_decoder import TableDecoder, assert_same, beam_search, find, greedy_search, hypotheses, penalty
from table_decoder import sampling_search as sampling

from keras_nmt.decoding import RepetitionPenalty
from keras_nmt.ids import BOS, EOS, PAD

PREFIXES = [[4, 5, PAD], [PAD, PAD, PAD], [3, PAD, PAD], [5, PAD, PAD], [BOS, 4, 4], [PAD, 4, PAD]]


def follows(tokens: list[int], prefix: list[int]) -> bool:
    return all(forced in (PAD, token) for token, forced in zip(tokens, prefix, strict=False))


def test_a_beam_of_all_prefixes_equals_exhaustive_search_after_the_prefix():
    decoder = TableDecoder(vocabulary_size=6, seed=3)
    options = {"beam_size": 27, "max_length": 4, "length_penalty": 0.6, "prefix": tf.constant(PREFIXES)}
    result = find(beam_search, decoder, range(len(PREFIXES)), **options)
    for sentence, prefix in enumerate(PREFIXES):
        found = [hypothesis for hypothesis in hypotheses(result, sentence) if hypothesis.finished]
        if BOS in prefix:  # no other hypothesis has BOS
            assert found
            assert all(hypothesis.tokens[:3] == prefix for hypothesis in found)
            expected = decoder.score_tokens(sentence, found[0].tokens)
            assert found[0].log_probability == pytest.approx(expected, abs=1e-4)
            continue
        every = decoder.every_hypothesis(sentence, 4, 0.6, min_length=int(EOS not in prefix))  # a forced EOS ends
        behind = [h for h in every if len(h.tokens) >= np.flatnonzero(prefix).size and follows(h.tokens, prefix)]
        if prefix == [PAD, 4, PAD]:  # shorter hypotheses do not reach token 4
            behind = [hypothesis for hypothesis in every if follows(hypothesis.tokens, prefix)]
        assert_same(found, behind[: len(found)])
        assert len(found) == min(len(behind), options["beam_size"])


def test_an_end_that_is_forced_at_the_limit_ends_every_hypothesis():
    decoder = TableDecoder(vocabulary_size=6, seed=3)
    result = find(beam_search, decoder, [0], beam_size=16, max_length=3, prefix=tf.constant([[PAD, PAD, EOS]]))
    every = decoder.every_hypothesis(0, 3, 0.6)
    assert len(every) == 3 + 9
    assert_same([hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens], every)


def test_an_unknown_token_of_a_prefix_is_no_other_sentences_token():
    decoder = TableDecoder(vocabulary_size=9, seed=0)
    for token in (-1, 9):
        options = {"max_length": 3, "prefix": tf.constant([[PAD], [token], [PAD]])}
        found = find(beam_search, decoder, [0, 1, 2], **options)
        assert not any(hypothesis.tokens for hypothesis in hypotheses(found, 1))
        result = find(greedy_search, decoder, [0, 1, 2], **options)
        assert result.log_probabilities[1, 0] < -1e8
        assert np.all((np.array(result.tokens) >= 0) & (np.array(result.tokens) < 9))


@settings(max_examples=3)
@given(
    seed=st.integers(0, 1000),
    beam_size=st.integers(1, 4),
    prefix=st.lists(st.integers(4, 8), max_size=6),
    max_length=st.integers(1, 8),
)
def test_every_search_begins_with_the_prefix_and_scores_by_teacher_forcing(seed, beam_size, prefix, max_length):
    decoder = TableDecoder(vocabulary_size=9, seed=seed, end_bias=2.0)
    shared = {"max_length": max_length, "prefix": tf.constant([prefix, [PAD] * len(prefix)], tf.int32)}
    greedy = find(greedy_search, decoder, [1, 2], **shared)
    beam = find(beam_search, decoder, [1, 2], beam_size=beam_size, **shared)
    for result in (greedy, find(sampling, decoder, [1, 2], seeds=[seed, 1], **shared), beam):
        found = [hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens]
        assert found
        for hypothesis in found:
            assert hypothesis.tokens[: len(prefix)] == prefix[:max_length]
            log_probability = decoder.score_tokens(1, hypothesis.tokens)
            assert hypothesis.log_probability == pytest.approx(log_probability, abs=1e-4)
            assert hypothesis.score == pytest.approx(log_probability / penalty(len(hypothesis.tokens), 0.6), abs=1e-4)
    # The other sentence has no prefix, and equals a search without prefixes.
    free = find(beam_search, decoder, [1, 2], beam_size=beam_size, max_length=max_length)
    assert_same(hypotheses(beam, 1), hypotheses(free, 1))
    if beam_size == 1:
        for one, other in zip(greedy, beam, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("search", [beam_search, greedy_search, sampling])
def test_a_forced_token_has_the_models_log_probability(search):
    decoder, prefix = TableDecoder(9, seed=4), [5, 5, 5, EOS]
    result = find(search, decoder, [0], prefix=tf.constant([prefix]), processors=[RepetitionPenalty(3.0)])
    assert float(result.log_probabilities[0, 0]) == pytest.approx(decoder.score_tokens(0, prefix), abs=1e-4)
