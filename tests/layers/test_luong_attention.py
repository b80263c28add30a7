"""Luong attention against its equations; padding, half precision and errors."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_oracles import softmax

from keras_nmt.layers import LuongAttention

B, T, S, U, D = 3, 4, 6, 5, 7
SCORES = ["general", "dot", "concat"]
MASK = np.array([[1] * 6, [1] * 3 + [0] * 3, [1] + [0] * 5], bool)


def _width(score):
    """The width of the memory."""
    return U if score == "dot" else D


def _attention(score, random=None, **options):
    layer = LuongAttention(U, score, **options)
    layer.build((None, None, U), (None, None, _width(score)))
    for weight in layer.trainable_weights if random else ():
        weight.assign(random(*weight.shape))
    return layer


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
def test_follows_the_equations_with_any_padding(random, score):
    layer, query, memory = _attention(score, random), random(B, T, U), random(B, S, _width(score))
    context, weights = layer(query, memory, memory_mask=MASK)
    for b, length in enumerate(MASK.sum(1)):
        expected = _oracle(layer, query[b], memory[b, :length])
        np.testing.assert_allclose(context[b], expected[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(weights[b, :, :length], expected[1], rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(weights[b, :, length:], 0)


@pytest.mark.parametrize(("score", "weights", "parameters"), [("general", 1, D * U), ("concat", 3, D * U + U * U + U)])
def test_keeps_the_contract_of_a_layer(check_layer, random, score, weights, parameters):
    check_layer(
        lambda **kwargs: LuongAttention(U, score, **kwargs),
        {"query": random(B, T, U), "memory": random(B, S, D), "memory_mask": MASK},
        weights=weights,
        parameters=parameters,
        float32=[1],
        thorough=score == "concat",
    )


@pytest.mark.parametrize("score", SCORES)
@settings(max_examples=8, deadline=None)
@given(source=st.integers(1, 6), target=st.integers(1, 4), more=st.integers(0, 4), seed=st.integers(0, 99))
def test_padding_is_invisible_with_any_values(score, source, target, more, seed):
    generator = np.random.default_rng(seed)
    layer = _attention(score, lambda *shape: generator.normal(size=shape))
    query, memory = generator.normal(size=(1, target, U)), generator.normal(size=(1, source, _width(score)))
    padded = np.pad(memory, ((0, 0), (0, more), (0, 0)), constant_values=np.nan)
    context, weights = layer(query, memory)
    padded_context, padded_weights = layer(query, padded, memory_mask=np.arange(source + more)[None] < source)
    np.testing.assert_allclose(padded_context, context, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(padded_weights[..., :source], weights, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(padded_weights[..., source:], 0)


@pytest.mark.parametrize("score", SCORES)
def test_a_memory_of_only_padding_is_zero_and_finite(random, score):
    layer, query, memory = _attention(score, random), tf.constant(random(2, T, U)), random(2, S, _width(score))
    with tf.GradientTape() as tape:
        tape.watch(query)
        context, weights = layer(query, memory, memory_mask=np.zeros((2, S), bool))
        loss = tf.reduce_sum(context) + tf.reduce_sum(weights)
    np.testing.assert_array_equal(context, 0)
    np.testing.assert_array_equal(weights, 0)
    for x in tape.gradient(loss, [query, *(w.value for w in layer.trainable_weights)], unconnected_gradients="zero"):
        np.testing.assert_array_equal(x, 0)


@pytest.mark.parametrize("score", SCORES)
def test_keys_and_attend_equal_the_call(random, score):
    layer, query, memory = _attention(score, random), random(B, T, U), random(B, S, _width(score))
    one = layer(query, memory, memory_mask=MASK)
    other = layer.attend(tf.constant(query), layer.keys(memory), memory, MASK)
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], other[1])


def test_large_scores_do_not_overflow(random):
    layer = _attention("dot", dtype="mixed_float16")
    query, memory = 40 * random(B, T, U), 40 * random(B, S, U)
    context, weights = layer(query, memory, memory_mask=MASK)
    assert (context.dtype, weights.dtype) == ("float16", "float32")
    assert np.isfinite(context).all()
    np.testing.assert_allclose(np.sum(weights, -1), 1, rtol=1e-5)


def test_wrong_inputs_are_named(random):
    with pytest.raises(ValueError, match="`query` must be .* 5. Received: shape"):
        LuongAttention(U)(random(B, T, U + 1), random(B, S, D))
    with pytest.raises(ValueError, match="`memory` must be .* Received: shape .* units=5"):
        LuongAttention(U, "dot")(random(B, T, U), random(B, S, D))
