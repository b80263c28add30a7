"""Label-smoothed cross-entropy."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.training import LabelSmoothedCrossEntropy


def oracle(targets: np.ndarray, logits: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Cross-entropy against the smoothed distribution, from its definition."""
    logits = logits.astype("float64")
    log_probabilities = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    vocabulary_size = logits.shape[-1]
    wanted = np.eye(vocabulary_size)[targets] * (1 - smoothing) + smoothing / vocabulary_size
    real = targets != 0
    nll = -np.take_along_axis(log_probabilities, targets[..., None], -1)[..., 0]
    return -(wanted * log_probabilities).sum(-1) * real, nll * real


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 5), st.sampled_from([0, 0.1, 0.4]))
def test_equals_the_formula(seed, rows, length, smoothing):
    random = np.random.RandomState(seed)
    logits = random.randn(rows, length, 7).astype("float32") * 3
    targets = random.randint(0, 7, (rows, length)).astype("int32")
    loss = LabelSmoothedCrossEntropy(smoothing)
    for found, expected in zip(loss.terms(targets, logits), oracle(targets, logits, smoothing), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(loss(targets, logits), oracle(targets, logits, smoothing)[0].sum(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("jit_compile", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_gradient_equals_the_formulas_gradient(smoothing: float, jit_compile: bool) -> None:
    random = np.random.RandomState(1)
    logits = tf.constant(random.randn(2, 4, 9).astype("float32"))
    targets = tf.constant(random.randint(0, 9, (2, 4)).astype("int32"))
    weights = tf.constant(random.rand(2, 4).astype("float32"))

    @tf.function(jit_compile=jit_compile)
    def ours() -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss, nll = LabelSmoothedCrossEntropy(smoothing).terms(targets, logits)
            value = tf.reduce_sum(loss * weights) + 0.5 * tf.reduce_sum(nll)
        return tape.gradient(value, logits)

    with tf.GradientTape() as tape:
        tape.watch(logits)
        log_probabilities = tf.nn.log_softmax(logits)
        wanted = tf.one_hot(targets, 9)
        real = tf.cast(targets != 0, "float32")
        nll = -tf.reduce_sum(wanted * log_probabilities, -1)
        loss = (1 - smoothing) * nll - smoothing * tf.reduce_mean(log_probabilities, -1)
        value = tf.reduce_sum(real * (loss * weights + 0.5 * nll))
    np.testing.assert_allclose(ours(), tape.gradient(value, logits), atol=1e-6)


def test_the_probabilities_are_computed_after_all_else_that_reads_the_logits():
    """So they may reuse the memory of the logits."""
    shapes = [tf.TensorSpec([1, 2], "int32"), tf.TensorSpec([1, 2, 5], "float32")]
    graph = tf.function(LabelSmoothedCrossEntropy(0.1).terms).get_concrete_function(*shapes).graph
    (softmax,) = (operation for operation in graph.get_operations() if operation.type == "Softmax")
    assert {operation.type for operation in softmax.inputs[0].op.control_inputs} == {"GatherV2", "Max", "Mean"}


def test_probabilities_too_small_for_float32_have_the_right_loss():
    logits = np.array([[[300, -300, 0, 299], [0, 0, 0, 500]]], "float32")
    targets = np.array([[1, 3]], "int32")
    for found, expected in zip(
        LabelSmoothedCrossEntropy(0.1).terms(targets, logits), oracle(targets, logits, 0.1), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-5)


def test_is_float32_for_half_precision_logits_and_serialises():
    logits = tf.cast(np.random.RandomState(3).randn(1, 2, 5), "bfloat16")
    loss, nll = LabelSmoothedCrossEntropy(0.1).terms([[2, 3]], logits)
    assert loss.dtype == nll.dtype == tf.float32
    np.testing.assert_allclose(nll, oracle(np.array([[2, 3]]), tf.cast(logits, "float32").numpy(), 0)[1], rtol=1e-5)
    loss = keras.losses.deserialize(keras.losses.serialize(LabelSmoothedCrossEntropy(0.2)))
    assert isinstance(loss, LabelSmoothedCrossEntropy)
    assert (loss.smoothing, loss.reduction) == (0.2, "sum")
    with pytest.raises(ValueError, match=r"smoothing=1\.5"):
        LabelSmoothedCrossEntropy(1.5)
