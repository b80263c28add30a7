from __future__ import annotations

import keras
import numpy as np
import pytest

from keras_nmt.files.weights_file import read_weights, write_weights


@pytest.fixture
def model():
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(256)])
    model.compile("adam", "mse")
    model.fit(np.ones((4, 64)), np.ones((4, 256)), verbose=0)
    return model


@pytest.mark.filterwarnings("error::UserWarning")
def test_holds_the_weights_and_not_the_optimizer(model, tmp_path):
    path = tmp_path / "model.weights.h5"
    write_weights(path, model)
    assert path.stat().st_size < 1.5 * 4 * model.count_params()

    weights, slots = model.get_weights(), [v.numpy() for v in model.optimizer.variables]
    model.layers[0].kernel.assign(np.zeros((64, 256)))
    read_weights(path, model)  # a compiled model, and Keras warns of nothing
    for one, other in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(model.optimizer.variables, slots, strict=True):
        np.testing.assert_array_equal(one, other)
    model.fit(np.ones((4, 64)), np.ones((4, 256)), verbose=0)  # still compiled
