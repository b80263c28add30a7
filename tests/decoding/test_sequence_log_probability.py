"""Log-probabilities of sequences, and the length penalty."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.decoding import length_penalty, sequence_log_probability


def test_sums_the_targets_and_leaves_padding_out(compiled):
    logits = np.random.default_rng(0).normal(size=(3, 4, 9)).astype("float32") * 4 + 100
    targets = np.array([[5, 8, 1, 3], [4, 3, 0, 0], [0, 0, 0, 0]])
    actual = compiled(sequence_log_probability)(tf.constant(logits), tf.constant(targets))
    shifted = logits.astype("float64") - 100
    full = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    expected = [sum(full[row, i, token] for i, token in enumerate(line) if token) for row, line in enumerate(targets)]
    assert actual.dtype == tf.float32
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_more_padding_changes_nothing():
    logits = np.random.default_rng(0).normal(size=(1, 3, 5)).astype("float32")
    wide = np.concatenate([logits, np.full((1, 2, 5), np.nan, "float32")], axis=1)
    narrow = sequence_log_probability(logits, np.array([[4, 1, 3]]))
    np.testing.assert_allclose(sequence_log_probability(wide, np.array([[4, 1, 3, 0, 0]])), narrow, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_logits_are_summed_in_float32(dtype):
    logits = tf.cast(np.random.default_rng(0).normal(size=(2, 30, 50)), dtype)
    targets = np.full((2, 30), 7)
    expected = sequence_log_probability(tf.cast(logits, "float32"), targets)
    np.testing.assert_allclose(sequence_log_probability(logits, targets), expected, rtol=1e-6)


def test_length_penalty():
    lengths = np.array([1, 7, 30])
    np.testing.assert_allclose(length_penalty(lengths, 0.6), ((5 + lengths) / 6) ** 0.6, rtol=1e-6)
    np.testing.assert_allclose(length_penalty(lengths, 0), np.ones(3))
