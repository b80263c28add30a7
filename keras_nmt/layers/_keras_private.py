"""Private names of Keras that the package needs. `tests/models/test_private_names.py` checks that Keras has them."""

from __future__ import annotations

from typing import Any

import keras
from keras.src.backend.common.masking import get_keras_mask, set_keras_mask

__all__ = ["all_layers", "get_keras_mask", "set_keras_mask"]  # with JAX, masks are not attributes of tensors


def all_layers(model: Any) -> list[keras.layers.Layer]:
    """The model and all its layers, each once, nested layers and inner models included."""
    return list(model._flatten_layers())
