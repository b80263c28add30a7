"""Transformer layers against their equations in float64: residuals, norms, masks and sites of shortcuts."""

import math

import numpy as np
import pytest
from keras import ops
from numpy_oracles import sigmoid, softmax
from transformer_layers import make_decoder, make_decoder_layer, make_encoder, make_encoder_layer

from keras_nmt.layers import FeedForward, GatedFeedForward, MultiHeadAttention, RotaryEncoding, intervening

B, T, S, D, F, HEADS = 2, 4, 5, 8, 12, 2
MODERN = {"norm": "rms", "feed_forward": "swiglu", "positions": "rotary", "num_key_value_heads": 2}
INPUTS_MASK = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool)
MEMORY_MASK = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], bool)


def _weights(layer, random):
    """New weights of a built layer, by their paths after the layer's name."""
    layer.set_weights([0.5 * random(*w.shape) for w in layer.get_weights()])
    return {w.path.split("/", 1)[1]: w.numpy().astype("float64") for w in layer.weights}


def _keys_and_values(w, name, h, e, gates=None):
    """Keys and values by Eq. 5 to 14 of Emelin et al., or with other gates; the halves are of keys and of values."""
    if e is None:
        return np.split(h @ w[f"{name}/kernel"], 2, -1)
    if f"{name}/lexical_kernel" in w:  # plain
        shortcut, plain = e @ w[f"{name}/lexical_kernel"], h @ w[f"{name}/hidden_kernel"]
    else:  # fusion
        shortcut, plain = np.split(np.concatenate([e, h], -1) @ w[f"{name}/fusion_kernel"], 2, -1)
    r = sigmoid(shortcut + plain + w[f"{name}/gate_bias"]) if gates is None else gates
    return np.split(r * shortcut + (1 - r) * plain, 2, -1)


def _attention(w, name, query, memory, mask, e=None, gates=None, head_off=None):
    """Attention by Eq. 1 of Vaswani et al., head by head; the mask is `[B, T, S]`. One head can be off."""
    q = query @ w[f"{name}/query/kernel"]
    k, v = _keys_and_values(w, f"{name}/key_value", memory, e, gates)
    heads = []
    for number, part in enumerate(np.split(np.arange(D), HEADS), 1):
        scores = np.einsum("btd,bsd->bts", q[..., part], k[..., part]) / np.sqrt(D / HEADS)
        heads.append(softmax(np.where(mask, scores, -np.inf)) @ v[..., part] * (number != head_off))
    return np.concatenate(heads, -1) @ w[f"{name}/output/kernel"]


def _feed_forward(w, x):
    inner = np.maximum(x @ w["feed_forward/inner/kernel"] + w["feed_forward/inner/bias"], 0)
    return inner @ w["feed_forward/outer/kernel"] + w["feed_forward/outer/bias"]


def _residual(w, name, norm, x, f):
    """The residual connection x + f(LN(x)), or LN(x + f(x)), or LN(x) + f(LN(x))."""

    def layer_norm(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt(x.var(-1, keepdims=True) + 1e-6) * w[f"{name}_norm/gamma"] + w[f"{name}_norm/beta"]

    if norm == "released":
        return layer_norm(x) + f(layer_norm(x))
    return x + f(layer_norm(x)) if norm == "pre" else layer_norm(x + f(x))


def _remembered(norm, x, h):
    """The states of which self-attention makes keys and values."""
    return x if norm == "released" else h


NORMS = ("pre", "post", "released")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("shortcut", [None, "plain", "fusion"])
def test_encoder_layer(random, norm, shortcut):
    layer = make_encoder_layer(HEADS, D, F, norm=norm, shortcut=shortcut)
    x, e = random(B, T, D), random(B, T, D) if shortcut else None
    layer(x, shortcut_states=e)
    w = _weights(layer, random)
    mask = np.repeat(INPUTS_MASK[:, None], T, 1)
    states = _residual(
        w, "self_attention", norm, x, lambda h: _attention(w, "self_attention", h, _remembered(norm, x, h), mask, e)
    )
    expected = _residual(w, "feed_forward", norm, states, lambda h: _feed_forward(w, h))
    np.testing.assert_allclose(layer(x, shortcut_states=e, padding_mask=INPUTS_MASK), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(("shortcut", "cross_shortcut"), [(None, None), ("plain", None), ("fusion", "fusion")])
def test_decoder_layer(random, norm, shortcut, cross_shortcut):
    layer = make_decoder_layer(HEADS, D, F, norm=norm, shortcut=shortcut, cross_shortcut=cross_shortcut)
    x, memory = random(B, T, D), random(B, S, D)
    e, memory_e = random(B, T, D) if shortcut else None, random(B, S, D) if cross_shortcut else None
    layer(x, memory, shortcut_states=e, memory_shortcut_states=memory_e)
    w = _weights(layer, random)
    causal = np.tril(np.ones((T, T), bool)) & INPUTS_MASK[:, None]
    mask = np.repeat(MEMORY_MASK[:, None], T, 1)
    states = _residual(
        w, "self_attention", norm, x, lambda h: _attention(w, "self_attention", h, _remembered(norm, x, h), causal, e)
    )
    states = _residual(
        w, "cross_attention", norm, states, lambda h: _attention(w, "cross_attention", h, memory, mask, memory_e)
    )
    expected = _residual(w, "feed_forward", norm, states, lambda h: _feed_forward(w, h))
    found = layer(
        x, memory, shortcut_states=e, memory_shortcut_states=memory_e, padding_mask=INPUTS_MASK, memory_mask=MEMORY_MASK
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shortcut", ["plain", "fusion"])
def test_an_encoder_layer_with_cuts(random, shortcut):
    layer = make_encoder_layer(HEADS, D, F, norm="pre", shortcut=shortcut)
    x, e = random(B, T, D), random(B, T, D)
    layer(x, shortcut_states=e)
    w = _weights(layer, random)
    mask = np.ones((B, T, T), bool)
    gates = random(T, 2 * D)
    for replacements, cut in (
        ({"*:gates": lambda record: gates}, {"gates": gates}),
        ({"*/self_attention:heads:2": lambda record: 0}, {"head_off": 2}),
        ({"*:attention:1": lambda record: 0 * record.value, "*:gates": lambda _: 1}, {"head_off": 1, "gates": 1}),
    ):
        states = _residual(
            w, "self_attention", "pre", x, lambda h, c=cut: _attention(w, "self_attention", h, h, mask, e, **c)
        )
        expected = _residual(w, "feed_forward", "pre", states, lambda h: _feed_forward(w, h))
        with intervening(replacements):
            found = layer(x, shortcut_states=e)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def _rotated(x, base=10_000.0):
    """Pairs of neurons i, i + n/2 as complex numbers times e^(i t theta), Eq. 12 and 34 of Su et al.; x is `[T, n]`."""
    half = x.shape[-1] // 2
    thetas = base ** (-2 * np.arange(half) / (2 * half))
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * np.arange(x.shape[-2])[:, None] * thetas)
    return np.concatenate([turned.real, turned.imag], -1)


def test_rotary_positions_follow_the_published_equation(random):
    x = random(2, 3, 40, D)
    for layer, base in ((RotaryEncoding(), 10_000.0), (RotaryEncoding(base=500.0), 500.0)):
        expected = _rotated(x.astype("float64"), base)
        np.testing.assert_allclose(layer(x), expected, atol=1e-4)
        np.testing.assert_allclose(layer(x[:, :, 39:], position=ops.array(39)), expected[:, :, 39:], atol=1e-4)


def _grouped_attention(w, name, query, memory, mask, rotate):
    """Attention of four heads of queries to two heads of keys and values, head by head."""
    heads, groups, width = 4, 2, D // 4
    q, (k, v) = query @ w[f"{name}/query/kernel"], np.split(memory @ w[f"{name}/key_value/kernel"], 2, -1)
    outputs = []
    for head in range(heads):
        own, shared = (slice(width * i, width * (i + 1)) for i in (head, head // (heads // groups)))
        queries, keys = (_rotated(x) if rotate else x for x in (q[..., own], k[..., shared]))
        scores = np.einsum("btd,bsd->bts", queries, keys) / np.sqrt(width)
        outputs.append(softmax(np.where(mask, scores, -np.inf)) @ v[..., shared])
    return np.concatenate(outputs, -1) @ w[f"{name}/output/kernel"]


@pytest.mark.parametrize("stack", [make_encoder, make_decoder])
def test_a_stack_of_norms_in_post_position_has_no_further_norms(stack):
    for options, is_post in (
        ({"norm": "post"}, True),
        ({"norm": "rms", "norm_position": "post"}, True),
        (MODERN, False),
    ):
        layer = stack(2, 4, D, F, layer_composition="linear", **options)
        assert (layer.final_norm is None) == (not layer.composition_norms) == is_post


@pytest.mark.parametrize("position", ["pre", "post"])
def test_modern_decoder_layer(random, position):
    layer = make_decoder_layer(4, D, F, **MODERN, norm_position=position)
    x, memory = random(B, T, D), random(B, S, D)
    layer(x, memory)
    w = _weights(layer, random)
    causal = np.tril(np.ones((T, T), bool)) & INPUTS_MASK[:, None]
    mask = np.repeat(MEMORY_MASK[:, None], T, 1)

    def rms(name, x):
        return x / np.sqrt(np.square(x).mean(-1, keepdims=True) + 1e-6) * w[f"{name}_norm/scale"]

    def feed_forward(x):  # (silu(x W) * x V) W_2
        gate = x @ w["feed_forward/inner/kernel"]
        return (gate * sigmoid(gate) * (x @ w["feed_forward/values/kernel"])) @ w["feed_forward/outer/kernel"]

    def residual(name, x, f):
        return x + f(rms(name, x)) if position == "pre" else rms(name, x + f(x))

    def attend(h):
        return _grouped_attention(w, "self_attention", h, h, causal, rotate=True)

    def attend_memory(h):
        return _grouped_attention(w, "cross_attention", h, memory, mask, rotate=False)

    states = residual("cross_attention", residual("self_attention", x, attend), attend_memory)
    expected = residual("feed_forward", states, feed_forward)
    found = layer(x, memory, padding_mask=INPUTS_MASK, memory_mask=MEMORY_MASK)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def _silu(z):
    return z / (1 + np.exp(-z))


def _gelu(z):  # z P(Z <= z), not its approximation by tanh
    return z * np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))(z)


@pytest.mark.parametrize(
    ("make", "gate"),
    [
        (lambda: make_encoder_layer(HEADS, D, F).feed_forward, lambda z: np.maximum(z, 0)),
        (lambda: make_encoder_layer(HEADS, D, F, feed_forward="gelu").feed_forward, _gelu),
        (lambda: make_encoder_layer(HEADS, D, F, feed_forward="swiglu").feed_forward, _silu),
        (lambda: FeedForward(F, D, activation="tanh"), np.tanh),
        (lambda: GatedFeedForward(F, D, activation="gelu"), _gelu),
    ],
    ids=["default", "gelu", "swiglu", "tanh", "geglu"],
)
def test_feed_forward_networks(random, make, gate):
    layer, x = make(), random(B, T, D)
    layer(x)
    w = {path.rpartition("feed_forward/")[2]: value for path, value in _weights(layer, random).items()}
    inner = gate(x @ w["inner/kernel"] + w.get("inner/bias", 0))
    if isinstance(layer, GatedFeedForward):
        inner = inner * (x @ w["values/kernel"])
    expected = inner @ w["outer/kernel"] + w.get("outer/bias", 0)
    np.testing.assert_allclose(layer(x), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("make", [FeedForward, GatedFeedForward])
def test_dropout_of_the_feed_forward_network_is_before_the_last_matrix(make):
    """Of F equal units, each kept one adds twice its value: a binomial number of them."""
    layer, ones = make(F, 1, dropout=0.5), np.ones((2000, 1), "float32")
    layer(ones)
    layer.set_weights([np.full(w.shape, len(w.shape) - 1, "float32") for w in layer.get_weights()])  # biases are 0
    unit = np.asarray(layer(ones))[0, 0] / F
    kept = np.asarray(layer(ones, training=True))[:, 0] / (2 * unit)
    np.testing.assert_allclose(kept, kept.round(), atol=1e-3)
    assert (kept.mean(), kept.var()) == pytest.approx((F / 2, F / 4), rel=0.15)


def test_dropout_of_attention_is_of_the_weights():
    """Of S equal values, each kept one adds twice its share, to all neurons alike."""
    layer = MultiHeadAttention(1, D, dropout=0.5)
    layer.build((None, None, D))
    layer.output_layer.kernel.assign(np.eye(D))
    query, values = np.ones((1, 2000, D), "float32"), np.ones((1, 1, S, D), "float32")
    output, weights = layer.attend(query, np.zeros_like(values), values, training=True)
    np.testing.assert_allclose(weights, 1 / S, rtol=1e-5)  # those that are returned are whole
    kept = np.asarray(output)[0] * S / 2  # [T, D]
    np.testing.assert_allclose(kept, kept[:, :1].round().repeat(D, 1), atol=1e-4)
    assert (kept.mean(), kept[:, 0].var()) == pytest.approx((S / 2, S / 4), rel=0.15)
