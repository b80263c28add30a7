"""All layers compute the same on every Keras backend, without TensorFlow, and with every default dtype of Keras."""

from __future__ import annotations

import os
import subprocess
import sys

import every_layer
import keras
import numpy as np
import pytest

from keras_nmt import layers


def test_every_layer_is_compared():
    public = {getattr(layers, name) for name in layers.__all__} - {layers.CompositionLayer}
    of_layers = {one for one in public if isinstance(one, type) and issubclass(one, keras.layers.Layer)}
    assert of_layers <= every_layer.classes()


@pytest.fixture(scope="module")
def expected() -> dict[str, np.ndarray]:
    return every_layer.results()


@pytest.mark.parametrize(
    "backend", [pytest.param("jax", marks=pytest.mark.slow), pytest.param("torch", marks=pytest.mark.nightly)]
)
def test_another_backend_gives_equal_results(backend, expected, tmp_path):
    pytest.importorskip(backend)
    ran = subprocess.run(
        [sys.executable, every_layer.__file__, tmp_path / "results.npz"],
        env={
            **os.environ,
            "KERAS_BACKEND": backend,
            "PYTHONPATH": os.pathsep.join(sys.path),
            # Compilation takes half the time; only the results matter here.
            "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    _compare(np.load(tmp_path / "results.npz"), expected)


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
