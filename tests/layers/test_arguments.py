"""Checks that all layers share: wrong arguments and masks are named, sizes of NumPy and masks of Keras are taken."""

from __future__ import annotations

import json

import keras
import numpy as np
import pytest

from keras_nmt.layers import (
    SSRU,
    AttentionBridge,
    AttentiveRecurrentDecoder,
    ContextualizedEmbedding,
    HierarchicalAggregation,
    LexicalShortcut,
    LowRankBilinearPooling,
    LuongAttention,
    MultiHeadAttention,
    RecurrentEncoder,
    RoleAssignment,
    RoleInteraction,
)

ATTENTIONS = [LuongAttention(7, dtype="float32"), LuongAttention(8, dtype="mixed_bfloat16")]
# For each layer: arguments that are right, and wrong values by name.
WRONG = {
    AttentionBridge: (
        {"num_heads": 4, "hidden_dim": 8},
        {"num_heads": (0, 2.5), "hidden_dim": (0, True), "penalty": ("cube", None)}
        | {"penalty_weight": (-0.1, float("nan"), "1", True)},
    ),
    AttentiveRecurrentDecoder: (
        {"num_layers": 2, "hidden_dim": 8},
        {"num_layers": (0,), "hidden_dim": (2.5,), "score": ("cosine",), "dropout": (1.0, "0.1")}
        | {"attention": ("general", *ATTENTIONS)},
    ),
    ContextualizedEmbedding: ({"num_roles": 4}, {"num_roles": (0,), "exclusive": (True,)}),
    HierarchicalAggregation: (
        {"num_representations": 2},
        {"num_representations": (0, 1, 4.0), "intermediate_dim": (0,)},
    ),
    LexicalShortcut: ({"hidden_dim": 4}, {"hidden_dim": (0, 2.5), "kind": ("gated",)}),
    LuongAttention: ({"units": 4}, {"units": (0, 2.0), "score": ("bilinear", None)}),
    MultiHeadAttention: (
        {"num_heads": 2, "hidden_dim": 8},
        {"num_heads": (0, 3), "dropout": (1.0,), "num_key_value_heads": (3,)},
    ),
    RecurrentEncoder: (
        {"num_layers": 2, "hidden_dim": 8},
        {"num_layers": (0, 1.5), "hidden_dim": (0, 7), "dropout": (1.0, -0.1), "use_cudnn": (True, "always")},
    ),
    RoleAssignment: (
        {"num_roles": 4},
        {"num_roles": (0, 2.5), "assignment": ("sparse",), "context": ("gru",), "units": (0,), "kernel_size": (0,)}
        | {"dropout": (1.0,), "exclusive": (True,), "straight_through": (True,), "dropout_on": ("vector", "roles")},
    ),
    RoleInteraction: ({"num_roles": 4}, {"num_roles": (0,), "exclusive": (True,), "assignment": ("hard",)}),
    SSRU: ({"hidden_dim": 4}, {"hidden_dim": (0,)}),
}


@pytest.mark.parametrize(
    ("layer", "name", "value"),
    [(layer, name, value) for layer, (_, wrong) in WRONG.items() for name in wrong for value in wrong[name]],
)
def test_wrong_arguments_are_named(layer, name, value):
    with pytest.raises(ValueError, match=f"`{name}`(.|\n)* Received: "):
        layer(**{**WRONG[layer][0], name: value})


@pytest.mark.parametrize("layer", [RoleAssignment, RoleInteraction, ContextualizedEmbedding])
def test_a_causal_layer_cannot_read_in_both_directions(layer):
    with pytest.raises(ValueError, match="Received: causal=True, context='bilstm'"):
        layer(4, causal=True, context="bilstm")


def test_arguments_that_contradict_each_other_are_named():
    with pytest.raises(ValueError, match="`dropout_on` must be one of .* Received: dropout_on='roles'"):
        RoleAssignment(4, "one_hot", dropout_on="roles")
    with pytest.raises(ValueError, match="`attention` has the score 'general'.* Received: score='concat'"):
        AttentiveRecurrentDecoder(2, 8, "concat", attention=LuongAttention(8, dtype="float32"))
    with pytest.raises(ValueError, match="Missing `composition`"):
        MultiHeadAttention(2, 8, output_projection=False)


@pytest.mark.parametrize("layer", [layer for layer in WRONG if layer is not MultiHeadAttention])
def test_numpy_sizes_become_plain_integers(layer):
    sizes = ("num_heads", "hidden_dim", "num_layers", "num_roles", "units", "kernel_size")
    sizes += ("num_representations", "intermediate_dim")
    _, wrong = WRONG[layer]
    given = {name: np.int64(6) for name in sizes if name in wrong}
    config = json.loads(json.dumps(layer(**given).get_config()))
    assert given
    assert {name: config[name] for name in given} == given


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
QUERY = np.random.default_rng(0).normal(size=(B, 3, 5)).astype("float32")
# Layers that read a masked tensor, after a query or not, and the name of the mask.
MASKED = {
    "bridge": (lambda: AttentionBridge(3, 4), [], "mask"),
    "encoder": (lambda: RecurrentEncoder(2, D), [], "mask"),
    "ssru": (lambda: SSRU(D), [], "mask"),
    "roles by lstm": (lambda: RoleAssignment(3), [], "mask"),
    "roles by cnn": (lambda: RoleAssignment(3, context="cnn"), [], "mask"),
    "attention": (lambda: LuongAttention(5), [QUERY], "memory_mask"),
    "decoder": (lambda: AttentiveRecurrentDecoder(2, D), [QUERY], "memory_mask"),
}


@pytest.mark.parametrize("case", MASKED)
def test_takes_the_mask_that_keras_attached(case):
    make, query, name = MASKED[case]
    layer, embedding = make(), keras.layers.Embedding(9, D, mask_zero=True)
    ids = np.array([[4, 5, 0, 0], [4, 5, 6, 7]])
    implicit = layer(*query, embedding(ids))
    explicit = layer(*query, np.asarray(embedding(ids)), **{name: ids != 0})
    for one, other in zip(*map(keras.tree.flatten, (implicit, explicit)), strict=True):
        np.testing.assert_array_equal(one, other)
    if not query and case != "bridge":  # outputs at the positions of the inputs
        np.testing.assert_array_equal(implicit._keras_mask, ids != 0)


WRONG_MASKS = [np.ones((B, T + 1), bool), np.ones((1, T), bool), np.ones((B, 1), bool), np.ones((B, T, 1), bool)]
WRONG_MASKS += [np.ones((B, T)), [[True] * T] * B]


@pytest.mark.parametrize("mask", WRONG_MASKS)
@pytest.mark.parametrize("case", MASKED)
def test_a_mask_that_does_not_fit_is_named(case, mask, random):
    make, query, name = MASKED[case]
    with pytest.raises(ValueError, match=f"`{name}` must (be|have) .* Received: "):
        make()(*query, random(B, T, D), **{name: mask})
