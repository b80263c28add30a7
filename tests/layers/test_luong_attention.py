"""Luong attention against its equations; padding and half precision."""

import numpy as np
import pytest
import tensorflow as tf
from numpy_oracles import softmax

from keras_nmt.layers import LuongAttention

B, T, S, U, D = 3, 4, 6, 5, 7
SCORES = ["general", "dot", "concat"]
MASK = np.array([[1] * 6, [1] * 3 + [0] * 3, [1] + [0] * 5], bool)


def _width(score):
    return U if score == "dot" else D  # of the memory


def _attention(score, randomised):
    return randomised(LuongAttention(U, score), (None, None, U), (None, None, _width(score)))


def _oracle(layer, query, memory):
    """The context c `[T, d]` and the weights a `[T, S]` of one sentence."""
    if layer.score == "dot":
        scores = query @ memory.T
    elif layer.score == "general":
        scores = np.einsum("tu,ud,sd->ts", query, layer.kernel.numpy().T, memory)  # h^T W_a m
    else:
        w_a = np.concatenate([layer.query_kernel.numpy(), layer.kernel.numpy()]).T  # [u, u + d]
        pairs = np.array([[np.concatenate([h, m]) for m in memory] for h in query])  # [T, S, u + d]
        scores = np.tanh(pairs @ w_a.T) @ layer.vector.numpy()
    weights = softmax(scores)
    return weights @ memory, weights


@pytest.mark.parametrize("score", SCORES)
def test_follows_the_equations_with_any_padding(random, randomised, score):
    layer, query, memory = _attention(score, randomised), random(B, T, U), random(B, S, _width(score))
    context, weights = layer(query, np.where(MASK[..., None], memory, np.nan), memory_mask=MASK)
    memory[~MASK] = 0
    for b, length in enumerate(MASK.sum(1)):
        expected = _oracle(layer, query[b], memory[b, :length])
        np.testing.assert_allclose(context[b], expected[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(weights[b, :, :length], expected[1], rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(weights[b, :, length:], 0)
    other = layer.attend(tf.constant(query), layer.keys(memory), memory, MASK)
    np.testing.assert_array_equal(context, other[0])
    np.testing.assert_array_equal(weights, other[1])


@pytest.mark.parametrize("score", SCORES)
def test_a_memory_of_only_padding_is_zero_and_finite(random, randomised, score):
    layer, query, memory = _attention(score, randomised), tf.constant(random(2, T, U)), random(2, S, _width(score))
    with tf.GradientTape() as tape:
        tape.watch(query)
        context, weights = layer(query, memory, memory_mask=np.zeros((2, S), bool))
        loss = tf.reduce_sum(context) + tf.reduce_sum(weights)
    np.testing.assert_array_equal(context, 0)
    np.testing.assert_array_equal(weights, 0)
    for x in tape.gradient(loss, [query, *(w.value for w in layer.trainable_weights)], unconnected_gradients="zero"):
        np.testing.assert_array_equal(x, 0)


def test_large_scores_do_not_overflow(random):
    layer = LuongAttention(U, "dot", dtype="mixed_float16")
    query, memory = 40 * random(B, T, U), 40 * random(B, S, U)
    context, weights = layer(query, memory, memory_mask=MASK)
    assert (context.dtype, weights.dtype) == ("float16", "float32")
    assert np.isfinite(context).all()
    np.testing.assert_allclose(np.sum(weights, -1), 1, rtol=1e-5)
