"""Reranking by a coverage penalty."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from table_decoder import TableDecoder, hypotheses

from keras_nmt.decoding import beam_search, rerank_by_coverage
from keras_nmt.ids import PAD


def test_scores_include_the_papers_penalty_and_determine_the_order(compiled):
    decoder, rng = TableDecoder(vocabulary_size=6, seed=3), np.random.default_rng(0)
    constants, caches = decoder.start([0, 1], 5, 4)
    result = beam_search(decoder.step, constants, caches, batch_size=2, beam_size=5, max_length=4, max_lengths=[4, 1])
    attention = rng.dirichlet([0.3] * 3, size=(2, 5, 4)).astype("float32")  # [B, N, T, S]
    mask = np.array([[True, True, True], [True, True, False]])
    found = compiled(lambda: rerank_by_coverage(result, attention, mask, 0.7))()
    changed = False
    for sentence in (0, 1):
        before = hypotheses(result, sentence)
        expected = []
        for hypothesis, weights in zip(before, attention[sentence], strict=True):
            sums = weights[: len(hypothesis.tokens)].sum(0)[mask[sentence]]
            penalty = 0.7 * np.sum(np.log(np.minimum(sums, 1.0))) if hypothesis.tokens else 0.0
            expected.append(hypothesis._replace(score=hypothesis.score + penalty))
        expected.sort(key=lambda hypothesis: (not hypothesis.finished, -hypothesis.score))
        after = hypotheses(found, sentence)
        kept = sum(bool(hypothesis.tokens) for hypothesis in before)
        assert [h.tokens for h in after[:kept]] == [h.tokens for h in expected if h.tokens]
        np.testing.assert_allclose([h.score for h in after[:kept]], [h.score for h in expected if h.tokens], atol=1e-4)
        assert sorted(h.log_probability for h in after) == sorted(h.log_probability for h in before)
        changed |= [h.tokens for h in after] != [h.tokens for h in before]
    assert changed


def test_a_token_without_attention_has_a_finite_penalty():
    decoder = TableDecoder(vocabulary_size=6, seed=3)
    constants, caches = decoder.start([0], 2, 4)
    result = beam_search(decoder.step, constants, caches, batch_size=1, beam_size=2, max_length=4)
    nothing = tf.zeros([1, 2, 4, 3])
    found = rerank_by_coverage(result, nothing, tf.constant([[True, False, True]]), 1.0)
    difference = (result.scores - found.scores).numpy()
    assert difference == pytest.approx(2 * np.log(1e6), rel=1e-3)
    assert (result.tokens != PAD).numpy().any()
