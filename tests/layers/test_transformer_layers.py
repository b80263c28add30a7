"""Transformer layers and stacks: compositions of layers, shortcuts, masks and rates."""

import keras
import numpy as np
import pytest
from keras import ops
from pairwise import pairwise
from transformer_layers import make_decoder, make_decoder_layer, make_encoder, make_encoder_layer

from keras_nmt.decoding.search_loop import _take_caches
from keras_nmt.layers import (
    SSRU,
    FeedForward,
    MultiHeadAttention,
    RotaryEncoding,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
)

B, T, S, D, F = 2, 4, 5, 8, 12


def test_layers_take_turns_in_a_deeper_stack(random):
    first, second = (make_encoder_layer(2, D, F) for _ in range(2))
    x = random(B, T, D)
    output = TransformerEncoder([first, second], num_layers=3)(x)
    np.testing.assert_allclose(output, first(second(first(x))), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="`num_layers` must be at least 2, the given layers. Received: 1"):
        TransformerEncoder([first, second], num_layers=1)


@pytest.mark.parametrize("source", ["lexical", "non_lexical"])
def test_the_shortcut_of_each_layer_has_its_source(random, source, monkeypatch):
    encoder = make_encoder(4, 2, D, F, shortcut="plain", shortcut_source=source)
    x = random(B, T, D)
    seen = []
    for layer in encoder.layers:
        inner = layer.call

        def call(inputs, shortcut_states=None, inner=inner, **more):
            seen.append(shortcut_states)
            return inner(inputs, shortcut_states=shortcut_states, **more)

        monkeypatch.setattr(layer, "call", call)
    _, states = encoder(x, return_states=True)
    expected = [0, 0, 0, 0] if source == "lexical" else [0, 0, 1, 2]  # H_{l-2}, and E in layers 1 and 2
    for source_states, index in zip(seen[-4:], expected, strict=True):
        np.testing.assert_array_equal(source_states, states[index])


def _normalised(stack, name, x):
    """LayerNorm of x with the weights of one name."""
    gamma, beta = (next(w for w in stack.weights if w.path.endswith(f"/{name}/{part}")) for part in ("gamma", "beta"))
    x = np.asarray(x)
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-6) * gamma.numpy() + beta.numpy()


# The layers whose states join in each node of the hierarchical aggregation.
NODES = {4: [(1, 2), (3, 4)], 5: [(1, 2), (3, 4), (5,)]}


def _by_hand(stack, kind, norm, residual, x, **arguments):
    """The stack's output and its states, layer by layer."""

    def r(number):  # r_l = H^l, normalised under pre-LN
        return (
            _normalised(stack, f"layer_composition_norm_{number}", states[number]) if norm == "pre" else states[number]
        )

    states, numbers = [x], range(1, len(stack.layers) + 1)
    if kind == "hierarchical":
        aggregate = None
        for node, joining in enumerate(NODES[len(numbers)]):
            representations = []
            for number in joining:
                states.append(stack.layers[number - 1](states[-1], **arguments))
                representations.append(r(number))
            state = stack.composition.aggregate(node, representations, aggregate)
            aggregate = states[-1] = np.asarray(states[-1]) + state if residual else state
        return _normalised(stack, "final_norm", aggregate) if norm == "pre" and residual else aggregate, states
    for number in numbers:
        states.append(stack.layers[number - 1](states[-1], **arguments))
    output = states[-1] if kind is None else stack.composition.compose([r(number) for number in numbers])
    if kind is not None and residual:
        output = output + r(number)
    return _normalised(stack, "final_norm", output) if norm == "pre" else output, states


# Even and odd numbers of layers make different trees; for other compositions the number does not matter.
KINDS = ("linear", "low_rank", "extended", "bilinear")
COMPOSITIONS = [("hierarchical", 4), ("hierarchical", 5), (None, 3), *((kind, 3) for kind in KINDS)]


@pytest.mark.parametrize(
    "options",
    pairwise(
        {
            "side": ["encoder", "decoder"],
            "norm": ["pre", "post"],
            "composition": COMPOSITIONS,
            "residual": [False, True],
        },
        lambda options: options["composition"][0] is not None or not options["residual"],
    ),
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_stacks_compose_their_layers(random, options):
    side, norm, (kind, number), residual = options.values()
    stack = (make_encoder if side == "encoder" else make_decoder)(
        number, 2, D, F, norm=norm, layer_composition=kind and {"kind": kind, "residual": residual}
    )
    x = random(B, T, D)
    arguments = {"padding_mask": np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool)}
    if side == "decoder":
        arguments = {"memory": random(B, S, D), "memory_mask": np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)}
    stack.build(*[value.shape for name, value in {"inputs": x, **arguments}.items() if "mask" not in name])
    stack.set_weights([0.5 * random(*w.shape) for w in stack.get_weights()])  # so that each layer has another effect
    output, states = stack(x, **arguments, return_states=True)
    expected, expected_states = _by_hand(stack, kind, norm, residual, x, **arguments)
    np.testing.assert_allclose(output, expected, rtol=1e-3, atol=1e-4)
    assert len(states) == len(expected_states) == number + 1
    for state, expected_state in zip(states, expected_states, strict=True):
        np.testing.assert_allclose(state, expected_state, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(stack(x, **arguments), output)


RATES = ["dropout", "attention_dropout", "activation_dropout"]


def test_errors_of_rates_name_the_rate():
    for name in RATES:
        with pytest.raises(ValueError, match=f"`{name}` must be at least 0 and below 1. Received: {name}=1.5"):
            make_encoder(1, 2, D, F, **{name: 1.5})
        assert make_encoder(1, 2, D, F, **{name: np.float32(0.5)}).layers


def test_dropout_applies_to_the_output_of_a_sub_layer(random):
    layer, x = make_encoder_layer(2, D, F, dropout=0.5), random(20, T, D)
    layer(x)
    layer.self_attention.output_layer.kernel.assign(np.zeros((D, D)))  # attention gives 0, the network 1
    layer.feed_forward.outer.kernel.assign(np.zeros((F, D)))
    layer.feed_forward.outer.bias.assign(np.ones(D))
    added = np.asarray(layer(x, training=True)) - x
    np.testing.assert_allclose(np.minimum(np.abs(added), np.abs(added - 2)), 0, atol=1e-5)
    assert 0.4 < (added > 1).mean() < 0.6


@pytest.mark.parametrize("rate", RATES)
def test_each_rate_is_active_in_training_only(random, rate):
    x, memory = random(B, T, D), random(B, S, D)
    for kind, norm, inputs in ((make_encoder, "post", [x]), (make_decoder, "pre", [x, memory])):
        stack = kind(1, 2, D, F, norm=norm, **{rate: 0.5})
        plain = np.asarray(stack(*inputs))
        np.testing.assert_array_equal(stack(*inputs), plain)
        assert not np.allclose(stack(*inputs, training=True), plain)


@pytest.mark.parametrize(
    ("kind", "attached", "of_itself"),
    [
        (make_decoder, True, "attention"),
        (make_decoder, False, "ssru"),
        (make_decoder_layer, False, "attention"),
        (make_decoder_layer, True, "ssru"),
    ],
)
def test_decoders_ignore_padding_before_their_inputs(random, kind, attached, of_itself):
    decoder = kind(*[2] * (kind is make_decoder), 2, D, F, decoder_self_attention=of_itself)
    ids, memory = np.array([[0, 0, 4, 5]]), random(1, S, D)
    embedded = keras.layers.Embedding(9, D, mask_zero=True)(ids)
    plain = np.asarray(embedded)
    found = decoder(embedded, memory) if attached else decoder(plain, memory, padding_mask=ids != 0)
    np.testing.assert_allclose(np.asarray(found)[:, 2:], decoder(plain[:, 2:], memory), rtol=1e-5, atol=1e-5)


def _gates(stack, number, name, hidden, lexical):
    """The gates r_K and r_V of a fusion shortcut by Eq. 9, 10, 13 and 14."""
    kernel, bias = (
        next(np.asarray(w) for w in stack.weights if w.path.endswith(f"layer_{number}/{name}/key_value/{part}"))
        for part in ("fusion_kernel", "gate_bias")
    )
    shortcut, plain = np.split(np.concatenate([lexical, hidden], -1) @ kernel, 2, -1)  # K_sc | V_sc, K | V
    return np.split(1 / (1 + np.exp(-(shortcut + plain + bias))), 2, -1)


def _own_layer(own=None, cross=None):
    attention = [MultiHeadAttention(2, D) if given is None else given for given in (own, cross)]
    norms = [keras.layers.LayerNormalization() for _ in range(3)]
    return TransformerDecoderLayer(*attention, FeedForward(F, D), *norms, keras.layers.Dropout(0.0))


@pytest.mark.parametrize("max_length", [None, 6])
@pytest.mark.parametrize(
    "make",
    [
        lambda: [_own_layer(cross=MultiHeadAttention(2, D, positions=RotaryEncoding())), _own_layer()],
        lambda: [_own_layer(), _own_layer(own=SSRU(D))],
        lambda: [_own_layer(own=SSRU(D)), _own_layer()],
    ],
    ids=["positions of cross-attention", "attention, then SSRU", "SSRU, then attention"],
)
def test_steps_of_hypotheses_that_change_places_equal_the_call(random, make, max_length):
    decoder, memory, states = TransformerDecoder(make()), random(1, S, D), random(2, T, D)
    expected = np.asarray(decoder(states, np.repeat(memory, 2, 0)))
    constants, caches = decoder.prepare(ops.convert_to_tensor(memory), 2, max_length)
    order = np.array([0, 1])
    for t in range(T):
        if t == 2:
            caches, order = _take_caches(caches, ops.convert_to_tensor([[1, 0]])), order[::-1]
        found, caches = decoder.step(ops.convert_to_tensor(states[None, order, t]), t, constants, caches)
        np.testing.assert_allclose(np.asarray(found)[0], expected[order, t], rtol=1e-4, atol=1e-5)


def test_a_step_takes_states_of_any_float_type(random):
    decoder = make_decoder(1, 2, 8, 12, dtype="mixed_bfloat16")
    memory = ops.convert_to_tensor(random(2, 5, 8))
    decoder(ops.convert_to_tensor(random(2, 4, 8)), memory)
    constants, caches = decoder.prepare(memory, 1, 4)
    for kind in ("float32", "float64"):
        assert decoder.step(ops.cast(random(2, 1, 8), kind), 0, constants, caches)[0].dtype == "bfloat16"


def test_stacks_return_the_gates_of_every_layer(random):
    x, memory, embedded = random(B, T, D), random(B, S, D), random(B, S, D)
    options = {"shortcut": "fusion", "norm": "post"}
    for stack, inputs in (
        (make_encoder(2, 2, D, F, **options), [x]),
        (make_decoder(2, 2, D, F, **options, cross_shortcut="fusion"), [x, memory, embedded]),
    ):
        stack(*inputs)
        stack.set_weights([0.5 * random(*w.shape) for w in stack.get_weights()])
        output, states, gates = stack(*inputs, return_states=True, return_gates=True)
        np.testing.assert_array_equal(output, stack(*inputs))
        for number, of_layer in enumerate(gates, start=1):
            expected = {"self": _gates(stack, number, "self_attention", states[number - 1], x)}
            if len(inputs) == 3:
                expected["cross"] = _gates(stack, number, "cross_attention", memory, embedded)
            found = of_layer if isinstance(of_layer, dict) else {"self": of_layer}
            assert set(found) == set(expected)
            for site, pair in expected.items():
                np.testing.assert_allclose(found[site], pair, rtol=1e-4, atol=1e-5)


def test_stacks_without_gates_say_so(random):
    x, match = random(B, T, D), "`return_gates` needs a shortcut with gates"
    with pytest.raises(ValueError, match=match):
        make_encoder(1, 2, D, F)(x, return_gates=True)
    with pytest.raises(ValueError, match=match):
        make_decoder(1, 2, D, F, shortcut="ungated")(x, x, return_gates=True)


def test_stacks_need_layers_and_a_norm_for_each_state():
    with pytest.raises(ValueError, match="at least one layer"):
        TransformerEncoder([])
    for stack, other in (
        (TransformerEncoder, make_decoder_layer(2, D, F)),
        (TransformerDecoder, keras.layers.Dense(D)),
    ):
        with pytest.raises(ValueError, match=f"must be of {stack.__name__}Layer. Received: {type(other).__name__}"):
            stack([other])
    with pytest.raises(ValueError, match="be empty or have 1 norms, one for each layer. Received: 2"):
        TransformerEncoder([make_encoder_layer(2, D, F)], composition_norms=[keras.layers.LayerNormalization()] * 2)
