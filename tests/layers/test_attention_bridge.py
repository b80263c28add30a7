"""The attention bridge against its equations; padding, penalties, gradients and errors."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_oracles import softmax

from keras_nmt.layers import AttentionBridge

B, N, DH, DW, K = 4, 6, 5, 7, 3
MASK = np.array([[1] * 6, [1] * 3 + [0] * 3, [1] + [0] * 5, [0] * 6], bool)
LENGTHS = MASK.sum(1)


def _bridge(random=None, heads=K, **options):
    """A bridge whose attention is sharp enough to make differences visible."""
    bridge = AttentionBridge(heads, DW, **options)
    bridge.build((None, None, DH))
    for weight in bridge.trainable_weights if random else ():
        weight.assign(random(*weight.shape))
    return bridge


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
def test_follows_the_equations_with_any_padding(random, penalty, use_bias):
    bridge = _bridge(random, penalty=penalty, penalty_weight=0.7, use_bias=use_bias)
    states = random(B, N, DH)
    sentence, attention, penalties = bridge(states, mask=MASK, return_attention=True, return_penalty=True)
    assert (sentence.shape, attention.shape, penalties.shape) == ((B, K, DH), (B, K, N), (B,))
    for b, n in enumerate(LENGTHS[:3]):
        expected = _oracle(bridge, states[b, :n])
        np.testing.assert_allclose(attention[b, :, :n], expected[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(sentence[b], expected[1], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(penalties[b], expected[2], rtol=1e-4)
    np.testing.assert_array_equal(np.asarray(attention)[~np.repeat(MASK[:, None], K, 1)], 0)
    np.testing.assert_array_equal(sentence[3], 0)
    assert float(penalties[3]) == 0


# With the paper's sizes.
@pytest.mark.parametrize(("heads", "parameters"), [(10, 535_562), (50, 576_562)])
def test_has_the_specified_number_of_parameters(heads, parameters):
    bridge = AttentionBridge(heads, 1024)
    bridge.build((None, None, 512))
    assert bridge.count_params() == parameters


@pytest.mark.parametrize("options", [{"penalty": "root"}, {"use_bias": False}, {"penalty_weight": 0.0}])
def test_keeps_the_contract_of_a_layer(check_layer, random, options):
    keras.utils.set_random_seed(1)
    biases = DW + K if options.get("use_bias", True) else 0
    check_layer(
        lambda **kwargs: AttentionBridge(K, DW, **options, **kwargs),
        {"inputs": random(B, N, DH), "mask": MASK},
        weights=4 if biases else 2,
        parameters=DH * DW + DW * K + biases,
        thorough="penalty" in options,
        return_attention=True,
        return_penalty=True,
    )


@settings(max_examples=15, deadline=None)
@given(n=st.integers(1, 8), more=st.integers(0, 5), heads=st.sampled_from([1, 3, 50]), seed=st.integers(0, 99))
def test_padding_is_invisible_with_any_values(n, more, heads, seed):
    generator = np.random.default_rng(seed)
    bridge = _bridge(lambda *shape: generator.normal(size=shape), heads)
    states = generator.normal(size=(1, n, DH)).astype("float32")
    padded = np.pad(states, ((0, 0), (0, more), (0, 0)), constant_values=np.nan)
    mask = np.arange(n + more)[None] < n
    one = bridge(states, return_attention=True, return_penalty=True)
    other = bridge(padded, mask=mask, return_attention=True, return_penalty=True)
    np.testing.assert_allclose(other[0], one[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(other[1][..., :n], one[1], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(other[1][..., n:], 0)
    np.testing.assert_allclose(other[2], one[2], rtol=1e-5)


def test_padding_has_no_gradient(random):
    bridge, states = _bridge(random), random(B, N, DH)
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


# One token: all heads attend to it, so A A^T is all ones, and with one head the penalty is 0.
@pytest.mark.parametrize("penalty", ["squared", "root"])
@pytest.mark.parametrize("heads", [1, 50])
@pytest.mark.parametrize("padding", [0, 3])
def test_one_token(random, penalty, heads, padding):
    bridge, states = _bridge(random, heads, penalty=penalty), random(1, 1 + padding, DH)
    mask = np.arange(1 + padding)[None] < 1
    with tf.GradientTape() as tape:
        sentence, attention, penalties = bridge(states, mask=mask, return_attention=True, return_penalty=True)
        loss = tf.reduce_sum(penalties) + tf.reduce_sum(sentence)
    np.testing.assert_allclose(sentence[0], np.repeat(states[0, :1], heads, 0), rtol=1e-6)
    np.testing.assert_allclose(attention[0, :, 0], 1, rtol=1e-6)
    squared = heads**2 - heads
    np.testing.assert_allclose(penalties[0], squared if penalty == "squared" else squared**0.5, rtol=1e-5)
    gradients = tape.gradient(loss, [w.value for w in bridge.trainable_weights])
    assert all(np.isfinite(x).all() for x in gradients)


def test_a_sentence_of_only_padding_is_zero_and_finite(random):
    bridge = _bridge(random, penalty="root")
    with tf.GradientTape() as tape:
        outputs = bridge(random(2, N, DH), mask=np.zeros((2, N), bool), return_attention=True, return_penalty=True)
        loss = tf.add_n([tf.reduce_sum(x) for x in outputs])
    for x in outputs:
        np.testing.assert_array_equal(x, 0)
    for x in tape.gradient(loss, [w.value for w in bridge.trainable_weights], unconnected_gradients="zero"):
        np.testing.assert_array_equal(x, 0)


@pytest.mark.parametrize("penalty", ["squared", "root"])
def test_heads_that_share_no_token_have_no_penalty(penalty):
    bridge = AttentionBridge(K, K, penalty=penalty, use_bias=False)
    bridge.build((None, None, K))
    bridge.set_weights([np.eye(K), 200 * np.eye(K)])  # head i attends to the states in direction i
    states = tf.eye(K)[None]
    with tf.GradientTape() as tape:
        attention, penalties = bridge(states, return_attention=True, return_penalty=True)[1:]
    np.testing.assert_allclose(attention[0], np.eye(K), atol=1e-6)
    assert float(penalties[0]) == 0
    gradients = tape.gradient(penalties, [w.value for w in bridge.trainable_weights])
    assert all(np.isfinite(x).all() for x in gradients)


@pytest.mark.parametrize("mask", [None, MASK])
def test_the_layer_adds_the_mean_penalty_over_sentences_to_the_loss(random, mask):
    bridge, states = _bridge(random, penalty_weight=0.5), random(B, N, DH)
    penalties = bridge(states, mask=mask, return_penalty=True)[1]
    assert not bridge.losses  # the caller adds the penalty
    bridge(states, mask=mask)
    sentences = B if mask is None else 3
    np.testing.assert_allclose(bridge.losses, [np.sum(penalties) / sentences], rtol=1e-6)
    bridge = _bridge(penalty_weight=0.0)
    bridge(states, mask=mask)
    assert not bridge.losses


def test_sentences_of_only_padding_add_nothing_to_the_loss(random):
    bridge = _bridge(random)
    bridge(random(2, N, DH), mask=np.zeros((2, N), bool))
    assert float(bridge.losses[0]) == 0


def test_trains_in_a_users_model():
    ids = np.random.default_rng(3).integers(1, 20, (16, 8)) * (np.arange(8) < np.arange(1, 17)[:, None] % 8 + 1)
    inputs = keras.Input((None,), dtype="int32")
    sentence = AttentionBridge(K, DW, name="bridge")(keras.layers.Embedding(20, DH, mask_zero=True)(inputs))
    assert getattr(sentence, "_keras_mask", None) is None  # M has no padding
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Flatten()(sentence)))
    model.compile(keras.optimizers.SGD(0.0), "mse")
    labels = np.zeros((16, 1))
    with_penalty = model.evaluate(ids, labels, batch_size=16, verbose=0)
    penalties = model.get_layer("bridge")(model.layers[1](ids), return_penalty=True)[1]
    np.testing.assert_allclose(with_penalty, np.mean(model(ids) ** 2) + np.mean(penalties), rtol=1e-5)
    model.compile(keras.optimizers.Adam(0.1), "mse")
    losses = model.fit(ids, labels, epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_attention_and_penalty_are_float32_under_half_precision(random, policy):
    bridge, half = _bridge(random, heads=50), _bridge(heads=50, dtype=policy)
    half.set_weights(bridge.get_weights())
    states = random(B, N, DH)
    expected = bridge(states, mask=MASK, return_attention=True, return_penalty=True)
    actual = half(states, mask=MASK, return_attention=True, return_penalty=True)
    assert [x.dtype for x in actual] == [half.compute_dtype, "float32", "float32"]
    np.testing.assert_allclose(np.sum(actual[1], -1), np.sum(expected[1], -1), atol=1e-5)
    np.testing.assert_allclose(actual[2], expected[2], rtol=0.1)
    symbolic = half(keras.Input((None, DH)), return_attention=True, return_penalty=True)
    assert [x.dtype for x in symbolic] == [half.compute_dtype, "float32", "float32"]
    assert [x.shape for x in symbolic] == [(None, 50, DH), (None, 50, None), (None,)]


def test_wrong_inputs_are_named(random):
    with pytest.raises(ValueError, match=r"must be \[B, n, dh\].* Received: shape"):
        AttentionBridge(2, 4)(random(2, 3))


@pytest.mark.parametrize("heads", [10, 50])
def test_the_square_has_the_gradient_of_the_norm_times_twice_the_norm(random, heads):
    states, values = tf.constant(random(1, 20, DH)), _bridge(random, heads).get_weights()
    gradients, norm = {}, 0.0
    for penalty in ("root", "squared"):
        bridge = _bridge(heads=heads, penalty=penalty)
        bridge.set_weights(values)
        with tf.GradientTape() as tape:
            penalties = bridge(states, return_penalty=True)[1]
        gradients[penalty] = np.asarray(tape.gradient(penalties, bridge.inner.kernel.value))
        norm = norm or float(penalties[0])
    np.testing.assert_allclose(gradients["squared"], 2 * norm * gradients["root"], rtol=1e-3, atol=1e-5)


def test_by_default_the_penalty_is_the_squared_norm_with_weight_one(random):
    bridge, states = _bridge(random), random(1, N, DH)
    attention, _, _ = _oracle(bridge, states[0])
    squared = ((attention @ attention.T - np.eye(K)) ** 2).sum()
    np.testing.assert_allclose(bridge(states, return_penalty=True)[1], [squared], rtol=1e-4)
