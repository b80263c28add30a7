"""The temperature of one-hot roles."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from keras_nmt.layers import RoleAssignment, RoleInteraction
from keras_nmt.training import RoleTemperature


class Record(keras.callbacks.Callback):
    """A callback that records the temperature of each update."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.seen = layer, []

    def on_train_batch_begin(self, batch, logs=None):
        self.seen.append(float(self.layer.role_assignment.temperature))


def _expected(first: int, last: int) -> list[float]:
    return [max(0.5, 5 * 0.7**n) for n in range(first, last)]


def test_the_temperature_falls_with_each_update_to_the_floor():
    layer = RoleInteraction(3, "one_hot")
    model = keras.Sequential([keras.Input((2, 4)), layer])
    model.compile("sgd", "mse")
    record = Record(layer)
    x = np.ones((10, 2, 4))
    for _ in range(2):  # a second `fit` continues
        model.fit(x, x, batch_size=2, epochs=1, verbose=0, callbacks=[RoleTemperature(decay=0.7), record])
    np.testing.assert_allclose(record.seen, _expected(0, 10), rtol=1e-6)


def test_updates_that_a_loss_scale_skipped_count_after_a_restart():
    layer = RoleInteraction(3, "one_hot")
    model = keras.Sequential([keras.Input((2, 4)), layer])
    model.compile("sgd", "mse")
    callback = RoleTemperature(decay=0.7)
    callback.set_model(model)
    callback.on_train_begin()  # the optimizer counts no skipped update
    for update in (4, 5):
        callback.on_train_batch_begin(update)
        assert float(layer.role_assignment.temperature) == pytest.approx(_expected(update, update + 1)[0])
        callback.on_train_batch_end(update)


def test_the_formula_and_wrong_arguments():
    schedule = RoleTemperature()
    assert [schedule(n) for n in (0, 1, 10**6)] == [5.0, 5.0 * 0.9995, 0.5]
    for arguments in ({"start": 0.1}, {"decay": 0.0}, {"decay": 1.5}, {"floor": 0.0}):
        with pytest.raises(ValueError, match="Received: "):
            RoleTemperature(**arguments)
    schedule.set_model(keras.Sequential([keras.Input((2, 4)), RoleAssignment(3, "softmax")]))
    with pytest.raises(ValueError, match="with one-hot roles"):
        schedule.on_train_begin()
