"""Checks that all layers share: wrong arguments, inputs and masks are named; masks of Keras are taken."""

import json

import keras
import numpy as np
import pytest
from transformer_layers import make_decoder, make_encoder

from keras_nmt.layers import (
    SSRU,
    AttentionBridge,
    AttentiveRecurrentDecoder,
    ContextualizedEmbedding,
    HierarchicalAggregation,
    LexicalShortcut,
    LinearCombination,
    LowRankBilinearPooling,
    LuongAttention,
    MultiHeadAttention,
    RecurrentEncoder,
    RoleAssignment,
    RoleInteraction,
    RotaryEncoding,
)

ATTENTIONS = [LuongAttention(7, dtype="float32"), LuongAttention(8, dtype="mixed_bfloat16")]
# For each layer: arguments that are right, and wrong values by name.
WRONG = {
    AttentionBridge: (
        {"num_heads": 4, "hidden_dim": 8},
        {"num_heads": (2.5,), "hidden_dim": (True,), "penalty": ("cube",), "penalty_weight": (-0.1, float("nan"))},
    ),
    AttentiveRecurrentDecoder: (
        {"num_layers": 2, "hidden_dim": 8},
        {"num_layers": (0,), "hidden_dim": (2.5,), "score": ("cosine",), "dropout": (1.0, "0.1")}
        | {"attention": ATTENTIONS},
    ),
    ContextualizedEmbedding: ({"num_roles": 4}, {"num_roles": (0,), "exclusive": (True,)}),
    HierarchicalAggregation: (
        {"num_representations": 2},
        {"num_representations": (4.0,), "intermediate_dim": (0,)},
    ),
    LexicalShortcut: ({"hidden_dim": 4}, {"hidden_dim": (0,), "kind": ("gated",)}),
    LinearCombination: ({}, {"units": (0, True), "start": ("zero",)}),
    LowRankBilinearPooling: ({}, {"rank": (-3, 2.5)}),
    LuongAttention: ({"units": 4}, {"units": (0,), "score": (None,)}),
    MultiHeadAttention: (
        {"num_heads": 2, "hidden_dim": 8},
        {"num_heads": (0, 3), "dropout": (1.0,), "num_key_value_heads": (3,)},
    ),
    RecurrentEncoder: (
        {"num_layers": 2, "hidden_dim": 8},
        {"num_layers": (0,), "hidden_dim": (0, 7), "dropout": (-0.1,), "use_cudnn": (True,)},
    ),
    RoleAssignment: (
        {"num_roles": 4},
        {"num_roles": (0,), "assignment": ("sparse",), "context": ("gru",), "units": (0,), "kernel_size": (0,)}
        | {"dropout": (1.0,), "exclusive": (True,), "straight_through": (True,), "dropout_on": ("vector", "roles")},
    ),
    RoleInteraction: ({"num_roles": 4}, {"num_roles": (0,), "exclusive": (True,), "assignment": ("hard",)}),
    RotaryEncoding: ({}, {"base": (1.0, "2", True, float("inf"))}),
    SSRU: ({"hidden_dim": 4}, {"hidden_dim": (0,)}),
}


def test_wrong_arguments_are_named():
    for layer, (right, wrong) in WRONG.items():
        for name, values in wrong.items():
            for value in values:
                with pytest.raises(ValueError, match=f"`{name}`(.|\n)* Received: "):
                    layer(**{**right, name: value})


def test_arguments_that_contradict_each_other_are_named():
    for layer in (RoleAssignment, RoleInteraction, ContextualizedEmbedding):
        with pytest.raises(ValueError, match="Received: causal=True, context='bilstm'"):
            layer(4, causal=True, context="bilstm")
    with pytest.raises(ValueError, match="`attention` has the score 'general'.* Received: score='concat'"):
        AttentiveRecurrentDecoder(2, 8, "concat", attention=LuongAttention(8, dtype="float32"))
    with pytest.raises(ValueError, match="Missing `composition`"):
        MultiHeadAttention(2, 8, output_projection=False)


def test_numbers_of_numpy_become_those_of_python():
    sizes = ("num_heads", "hidden_dim", "num_layers", "num_roles", "units", "kernel_size", "rank")
    sizes += ("num_representations", "intermediate_dim")
    for layer, (_, wrong) in WRONG.items():
        if layer is not MultiHeadAttention:  # two sizes whose quotient matters
            given = {name: np.int64(6) for name in sizes if name in wrong}
            rates = {"dropout": np.float32(0.5), "penalty_weight": np.float32(0.5), "base": np.float32(2)}
            given |= {name: rate for name, rate in rates.items() if name in wrong}
            config = json.loads(json.dumps(layer(**given).get_config()))
            assert given
            assert {name: config[name] for name in given} == given
    encoder = make_encoder(np.int64(1), np.int32(2), np.int64(8), 12)
    assert type(encoder.layers[0].self_attention.get_config()["hidden_dim"]) is int


class Tempered(LowRankBilinearPooling):
    """A sub-class with arguments of its own, of which it keeps the last one under another name."""

    def __init__(self, temperature=1.0, dtype=None, factor=1.0, **kwargs):
        super().__init__(dtype=dtype, **kwargs)
        self.temperature = temperature
        self._factor = factor


def test_a_sub_class_has_its_own_arguments_and_those_of_its_bases_in_the_configuration():
    given = {"units": 6, "rank": 3, "first_order": False, "start": "identity", "residual": True, "temperature": 2.0}
    layer = Tempered(**given, dtype="mixed_bfloat16", factor=3.0)
    config = layer.get_config()
    assert config.pop("dtype")["config"] == {"name": "mixed_bfloat16"}
    assert config == {**given, "name": layer.name, "trainable": True}


B, T, D = 2, 4, 6
# Has a mask of its own, which says nothing about the memory.
QUERY = keras.layers.Embedding(9, 5, mask_zero=True)(np.array([[4, 0, 0], [4, 5, 6]]))
# Layers that read a masked tensor, after a query or not, and the name of the mask.
MASKED = {
    "bridge": (lambda: AttentionBridge(3, 4), [], "mask"),
    "encoder": (lambda: RecurrentEncoder(2, D), [], "mask"),
    "ssru": (lambda: SSRU(D), [], "mask"),
    "roles by lstm": (lambda: RoleAssignment(3), [], "mask"),
    "roles by cnn": (lambda: RoleAssignment(3, context="cnn"), [], "mask"),
    "transformer": (lambda: make_encoder(1, 2, D, 8), [], "padding_mask"),
    "attention": (lambda: LuongAttention(5), [QUERY], "memory_mask"),
    "heads": (lambda: MultiHeadAttention(1, 5), [QUERY], "memory_mask"),
    "decoder": (lambda: AttentiveRecurrentDecoder(2, D), [QUERY], "memory_mask"),
}


@pytest.mark.parametrize("case", MASKED)
def test_takes_the_mask_that_keras_attached(case):
    make, query, name = MASKED[case]
    layer, embedding = make(), keras.layers.Embedding(9, D, mask_zero=True)
    ids = np.array([[4, 5, 0, 0], [4, 5, 6, 7]])
    implicit = layer(*query, embedding(ids))
    explicit = layer(*map(np.asarray, [*query, embedding(ids)]), **{name: ids != 0})
    for one, other in zip(*map(keras.tree.flatten, (implicit, explicit)), strict=True):
        np.testing.assert_array_equal(one, other)
    if case == "bridge":  # its vectors have no padding
        assert getattr(implicit, "_keras_mask", None) is None
    elif not query:  # outputs at the positions of the inputs
        np.testing.assert_array_equal(implicit._keras_mask, ids != 0)


# A mask that fits only by broadcasting, or whose numbers may mean the opposite, would give wrong results silently.
WRONG_MASKS = [np.ones((B, T + 1), bool), np.ones((1, T), bool), np.ones((B, 1), bool), np.ones((B, T, 1), bool)]
WRONG_MASKS += [np.ones((B, T)), [[True] * T] * B]


def test_a_mask_that_does_not_fit_is_named(random):
    for make, query, name in MASKED.values():
        layer, states = make(), random(B, T, D)
        for mask in WRONG_MASKS:
            with pytest.raises(ValueError, match=f"`{name}` must (be|have) .* Received: "):
                layer(*query, states, **{name: mask})


def _start(*shapes):
    """A call of the recurrent decoder with an initial state of these shapes."""
    state = [[np.ones(shape, "float32") for shape in layer] for layer in shapes]
    return lambda: AttentiveRecurrentDecoder(2, D)(QUERY, np.ones((B, T, 7), "float32"), state)


def test_inputs_of_another_shape_are_named():
    def ones(*shape):
        return np.ones(shape, "float32")

    roles, encoder, decoder = RoleAssignment(3), make_encoder(1, 2, 8, 12), make_decoder(1, 2, 8, 12)
    roles(ones(B, T, D))
    ssru, h = SSRU(D), (B, D)
    ssru(ones(B, T, D))
    for call, message in (
        (lambda: AttentionBridge(2, 4)(ones(B, 3)), r"must be \[B, n, dh\]"),
        (lambda: RecurrentEncoder(2, D)(ones(B, 3)), r"must be \[B, T, e\]"),
        (lambda: RoleAssignment(3)(ones(B, D)), r"must be \[B, T, d\]"),
        (lambda: roles(ones(B, T, 5)), "`inputs` must be .* 6"),
        (lambda: ssru(ones(B, T, 5)), "last dimension is 6"),
        (lambda: LuongAttention(5)(ones(B, 3, 6), ones(B, T, D)), "`query` must be .* 5"),
        (lambda: LuongAttention(5, "dot")(QUERY, ones(B, T, D)), "`memory` must be "),
        (lambda: AttentiveRecurrentDecoder(2, 5, "dot")(QUERY, ones(B, T, D)), "`memory` must be "),
        (lambda: AttentiveRecurrentDecoder(2, D)(QUERY[0], ones(B, T, D)), "`inputs` must have rank 3 "),
        (lambda: AttentiveRecurrentDecoder(2, D)(QUERY, ones(B, D)), "`memory` must have rank 3 "),
        (_start([h, h]), r"`initial_state` must be a list with "),
        (_start([h], [h]), r"`initial_state` must be a list with "),
        (_start([(B, 7), h], [h, h]), "`initial_state` must be .* 6"),
        (lambda: encoder(ones(B, T, 6)), "last dimension is 8"),
        (lambda: encoder(ones(B, T, 1)), "last dimension is 8"),
        (lambda: encoder(np.ones((B, T), "int32")), "last dimension is 8"),
        (lambda: decoder(ones(B, T, 6), ones(B, T, 8)), "last dimension is 8"),
    ):
        with pytest.raises(ValueError, match=f"{message}.*Received: "):
            call()


def test_old_names_of_call_arguments_warn_and_work(random):
    x, mask = random(2, 3, 8), np.array([[1, 1, 0], [1, 1, 1]], bool)
    encoder, decoder, bridge = make_encoder(1, 2, 8, 12), make_decoder(1, 2, 8, 12), AttentionBridge(2, 3)
    attention = encoder.layers[0].self_attention
    for layer, inputs, old, new in (
        (encoder, [x], {"mask": mask}, {"padding_mask": mask}),
        (encoder.layers[0], [x], {"mask": mask}, {"padding_mask": mask}),
        (decoder, [x, x], {"inputs_mask": mask}, {"padding_mask": mask}),
        (decoder.layers[0], [x, x], {"return_attention": True}, {"return_attention_scores": True}),
        (attention, [x], {"return_weights": True}, {"return_attention_scores": True}),
        (bridge, [x], {"return_attention": True}, {"return_attention_scores": True}),
    ):
        with pytest.warns(DeprecationWarning, match=f"is now called `{next(iter(new))}`"):
            found = layer(*inputs, **old)
        keras.tree.map_structure(np.testing.assert_array_equal, found, layer(*inputs, **new))
