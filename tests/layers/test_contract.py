"""The contract of every layer, with its numbers of weights and parameters; and steps that equal the call."""

import itertools
from functools import partial

import numpy as np
import pytest
from keras import ops, tree
from transformer_layers import make_attention, make_decoder, make_decoder_layer, make_encoder, make_encoder_layer

from keras_nmt.layers import (
    SSRU,
    AttentionBridge,
    AttentiveRecurrentDecoder,
    BilinearPooling,
    ContextualizedEmbedding,
    FeedForward,
    HierarchicalAggregation,
    KeyValueProjection,
    LexicalShortcut,
    LinearCombination,
    LowRankBilinearPooling,
    LuongAttention,
    RecurrentEncoder,
    RoleAssignment,
    RoleInteraction,
)

B, T, S, D, E, U, R, F = 2, 4, 5, 8, 3, 6, 4, 12
X, M = (B, T, D), (B, S, D)
X_MASK = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool)
M_MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)
# Inputs by name.
PARTS, MASKED, RECURRENT = {"representations": (B, T, 3, D)}, {"inputs": X, "mask": X_MASK}, {"inputs": (B, T, E)}
QUERY, MEMORY, MEMORY_MASK = {"query": X, "memory": M}, {"inputs": X, "memory": M}, {"memory_mask": M_MASK}
SHORTCUT, SHORTCUTS = {"shortcut_states": X}, {"shortcut_states": X, "memory_shortcut_states": M}
# Numbers of parameters: of shortcuts beside those of keys and values, of roles without the logits.
ATTENTION, FEED, NORM, KEYS, PLAIN = 4 * D * D, 2 * D * F + D + F, 2 * D, 2 * D * D, 2 * D * D + 2 * D
FUSION, TREE, OF_LOW_RANK = 3 * KEYS + 2 * D, (2 * D + 1) * 4 * D + (4 * D + 1) * D + NORM, 2 * D * 2 * D + D * D
ENCODER, DECODER = ATTENTION + FEED + 2 * NORM, 2 * ATTENTION + FEED + 3 * NORM
LSTM, CNN = 4 * R * (D + R + 1) + R * (R + 1), 7 * D * R + R + R * (R + 1)
LINEAR = {"layer_composition": "linear", "norm": "post"}


def lstm(width, units):
    return 4 * units * (width + units + 1)


CASES = [  # layer, inputs, numbers of weights and of parameters
    (partial(LinearCombination, U), PARTS, 1, 3 * D * U),
    (partial(BilinearPooling, U), PARTS, 1, (3 * D) ** 2 * U),
    (partial(LowRankBilinearPooling, U, R, False), PARTS, 2, 2 * 3 * D * R + R * U),
    (partial(LowRankBilinearPooling, U, R), PARTS, 3, 2 * (3 * D + 1) * R + R * U),
    (partial(HierarchicalAggregation, 3, U), PARTS, 6 * 2, (3 + 1) * D * U + 2 * (U + U * D + D + NORM)),
    (partial(AttentionBridge, R, U, penalty="root", use_bias=False), {"inputs": M, "mask": M_MASK}, 2, D * U + U * R),
    (partial(RecurrentEncoder, 1, D), {**RECURRENT, "mask": X_MASK}, 6, 2 * lstm(E, D // 2)),
    (partial(RecurrentEncoder, 2, D, bidirectional=False), RECURRENT, 6, lstm(E, D) + lstm(D, D)),
    (
        partial(AttentiveRecurrentDecoder, 2, U, score="concat"),
        {**RECURRENT, "memory": M, **MEMORY_MASK},
        6 + 3 + 1,
        lstm(E + U, U) + lstm(U, U) + (U + D) * U + U + (U + D) * U,
    ),
    (partial(LuongAttention, U, "general"), {"query": (B, T, U), "memory": M, **MEMORY_MASK}, 1, D * U),
    (partial(LuongAttention, D, "concat"), {**QUERY, **MEMORY_MASK}, 3, 2 * D * D + D),
    (partial(LexicalShortcut, D, "ungated"), {"hidden": X, **SHORTCUT}, 2, 2 * KEYS),
    (partial(LexicalShortcut, D, "plain"), {"hidden": X, **SHORTCUT}, 3, KEYS + PLAIN),
    (partial(LexicalShortcut, D, "fusion"), {"hidden": X, **SHORTCUT}, 2, KEYS + FUSION),
    (partial(KeyValueProjection, D), {"hidden": X}, 1, KEYS),
    (partial(make_attention, 2, D), QUERY, 3, ATTENTION),
    (partial(make_attention, 2, D, shortcut="plain"), {**QUERY, "shortcut_states": M}, 5, ATTENTION + PLAIN),
    (partial(make_attention, 2, D, shortcut="fusion"), {**QUERY, "shortcut_states": M}, 4, ATTENTION + FUSION),
    # U and V of rank 8, a row of ones, P.
    (partial(make_attention, 2, D, head_composition="extended"), QUERY, 6, ATTENTION + D * 16 + 16 + 8 * D),
    # W_O from heads of 4; FFN, norm.
    (
        partial(make_attention, 2, D, head_composition="hierarchical"),
        QUERY,
        9,
        3 * D * D + 4 * D + (D + 1) * 16 + (16 + 1) * 4 + 8,
    ),
    (partial(RoleAssignment, R, "dense", "bilstm"), MASKED, 8, 2 * lstm(D, R) + R * (2 * R + 1)),
    (partial(RoleAssignment, R, "one_hot", "cnn"), MASKED, 5, CNN + R * R),
    (partial(RoleInteraction, R, "softmax"), MASKED, 7, LSTM + R * R + R * D * D),
    (partial(RoleInteraction, R, "one_hot", "cnn", low_rank=True), MASKED, 8, CNN + R * R + KEYS + R * D),
    (partial(ContextualizedEmbedding, R, "cnn"), MASKED, 5, CNN + R * D),
    (partial(SSRU, U), MASKED, 2, 2 * D * U + U),
    (partial(FeedForward, F, D), {"inputs": X}, 4, FEED),
    (partial(make_encoder_layer, 2, D, F), {"inputs": X, "padding_mask": X_MASK}, 11, ENCODER),
    (
        partial(make_encoder_layer, 2, D, F, norm="post", shortcut="plain"),
        {"inputs": X, **SHORTCUT},
        13,
        ENCODER + PLAIN,
    ),
    (partial(make_encoder_layer, 2, D, F, shortcut="fusion"), {"inputs": X, **SHORTCUT}, 12, ENCODER + FUSION),
    (
        partial(make_decoder_layer, 2, D, F, shortcut="plain", cross_shortcut="fusion"),
        {**MEMORY, **SHORTCUTS, **MEMORY_MASK},
        16 + 2 + 1,
        DECODER + PLAIN + FUSION,
    ),
    (
        partial(make_encoder, 2, 2, D, F, shortcut="plain", layer_composition="low_rank"),
        {"inputs": X},
        2 * 13 + 2 + 2 * 2 + 2,
        2 * (ENCODER + PLAIN) + 3 * NORM + OF_LOW_RANK,
    ),
    (
        partial(make_decoder, 2, 2, D, F, norm="post", cross_shortcut="fusion", layer_composition="hierarchical"),
        {**MEMORY, "memory_shortcut_states": M},
        2 * 17 + 6,
        2 * (DECODER + FUSION) + TREE,
    ),
    (partial(make_encoder, 3, 2, D, F, **LINEAR, tied_layers="encoder"), {"inputs": X}, 11 + 1, ENCODER + 3 * D * D),
    (
        partial(make_decoder, 3, 2, D, F, **LINEAR, tied_layers="decoder", decoder_self_attention="ssru"),
        MEMORY,
        16 - 3 + 2 + 1,
        DECODER - ATTENTION + KEYS + D + 3 * D * D,
    ),
]
OPTIONS = {
    AttentionBridge: {"return_attention_scores": True, "return_penalty": True},
    AttentiveRecurrentDecoder: {
        "initial_state": [[np.ones((B, U), "float32")] * 2] * 2,
        "return_attention_scores": True,
    },
    LuongAttention: {"float32": [1]},
    RecurrentEncoder: {"return_state": True},
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].func.__name__)
def test_layers_keep_the_contract(check_layer, random, case):
    make, inputs, weights, parameters = case
    inputs = {name: random(*x) if isinstance(x, tuple) else x for name, x in inputs.items()}
    check_layer(make, inputs, weights=weights, parameters=parameters, **OPTIONS.get(make.func, {}))


CONTEXTS = [{"context": context, "exclusive": exclusive} for context in ("lstm", "cnn") for exclusive in (False, True)]
ROLES = [
    partial(RoleInteraction, assignment="softmax", residual=True),
    partial(RoleInteraction, assignment="softmax", low_rank=True),
    ContextualizedEmbedding,
]
KINDS = ("dense", "softmax", "one_hot", "softmax")
STEPS = [
    partial(RecurrentEncoder, 2, U, bidirectional=False),
    partial(SSRU, U),
    *(partial(RoleAssignment, R, kind, **context) for kind, context in zip(KINDS, CONTEXTS, strict=True)),
    *(partial(layer, R, **context) for layer, context in itertools.product(ROLES, CONTEXTS[1:3])),
]


@pytest.mark.parametrize(
    "make",
    [*STEPS, *(partial(make, dtype="mixed_bfloat16") for make in (STEPS[0], STEPS[3]))],
    ids=lambda make: make.func.__name__,
)
def test_steps_equal_the_call(random, make):
    layer = make() if make.func in (RecurrentEncoder, SSRU) else make(causal=True, kernel_size=3)
    inputs = random(2, 3, T, D)  # of three hypotheses of each of two sentences
    expected = np.asarray(layer(inputs.reshape(-1, T, D)), "float32").reshape(2, 3, T, -1)
    caches = layer.empty_cache(2, 3)
    forms = tree.map_structure(lambda x: (tuple(x.shape), x.dtype), caches)
    for t in range(T):
        found, caches = layer.step(ops.convert_to_tensor(inputs[:, :, t]), t, caches)
        assert tree.map_structure(lambda x: (tuple(x.shape), x.dtype), caches) == forms
        np.testing.assert_allclose(np.asarray(found, "float32"), expected[:, :, t], rtol=1e-4, atol=1e-5)
