"""The recurrent encoder against its equations; padding and dropout."""

import numpy as np
import pytest
import tensorflow as tf
from numpy_oracles import lstm

from keras_nmt.layers import RecurrentEncoder

B, T, E, D = 4, 5, 3, 6
MASK = np.array([[1] * 5, [1] * 3 + [0] * 2, [1] + [0] * 4, [0] * 5], bool)


def _encoder(randomised, num_layers=2, **options):
    return randomised(RecurrentEncoder(num_layers, D, **options), (None, None, E))


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


@pytest.mark.parametrize(("num_layers", "bidirectional"), [(1, False), (3, True)])
def test_follows_the_equations_with_any_padding(random, randomised, num_layers, bidirectional):
    encoder, inputs = _encoder(randomised, num_layers, bidirectional=bidirectional), random(B, T, E)
    inputs[~MASK] *= 1e3
    states, final = encoder(inputs, mask=MASK, return_state=True)
    assert [[x.shape for x in state] for state in final] == [[(B, D)] * 2] * num_layers
    for b, length in enumerate(MASK.sum(1)[:3]):
        expected_states, expected_final = _oracle(encoder, inputs[b, :length])
        np.testing.assert_allclose(states[b, :length], expected_states, rtol=1e-4, atol=1e-5)
        for one, other in zip(tf.nest.flatten(final), tf.nest.flatten(expected_final), strict=True):
            np.testing.assert_allclose(one[b], other, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(states.numpy()[~MASK], 0)
    for x in tf.nest.flatten(final):
        np.testing.assert_array_equal(x[3], 0)


def test_a_sentence_of_only_padding_is_zero_and_has_no_gradient(random, randomised):
    encoder = _encoder(randomised)
    with tf.GradientTape() as tape:
        outputs = tf.nest.flatten(encoder(random(2, T, E), mask=np.zeros((2, T), bool), return_state=True))
        loss = tf.add_n([tf.reduce_sum(x) for x in outputs])
    for x in outputs:
        np.testing.assert_array_equal(x, 0)
    for x in tape.gradient(loss, [w.value for w in encoder.trainable_weights]):
        np.testing.assert_array_equal(x, 0)


def test_padding_before_the_text_is_invisible(random, randomised):
    encoder, inputs = _encoder(randomised), random(2, T, E)
    mask = np.arange(T) >= np.array([[2], [0]])
    alone = tf.nest.flatten(encoder(inputs[:1, 2:], return_state=True))
    found = [x[:1] for x in tf.nest.flatten(encoder(inputs, mask=mask, return_state=True))]
    found[0] = found[0][:, 2:]
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_bidirectional_layer_has_no_steps(random):
    encoder = RecurrentEncoder(2, D)
    with pytest.raises(ValueError, match="Received: bidirectional=True"):
        encoder.empty_cache(1, 1)
    with pytest.raises(ValueError, match="Received: bidirectional=True"):
        encoder.step(random(1, 1, E), 0, [])


def test_dropout_is_between_the_layers(random, randomised):
    inputs = random(2, T, E)
    single, stack = _encoder(randomised, 1, dropout=0.5), _encoder(randomised, 2, dropout=0.5)
    np.testing.assert_array_equal(single(inputs, training=True), single(inputs))
    plain = stack(inputs).numpy()
    np.testing.assert_array_equal(stack(inputs, training=False), plain)
    first, second = (stack(inputs, training=True, return_state=True) for _ in range(2))
    assert not np.array_equal(first[0], plain)
    assert not np.array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1][0], second[1][0])  # the inputs of the first layer have no dropout


def test_last_states_are_float32_under_half_precision(random, randomised):
    encoder = _encoder(randomised, dtype="mixed_bfloat16")
    states, final = encoder(random(B, T, E), mask=MASK, return_state=True)
    assert states.dtype == encoder.compute_dtype
    assert {x.dtype for x in tf.nest.flatten(final)} == {tf.float32}
