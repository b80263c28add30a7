"""The lookup, and logits with the vocabulary first, which equal the transposed logits for every table."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.models.token_embedding import TokenEmbedding

STATES = np.random.default_rng(1).normal(size=(2, 3, 8)).astype("float32")


@pytest.mark.parametrize(("scale", "factor"), [(True, 4.0), (False, 1.0)])
def test_embeddings_are_rows_of_the_table(scale, factor):
    embedding = TokenEmbedding(11, 16, scale=scale)
    ids = np.array([[3, 10, 0]])
    np.testing.assert_allclose(embedding(ids), factor * embedding.table.embeddings.numpy()[ids], rtol=1e-6)
    copy = TokenEmbedding.from_config(embedding.get_config())
    copy.build((None, None))
    copy.set_weights(embedding.get_weights())
    np.testing.assert_array_equal(copy(ids), embedding(ids))


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
@pytest.mark.parametrize("tie_weights", [True, False])
@pytest.mark.parametrize("quantized", [False, True])
def test_the_logits_of_few_states(dtype, tie_weights, quantized):
    embedding = TokenEmbedding(11, 8, tie_weights, dtype=dtype)
    embedding.build((None, None))
    if quantized:
        embedding.table.quantize("int8")
    expected = keras.ops.convert_to_numpy(embedding(STATES, reverse=True))
    tolerance = 1e-5 if dtype == "float32" else 0.02  # bfloat16 has three digits
    found = embedding(STATES, reverse=True, is_decoding_step=True)
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=tolerance)
    assert embedding.compute_output_shape((2, 3, 8), reverse=True, is_decoding_step=True) == found.shape
    kernel = embedding.output_kernel()
    assert (kernel is None) == quantized
    if kernel is not None:
        found = embedding(STATES, reverse=True, output_kernel=kernel)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=tolerance)


@pytest.mark.parametrize("tie_weights", [True, False])
def test_the_product_of_the_logits_is_in_the_compute_dtype(tie_weights):
    embedding = TokenEmbedding(11, 8, tie_weights, dtype="mixed_bfloat16")
    embedding.build((None, None))

    @tf.function(autograph=False)
    def logits(states: tf.Tensor) -> tf.Tensor:
        return embedding(states, reverse=True)

    operations = logits.get_concrete_function(tf.TensorSpec([2, 3, 8])).graph.get_operations()
    (product,) = (operation for operation in operations if operation.type == "MatMul")
    assert [x.dtype for x in product.inputs] == [tf.bfloat16, tf.bfloat16]


def test_embeddings_start_as_large_as_positions():
    assert np.std(TokenEmbedding(500, 64)(np.arange(500)[None])) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
@pytest.mark.parametrize("tie_weights", [True, False])
def test_the_logits_of_some_tokens(dtype, tie_weights):
    embedding = TokenEmbedding(11, 8, tie_weights, dtype=dtype)
    embedding.build((None, None))
    ids = np.array([2, 10, 3])
    expected = keras.ops.convert_to_numpy(embedding(STATES, reverse=True))[..., ids]
    found = embedding(STATES, reverse=True, output_kernel=embedding.output_kernel(ids))
    tolerance = 1e-5 if dtype == "float32" else 0.02  # bfloat16 has three digits
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=tolerance)
    assert embedding.compute_output_shape((2, 3, 8), reverse=True, output_kernel=ids[None]) == found.shape
    embedding.table.quantize("int8")  # the rows lose their scales, and the states stay as they are
    found = embedding(STATES, reverse=True, output_kernel=embedding.output_kernel(ids))
    np.testing.assert_allclose(found, expected, rtol=0.05, atol=0.05)


def test_two_tables_start_independently():
    embedding = TokenEmbedding(50, 8, tie_weights=False)
    embedding(np.ones((1, 2), "int32"))
    first, second = (np.ravel(x) for x in (embedding.table.embeddings, embedding.table.reverse_embeddings))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2
    assert np.std(second) == pytest.approx(np.std(first), rel=0.2)
