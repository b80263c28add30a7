"""Positional encodings; the lookup of tokens, and logits for every kind of table, few states and some tokens."""

from __future__ import annotations

import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_nmt.layers.rotary_encoding import RotaryEncoding
from keras_nmt.models.positional_encoding import LearnedPositions, PositionalEncoding
from keras_nmt.models.token_embedding import TokenEmbedding

STATES = np.random.default_rng(1).normal(size=(2, 3, 8)).astype("float32")


def test_positions_follow_the_equation_in_float32():
    t, i = np.arange(600)[:, None], np.arange(4)
    angles = t / 10_000 ** (2 * i / 8)
    expected = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(600, 8)
    zeros = np.zeros((1, 600, 8), "float32")
    np.testing.assert_allclose(PositionalEncoding()(zeros)[0], expected, atol=1e-4)
    for policy in ("mixed_float16", "mixed_bfloat16"):
        layer = PositionalEncoding(dtype=policy)
        np.testing.assert_allclose(ops.cast(layer(zeros), "float32")[0], expected, atol=1e-2)
        step = layer(zeros[:, :1], position=ops.array(599))
        np.testing.assert_allclose(ops.cast(step, "float32")[0], expected[599:], atol=1e-2)
    for width, options in ((5, {"order": "halves"}), (2, {"endpoint": True})):
        with pytest.raises(ValueError, match=f"The width must be even.*Received: width {width}"):
            PositionalEncoding(**options)(np.zeros((1, 3, width), "float32"))


@pytest.mark.parametrize("layer", [PositionalEncoding, LearnedPositions, RotaryEncoding])
def test_positions_are_counted_with_every_default_dtype(layer):
    keras.config.set_floatx("float16")
    try:
        positions = layer(dtype="float32")
        positions.build((None, None, 8))
        np.testing.assert_allclose(tf.function(positions)(STATES), positions(STATES), rtol=1e-5)
    finally:
        keras.config.set_floatx("float32")


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
def test_the_logits_of_few_states_and_of_some_tokens(dtype, tie_weights):
    tolerance = 1e-5 if dtype == "float32" else 0.02  # bfloat16 has three digits
    ids = np.array([2, 10, 3])
    for quantized in (False, True):
        embedding = TokenEmbedding(11, 8, tie_weights, dtype=dtype)
        embedding.build((None, None))
        unquantized = keras.ops.convert_to_numpy(embedding(STATES, reverse=True))
        if quantized:
            embedding.table.quantize("int8")
        expected = keras.ops.convert_to_numpy(embedding(STATES, reverse=True))
        found = embedding(STATES, reverse=True, is_decoding_step=True)
        assert {keras.backend.standardize_dtype(x.dtype) for x in (unquantized, expected, found)} == {"float32"}
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=tolerance)
        assert embedding.compute_output_shape((2, 3, 8), reverse=True, is_decoding_step=True) == found.shape
        kernel = embedding.output_kernel()
        assert (kernel is None) == quantized
        if kernel is not None:
            found = embedding(STATES, reverse=True, output_kernel=kernel)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=tolerance)
        found = embedding(STATES, reverse=True, output_kernel=embedding.output_kernel(ids))
        assert embedding.compute_output_shape((2, 3, 8), reverse=True, output_kernel=ids[None]) == found.shape
        # Quantized, the rows lose their scales, and the states stay as they are.
        tolerances = {"rtol": 0.05, "atol": 0.05} if quantized else {"rtol": 1e-5, "atol": tolerance}
        np.testing.assert_allclose(found, unquantized[..., ids], **tolerances)
    embedding = TokenEmbedding(11, 8, tie_weights, dtype=dtype)
    embedding.build((None, None))
    embedding.table.quantize("int4")  # by Keras' own `model.quantize`
    found = embedding(STATES, reverse=True, is_decoding_step=True)
    np.testing.assert_allclose(found, embedding(STATES, reverse=True), rtol=1e-5, atol=tolerance)


@pytest.mark.slow
def test_xla_packs_or_converts_the_few_states_rather_than_the_table():
    embedding = TokenEmbedding(1100, 8)
    embedding.build((None, None))
    embedding(STATES[:, :2], reverse=True)

    def compiled(**options) -> str:
        @tf.function(jit_compile=True)
        def log_probabilities(states):
            return tf.nn.log_softmax(embedding(states, reverse=True, **options))

        return log_probabilities.experimental_get_compiler_ir(STATES[:, :2])(stage="optimized_hlo")

    def products(program: str) -> list[str]:
        """The products of a compiled function, each with the shape of its result."""
        return [re.search(r"[fs]32\[[0-9,]+\]", line)[0] for line in program.splitlines() if " dot(" in line]

    assert products(compiled()) == ["f32[4,1100]"]  # the table is the second factor
    assert products(compiled(is_decoding_step=True)) == ["f32[1100,4]"]
    embedding.table.quantize("int8")
    program = compiled(is_decoding_step=True)
    assert products(program) == ["s32[1100,4]"]
    # A step reads a byte of each weight. Converted before the loop of the search, it would read four.
    assert "s8[1100,8]" in program
    assert "s32[1100,8]" not in program


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


def test_tables_start_independently_and_as_large_as_positions():
    assert np.std(TokenEmbedding(500, 64)(np.arange(500)[None])) == pytest.approx(1, rel=0.05)
    embedding = TokenEmbedding(50, 8, tie_weights=False)
    embedding(np.ones((1, 2), "int32"))
    first, second = (np.ravel(x) for x in (embedding.table.embeddings, embedding.table.reverse_embeddings))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2
    assert np.std(second) == pytest.approx(np.std(first), rel=0.2)


def test_learned_positions_beyond_the_table_are_its_last():
    layer, nothing = LearnedPositions(3), np.zeros((1, 5, 4), "float32")
    found = ops.convert_to_numpy(layer(nothing))[0]
    np.testing.assert_array_equal(found, ops.convert_to_numpy(layer.table)[[0, 1, 2, 2, 2]])
    np.testing.assert_array_equal(ops.convert_to_numpy(layer(nothing[:, :1], position=9))[0, 0], found[2])
