"""Keras callbacks in a training run: when they are called, and the temperature of one-hot roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import keras

from keras_nmt.layers import RoleAssignment
from keras_nmt.layers._keras_private import all_layers


class Rounds:
    """Calls the callbacks of a run. Their epochs are rounds of `length` updates, between two evaluations or saves."""

    def __init__(self, model: keras.Model, callbacks: Sequence[keras.callbacks.Callback], length: int) -> None:
        self.length = length
        self._model = model
        self._callbacks = list(callbacks)
        self._in_round = False

    def begin_run(self, max_updates: int | None) -> None:
        """Gives the callbacks their model, and tells them that training begins."""
        epochs = -(-max_updates // self.length) if max_updates else 1
        options = {"model": self._model, "epochs": epochs, "steps": self.length, "verbose": 0}
        self._calls = keras.callbacks.CallbackList(self._callbacks, **options)
        self._model.stop_training = False
        self._calls.on_train_begin()
        self._in_round = False

    def begin_update(self, update: int) -> None:
        """Begins update number `update`, from 0, and a round unless one has begun."""
        self._begin_round(update)
        if self._callbacks:
            self._calls.on_train_batch_begin(update)

    def end_update(self, update: int, metrics: dict[str, float]) -> None:
        """Ends an update, after which there are `update`. `metrics` are those of the last line of the log."""
        if self._callbacks:
            self._calls.on_train_batch_end(update - 1, metrics)

    def end_round(self, update: int, metrics: Mapping[str, float], scores: Mapping[str, float]) -> None:
        """Ends a round after `update` updates, with the `scores` of its evaluation, if there was one."""
        self._begin_round(update - 1)
        logs = {**metrics, **{f"val_{name}": value for name, value in scores.items()}}
        self._calls.on_epoch_end((update - 1) // self.length, logs)
        self._in_round = False

    def end_run(self, metrics: dict[str, float]) -> None:
        """Tells the callbacks that training ends."""
        self._calls.on_train_end(metrics)

    def _begin_round(self, update: int) -> None:
        if not self._in_round:
            self._calls.on_epoch_begin(update // self.length)
            self._in_round = True


class RoleTemperature(keras.callbacks.Callback):
    """Lowers the temperature of one-hot roles while a model trains.

    In update n, from 0, every one-hot `RoleAssignment` of the model has the temperature max(floor, start * decay^n). n
    is the optimizer's number of updates: a resumed run continues with its temperature. (With loss scaling, `Trainer`
    also counts skipped updates; a resumed `fit` does not.)

    Args:
        start: Float, the temperature of update 0. Defaults to 5.
        decay: Float, the factor of each update. Defaults to 0.9995.
        floor: Float, the lowest temperature. Defaults to 0.5.

    Raises:
        ValueError: A number is out of range; or, when training begins, the model has no one-hot roles.

    Example:

    >>> from keras_nmt.layers import RoleInteraction
    >>> layer = RoleInteraction(4, assignment="one_hot")
    >>> model = keras.Sequential([keras.Input((3, 8)), layer])
    >>> model.compile("adam", "mse")
    >>> x = keras.ops.ones((2, 3, 8))
    >>> _ = model.fit(x, x, epochs=2, verbose=0, callbacks=[RoleTemperature(decay=0.5)])
    >>> float(layer.role_assignment.temperature)
    2.5

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019,
        section 4, "Discrete Role Assignment".
    """

    def __init__(self, start: float = 5.0, decay: float = 0.9995, floor: float = 0.5) -> None:
        super().__init__()
        if not 0 < floor <= start or not 0 < decay <= 1:
            raise ValueError(
                "`start` and `floor` must be positive, `floor` at most `start`, and `decay` above 0 and at most 1. "
                f"Received: start={start!r}, decay={decay!r}, floor={floor!r}"
            )
        self.start = start
        self.decay = decay
        self.floor = floor
        self._update = 0
        self._layers: list[RoleAssignment] = []

    def __call__(self, update: int) -> float:
        """Returns the temperature of update `update`, from 0."""
        return max(self.floor, self.start * self.decay**update)

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        self._layers = one_hot_layers(self.model)
        if not self._layers:
            raise ValueError(f"`RoleTemperature` needs a model with one-hot roles. Received: {self.model.name!r}")
        # Reading waits for the device, so the number is read once and then counted here.
        self._update = int(self.model.optimizer.iterations)

    def on_train_batch_begin(self, batch: int, logs: dict[str, float] | None = None) -> None:
        # `Trainer` gives the number of the update, which also counts those that a loss scale skips; `fit` gives the
        # number within an epoch, which is never larger.
        self._update = max(self._update, batch)
        for layer in self._layers:
            layer.temperature.assign(self(self._update))

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        self._update += 1


def one_hot_layers(model: keras.Model) -> list[RoleAssignment]:
    """Returns the layers of a model that assign one role to a token."""
    layers = [layer for layer in all_layers(model) if isinstance(layer, RoleAssignment)]
    return [layer for layer in layers if layer.assignment == "one_hot"]


def may_end_run(callbacks: Iterable[keras.callbacks.Callback]) -> bool:
    """Tells whether one of the callbacks may end a run: any but those of this package."""
    return not all(isinstance(callback, RoleTemperature) for callback in callbacks)
