"""Logits with the vocabulary first are the others, transposed, whatever the table."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from keras_nmt.models.token_embedding import TokenEmbedding

STATES = np.random.default_rng(1).normal(size=(2, 3, 8)).astype("float32")


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
@pytest.mark.parametrize("tie_weights", [True, False])
@pytest.mark.parametrize("quantized", [False, True])
def test_vocabulary_first(dtype, tie_weights, quantized):
    embedding = TokenEmbedding(11, 8, tie_weights, dtype=dtype)
    embedding.build((None, None))
    if quantized:
        embedding.table.quantize("int8")
    expected = keras.ops.convert_to_numpy(embedding(STATES, reverse=True))
    found = embedding(STATES, reverse=True, vocabulary_first=True)
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    np.testing.assert_allclose(np.moveaxis(found, 0, -1), expected, rtol=1e-5, atol=1e-5)
    assert embedding.compute_output_shape((2, 3, 8), reverse=True, vocabulary_first=True) == found.shape
