"""Private names of Keras that the package needs. `tests/models/test_private_names.py` checks that Keras has them."""

from __future__ import annotations

from typing import Any

import keras
from keras.src.backend.common.masking import get_keras_mask, set_keras_mask

# With JAX, masks are not attributes of tensors.
__all__ = ["all_layers", "child_layers", "get_keras_mask", "set_keras_mask"]


def all_layers(model: Any) -> list[keras.layers.Layer]:
    """The model and all its layers, each once, nested layers and inner models included."""
    return list(model._flatten_layers())


def child_layers(layer: keras.layers.Layer) -> list[keras.layers.Layer]:
    """The layers that a layer or a model holds directly, in the order in which it got them."""
    return list(layer._flatten_layers(include_self=False, recursive=False))
