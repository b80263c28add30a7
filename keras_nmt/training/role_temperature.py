"""The temperature of one-hot roles during training."""

from __future__ import annotations

import keras

from keras_nmt.layers import RoleAssignment
from keras_nmt.layers._keras_private import all_layers


class RoleTemperature(keras.callbacks.Callback):
    """Lowers the temperature of one-hot roles while a model trains.

    Update n, from 0, has the temperature max(floor, start * decay^n), in every one-hot `RoleAssignment` of the model.
    n is the optimizer's number of updates, so a resumed run continues with its temperature (under loss scaling, updates
    that were skipped before the stop are not counted after it).

    Args:
        start: Float, the temperature of update 0. Defaults to 5.
        decay: Float, factor from one update to the next. Defaults to 0.9995.
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
                "The temperature falls from `start` to `floor`, both positive, by a `decay` above 0 and at most 1. "
                f"Received: start={start!r}, decay={decay!r}, floor={floor!r}"
            )
        self.start = start
        self.decay = decay
        self.floor = floor
        self._update = 0
        self._layers: list[RoleAssignment] = []

    def __call__(self, update: int) -> float:
        """The temperature of update `update`, from 0."""
        return max(self.floor, self.start * self.decay**update)

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        self._layers = one_hot_layers(self.model)
        if not self._layers:
            raise ValueError(f"The model has no one-hot roles. Received: model={self.model.name!r}")
        # Read once, then counted, because reading waits for the device.
        self._update = int(self.model.optimizer.iterations)

    def on_train_batch_begin(self, batch: int, logs: dict[str, float] | None = None) -> None:
        for layer in self._layers:
            layer.temperature.assign(self(self._update))

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        self._update += 1


def one_hot_layers(model: keras.Model) -> list[RoleAssignment]:
    """The layers of a model that assign one role to a token."""
    layers = [layer for layer in all_layers(model) if isinstance(layer, RoleAssignment)]
    return [layer for layer in layers if layer.assignment == "one_hot"]
