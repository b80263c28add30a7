"""Forced prefixes: all searches with a `prefix`."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from table_decoder import TableDecoder, assert_same, beam_search, greedy_search, hypotheses, penalty, sampling_search

from keras_nmt.ids import BOS, EOS, PAD

PREFIXES = [[4, 5, PAD], [PAD, PAD, PAD], [3, PAD, PAD], [5, PAD, PAD], [BOS, 4, 4], [PAD, 4, PAD]]


def follows(tokens: list[int], prefix: list[int]) -> bool:
    return all(forced in (PAD, token) for token, forced in zip(tokens, prefix, strict=False))


@pytest.mark.parametrize("compiled", ["xla"], indirect=True)
def test_a_beam_of_all_prefixes_equals_exhaustive_search_after_the_prefix(compiled):
    decoder, count = TableDecoder(vocabulary_size=6, seed=3), len(PREFIXES)
    options = {"beam_size": 27, "max_length": 4, "length_penalty": 0.6}
    constants, caches = decoder.start(list(range(count)), options["beam_size"], 4)

    def run(prefix):
        return beam_search(decoder.step, constants, caches, batch_size=count, prefix=prefix, **options)

    result = compiled(run)(tf.constant(PREFIXES))
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


@pytest.mark.parametrize("seed", [0, 3])
def test_an_end_that_is_forced_at_the_limit_ends_every_hypothesis(seed):
    decoder, prefix = TableDecoder(vocabulary_size=6, seed=seed), tf.constant([[PAD, PAD, EOS]])
    constants, caches = decoder.start([0], 16, 3)
    result = beam_search(decoder.step, constants, caches, batch_size=1, beam_size=16, max_length=3, prefix=prefix)
    every = decoder.every_hypothesis(0, 3, 0.6)
    assert len(every) == 3 + 9
    assert_same([hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens], every)


@pytest.mark.parametrize("token", [-1, 9, 100])
def test_an_unknown_token_of_a_prefix_is_no_other_sentences_token(token):
    decoder = TableDecoder(vocabulary_size=9, seed=0)
    prefix = tf.constant([[PAD], [token], [PAD]])
    constants, caches = decoder.start([0, 1, 2], 2, 3)
    options = {"batch_size": 3, "max_length": 3, "prefix": prefix}
    found = hypotheses(beam_search(decoder.step, constants, caches, beam_size=2, **options), 1)
    assert not any(hypothesis.tokens for hypothesis in found)
    constants, caches = decoder.start([0, 1, 2], 1, 3)
    result = greedy_search(decoder.step, constants, caches, **options)
    assert result.log_probabilities[1, 0] < -1e8
    assert np.all((np.array(result.tokens) >= 0) & (np.array(result.tokens) < 9))


@settings(max_examples=3, deadline=None)
@given(
    seed=st.integers(0, 1000),
    beam_size=st.integers(1, 4),
    prefix=st.lists(st.integers(4, 8), max_size=6),
    max_length=st.integers(1, 8),
)
def test_every_search_begins_with_the_prefix_and_scores_by_teacher_forcing(seed, beam_size, prefix, max_length):
    decoder = TableDecoder(vocabulary_size=9, seed=seed, end_bias=2.0)
    shared = {"batch_size": 2, "max_length": max_length, "prefix": tf.constant([prefix, [PAD] * len(prefix)], tf.int32)}
    constants, caches = decoder.start([1, 2], 1, max_length)
    greedy = greedy_search(decoder.step, constants, caches, **shared)
    drawn = sampling_search(decoder.step, constants, caches, seeds=[seed, 1], **shared)
    constants, caches = decoder.start([1, 2], beam_size, max_length)
    beam = beam_search(decoder.step, constants, caches, beam_size=beam_size, **shared)
    for result in (greedy, drawn, beam):
        found = [hypothesis for hypothesis in hypotheses(result, 0) if hypothesis.tokens]
        assert found
        for hypothesis in found:
            assert hypothesis.tokens[: len(prefix)] == prefix[:max_length]
            log_probability = decoder.score_tokens(1, hypothesis.tokens)
            assert hypothesis.log_probability == pytest.approx(log_probability, abs=1e-4)
            assert hypothesis.score == pytest.approx(log_probability / penalty(len(hypothesis.tokens), 0.6), abs=1e-4)
    # The other sentence has no prefix, and equals a search without prefixes.
    del shared["prefix"]
    free = beam_search(decoder.step, constants, caches, beam_size=beam_size, **shared)
    assert_same(hypotheses(beam, 1), hypotheses(free, 1))
    if beam_size == 1:
        for one, other in zip(greedy, beam, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)
