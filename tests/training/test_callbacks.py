"""The temperature of one-hot roles."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from keras_nmt.layers import RoleAssignment, RoleInteraction
from keras_nmt.training import RoleTemperature


class _Record(keras.callbacks.Callback):
    """A callback that records the temperature of each update."""

    def __init__(self, layer: RoleInteraction) -> None:
        super().__init__()
        self.layer = layer
        self.seen: list[float] = []

    def on_train_batch_begin(self, batch: int, logs: dict[str, float] | None = None) -> None:
        assert self.layer.role_assignment.temperature is not None
        self.seen.append(float(self.layer.role_assignment.temperature))


def _expected(first: int, last: int) -> list[float]:
    return [max(0.5, 5 * 0.7**n) for n in range(first, last)]


def test_the_temperature_falls_with_each_update_to_the_floor() -> None:
    layer = RoleInteraction(3, "one_hot")
    model = keras.Sequential([keras.Input((2, 4)), layer])
    model.compile("sgd", "mse")
    record = _Record(layer)
    x = np.ones((10, 2, 4))
    for _ in range(2):  # a second `fit` continues
        model.fit(x, x, batch_size=2, epochs=1, verbose=0, callbacks=[RoleTemperature(decay=0.7), record])
    np.testing.assert_allclose(record.seen, _expected(0, 10), rtol=1e-6)


def test_the_temperature_continues_in_a_resumed_run(batches, tmp_path, make_any_trainer) -> None:
    def train(max_updates: int) -> list[float]:
        source, target_input = (keras.Input((None,), dtype="int32") for _ in range(2))
        layer = RoleInteraction(3, "one_hot", causal=True)
        embedding = keras.layers.Embedding(20, 8)
        context = keras.layers.GlobalAveragePooling1D(keepdims=True)(embedding(source))
        states = layer(embedding(target_input)) + context
        model = keras.Model([source, target_input], keras.layers.Dense(20, dtype="float32")(states))
        record = _Record(layer)
        callbacks = [RoleTemperature(decay=0.7), record]
        options = {"optimizer": keras.optimizers.Adam(), "max_updates": max_updates, "callbacks": callbacks}
        make_any_trainer(model, batches, tmp_path, **options).train()
        return record.seen

    np.testing.assert_allclose(train(3), _expected(0, 3), rtol=1e-6)
    np.testing.assert_allclose(train(5), _expected(3, 5), rtol=1e-6)  # another process, the same directory


def test_updates_that_a_loss_scale_skipped_count_after_a_restart() -> None:
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


def test_formula() -> None:
    schedule = RoleTemperature()
    assert [schedule(n) for n in (0, 1, 10**6)] == [5.0, 5.0 * 0.9995, 0.5]


def test_a_model_without_one_hot_roles_is_rejected() -> None:
    model = keras.Sequential([keras.Input((2, 4)), RoleAssignment(3, "softmax")])
    model.compile("sgd", "mse")
    x = np.ones((2, 2, 4))
    with pytest.raises(ValueError, match="with one-hot roles"):
        model.fit(x, x[..., :3], verbose=0, callbacks=[RoleTemperature()])


@pytest.mark.parametrize("arguments", [{"start": 0.1}, {"decay": 0.0}, {"decay": 1.5}, {"floor": 0.0}])
def test_wrong_arguments_are_named(arguments: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="Received: "):
        RoleTemperature(**arguments)
