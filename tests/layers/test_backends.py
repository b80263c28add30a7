"""All layers compute the same on every Keras backend, without TensorFlow, and with every default dtype of Keras."""

from __future__ import annotations

import every_layer
import keras
import numpy as np
import pytest
from small import OTHER_BACKENDS, run_on_backend

from keras_nmt import layers


def test_every_layer_is_compared():
    public = {getattr(layers, name) for name in layers.__all__} - {layers.CompositionLayer}
    of_layers = {one for one in public if isinstance(one, type) and issubclass(one, keras.layers.Layer)}
    assert of_layers <= every_layer.classes()


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    return every_layer.results()


@pytest.mark.parametrize("backend", OTHER_BACKENDS)
def test_another_backend_gives_equal_results(backend, expected, tmp_path):
    path = tmp_path / "results.npz"
    # Compilation takes half the time; only the results matter here.
    run_on_backend(backend, every_layer.__file__, path, JAX_DISABLE_MOST_OPTIMIZATIONS="1")
    _compare(np.load(path), expected)


@pytest.mark.slow
def test_a_default_dtype_of_more_bits_gives_equal_results(expected):
    keras.config.set_floatx("float64")
    try:
        results = every_layer.results()
    finally:
        keras.config.set_floatx("float32")
    _compare(results, expected)


def _compare(results, expected):
    assert set(results) == set(expected)
    for name, value in results.items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-3, atol=1e-3, err_msg=name)
