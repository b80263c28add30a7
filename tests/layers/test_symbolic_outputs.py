"""Output specifications of layers, computed without a trace of inner layers, when a functional model is made."""

import functools

import keras
import numpy as np
import pytest
from transformer_layers import make_decoder, make_decoder_layer, make_encoder, make_encoder_layer

from keras_nmt.layers import (
    AttentionBridge,
    AttentiveRecurrentDecoder,
    ContextualizedEmbedding,
    LuongAttention,
    RecurrentEncoder,
    RoleAssignment,
    RoleInteraction,
)

B, T, S, D, E = 2, 4, 5, 8, 6
STATES, MEMORY = (B, T, D), (B, S, E)
ADDED = {"layer_composition": "extended", "head_composition": {"kind": "low_rank", "output_projection": False}}
TREE = {"layer_composition": "hierarchical", "norm": "post"}
CROSS = {"shortcut": "ungated", "cross_shortcut": "fusion"}
RETURNS = ["return_states", "return_attention_scores"]
# A function that makes the layer, its inputs, and its further outputs.
CASES = {
    "encoder": (functools.partial(make_encoder, 2, 2, D, 12), [STATES], ["return_states"]),
    "encoder of heads": (functools.partial(make_encoder, 2, 2, D, 12, **ADDED), [STATES], []),
    "aggregates": (functools.partial(make_encoder, 2, 2, D, 12, **TREE), [STATES], ["return_states"]),
    "decoder": (functools.partial(make_decoder, 2, 2, D, 12), [STATES, MEMORY], RETURNS),
    "decoder layer": (functools.partial(make_decoder_layer, 2, D, 12), [STATES, MEMORY], ["return_attention_scores"]),
    "gated encoder": (
        functools.partial(make_encoder, 2, 2, D, 12, shortcut="fusion"),
        [STATES],
        ["return_states", "return_gates"],
    ),
    "gated encoder layer": (
        functools.partial(make_encoder_layer, 2, D, 12, shortcut="plain"),
        [STATES, STATES],
        ["return_gates"],
    ),
    "gated decoder": (
        functools.partial(make_decoder, 2, 2, D, 12, shortcut="plain"),
        [STATES, MEMORY],
        [*RETURNS, "return_gates"],
    ),
    "gated cross-attention": (
        functools.partial(make_decoder, 2, 2, D, 12, **CROSS),
        [STATES, MEMORY, MEMORY],
        ["return_gates"],
    ),
    "bridge": (functools.partial(AttentionBridge, 3, 5), [STATES], ["return_attention_scores", "return_penalty"]),
    "luong attention": (functools.partial(LuongAttention, D), [STATES, MEMORY], []),
    "recurrent encoder": (functools.partial(RecurrentEncoder, 2, D), [MEMORY], ["return_state"]),
    "recurrent decoder": (
        functools.partial(AttentiveRecurrentDecoder, 2, D),
        [MEMORY, STATES],
        ["return_attention_scores"],
    ),
    "role assignment": (functools.partial(RoleAssignment, 3), [STATES], []),
    "roles": (functools.partial(RoleInteraction, 3), [STATES], ["return_roles"]),
    "context": (functools.partial(ContextualizedEmbedding, 3), [STATES], ["return_roles"]),
}


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", pytest.param("float64", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("case", CASES)
def test_outputs_agree_with_the_output_specification(random, case, dtype):
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


@pytest.mark.parametrize("is_given", [False, True])
@pytest.mark.parametrize(
    ("case", "flag", "name"),
    [
        ("encoder", "return_states", "padding_mask"),
        ("decoder", "return_states", "padding_mask"),
        ("roles", "return_roles", "mask"),
    ],
)
def test_all_outputs_have_the_mask_of_the_input_or_the_mask_that_is_given(case, flag, name, is_given):
    make, shapes, _ = CASES[case]
    ids = keras.Input((3,), dtype="int32")
    options = {flag: True, **({name: ids != 5} if is_given else {})}
    outputs = keras.tree.flatten(make()(*[keras.layers.Embedding(9, D, mask_zero=True)(ids)] * len(shapes), **options))
    ends, batch = [outputs[0], outputs[-1]], np.array([[4, 5, 0]])
    means = keras.Model(ids, [keras.layers.GlobalAveragePooling1D()(states) for states in ends])(batch)
    for mean, states in zip(means, keras.Model(ids, ends)(batch), strict=True):
        np.testing.assert_allclose(mean[0], np.mean(states[0, :: 2 if is_given else 1][:2], 0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", ["encoder", "decoder", "decoder layer"])
def test_wrong_inputs_are_named_when_the_model_is_made(case):
    make, shapes, _ = CASES[case]
    layer = make()
    inputs, mask = [keras.Input(shape[1:]) for shape in shapes], keras.Input((T, T), dtype="bool")
    for name in ("padding_mask",) if case == "encoder" else ("padding_mask", "memory_mask"):
        with pytest.raises(ValueError, match=rf"`{name}` must be a boolean tensor \[B, T\].*Received: shape"):
            layer(*inputs, **{name: mask})
    layer(*inputs)
    for i, (_, length, width) in enumerate(shapes):
        wrong = [*inputs[:i], keras.Input((length, width - 2)), *inputs[i + 1 :]]
        with pytest.raises(ValueError, match=f"last dimension is {width}. Received: shape"):
            layer(*wrong)


@pytest.mark.parametrize("case", ["decoder", "decoder layer"])
def test_the_source_of_a_shortcut_is_checked_when_the_model_is_made(case):
    make, shapes, _ = CASES[case]
    states, memory = (keras.Input(shape[1:]) for shape in shapes)
    layer = make(cross_shortcut="plain")
    with pytest.raises(ValueError, match="must have the same shape except for their last dimension. Received: "):
        layer(states, memory, memory_shortcut_states=keras.Input((S + 1, D)))
    layer(states, memory, memory_shortcut_states=keras.Input((S, D)))
    with pytest.raises(ValueError, match=f"`memory_shortcut_states` must be .*last dimension is {D}. Received: "):
        layer(states, memory, memory_shortcut_states=keras.Input((S, D + 2)))
    with pytest.raises(ValueError, match="Missing argument `memory_shortcut_states`"):
        layer(states, memory)
    if case == "decoder layer":
        own = make(shortcut="plain")
        own(states, memory, shortcut_states=keras.Input((T, E)))
        with pytest.raises(ValueError, match=f"`shortcut_states` must be .*last dimension is {E}. Received: "):
            own(states, memory, shortcut_states=keras.Input((T, D)))


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16", "float16", "float64"])
@pytest.mark.parametrize("case", ["gated encoder layer", "decoder layer", "roles"])
def test_a_specification_is_of_the_dtype_of_the_layer_whatever_the_inputs_have(case, dtype):
    """Also where the specification is asked for directly, and not by Keras' `__call__`, which converts the inputs."""
    make, shapes, _ = CASES[case]
    layer = make(dtype=dtype)
    spec = layer.compute_output_spec(*(keras.KerasTensor(shape, "float32") for shape in shapes))
    assert (spec.shape, spec.dtype) == (STATES, layer.compute_dtype)
    inputs = [keras.Input(batch_shape=shape) for shape in shapes]
    inner = keras.Model(inputs, layer(*inputs))
    assert keras.Model(inputs, inner(inputs)).output.dtype == layer.compute_dtype
