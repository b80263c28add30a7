"""Transformer layers against their equations in float64: residuals, norms, masks and sites of shortcuts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy_oracles import sigmoid, softmax

from keras_nmt.layers import TransformerDecoderLayer, TransformerEncoderLayer

B, T, S, D, F, HEADS = 2, 4, 5, 8, 12, 2
INPUTS_MASK = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool)
MEMORY_MASK = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], bool)


def _weights(layer, random):
    """New weights of a built layer, by their paths after the layer's name."""
    layer.set_weights([0.5 * random(*w.shape) for w in layer.get_weights()])
    return {w.path.split("/", 1)[1]: w.numpy().astype("float64") for w in layer.weights}


def _keys_and_values(w, name, h, e):
    """Keys and values by Eq. 5 to 14 of Emelin et al.; the halves of a matrix are for keys and for values."""
    if e is None:
        return np.split(h @ w[f"{name}/kernel"], 2, -1)
    if f"{name}/lexical_kernel" in w:  # plain
        shortcut, plain = e @ w[f"{name}/lexical_kernel"], h @ w[f"{name}/hidden_kernel"]
    else:  # fusion
        shortcut, plain = np.split(np.concatenate([e, h], -1) @ w[f"{name}/fusion_kernel"], 2, -1)
    r = sigmoid(shortcut + plain + w[f"{name}/gate_bias"])
    return np.split(r * shortcut + (1 - r) * plain, 2, -1)


def _attention(w, name, query, memory, mask, e=None):
    """Attention by Eq. 1 of Vaswani et al., head by head; the mask is `[B, T, S]`."""
    q = query @ w[f"{name}/query/kernel"]
    k, v = _keys_and_values(w, f"{name}/key_value", memory, e)
    heads = []
    for part in np.split(np.arange(D), HEADS):
        scores = np.einsum("btd,bsd->bts", q[..., part], k[..., part]) / np.sqrt(D / HEADS)
        heads.append(softmax(np.where(mask, scores, -np.inf)) @ v[..., part])
    return np.concatenate(heads, -1) @ w[f"{name}/output/kernel"]


def _feed_forward(w, x):
    inner = np.maximum(x @ w["feed_forward/inner/kernel"] + w["feed_forward/inner/bias"], 0)
    return inner @ w["feed_forward/outer/kernel"] + w["feed_forward/outer/bias"]


def _residual(w, name, norm, x, f):
    """The residual connection x + f(LN(x)), or LN(x + f(x))."""

    def layer_norm(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt(x.var(-1, keepdims=True) + 1e-6) * w[f"{name}_norm/gamma"] + w[f"{name}_norm/beta"]

    return x + f(layer_norm(x)) if norm == "pre" else layer_norm(x + f(x))


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("shortcut", [None, "plain", "fusion"])
def test_encoder_layer(random, norm, shortcut):
    layer = TransformerEncoderLayer(HEADS, D, F, norm=norm, shortcut=shortcut)
    x, e = random(B, T, D), random(B, T, D) if shortcut else None
    layer(x, lexical=e)
    w = _weights(layer, random)
    mask = np.repeat(INPUTS_MASK[:, None], T, 1)
    states = _residual(w, "self_attention", norm, x, lambda h: _attention(w, "self_attention", h, h, mask, e))
    expected = _residual(w, "feed_forward", norm, states, lambda h: _feed_forward(w, h))
    np.testing.assert_allclose(layer(x, lexical=e, mask=INPUTS_MASK), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(
    ("shortcut", "cross_shortcut"), [(None, None), ("plain", None), (None, "plain"), ("fusion", "fusion")]
)
def test_decoder_layer(random, norm, shortcut, cross_shortcut):
    layer = TransformerDecoderLayer(HEADS, D, F, norm=norm, shortcut=shortcut, cross_shortcut=cross_shortcut)
    x, memory = random(B, T, D), random(B, S, D)
    e, memory_e = random(B, T, D) if shortcut else None, random(B, S, D) if cross_shortcut else None
    layer(x, memory, lexical=e, memory_lexical=memory_e)
    w = _weights(layer, random)
    causal = np.tril(np.ones((T, T), bool)) & INPUTS_MASK[:, None]
    mask = np.repeat(MEMORY_MASK[:, None], T, 1)
    states = _residual(w, "self_attention", norm, x, lambda h: _attention(w, "self_attention", h, h, causal, e))
    states = _residual(
        w, "cross_attention", norm, states, lambda h: _attention(w, "cross_attention", h, memory, mask, memory_e)
    )
    expected = _residual(w, "feed_forward", norm, states, lambda h: _feed_forward(w, h))
    found = layer(x, memory, lexical=e, memory_lexical=memory_e, inputs_mask=INPUTS_MASK, memory_mask=MEMORY_MASK)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
