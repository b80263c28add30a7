"""The contract that every layer keeps, as fixtures; and the folder's helper module."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops, tree


def _check(
    make: Callable[..., keras.layers.Layer],
    inputs: dict[str, np.ndarray],
    *,
    weights: int,
    parameters: int,
    folder: Any,
    float32: Collection[int] = (),
) -> None:
    """Checks configuration, shapes, saving, a training step, dtype policies and XLA.

    Args:
        make: Makes the layer; takes `dtype`.
        inputs: Call arguments by name, the first of them first. Boolean arrays are masks.
        weights: Number of trainable weight tensors expected.
        parameters: Number of trainable parameters expected.
        folder: Where to save.
        float32: Places of outputs that are float32 whatever the policy.
    """
    layer = make()
    outputs = layer(**inputs)
    assert len(layer.trainable_weights) == weights
    assert sum(int(np.prod(w.shape)) for w in layer.trainable_weights) == parameters

    # Configuration: JSON, and back to an equal layer.
    config = layer.get_config()
    assert json.loads(json.dumps(config)) == type(layer).from_config(config).get_config()

    # Shapes: computed, symbolic and eager agree.
    shapes = {f"{name}_shape": value.shape for name, value in inputs.items() if value.dtype != bool}
    computed = layer.compute_output_shape(*shapes.values())
    actual = tree.map_structure(lambda x: tuple(x.shape), outputs)
    assert computed == actual
    symbolic = {name: keras.Input(x.shape[1:], dtype=str(x.dtype), name=name) for name, x in inputs.items()}
    symbolic_outputs = layer(**symbolic)
    for one, other in zip(tree.flatten(symbolic_outputs), tree.flatten(outputs), strict=True):
        assert tuple(one.shape)[1:] == tuple(other.shape)[1:]
        assert one.dtype == keras.backend.standardize_dtype(other.dtype)

    # Saved equals loaded, as part of a functional model.
    model = keras.Model(symbolic, symbolic_outputs)
    model.save(folder / "model.keras")
    loaded = keras.models.load_model(folder / "model.keras")
    for one, other in zip(tree.flatten(loaded(inputs)), tree.flatten(outputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)

    # A compiled training step moves every trainable weight.
    before = [w.numpy().copy() for w in layer.trainable_weights]
    # A sigmoid, because the mean square of what a LayerNorm gives is constant.
    pooled = sum(ops.mean(ops.sigmoid(3 * x), tuple(range(1, len(x.shape)))) for x in tree.flatten(symbolic_outputs))
    trained = keras.Model(symbolic, pooled)
    trained.compile(optimizer=keras.optimizers.Adam(0.1), loss="mse")
    trained.fit(inputs, np.ones(len(next(iter(inputs.values())))), epochs=1, verbose=0)
    for old, new in zip(before, layer.trainable_weights, strict=True):
        assert not np.array_equal(old, new.numpy()), f"{new.path} was not trained"

    # XLA equals no XLA.
    plain = tf.function(lambda **x: layer(**x))(**inputs)
    compiled = tf.function(lambda **x: layer(**x), jit_compile=True)(**inputs)
    for one, other in zip(tree.flatten(plain), tree.flatten(compiled), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)

    # Half precision: the policy's dtype comes out, near to float32.
    for policy, tolerance in (("mixed_float16", 2e-2), ("mixed_bfloat16", 1e-1)):
        half = make(dtype=policy)
        half(**inputs)
        half.set_weights(layer.get_weights())
        assert all(w.dtype == "float32" for w in half.trainable_weights)
        for place, (one, other) in enumerate(zip(tree.flatten(half(**inputs)), tree.flatten(plain), strict=True)):
            expected = "float32" if place in float32 else half.compute_dtype
            assert keras.backend.standardize_dtype(one.dtype) == expected
            np.testing.assert_allclose(ops.cast(one, "float32"), other, atol=tolerance, rtol=tolerance)


@pytest.fixture
def check_layer(tmp_path):
    """Call it with a function that makes the layer, its inputs by name, and the numbers of weights expected."""
    return lambda make, inputs, **expected: _check(make, inputs, **expected, folder=tmp_path)


def _check_xla(layer: keras.layers.Layer, inputs: dict[str, np.ndarray], **options: Any) -> None:
    """Checks that outputs and gradients with XLA are those without, where the graph knows no size but widths.

    Args:
        layer: The layer, built.
        inputs: Call arguments by name.
        **options: Further call arguments.
    """

    def run(*values: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            given = [x for x in values if x.dtype != tf.bool]
            tape.watch(given)
            outputs = tree.flatten(layer(**dict(zip(inputs, values, strict=True)), **options))
            loss = tf.add_n([tf.reduce_sum(tf.sin(i + tf.cast(x, "float32"))) for i, x in enumerate(outputs)])
        return outputs, tape.gradient(loss, [*given, *(w.value for w in layer.trainable_weights)])

    signature = [
        tf.TensorSpec([None] * (x.ndim - 1) + [None if x.dtype == bool else x.shape[-1]], x.dtype)
        for x in inputs.values()
    ]
    plain, compiled = (
        tf.function(run, input_signature=signature, jit_compile=xla)(*inputs.values()) for xla in (False, True)
    )
    for one, other in zip(tree.flatten(plain), tree.flatten(compiled), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.fixture
def check_xla():
    """Call it with a layer that is built, and its inputs by name."""
    return _check_xla


@pytest.fixture
def random():
    generator = np.random.default_rng(0)
    return lambda *shape: generator.normal(size=shape).astype("float32")
