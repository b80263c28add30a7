"""The likeliest next tokens, and their log-probabilities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.decoding.logit_processors import Processing
from keras_nmt.decoding.scores import NEG_INF, log_probabilities_of
from keras_nmt.ids import EOS, PAD


@settings(max_examples=30, deadline=None)
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


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("plain", [True, False])
def test_log_probabilities_equal_those_of_scipy(plain, scale):
    logits = scale * np.random.default_rng(0).normal(size=(2, 3, 50)).astype("float32")
    values = logits[..., 7:9]
    found = log_probabilities_of(tf.constant(values), tf.constant(logits), plain=plain)
    expected = scipy.special.log_softmax(logits.astype("float64"), axis=-1)[..., 7:9]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
