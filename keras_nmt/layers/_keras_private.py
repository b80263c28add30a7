"""Private names of Keras that the package needs. `tests/models/test_private_names.py` checks that Keras has them."""

from __future__ import annotations

from typing import Any

import keras
from keras.src.backend.common.masking import get_keras_mask, set_keras_mask

__all__ = ["all_layers", "get_keras_mask", "set_keras_mask"]  # with JAX, a mask is no attribute of its tensor


def all_layers(model: Any) -> list[keras.layers.Layer]:
    """The model and all layers in it, each once: layers of layers and of inner models included."""
    return list(model._flatten_layers())
