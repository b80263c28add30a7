"""The attention bridge against its equations; padding, penalties and gradients."""

import numpy as np
import pytest
import tensorflow as tf
from numpy_oracles import softmax

from keras_nmt.layers import AttentionBridge

B, N, DH, DW, K = 4, 6, 5, 7, 3
MASK = np.array([[1] * 6, [1] * 3 + [0] * 3, [1] + [0] * 5, [0] * 6], bool)
LENGTHS = MASK.sum(1)
SHAPE = (None, None, DH)


def _oracle(bridge, states):
    """The attention A `[k, n]`, M `[k, dh]` and the penalty of one sentence `[n, dh]`."""
    w1, w2 = bridge.inner.kernel.numpy().T, bridge.scores.kernel.numpy().T  # [dw, dh], [k, dw]
    b1, b2 = (layer.bias.numpy()[:, None] if bridge.use_bias else 0 for layer in (bridge.inner, bridge.scores))
    attention = softmax(w2 @ np.maximum(w1 @ states.T + b1, 0) + b2)
    squared = ((attention @ attention.T - np.eye(len(attention))) ** 2).sum()
    penalty = squared if bridge.penalty == "squared" else np.sqrt(squared)
    return attention, attention @ states, bridge.penalty_weight * penalty


@pytest.mark.parametrize("penalty", ["squared", "root"])
@pytest.mark.parametrize("use_bias", [True, False])
def test_follows_the_equations_with_any_padding(random, randomised, penalty, use_bias):
    bridge = randomised(AttentionBridge(K, DW, penalty=penalty, penalty_weight=0.7, use_bias=use_bias), SHAPE)
    states = random(B, N, DH)
    states[~MASK] = np.nan
    sentence, attention, penalties = bridge(states, mask=MASK, return_attention_scores=True, return_penalty=True)
    assert (sentence.shape, attention.shape, penalties.shape) == ((B, K, DH), (B, K, N), (B,))
    for b, n in enumerate(LENGTHS[:3]):
        expected = _oracle(bridge, states[b, :n])
        np.testing.assert_allclose(attention[b, :, :n], expected[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(sentence[b], expected[1], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(penalties[b], expected[2], rtol=1e-4)
    np.testing.assert_array_equal(np.asarray(attention)[~np.repeat(MASK[:, None], K, 1)], 0)
    np.testing.assert_array_equal(sentence[3], 0)
    assert float(penalties[3]) == 0


@pytest.mark.parametrize("penalty", ["squared", "root"])
def test_padding_has_no_gradient(random, randomised, penalty):
    bridge, states = randomised(AttentionBridge(K, DW, penalty=penalty), SHAPE), random(B, N, DH)
    states[~MASK] = np.nan
    inputs = tf.constant(states)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        sentence, penalties = bridge(inputs, mask=MASK, return_penalty=True)
        loss = tf.reduce_sum(sentence**2) + tf.reduce_sum(penalties)
    of_inputs, *of_weights = tape.gradient(loss, [inputs, *(w.value for w in bridge.trainable_weights)])
    np.testing.assert_array_equal(of_inputs.numpy()[~MASK], 0)
    assert all(np.isfinite(x).all() for x in (of_inputs, *of_weights))
    assert all(np.abs(of_inputs[b, :n]).max() > 0 for b, n in enumerate(LENGTHS[:3]))


# All heads attend to the one token, so A A^T is all ones, and with one head the penalty is 0, whose root has no slope.
@pytest.mark.parametrize(("penalty", "heads"), [("squared", 50), ("root", 50), ("root", 1)])
def test_one_token(random, randomised, penalty, heads):
    bridge, states = randomised(AttentionBridge(heads, DW, penalty=penalty), SHAPE), random(1, 4, DH)
    mask = np.arange(4)[None] < 1
    with tf.GradientTape() as tape:
        sentence, attention, penalties = bridge(states, mask=mask, return_attention_scores=True, return_penalty=True)
        loss = tf.reduce_sum(penalties) + tf.reduce_sum(sentence)
    np.testing.assert_allclose(sentence[0], np.repeat(states[0, :1], heads, 0), rtol=1e-6)
    np.testing.assert_allclose(attention[0, :, 0], 1, rtol=1e-6)
    squared = heads**2 - heads
    np.testing.assert_allclose(penalties[0], squared if penalty == "squared" else squared**0.5, rtol=1e-5)
    gradients = tape.gradient(loss, [w.value for w in bridge.trainable_weights])
    assert all(np.isfinite(x).all() for x in gradients)


def test_the_layer_adds_the_mean_penalty_over_sentences_to_the_loss(random, randomised):
    states = random(B, N, DH)
    for mask, sentences in ((None, B), (MASK, 3), (MASK & False, 1)):
        bridge = randomised(AttentionBridge(K, DW, penalty_weight=0.5), SHAPE)
        penalties = bridge(states, mask=mask, return_penalty=True)[1]
        assert not bridge.losses  # the caller adds the penalty
        bridge(states, mask=mask)
        np.testing.assert_allclose(bridge.losses, [np.sum(penalties) / sentences], rtol=1e-6)
    bridge = AttentionBridge(K, DW, penalty_weight=0.0)
    bridge(states)
    assert not bridge.losses


def test_attention_and_penalty_are_float32_under_half_precision(random, randomised):
    bridge, half = (randomised(AttentionBridge(50, DW, dtype=dtype), SHAPE) for dtype in ("float32", "mixed_bfloat16"))
    half.set_weights(bridge.get_weights())
    states = random(B, N, DH)
    expected = bridge(states, mask=MASK, return_attention_scores=True, return_penalty=True)
    actual = half(states, mask=MASK, return_attention_scores=True, return_penalty=True)
    assert [x.dtype for x in actual] == [half.compute_dtype, "float32", "float32"]
    np.testing.assert_allclose(np.sum(actual[1], -1), np.sum(expected[1], -1), atol=1e-5)
    np.testing.assert_allclose(actual[2], expected[2], rtol=0.1)
