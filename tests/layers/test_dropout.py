"""Dropout by random bits: how much it drops, and that one seed drops the same values everywhere."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.layers import Dropout

SHAPE = (101, 7, 93)  # an odd number of values


def _kept(dtype: str = "float32", shape: tuple[int, ...] = SHAPE, **options) -> np.ndarray:
    layer = Dropout(options.pop("rate", 0.1), seed=3, dtype=dtype, **options)
    return np.asarray(keras.ops.cast(layer(tf.ones(shape, dtype), training=True), "float32"))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
def test_the_rate_is_dropped_and_the_mean_stays(rate, dtype):
    outputs = _kept(dtype, rate=rate)
    deviation = (rate * (1 - rate) / outputs.size) ** 0.5
    assert abs((outputs == 0).mean() - rate) < 4 * deviation
    np.testing.assert_allclose(outputs[outputs > 0], 1 / (1 - rate), rtol=5e-3)  # of bfloat16
    # Two values come from one random number: both are dropped as often as any two.
    pairs = (outputs.ravel()[:-1] == 0).reshape(-1, 2)
    assert abs(pairs.all(-1).mean() - rate**2) < 4 * (rate**2 * (1 - rate**2) / len(pairs)) ** 0.5


def test_a_seed_drops_the_same_values_in_every_dtype_and_graph():
    expected = _kept() > 0
    for dtype in ("float16", "bfloat16"):
        assert np.array_equal(_kept(dtype) > 0, expected)
    layer = Dropout(0.1, seed=3)
    unknown = tf.function(lambda x: layer(x, training=True), input_signature=[tf.TensorSpec((None, None, None))])
    assert np.array_equal(unknown(tf.ones(SHAPE)).numpy() > 0, expected)
    assert not np.array_equal(unknown(tf.ones(SHAPE)).numpy() > 0, expected)  # the next draw


def test_no_random_numbers_go_through_the_memory_of_the_host():
    """Of TensorFlow's kernels for GPUs, `Reshape` and `Shape` of int32 have their inputs there, `Bitcast` has not."""
    layer = Dropout(0.1)
    traced = tf.function(lambda x: layer(x, training=True), input_signature=[tf.TensorSpec((None, None))])
    graph = traced.get_concrete_function().graph
    run = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), [graph.outputs[0].op.name])
    users = [graph.get_operation_by_name(node.name) for node in run.node]
    assert [x.type for x in users for y in x.inputs if y.dtype == tf.int32 and y.shape.rank == 2] == ["Bitcast"]


@pytest.mark.slow
def test_a_seed_drops_the_same_values_under_xla():
    layer = Dropout(0.1, seed=3)
    compiled = tf.function(lambda x: layer(x, training=True), jit_compile=True)
    assert np.array_equal(compiled(tf.ones(SHAPE)).numpy() > 0, _kept() > 0)


def test_the_ends_of_the_range_and_one_mask_for_several_values():
    inputs = tf.constant([[np.nan, 1.0, np.inf]])
    assert Dropout(0.3)(inputs) is inputs
    assert Dropout(0.0)(inputs, training=True) is inputs
    assert not np.any(Dropout(1.0)(inputs, training=True))
    assert np.all(np.isfinite(_kept(rate=1 - 1e-9)))
    for noise_shape in ((None, 1, 93), (1, 93)):
        outputs = _kept(noise_shape=noise_shape, rate=0.5)
        assert np.array_equal(outputs, np.broadcast_to(outputs[:, :1], SHAPE))
        assert outputs.mean(1).std() > 0
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        _kept(noise_shape=(5, 1), shape=(1, 3))  # would enlarge the inputs


def test_the_gradient_passes_where_values_are_kept():
    inputs = tf.Variable(tf.ones(SHAPE))
    with tf.GradientTape() as tape:
        outputs = Dropout(0.1, seed=3)(inputs, training=True)
    np.testing.assert_array_equal(tape.gradient(outputs, inputs), outputs)
