"""The contract of every layer, as fixtures."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops, tree

Make = Callable[..., keras.layers.Layer]
Inputs = Mapping[str, np.ndarray]


def _check(
    make: Make,
    inputs: Inputs,
    *,
    weights: int,
    parameters: int,
    folder: Path,
    thorough: bool = True,
    float32: Collection[int] = (),
    **options: Any,
) -> None:
    """Checks weights, configuration, shapes and saving; then, if thorough, training, XLA and half precision.

    Args:
        make: Function that returns the layer; takes `dtype`.
        inputs: Call arguments by name, in the order of `call`. Boolean arrays are masks.
        weights: Number of trainable weight tensors expected.
        parameters: Number of trainable parameters expected.
        folder: Folder for the saved model.
        thorough: Whether training, XLA and half precision are checked: for one variant of each class.
        float32: Indices of outputs that are float32 under every policy.
        **options: Further call arguments for the comparison with XLA.
    """
    layer = make()
    outputs = tree.flatten(layer(**inputs))
    assert len(layer.trainable_weights) == weights
    assert sum(int(np.prod(w.shape)) for w in layer.trainable_weights) == parameters
    _check_configuration(layer)
    symbolic, symbolic_outputs = _check_shapes(layer, inputs)
    _check_saving(keras.Model(symbolic, symbolic_outputs), inputs, outputs, folder)
    if thorough:
        _check_training(layer, inputs, symbolic, symbolic_outputs)
        _check_xla(layer, inputs, **options)
        _check_half_precision(make, layer, inputs, float32)


def _check_configuration(layer: keras.layers.Layer) -> None:
    """The configuration survives JSON and makes an equal layer."""
    config = layer.get_config()
    assert json.loads(json.dumps(config)) == type(layer).from_config(config).get_config()


def _check_shapes(layer: keras.layers.Layer, inputs: Inputs) -> tuple[dict[str, keras.KerasTensor], Any]:
    """Computed, symbolic and eager shapes agree. Returns the symbolic inputs and outputs."""
    outputs = layer(**inputs)
    shapes = [value.shape for value in inputs.values() if value.dtype != bool]
    assert layer.compute_output_shape(*shapes) == tree.map_structure(lambda x: tuple(x.shape), outputs)
    symbolic = {name: keras.Input(x.shape[1:], dtype=str(x.dtype), name=name) for name, x in inputs.items()}
    symbolic_outputs = layer(**symbolic)
    for one, other in zip(tree.flatten(symbolic_outputs), tree.flatten(outputs), strict=True):
        assert tuple(one.shape)[1:] == tuple(other.shape)[1:]
        assert one.dtype == keras.backend.standardize_dtype(other.dtype)
    return symbolic, symbolic_outputs


def _check_saving(model: keras.Model, inputs: Inputs, outputs: list[Any], folder: Path) -> None:
    """A saved functional model equals the loaded model."""
    model.save(folder / "model.keras")
    loaded = keras.models.load_model(folder / "model.keras")
    for one, other in zip(tree.flatten(loaded(inputs)), outputs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def _check_training(layer: keras.layers.Layer, inputs: Inputs, symbolic: Any, symbolic_outputs: Any) -> None:
    """An update by `fit` changes every trainable weight. Gradients of a graph: see `_check_xla`."""
    before = [w.numpy().copy() for w in layer.trainable_weights]
    # A sigmoid, because the mean square of the outputs of a LayerNorm is constant.
    pooled = sum(ops.mean(ops.sigmoid(3 * x), tuple(range(1, len(x.shape)))) for x in tree.flatten(symbolic_outputs))
    trained = keras.Model(symbolic, pooled)
    trained.compile(optimizer=keras.optimizers.Adam(0.1), loss="mse", run_eagerly=True)
    trained.fit(inputs, np.ones(len(next(iter(inputs.values())))), epochs=1, verbose=0)
    for old, new in zip(before, layer.trainable_weights, strict=True):
        assert not np.array_equal(old, new.numpy()), f"{new.path} was not trained"


def _check_xla(layer: keras.layers.Layer, inputs: Inputs, **options: Any) -> None:
    """Outputs and gradients are equal eagerly, in a graph of unknown batch size and length, and with XLA."""

    def run(*values: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            given = [x for x in values if x.dtype != tf.bool]
            tape.watch(given)
            outputs = tree.flatten(layer(**dict(zip(inputs, values, strict=True)), **options))
            loss = tf.add_n([tf.reduce_sum(tf.sin(i + tf.cast(x, "float32"))) for i, x in enumerate(outputs)])
        sources = [*given, *(w.value for w in layer.trainable_weights)]
        return outputs, tape.gradient(loss, sources, unconnected_gradients="zero")

    signature = [
        tf.TensorSpec([None if axis < 2 else size for axis, size in enumerate(x.shape)], x.dtype)
        for x in inputs.values()
    ]
    values = [tf.constant(x) for x in inputs.values()]
    eager, plain, compiled = (
        tree.flatten(function(*values))
        for function in (
            run,
            tf.function(run, input_signature=signature, autograph=False),
            tf.function(run, input_signature=signature, autograph=False, jit_compile=True),
        )
    )
    for expected, one, other in zip(eager, plain, compiled, strict=True):
        rounding = {"rtol": 1e-4, "atol": 1e-5 * max(1.0, np.abs(expected).max(initial=0))}  # of the largest terms
        np.testing.assert_allclose(one, expected, **rounding)
        np.testing.assert_allclose(other, expected, **rounding)


def _check_half_precision(make: Make, layer: keras.layers.Layer, inputs: Inputs, float32: Collection[int]) -> None:
    """Outputs have the dtype of the policy and are near the float32 outputs."""
    outputs = tree.flatten(layer(**inputs))
    for policy, tolerance in (("mixed_float16", 2e-2), ("mixed_bfloat16", 1e-1)):
        half = make(dtype=policy)
        half(**inputs)
        half.set_weights(layer.get_weights())
        assert all(w.dtype == "float32" for w in half.trainable_weights)
        for index, (one, other) in enumerate(zip(tree.flatten(half(**inputs)), outputs, strict=True)):
            expected = "float32" if index in float32 else half.compute_dtype
            assert keras.backend.standardize_dtype(one.dtype) == expected
            np.testing.assert_allclose(ops.cast(one, "float32"), other, atol=tolerance, rtol=tolerance)


@pytest.fixture
def check_layer(tmp_path):
    """A function that checks a layer, given a function that makes the layer, inputs by name, and weight counts."""
    return lambda make, inputs, **expected: _check(make, inputs, **expected, folder=tmp_path)


@pytest.fixture
def random():
    generator = np.random.default_rng(0)
    return lambda *shape: generator.normal(size=shape).astype("float32")
