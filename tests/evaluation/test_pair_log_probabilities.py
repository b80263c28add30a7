"""Log-probabilities of given translations."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_nmt.evaluation import pair_log_probabilities
from keras_nmt.ids import BEGIN, END, PAD

TABLE = np.random.default_rng(0).normal(size=(20, 20, 8)).astype("float32")


def model(inputs, training):
    """Logits that depend on the sum of the source and the previous token: a shifted or ignored input is noticed."""
    source, target_input = inputs
    assert training is False
    sums = ops.sum(source, axis=1, keepdims=True) % 20 + ops.zeros_like(target_input)
    return ops.take(TABLE.reshape(400, 8), sums * 20 + target_input, axis=0)


def expected(source: list[int], target: list[int]) -> float:
    total = 0.0
    for before, token in zip([BEGIN, *target], target, strict=False):
        logits = TABLE[sum(source) % 20, before].astype("float64")
        total += logits[token] - np.log(np.exp(logits).sum())
    return total


@pytest.mark.parametrize("jit_compile", [None, False, True])
def test_each_token_is_predicted_from_the_source_and_previous_tokens(jit_compile):
    sources = [[5, 4, END, PAD], [7, END, PAD, PAD], [7, END, PAD, PAD]]
    targets = [[4, 7, 6, 5, END], [1, END, PAD, PAD, PAD], [PAD] * 5]

    def score(source, target):
        return pair_log_probabilities(model, source, target)

    if jit_compile is not None:
        score = tf.function(score, jit_compile=jit_compile)
    scores = score(tf.constant(sources), tf.constant(targets))
    assert scores.dtype == tf.float32
    wanted = [expected(s, [t for t in target if t]) for s, target in zip(sources, targets, strict=True)]
    np.testing.assert_allclose(scores, wanted, rtol=1e-5)
    assert scores[2] == 0.0


def test_takes_lists_and_arrays_of_any_integers_and_a_keras_model():
    source, target = keras.Input([None], dtype="int32"), keras.Input([None], dtype="int32")
    logits = keras.layers.Embedding(9, 9)(target) + keras.layers.Embedding(9, 9)(source)[:, :1]
    network = keras.Model([source, target], logits)
    lists = pair_log_probabilities(network, [[5, 3]], [[6, 7, 3]])
    arrays = pair_log_probabilities(network, np.array([[5, 3]], "int64"), np.array([[6, 7, 3]], "int64"))
    np.testing.assert_array_equal(lists, arrays)
    assert lists.shape == (1,)
    assert lists[0] < 0
