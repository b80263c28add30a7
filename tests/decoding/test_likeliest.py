"""The likeliest next tokens, and their log-probabilities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.decoding.logits import IMPOSSIBLE, Forbidden, likeliest, token_log_probabilities
from keras_nmt.ids import END, PAD


@settings(max_examples=30, deadline=None)
@given(
    vocabulary_size=st.sampled_from([5, 40, 700]),
    k=st.integers(1, 5),
    suppress=st.lists(st.integers(0, 4), max_size=4),  # repeated ids, too
    prefix=st.sampled_from([None, [PAD, PAD], [PAD, 4], [1, PAD]]),
    min_length=st.integers(0, 2),
    levels=st.sampled_from([3, 100_000]),
    seed=st.integers(0, 1000),
)
def test_the_likeliest_tokens_that_may_follow(vocabulary_size, k, suppress, prefix, min_length, levels, seed):
    logits = np.random.default_rng(seed).integers(0, levels, (2, 3, vocabulary_size)).astype("float32")
    prefixes = None if prefix is None else np.array([prefix, [PAD, PAD]], "int32")
    found = likeliest(
        tf.constant(logits), k, Forbidden(suppress, min_length), None if prefix is None else tf.constant(prefixes), 1
    )
    masked = logits.copy()
    masked[..., suppress + [END] * (min_length > 1)] = IMPOSSIBLE
    for sentence in range(2):
        token = PAD if prefixes is None else prefixes[sentence, 1]
        if token != PAD:  # alone, suppressed or not
            masked[sentence] = IMPOSSIBLE
            masked[sentence, :, token] = logits[sentence, :, token]
    order = np.argsort(-masked, axis=-1, kind="stable")[..., :k]
    values = np.take_along_axis(masked, order, axis=-1)
    np.testing.assert_array_equal(found.logits, values)
    np.testing.assert_array_equal(
        np.where(values > IMPOSSIBLE, found.ids, -1), np.where(values > IMPOSSIBLE, order, -1)
    )
    np.testing.assert_array_equal(found.best[0], logits.max(-1, keepdims=True))
    np.testing.assert_array_equal(found.best[1], logits.argmax(-1)[..., None])


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("plain", [True, False])
def test_log_probabilities_equal_those_of_scipy(plain, scale):
    logits = scale * np.random.default_rng(0).normal(size=(2, 3, 50)).astype("float32")
    values = logits[..., 7:9]
    found = token_log_probabilities(tf.constant(values), tf.constant(logits), plain=plain)
    expected = scipy.special.log_softmax(logits.astype("float64"), axis=-1)[..., 7:9]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
