"""The SSRU: its equations, its gradients, its steps, and padding."""

import numpy as np
import pytest
import tensorflow as tf
from numpy_oracles import sigmoid

from keras_nmt.layers import SSRU

B, T, D, U = 2, 5, 4, 6
MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)


def by_hand(layer, x):
    """Kim et al. (2019), for one sentence, one position after the other, in float64."""
    kernel, bias = (weight.astype("float64") for weight in layer.get_weights())
    w, w_f = np.split(kernel, 2, axis=1)
    state, outputs = np.zeros(U), []
    for x_t in x:
        f_t = sigmoid(x_t @ w_f + bias)
        state = f_t * state + (1 - f_t) * (x_t @ w)
        outputs.append(np.maximum(state, 0))
    return np.array(outputs)


def by_steps(layer, x):
    cache, outputs = layer.empty_cache(len(x), 1), []
    for t in range(x.shape[1]):
        output, cache = layer.step(x[:, t : t + 1], t, cache)
        assert (cache["state"].dtype, output.dtype) == (tf.float32, layer.compute_dtype)
        outputs.append(output)
    return tf.concat(outputs, axis=1)


def test_outputs_follow_the_equations(random, randomised):
    layer = randomised(SSRU(U), (None, None, D))
    for length in (0, 1, 3, 33):
        x = random(B, length, D)
        expected = np.array([by_hand(layer, sentence) for sentence in x]).reshape(B, length, U)
        np.testing.assert_allclose(layer(x), expected, rtol=1e-4, atol=1e-5)


def test_gradients_are_those_of_a_loop_over_positions(random, randomised):
    layer, x = randomised(SSRU(U), (None, None, D)), tf.constant(random(B, T, D))

    found = []
    for run in (layer, lambda x: by_steps(layer, x)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.sin(run(x)))
        found.append([loss, *tape.gradient(loss, [x, *(weight.value for weight in layer.trainable_weights)])])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_gates_of_zero_and_one_over_many_positions_are_exact(random):
    """Products of gates vanish, or stay one: a form that divides by them, or takes their logarithms, is not finite."""
    layer = SSRU(1)
    layer.build((None, None, 2))
    layer.set_weights([np.eye(2), np.zeros(1)])  # the first input is W x, the second the gate's
    added = random(1, 300, 1)
    for gate, expected in ((-200.0, added), (200.0, np.zeros_like(added))):
        x = tf.constant(np.concatenate([added, np.full_like(added, gate)], -1))
        with tf.GradientTape() as tape:
            tape.watch(x)
            output = layer(x)
        np.testing.assert_allclose(output, np.maximum(expected, 0), atol=1e-6)
        assert np.isfinite(tape.gradient(output, x)).all()


@pytest.mark.parametrize("run", [lambda layer, x: layer(x), by_steps], ids=["call", "steps"])
def test_half_precision_keeps_a_slow_state(run):
    """A gate of 0.999 is 1 in bfloat16, in which the state would stay where it is."""
    layer = SSRU(1, dtype="mixed_bfloat16")
    layer.build((None, None, 1))
    layer.set_weights([np.array([[1.0, 0.0]]), np.log([999.0])])
    outputs = tf.cast(run(layer, np.ones((1, 200, 1), "float32")), "float32")[0, :, 0]
    np.testing.assert_allclose(outputs, 1 - 0.999 ** np.arange(1, 201), rtol=2**-8)


def test_padding_leaves_the_state_as_it_is(random, randomised):
    layer, x = randomised(SSRU(U), (None, None, D)), random(1, T, D)
    padded = np.insert(x, [0, 0, 2, 5], np.nan, axis=1)
    mask = ~np.isnan(padded[..., 0])
    padded[~mask] = 7.0
    np.testing.assert_allclose(np.asarray(layer(padded, mask=mask))[mask], layer(x)[0], rtol=1e-5, atol=1e-6)
    assert not np.allclose(np.asarray(layer(padded))[mask], layer(x)[0], atol=1e-2)
