"""Log-probabilities, the largest logits, the length penalty, and reranking by a coverage penalty."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from table_decoder import TableDecoder, beam_search, find, hypotheses

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.decoding import NEG_INF, length_penalty, rerank_by_coverage, shift_right, token_log_probabilities
from keras_nmt.decoding.scores import log_probabilities_of, top_k


def check(logits: np.ndarray, k: int, values: np.ndarray, ids: np.ndarray) -> None:
    expected = np.argsort(-logits, axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(logits, expected, axis=-1))


@settings(max_examples=40)
@given(
    vocabulary_size=st.one_of(st.integers(8, 70), st.integers(250, 2100), st.sampled_from([256, 1024, 1025, 2048])),
    k=st.integers(1, 8),
    levels=st.sampled_from([1, 2, 20, 100_000]),
    seed=st.integers(0, 1000),
)
def test_the_largest_logits_with_the_lowest_ids_among_equals(vocabulary_size, k, levels, seed):
    logits = np.random.default_rng(seed).integers(0, levels, (2, 3, vocabulary_size)).astype("float32")
    values, ids = top_k(tf.constant(logits), k)
    assert ids.dtype == tf.int32
    check(logits, k, values, ids)


def test_filler_is_never_chosen_and_equal_logits_of_two_blocks_give_the_lower_ids():
    logits = np.where(np.arange(1001) == 7, 0, NEG_INF).astype("float32")[None, None]
    _, ids = top_k(tf.convert_to_tensor(logits), 4)
    assert ids[0, 0].numpy().tolist() == [7, 0, 1, 2]
    logits = np.full((1, 1, 2001), -np.inf, "float32")
    logits[..., 1999] = 1.0
    _, ids = top_k(tf.constant(logits), 4)
    assert ids[0, 0, 0] == 1999
    assert ids.numpy().max() < 2001
    logits = np.zeros((1, 1, 1000), "float32")
    logits[..., [600, 601]] = [3.0, 1.0]  # the block with the largest logit has another logit,
    logits[..., 150] = 1.0  # equal to a logit with a lower id
    check(logits, 2, *top_k(tf.constant(logits), 2))


@pytest.mark.parametrize(("plain", "scale"), [(True, 1.0), (True, 1000.0), (False, 1000.0)])
def test_log_probabilities_equal_those_of_scipy(plain, scale):
    logits = scale * np.random.default_rng(0).normal(size=(2, 3, 50)).astype("float32")
    values = logits[..., 7:9]
    found = log_probabilities_of(tf.constant(values), tf.constant(logits), plain=plain)
    expected = scipy.special.log_softmax(logits.astype("float64"), axis=-1)[..., 7:9]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_log_probabilities_of_targets_leave_padding_out():
    logits = np.random.default_rng(0).normal(size=(3, 4, 9)).astype("float32") * 4 + 100
    targets = np.array([[5, 8, 1, 3], [4, 3, 0, 0], [0, 0, 0, 0]])
    actual = token_log_probabilities(tf.constant(logits), tf.constant(targets))
    shifted = logits.astype("float64") - 100
    full = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    expected = [[full[row, i, token] * bool(token) for i, token in enumerate(line)] for row, line in enumerate(targets)]
    assert actual.dtype == tf.float32
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
    wide = np.pad(logits, ((0, 0), (0, 2), (0, 0)), constant_values=np.nan)  # more padding changes nothing
    found = token_log_probabilities(wide, np.pad(targets, ((0, 0), (0, 2))))
    np.testing.assert_allclose(found, np.pad(actual, ((0, 0), (0, 2))), rtol=1e-6)
    half = tf.cast(logits, "bfloat16")
    found = token_log_probabilities(half, targets)
    np.testing.assert_allclose(found, token_log_probabilities(tf.cast(half, "float32"), targets), rtol=1e-6)
    assert found.dtype == tf.float32


def test_length_penalty():
    lengths = np.array([1, 7, 30])
    np.testing.assert_allclose(length_penalty(lengths, 0.6), ((5 + lengths) / 6) ** 0.6, rtol=1e-6)
    np.testing.assert_allclose(length_penalty(lengths, 0), np.ones(3))
    np.testing.assert_allclose(length_penalty(lengths, 0.6, "power"), lengths**0.6, rtol=1e-6)


def test_scoring_has_the_target_input_of_training():
    generator = np.random.default_rng(1)
    targets = [generator.integers(4, 30, length).tolist() for length in [1, 6, *generator.integers(1, 7, 30)]]
    corpus = ParallelCorpus.from_lists([[5]] * len(targets), targets)
    for batch in TrainingBatches(corpus, batch_size=8, batch_unit="sentences").dataset().take(5):
        np.testing.assert_array_equal(shift_right(batch["target_output"]), batch["target_input"])


def test_scores_include_the_papers_penalty_and_determine_the_order():
    decoder, rng = TableDecoder(vocabulary_size=6, seed=3), np.random.default_rng(0)
    result = find(beam_search, decoder, beam_size=5, max_length=4, max_lengths=[4, 1])
    attention = rng.dirichlet([0.3] * 3, size=(2, 5, 4)).astype("float32")  # [B, N, T, S]
    mask = np.array([[True, True, True], [True, True, False]])
    found = rerank_by_coverage(result, attention, mask, 0.7)
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
    nothing = rerank_by_coverage(result, tf.zeros_like(attention), tf.constant(mask), 1.0)
    penalties = (result.scores - nothing.scores).numpy()  # of a token without attention: finite
    assert penalties[0] == pytest.approx(3 * np.log(1e6), rel=1e-3)
