from __future__ import annotations

import json

import numpy as np
import pytest

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


def test_numpy_sizes_become_plain_integers():
    layer = ContextualizedEmbedding(np.int64(HR), context="cnn", context_units=np.int32(3), kernel_size=np.int64(5))
    config = json.loads(json.dumps(layer.get_config()))
    assert (config["num_roles"], config["context_units"], config["kernel_size"]) == (HR, 3, 5)


@pytest.mark.parametrize("arguments", [{"num_roles": 0}, {"causal": True, "context": "bilstm"}, {"exclusive": True}])
def test_wrong_arguments_are_named(arguments):
    with pytest.raises(ValueError, match="Received: "):
        ContextualizedEmbedding(**{"num_roles": 4, **arguments})
