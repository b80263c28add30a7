"""Output specifications of layers, computed without a trace of inner layers, when a functional model is made."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from one_in import one_in
from transformer_layers import make_decoder, make_decoder_layer, make_encoder, make_encoder_layer

from keras_nmt.layers import ContextualizedEmbedding, RoleInteraction

B, T, S, D, E = 2, 4, 5, 8, 6
STATES, MEMORY = (B, T, D), (B, S, E)
CASES = {
    "encoder": (lambda **more: make_encoder(2, 2, D, 12, **more), [STATES], ["return_states"]),
    "encoder of heads": (
        lambda **more: make_encoder(
            2,
            2,
            D,
            12,
            layer_composition="extended",
            head_composition={"kind": "low_rank", "output_projection": False},
            **more,
        ),
        [STATES],
        [],
    ),
    "aggregates": (
        lambda **more: make_encoder(2, 2, D, 12, layer_composition="hierarchical", norm="post", **more),
        [STATES],
        ["return_states"],
    ),
    "decoder": (
        lambda **more: make_decoder(2, 2, D, 12, **more),
        [STATES, MEMORY],
        ["return_states", "return_attention"],
    ),
    "decoder layer": (
        lambda **more: make_decoder_layer(2, D, 12, **more),
        [STATES, MEMORY],
        ["return_attention"],
    ),
    "gated encoder": (
        lambda **more: make_encoder(2, 2, D, 12, shortcut="fusion", **more),
        [STATES],
        ["return_states", "return_gates"],
    ),
    "gated encoder layer": (
        lambda **more: make_encoder_layer(2, D, 12, shortcut="plain", **more),
        [STATES, STATES],
        ["return_gates"],
    ),
    "gated decoder": (
        lambda **more: make_decoder(2, 2, D, 12, shortcut="plain", **more),
        [STATES, MEMORY],
        ["return_states", "return_attention", "return_gates"],
    ),
    "gated cross-attention": (
        lambda **more: make_decoder(2, 2, D, 12, shortcut="ungated", cross_shortcut="fusion", **more),
        [STATES, MEMORY, MEMORY],
        ["return_gates"],
    ),
    "roles": (lambda **more: RoleInteraction(3, **more), [STATES], ["return_roles"]),
    "context": (lambda **more: ContextualizedEmbedding(3, **more), [STATES], ["return_roles"]),
}


DECODERS = ["decoder", "decoder layer"]


# Each case with one or two types, by turns.
@pytest.mark.parametrize(
    "variant",
    one_in(2, [(case, dtype) for case in CASES for dtype in ("float32", "mixed_bfloat16", "float64")], "-".join),
)
def test_outputs_agree_with_the_output_specification(random, variant):
    case, dtype = variant
    make, shapes, flags = CASES[case]
    layer, inputs = make(dtype=dtype), [random(*shape) for shape in shapes]
    for wanted in [[], *([flag] for flag in flags), flags]:
        options = dict.fromkeys(wanted, True)
        promised = layer(*(keras.Input(batch_shape=shape) for shape in shapes), **options)
        returned = layer(*inputs, **options)
        keras.tree.assert_same_structure(promised, returned)
        for spec, tensor in zip(*map(keras.tree.flatten, (promised, returned)), strict=True):
            assert tuple(spec.shape) == tuple(tensor.shape)
            assert spec.dtype == keras.backend.standardize_dtype(tensor.dtype)


MASKS = {"encoder": ["mask"], "roles": ["mask"], **{case: ["inputs_mask", "memory_mask"] for case in DECODERS}}


@pytest.mark.parametrize(("case", "name"), [(case, name) for case, names in MASKS.items() for name in names])
def test_a_mask_of_another_rank_is_rejected_when_the_model_is_made(case, name):
    make, shapes, _ = CASES[case]
    mask = keras.Input((T, T), dtype="bool")
    with pytest.raises(ValueError, match=rf"`{name}` must be a boolean tensor \[B, T\].*Received: shape"):
        make()(*(keras.Input(shape[1:]) for shape in shapes), **{name: mask})


@pytest.mark.parametrize(("case", "flag"), [("encoder", "return_states"), ("roles", "return_roles")])
def test_further_outputs_have_the_mask_of_the_input(case, flag):
    ids = keras.Input((None,), dtype="int32")
    outputs = keras.tree.flatten(CASES[case][0]()(keras.layers.Embedding(9, D, mask_zero=True)(ids), **{flag: True}))
    both = keras.layers.Concatenate()([outputs[0], outputs[-1]])  # a missing mask would count as all True
    model = keras.Model(ids, keras.layers.GlobalAveragePooling1D()(both))
    short = np.array([[4, 5, 6], [7, 0, 0]])
    np.testing.assert_allclose(model(np.pad(short, ((0, 0), (0, 3)))), model(short), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("case", "flag"), [("encoder", "return_states"), ("roles", "return_roles")])
@pytest.mark.parametrize("is_attached", [False, True])
def test_a_given_mask_applies_to_all_outputs(case, flag, is_attached):
    ids, mask = keras.Input((3,), dtype="int32"), keras.Input((3,), dtype="bool")
    embeddings = keras.layers.Embedding(9, D, mask_zero=is_attached)(ids)
    outputs = keras.tree.flatten(CASES[case][0]()(embeddings, mask=mask, **{flag: True}))
    model = keras.Model([ids, mask], [keras.layers.GlobalAveragePooling1D()(outputs[place]) for place in (0, -1)])
    given = [np.array([[4, 5, 0]]), np.array([[True, False, True]])]
    for pooled, all_positions in zip(
        model(given), keras.Model([ids, mask], [outputs[0], outputs[-1]])(given), strict=True
    ):
        np.testing.assert_allclose(pooled, np.mean(all_positions[:, ::2], 1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", MASKS)
def test_states_of_another_width_are_rejected_when_the_model_is_made(case):
    make, shapes, _ = CASES[case]
    layer = make()
    inputs = [keras.Input(shape[1:]) for shape in shapes]
    layer(*inputs)
    for i, (_, length, width) in enumerate(shapes):
        wrong = [*inputs[:i], keras.Input((length, width - 2)), *inputs[i + 1 :]]
        with pytest.raises(ValueError, match=f"last dimension is {width}. Received: shape"):
            layer(*wrong)


@pytest.mark.parametrize("case", DECODERS)
def test_the_source_of_a_shortcut_is_checked_when_the_model_is_made(case):
    make, shapes, _ = CASES[case]
    states, memory = (keras.Input(shape[1:]) for shape in shapes)
    layer = make(cross_shortcut="plain")
    with pytest.raises(ValueError, match="must have the same shape except for their last dimension. Received: "):
        layer(states, memory, memory_shortcut_states=keras.Input((S + 1, D)))
    layer(states, memory, memory_shortcut_states=keras.Input((S, D)))
    with pytest.raises(ValueError, match=f"`memory_shortcut_states` must be .*last dimension is {D}. Received: "):
        layer(states, memory, memory_shortcut_states=keras.Input((S, D + 2)))
    with pytest.raises(ValueError, match="Missing argument `memory_shortcut_states`: the attention has a shortcut"):
        layer(states, memory)


def test_the_source_of_a_layers_own_shortcut_is_checked_when_the_model_is_made():
    make, shapes, _ = CASES["decoder layer"]
    states, memory = (keras.Input(shape[1:]) for shape in shapes)
    layer = make(shortcut="plain")
    layer(states, memory, shortcut_states=keras.Input((T, E)))
    for given, message in (
        (keras.Input((T, D)), f"`shortcut_states` must be .*last dimension is {E}. Received: "),
        (keras.Input((S, E)), "`inputs` and `shortcut_states` must have the same shape except for.* Received: "),
        (None, "Missing argument `shortcut_states`: the attention has a shortcut"),
    ):
        with pytest.raises(ValueError, match=message):
            layer(states, memory, shortcut_states=given)
