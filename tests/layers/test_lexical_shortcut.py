"""Lexical shortcuts against their equations; gates, masks and initial weights."""

import keras
import numpy as np
import pytest
from numpy_oracles import sigmoid

from keras_nmt.layers import KeyValueProjection, LexicalShortcut

D = 6


def _gate(shortcut, plain, bias):  # Eq. 9 and 11, or 10 and 12
    r = sigmoid(shortcut + plain + bias)
    return r * shortcut + (1 - r) * plain


@pytest.fixture
def tensors(random):
    return random(2, 5, D), random(2, 5, D)


def test_plain_follows_the_equations(tensors, randomised):
    h, e = tensors
    layer = randomised(LexicalShortcut(D, "plain"), h.shape, e.shape)
    (w_ksc, w_vsc), (w_k, w_v) = np.split(layer.lexical_kernel, 2, -1), np.split(layer.hidden_kernel, 2, -1)
    b_k, b_v = np.split(layer.gate_bias, 2)
    keys, values = layer(h, e)
    np.testing.assert_allclose(keys, _gate(e @ w_ksc, h @ w_k, b_k), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, _gate(e @ w_vsc, h @ w_v, b_v), rtol=1e-4, atol=1e-5)


def test_fusion_follows_the_equations(tensors, randomised):
    h, e = tensors
    layer = randomised(LexicalShortcut(D, "fusion"), h.shape, e.shape)
    k_sc, v_sc, k, v = np.split(layer.fusion_kernel, 4, -1)
    w_k, w_v = np.concatenate([k_sc, k], -1), np.concatenate([v_sc, v], -1)  # each in R^{2d x 2d}
    b_k, b_v = np.split(layer.gate_bias, 2)
    both = np.concatenate([e, h], -1)
    keys, values = layer(h, e)
    np.testing.assert_allclose(keys, _gate(*np.split(both @ w_k, 2, -1), b_k), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, _gate(*np.split(both @ w_v, 2, -1), b_v), rtol=1e-4, atol=1e-5)


def test_an_ungated_shortcut_is_a_sum_and_feature_fusion_alone(tensors, randomised):
    h, e = tensors
    layer = randomised(LexicalShortcut(D, "ungated"), h.shape, e.shape)
    (w_ksc, w_vsc), (w_k, w_v) = np.split(layer.lexical_kernel, 2, -1), np.split(layer.hidden_kernel, 2, -1)
    both = np.concatenate([e, h], -1)
    keys, values = layer(h, e)
    np.testing.assert_allclose(keys, e @ w_ksc + h @ w_k, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, both @ np.concatenate([w_vsc, w_v]), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="Missing gates: `return_gates` needs"):
        layer(h, e, return_gates=True)


def test_gates_start_between_lexical_and_hidden_and_are_returned(tensors):
    layer, h = LexicalShortcut(D), np.zeros_like(tensors[0])
    for gates in layer(h, h, return_gates=True)[2:]:
        np.testing.assert_array_equal(gates, np.full((2, 5, D), 0.5))
    layer.gate_bias.assign(np.repeat([1e4, -1e4], D))  # of keys and of values: one comes from E alone, one from h
    h, e = tensors
    keys, values, *gates = layer(h, e, return_gates=True)
    np.testing.assert_allclose(keys, (e @ layer.lexical_kernel.numpy())[..., :D], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, (h @ layer.hidden_kernel.numpy())[..., D:], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(gates[0], 1)
    np.testing.assert_array_equal(gates[1], 0)


@pytest.mark.parametrize("kind", ["plain", "fusion"])
def test_embeddings_that_fit_only_by_broadcasting_are_rejected(tensors, random, kind):
    for shape in ((2, 1, D), (1, 5, D), (5, D), (2, 4, D)):
        with pytest.raises(ValueError, match="same shape except for their last dimension"):
            LexicalShortcut(D, kind)(tensors[0], random(*shape))


def test_every_output_carries_the_mask():
    embedded = keras.layers.Embedding(9, D, mask_zero=True)(np.array([[4, 5, 0]]))
    for output in (*LexicalShortcut(D)(embedded, embedded), *KeyValueProjection(D)(embedded)):
        np.testing.assert_array_equal(output._keras_mask, [[True, True, False]])


def test_kernels_side_by_side_start_like_separate_kernels():
    shape = (None, None, 64)
    for layer, shapes, fan_in in (
        (KeyValueProjection(64), [shape], 64),
        (LexicalShortcut(64, "plain"), [shape] * 2, 64),
        (LexicalShortcut(64, "fusion"), [shape] * 2, 128),
    ):
        layer.build(*shapes)
        for kernel in (weight for weight in layer.weights if len(weight.shape) == 2):
            assert np.std(kernel) == pytest.approx(fan_in**-0.5, rel=0.05)
