"""Multi-head attention against its equations, with shortcuts and composed heads."""

import keras
import numpy as np
import pytest
from numpy_oracles import softmax
from transformer_layers import make_attention

from keras_nmt.layers import LexicalShortcut, MultiHeadAttention

B, T, S, D, H = 2, 4, 5, 8, 2


def _heads(layer, query, memory, mask):
    """The heads O_1 .. O_H by Eq. 1 of Vaswani et al., head by head, in float64."""
    w_q = layer.query_projection.kernel.numpy().astype("float64")
    w_k, w_v = np.split(layer.key_value.kernel.numpy().astype("float64"), 2, -1)
    width = layer.hidden_dim // layer.num_heads
    heads = []
    for h in range(layer.num_heads):
        part = slice(h * width, (h + 1) * width)
        q, k, v = query @ w_q[:, part], memory @ w_k[:, part], memory @ w_v[:, part]
        scores = np.einsum("btd,bsd->bts", q, k) / np.sqrt(width)
        heads.append(softmax(np.where(mask, scores, -np.inf)) @ v)
    return heads


def _oracle(layer, query, memory, mask):
    """The output by Eq. 4 of Li et al., or with the composition in place of the concatenated heads, and W_O."""
    heads = _heads(layer, query, memory, mask)
    if layer.composition is None:
        combined = np.concatenate(heads, -1)
    else:
        combined = np.asarray(layer.composition(np.stack(heads, 2).astype("float32")))  # [B, T, H, d / H]
    return combined if layer.output_layer is None else combined @ layer.output_layer.kernel.numpy()


@pytest.mark.parametrize(("kind", "output_projection"), [(None, True), ("hierarchical", True), ("extended", False)])
def test_heads_are_composed_in_their_order(random, randomised, kind, output_projection):
    # Heads of width 4: a LayerNorm of two numbers keeps only their order.
    composition = kind and {"kind": kind, "output_projection": output_projection}
    layer = randomised(make_attention(4, 16, head_composition=composition), (B, T, D), (B, S, D))
    query, memory = random(B, T, D), random(B, S, D)
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)[:, None]
    assert (layer.composition is None) == (kind is None)
    expected = _oracle(layer, query, memory, mask)
    output, weights = layer(query, memory, attention_mask=mask, return_attention_scores=True)
    np.testing.assert_allclose(output, expected, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(np.sum(weights, -1), np.ones((B, 4, T)), rtol=1e-5)
    assert not np.asarray(weights)[0, :, :, 3:].any()


@pytest.mark.parametrize("kind", ["extended", "hierarchical"])
def test_the_joined_heads_are_added_to_their_composition(random, randomised, kind):
    composition = {"kind": kind, "residual": True}
    layer = randomised(make_attention(4, 16, head_composition=composition), (B, T, D), (B, S, D))
    query, memory = random(B, T, D), random(B, S, D)
    mask = np.ones((B, 1, S), bool)
    heads = _heads(layer, query, memory, mask)
    composed = np.asarray(layer.composition.compose(np.stack(heads, 2).astype("float32")))
    expected = (np.concatenate(heads, -1) + composed) @ layer.output_layer.kernel.numpy()
    np.testing.assert_allclose(layer(query, memory), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("policy", "kind"), [("float32", None), ("mixed_float16", "extended")])
def test_a_query_that_may_look_at_nothing_gets_the_mean_however_it_is_called(random, policy, kind):
    layer = make_attention(H, D, head_composition=kind, dtype=policy)
    arguments = {"query": random(B, T, D), "attention_mask": np.zeros((B, 1, T), bool)}
    output = keras.ops.cast(layer(**arguments), "float32")
    assert np.isfinite(output).all()
    for training in (False, True):
        again, weights = layer(**arguments, training=training, return_attention_scores=True)
        np.testing.assert_allclose(keras.ops.cast(weights, "float32"), np.full((B, H, T, T), 1 / T), rtol=1e-3)
        np.testing.assert_array_equal(keras.ops.cast(again, "float32"), output)


def test_takes_the_mask_that_keras_attached():
    layer, table = MultiHeadAttention(H, D), keras.layers.Embedding(10, D, mask_zero=True)
    short, padded = np.array([[4, 5, 6]]), np.array([[4, 5, 6, 0, 0]])
    np.testing.assert_allclose(layer(table(padded))[:, :3], layer(table(short)), rtol=1e-5, atol=1e-6)


def test_shortcuts_and_their_states_go_together(random):
    x = random(B, T, D)
    with pytest.raises(ValueError, match="Missing argument `shortcut_states`"):
        MultiHeadAttention(H, D, key_value=LexicalShortcut(D))(x)
    with pytest.raises(ValueError, match="`key_value` must return keys and values. Received: Dense"):
        MultiHeadAttention(H, D, key_value=keras.layers.Dense(D))(x)
    with pytest.raises(ValueError, match="Leave out `shortcut_states`: the attention has no shortcut"):
        MultiHeadAttention(H, D)(x, shortcut_states=x)


@pytest.mark.parametrize("functional", [False, True])
def test_combines_masks_as_the_attention_of_keras_does(functional):
    """An attention mask leaves the mask of Keras in force."""
    ids, causal = np.array([[4, 5, 6, 0, 0], [7, 8, 0, 9, 3]]), np.tril(np.ones((1, 5, 5), bool))
    embedding = keras.layers.Embedding(10, D, mask_zero=True)

    def attended(layer):
        inputs = keras.Input((5,), dtype="int32") if functional else ids
        states = embedding(inputs)  # Keras' own attention takes the mask off its inputs
        _, weights = layer(states, states, attention_mask=causal, return_attention_scores=True)
        return np.asarray(keras.Model(inputs, weights).predict(ids, verbose=0) if functional else weights) > 1e-6

    ours, theirs = attended(MultiHeadAttention(H, D)), attended(keras.layers.MultiHeadAttention(H, D // H))
    real = ids != 0
    np.testing.assert_array_equal(ours, np.broadcast_to((causal & real[:, None])[:, None], ours.shape))
    for row in range(2):  # Keras masks the queries of padding, too
        np.testing.assert_array_equal(ours[row][:, real[row]], theirs[row][:, real[row]])


@pytest.mark.parametrize("length", [5, None])
def test_the_causal_mask_is_that_of_keras(random, length):
    query, memory = keras.Input((length, D)), keras.Input((length and length + 2, D))
    layers = MultiHeadAttention(H, D), keras.layers.MultiHeadAttention(H, D // H)
    weights = [layer(query, memory, use_causal_mask=True, return_attention_scores=True)[1] for layer in layers]
    data = random(2, 5, D), random(2, 7, D)
    ours, theirs = (x > 1e-6 for x in keras.Model([query, memory], weights).predict(data, verbose=0))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours[0, 0], np.tril(np.ones((5, 7), bool)))


def test_a_mask_of_another_shape_or_dtype_is_told_what_to_write(random):
    layer, causal = MultiHeadAttention(H, D), np.tril(np.ones((T, T)))
    for mask, advice in (
        (causal[None], r'write `keras\.ops\.cast\(mask, "bool"\)`'),
        (causal > 0, r"write `mask\[None\]`"),
    ):
        with pytest.raises(ValueError, match=rf"`attention_mask` must be a boolean .*: {advice} .*\. Received: shape"):
            layer(random(B, T, D), attention_mask=mask)


def test_a_memory_mask_replaces_the_one_that_keras_attached(random):
    ids = np.array([[4, 5, 6, 0, 0], [7, 8, 0, 9, 3]])
    memory = keras.layers.Embedding(10, D, mask_zero=True)(ids)
    layer = MultiHeadAttention(H, D)
    _, weights = layer(random(2, 3, D), memory, memory_mask=ids != 6, return_attention_scores=True)
    np.testing.assert_array_equal(np.asarray(weights)[:, 0, 0] > 1e-6, ids != 6)
