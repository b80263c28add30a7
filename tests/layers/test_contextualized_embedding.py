"""The contextualized embedding against its equation; steps, padding and half precision."""

from __future__ import annotations

import json

import numpy as np
import pytest
from keras import ops

from keras_nmt.layers import ContextualizedEmbedding

B, T, D, HR = 2, 5, 6, 4
MASK = np.array([[1] * 5, [1] * 3 + [0] * 2], bool)


def test_follows_the_equation(random):
    layer, e = ContextualizedEmbedding(HR, "bilstm"), random(B, T, D)
    outputs = layer(e, mask=MASK)
    r = layer.role_assignment(e, mask=MASK)
    np.testing.assert_allclose(outputs, np.asarray(r) @ layer.kernel.numpy() + e, rtol=1e-4, atol=1e-5)


def test_keeps_the_contract_of_a_layer(check_layer, random):
    check_layer(
        lambda **kwargs: ContextualizedEmbedding(HR, "cnn", **kwargs),
        {"inputs": random(B, T, D), "mask": MASK},
        weights=5,
        parameters=7 * D * HR + HR + HR * (HR + 1) + HR * D,
    )


@pytest.mark.parametrize("context", ["lstm", "cnn"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_step_equals_call(random, context, exclusive):
    layer = ContextualizedEmbedding(HR, context, causal=True, exclusive=exclusive)
    inputs = random(B, T, D)
    expected = np.asarray(layer(inputs))
    cache = layer.empty_cache(1, B)
    for t in range(T):
        outputs, cache = layer.step(inputs[None, :, t], t, cache)
        np.testing.assert_allclose(outputs[0], expected[:, t], atol=1e-5)


@pytest.mark.parametrize("context", ["lstm", "bilstm", "cnn"])
def test_padding_is_invisible(random, context):
    layer, inputs = ContextualizedEmbedding(HR, context), random(B, T, D)
    outputs = np.asarray(layer(inputs, mask=MASK))
    np.testing.assert_allclose(layer(inputs[1:, :3]), outputs[1:, :3], atol=1e-5)


@pytest.mark.parametrize("context", ["lstm", "bilstm", "cnn"])
def test_padding_alone_and_single_words_are_finite(random, context):
    layer, inputs = ContextualizedEmbedding(HR, context), random(B, T, D)
    assert np.isfinite(layer(inputs, mask=np.zeros((B, T), bool))).all()
    np.testing.assert_allclose(
        layer(inputs[:, :1]), layer(inputs, mask=np.arange(T) < np.ones((B, 1)))[:, :1], atol=1e-5
    )


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_half_precision_extremes_are_finite_and_right(random, policy, scale):
    layer = ContextualizedEmbedding(HR, "bilstm")
    inputs = np.asarray(ops.cast(ops.cast(scale * random(B, T, D), policy.removeprefix("mixed_")), "float32"))
    expected = np.asarray(layer(inputs))
    half = ContextualizedEmbedding.from_config({**layer.get_config(), "dtype": policy})
    half.build((None, None, D))
    half.set_weights(layer.get_weights())
    outputs = np.asarray(ops.cast(half(inputs), "float32"))
    assert np.abs(outputs - expected).max() < 2e-2 * np.abs(expected).max()


def test_numpy_sizes_become_plain_integers():
    layer = ContextualizedEmbedding(np.int64(HR), context="cnn", units=np.int32(3), kernel_size=np.int64(5))
    config = json.loads(json.dumps(layer.get_config()))
    assert (config["num_roles"], config["units"], config["kernel_size"]) == (HR, 3, 5)


@pytest.mark.parametrize("arguments", [{"num_roles": 0}, {"causal": True, "context": "bilstm"}, {"exclusive": True}])
def test_wrong_arguments_are_named(arguments):
    with pytest.raises(ValueError, match="Received: "):
        ContextualizedEmbedding(**{"num_roles": 4, **arguments})


def test_options_reach_the_assignment():
    options = {"context": "cnn", "units": 3, "kernel_size": 5, "activation": "tanh", "causal": True}
    options |= {"exclusive": True, "dropout": 0.25}
    layer = ContextualizedEmbedding(HR, **options)
    assert layer.role_assignment.get_config().items() >= options.items()
    assert layer.get_config().items() >= options.items()
