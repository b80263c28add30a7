"""Lexical shortcuts against their equations; gates, masks and initial weights."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from keras_nmt.layers import KeyValueProjection, LexicalShortcut

D = 6


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _gate(shortcut, plain, bias):  # Eq. 9 and 11, or 10 and 12
    r = _sigmoid(shortcut + plain + bias)
    return r * shortcut + (1 - r) * plain


@pytest.fixture
def tensors(random):
    return random(2, 5, D), random(2, 5, D)


def _randomised(layer, hidden, lexical, random):
    layer(hidden, lexical)
    layer.set_weights([random(*w.shape) for w in layer.weights])
    return layer


def test_plain_follows_the_equations(tensors, random):
    h, e = tensors
    layer = _randomised(LexicalShortcut(D, "plain"), h, e, random)
    (w_ksc, w_vsc), (w_k, w_v) = np.split(layer.lexical_kernel, 2, -1), np.split(layer.hidden_kernel, 2, -1)
    b_k, b_v = np.split(layer.gate_bias, 2)
    keys, values = layer(h, e)
    np.testing.assert_allclose(keys, _gate(e @ w_ksc, h @ w_k, b_k), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, _gate(e @ w_vsc, h @ w_v, b_v), rtol=1e-4, atol=1e-5)


def test_fusion_follows_the_equations(tensors, random):
    h, e = tensors
    layer = _randomised(LexicalShortcut(D, "fusion"), h, e, random)
    k_sc, v_sc, k, v = np.split(layer.fusion_kernel, 4, -1)
    w_k, w_v = np.concatenate([k_sc, k], -1), np.concatenate([v_sc, v], -1)  # each in R^{2d x 2d}
    b_k, b_v = np.split(layer.gate_bias, 2)
    both = np.concatenate([e, h], -1)
    keys, values = layer(h, e)
    np.testing.assert_allclose(keys, _gate(*np.split(both @ w_k, 2, -1), b_k), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, _gate(*np.split(both @ w_v, 2, -1), b_v), rtol=1e-4, atol=1e-5)


def test_an_ungated_shortcut_is_a_sum_and_feature_fusion_alone(tensors, random):
    h, e = tensors
    layer = _randomised(LexicalShortcut(D, "ungated"), h, e, random)
    (w_ksc, w_vsc), (w_k, w_v) = np.split(layer.lexical_kernel, 2, -1), np.split(layer.hidden_kernel, 2, -1)
    both = np.concatenate([e, h], -1)
    keys, values = layer(h, e)
    np.testing.assert_allclose(keys, e @ w_ksc + h @ w_k, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values, both @ np.concatenate([w_vsc, w_v]), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="An ungated shortcut has no gates to return. Received: return_gates=True"):
        layer(h, e, return_gates=True)


@pytest.mark.parametrize(
    ("kind", "weights", "parameters"),
    [("ungated", 2, 4 * D * D), ("plain", 3, 4 * D * D + 2 * D), ("fusion", 2, 8 * D * D + 2 * D)],
)
def test_keeps_the_contract_of_a_layer(check_layer, tensors, kind, weights, parameters):
    check_layer(
        lambda **kwargs: LexicalShortcut(D, kind, **kwargs),
        dict(zip(("hidden", "shortcut_states"), tensors, strict=True)),
        weights=weights,
        parameters=parameters,
        thorough=kind == "plain",
    )


def test_gates_start_between_lexical_and_hidden(tensors):
    layer = LexicalShortcut(D)
    h = np.zeros_like(tensors[0])
    *_, gates_k, gates_v = layer(h, h, return_gates=True)
    np.testing.assert_array_equal(gates_k, np.full((2, 5, D), 0.5))
    np.testing.assert_array_equal(gates_v, np.full((2, 5, D), 0.5))


@pytest.mark.parametrize(("bias", "source"), [(1e4, "lexical"), (-1e4, "hidden")])
def test_a_saturated_gate_passes_one_source(tensors, random, bias, source):
    h, e = tensors
    layer = _randomised(LexicalShortcut(D), h, e, random)
    layer.gate_bias.assign(np.full(2 * D, bias))
    keys, _ = layer(h, e)
    expected = e @ layer.lexical_kernel.numpy() if source == "lexical" else h @ layer.hidden_kernel.numpy()
    np.testing.assert_allclose(keys, expected[..., :D], rtol=1e-4, atol=1e-5)


def test_is_position_wise(tensors, random):
    h, e = tensors
    layer = _randomised(LexicalShortcut(D, "fusion"), h, e, random)
    keys, _ = layer(h, e)
    one, _ = layer(h[:, 3:4], e[:, 3:4])
    np.testing.assert_allclose(one, np.asarray(keys)[:, 3:4], rtol=1e-5, atol=1e-6)


def test_key_value_projection_keeps_the_contract(check_layer, tensors):
    check_layer(
        lambda **kwargs: KeyValueProjection(D, **kwargs), {"hidden": tensors[0]}, weights=1, parameters=2 * D * D
    )


@pytest.mark.parametrize("kind", ["plain", "fusion"])
@pytest.mark.parametrize("shape", [(2, 1, D), (1, 5, D), (5, D), (2, 4, D)])
def test_lexical_of_another_length_is_rejected(tensors, random, kind, shape):
    with pytest.raises(ValueError, match="same shape except for their last dimension"):
        LexicalShortcut(D, kind)(tensors[0], random(*shape))


@pytest.mark.parametrize("make", [lambda x: LexicalShortcut(D)(x, x), lambda x: KeyValueProjection(D)(x)])
def test_every_output_carries_the_mask(make):
    embedded = keras.layers.Embedding(9, D, mask_zero=True)(np.array([[4, 5, 0]]))
    for output in make(embedded):
        np.testing.assert_array_equal(output._keras_mask, [[True, True, False]])


@pytest.mark.parametrize(("kind", "fan_in"), [(None, 64), ("plain", 64), ("fusion", 128)])
def test_kernels_side_by_side_start_like_separate_kernels(kind, fan_in):
    layer = KeyValueProjection(64) if kind is None else LexicalShortcut(64, kind)
    layer.build(*[(None, None, 64)] * (1 if kind is None else 2))
    kernels = [weight for weight in layer.weights if len(weight.shape) == 2]
    assert kernels
    for kernel in kernels:
        assert np.std(kernel) == pytest.approx(fan_in**-0.5, rel=0.05)
