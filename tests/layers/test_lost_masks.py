"""Masks of embeddings that operators lose on their way to a layer."""

import warnings

import keras
import numpy as np
import pytest
from keras import ops

from keras_nmt.layers import SSRU, AttentionBridge, MultiHeadAttention, RoleInteraction
from keras_nmt.models import PositionalEncoding

IDS = np.array([[5, 6, 0, 0], [4, 0, 0, 0], [1, 2, 3, 4]])


def embed():
    ids = keras.Input((None,), dtype="int32")
    embedding = keras.layers.Embedding(9, 8, mask_zero=True)
    return ids, embedding, embedding(ids)


def test_a_layer_tells_of_a_mask_that_was_lost_before_it():
    ids, embedding, embedded = embed()
    positions = keras.layers.Dense(8)(keras.layers.Embedding(9, 8)(ids))
    for name, lost in (
        ("add", embedded + PositionalEncoding()(embedded)),
        ("multiply", embedded * 4.0),
        ("multiply", keras.layers.Dropout(0.1)(embedded * 4.0)),
        ("cast", ops.cast(embedded, "float16")),
        ("concatenate", keras.layers.Concatenate()([embedded, positions])),
    ):
        with pytest.warns(UserWarning, match=f"'ssru.*' reads padding, because '{name}.*' has lost .*: pass `mask`"):
            SSRU(lost.shape[-1])(lost)
    with pytest.warns(UserWarning, match="pass `memory_mask`"):
        MultiHeadAttention(num_heads=2, hidden_dim=8)(positions, embedded * 4.0)
    memory = keras.layers.RepeatVector(4)(keras.layers.GlobalAveragePooling1D()(embedded))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SSRU(8)(embedded * 4.0, mask=embedding.compute_mask(ids))
        MultiHeadAttention(num_heads=2, hidden_dim=8)(
            positions, embedded * 4.0, attention_mask=keras.Input((None, None), dtype="bool")
        )
        SSRU(8)(PositionalEncoding()(embedded))  # the mask arrives
        SSRU(8)(positions * 4.0)  # there was none
        SSRU(8)(memory)  # a layer that decided to pass none on


def test_padding_is_invisible_with_the_mask_as_an_argument():
    for layer in (RoleInteraction(4, assignment="softmax"), AttentionBridge(num_heads=2, hidden_dim=4)):
        ids, embedding, embedded = embed()
        model = keras.Model(ids, layer(embedded * 4.0, mask=embedding.compute_mask(ids)))
        found, alone = (ops.convert_to_numpy(model(x)) for x in (IDS, IDS[:1, :2]))
        np.testing.assert_allclose(found[:1, :2], alone, atol=1e-5)
