"""The recurrent encoder against its equations; padding, steps, dropout and errors."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_oracles import lstm

from keras_nmt.layers import RecurrentEncoder

B, T, E, D = 4, 5, 3, 6
MASK = np.array([[1] * 5, [1] * 3 + [0] * 2, [1] + [0] * 4, [0] * 5], bool)


def _encoder(random=None, num_layers=2, **options):
    encoder = RecurrentEncoder(num_layers, D, **options)
    encoder.build((None, None, E))
    for weight in encoder.trainable_weights if random else ():
        weight.assign(random(*weight.shape))
    return encoder


def _oracle(encoder, states):
    """The states of one sentence, from inputs `[T, e]`, and [h, c] of each layer."""
    final = []
    for layer in encoder.layers:
        weights = [w.numpy() for w in layer.weights]
        forward, carry = lstm(states, *weights[:3])
        if not encoder.bidirectional:
            states = forward
            final.append([forward[-1], carry])
            continue
        backward, backward_carry = lstm(states[::-1], *weights[3:])
        states = np.concatenate([forward, backward[::-1]], -1)
        final.append([np.concatenate([forward[-1], backward[-1]]), np.concatenate([carry, backward_carry])])
    return states, final


def _flat(states_and_final):
    return tf.nest.flatten(states_and_final)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_layers", [1, 3])
def test_follows_the_equations_with_any_padding(random, num_layers, bidirectional):
    encoder, inputs = _encoder(random, num_layers, bidirectional=bidirectional), random(B, T, E)
    states, final = encoder(inputs, mask=MASK, return_state=True)
    assert [[x.shape for x in state] for state in final] == [[(B, D)] * 2] * num_layers
    for b, length in enumerate(MASK.sum(1)[:3]):
        expected_states, expected_final = _oracle(encoder, inputs[b, :length])
        np.testing.assert_allclose(states[b, :length], expected_states, rtol=1e-4, atol=1e-5)
        for one, other in zip(_flat(final), _flat(expected_final), strict=True):
            np.testing.assert_allclose(one[b], other, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(states.numpy()[~MASK], 0)
    for x in _flat(final):
        np.testing.assert_array_equal(x[3], 0)


def _parameters(num_layers, directions):
    """The parameters of four gates per LSTM: weights of the input and of the previous state, and a bias."""
    units = D // directions
    return sum(directions * 4 * units * ((D if i else E) + units + 1) for i in range(num_layers))


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_layers", [1, 2])
def test_has_the_number_of_parameters_of_the_equations(num_layers, bidirectional):
    assert _encoder(None, num_layers, bidirectional=bidirectional).count_params() == _parameters(
        num_layers, 2 if bidirectional else 1
    )


@pytest.mark.parametrize("num_layers", [1, 2])
def test_keeps_the_contract_of_a_layer(check_layer, random, num_layers):
    check_layer(
        lambda **kwargs: RecurrentEncoder(num_layers, D, **kwargs),
        {"inputs": random(B, T, E), "mask": MASK},
        weights=6 * num_layers,
        parameters=_parameters(num_layers, 2),
        thorough=num_layers == 1,
        return_state=True,
    )


@settings(max_examples=15, deadline=None)
@given(length=st.integers(1, 6), more=st.integers(0, 4), bidirectional=st.booleans(), seed=st.integers(0, 99))
def test_padding_is_invisible(length, more, bidirectional, seed):
    generator = np.random.default_rng(seed)
    encoder = _encoder(lambda *shape: generator.normal(size=shape), bidirectional=bidirectional)
    inputs = generator.normal(size=(1, length, E))
    padded = np.pad(inputs, ((0, 0), (0, more), (0, 0)), constant_values=1e3)
    alone, padded = (
        encoder(inputs, return_state=True),
        encoder(padded, mask=np.arange(length + more)[None] < length, return_state=True),
    )
    np.testing.assert_allclose(padded[0][:, :length], alone[0], rtol=1e-5, atol=1e-6)
    for one, other in zip(_flat(padded[1]), _flat(alone[1]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_sentence_of_only_padding_is_zero_and_has_no_gradient(random):
    encoder = _encoder(random)
    with tf.GradientTape() as tape:
        outputs = _flat(encoder(random(2, T, E), mask=np.zeros((2, T), bool), return_state=True))
        loss = tf.add_n([tf.reduce_sum(x) for x in outputs])
    for x in outputs:
        np.testing.assert_array_equal(x, 0)
    for x in tape.gradient(loss, [w.value for w in encoder.trainable_weights]):
        np.testing.assert_array_equal(x, 0)


def test_padding_before_the_text_is_invisible(random):
    encoder, inputs = _encoder(random), random(2, T, E)
    mask = np.arange(T) >= np.array([[2], [0]])
    alone = _flat(encoder(inputs[:1, 2:], return_state=True))
    found = [x[:1] for x in _flat(encoder(inputs, mask=mask, return_state=True))]
    found[0] = found[0][:, 2:]
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_one_direction_does_not_read_later_positions(random):
    encoder, inputs = _encoder(random, bidirectional=False), random(1, T, E)
    other = inputs.copy()
    other[:, 2] += 1
    one, two = encoder(inputs).numpy(), encoder(other).numpy()
    np.testing.assert_array_equal(one[:, :2], two[:, :2])
    assert (one[:, 2:] != two[:, 2:]).any(-1).all()


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_step_equals_call(random, policy):
    batch, beam = 2, 3
    encoder, inputs = _encoder(random, bidirectional=False, dtype=policy), random(batch, beam, T, E)
    expected = np.asarray(encoder(inputs.reshape(-1, T, E)), "float32").reshape(batch, beam, T, D)
    cache = encoder.empty_cache(batch, beam)
    for t in range(T):
        states, new_cache = encoder.step(tf.constant(inputs[:, :, t]), t, cache)
        assert [(x.shape, x.dtype) for x in _flat(new_cache)] == [(x.shape, x.dtype) for x in _flat(cache)]
        np.testing.assert_allclose(np.asarray(states, "float32"), expected[:, :, t], rtol=1e-4, atol=1e-5)
        cache = new_cache


def test_a_bidirectional_layer_has_no_steps(random):
    encoder = _encoder()
    with pytest.raises(ValueError, match="Received: bidirectional=True"):
        encoder.empty_cache(1, 1)
    with pytest.raises(ValueError, match="Received: bidirectional=True"):
        encoder.step(random(1, 1, E), 0, [])


def test_dropout_is_between_the_layers(random):
    inputs = random(2, T, E)
    single, stack = _encoder(random, 1, dropout=0.5), _encoder(random, 2, dropout=0.5)
    np.testing.assert_array_equal(single(inputs, training=True), single(inputs))
    plain = stack(inputs).numpy()
    np.testing.assert_array_equal(stack(inputs, training=False), plain)
    first, second = (stack(inputs, training=True, return_state=True) for _ in range(2))
    assert not np.array_equal(first[0], plain)
    assert not np.array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1][0], second[1][0])  # the inputs of the first layer have no dropout


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_last_states_are_float32_under_half_precision(random, policy):
    encoder = _encoder(random, dtype=policy)
    states, final = encoder(random(B, T, E), mask=MASK, return_state=True)
    assert states.dtype == encoder.compute_dtype
    assert {x.dtype for x in _flat(final)} == {tf.float32}
    symbolic, symbolic_final = encoder(keras.Input((None, E)), return_state=True)
    assert (symbolic.shape, symbolic.dtype) == ((None, None, D), encoder.compute_dtype)
    assert [[(x.shape, x.dtype) for x in state] for state in symbolic_final] == [[((None, D), "float32")] * 2] * 2


def test_wrong_inputs_are_named(random):
    with pytest.raises(ValueError, match=r"must be \[B, T, e\].* Received: shape"):
        RecurrentEncoder(2, D)(random(B, E))
