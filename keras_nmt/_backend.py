from __future__ import annotations

import keras

from keras_nmt.errors import UserError


def check_backend(what: str) -> None:
    """Raises a `UserError` where Keras computes with something else than TensorFlow, for what needs that."""
    if keras.backend.backend() != "tensorflow":
        raise UserError(
            f"{what} needs TensorFlow: set KERAS_BACKEND=tensorflow; layers, models and searches run without. "
            f"Received: {keras.backend.backend()}"
        )
