"""Private names of Keras that the package needs."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import keras
from keras.src.backend.common.masking import get_keras_mask, set_keras_mask

# Masks are set by these functions because with JAX they are not attributes of tensors.
__all__ = ["all_layers", "child_layers", "forget_graphs", "get_keras_mask", "set_keras_mask", "unlocked"]


def all_layers(model: Any) -> list[keras.layers.Layer]:
    """Returns the model and all its layers, each once, including nested layers and inner models."""
    return list(model._flatten_layers())


def child_layers(layer: keras.layers.Layer) -> list[keras.layers.Layer]:
    """Returns the layers that a layer or a model holds directly, in the order in which they were added."""
    return list(layer._flatten_layers(include_self=False, recursive=False))


def forget_graphs(*models: Any) -> None:
    """Makes `fit`, `evaluate` and `predict` trace models again, after their variables were replaced."""
    for layer in itertools.chain.from_iterable(map(all_layers, models)):
        if isinstance(layer, keras.Model):
            layer.train_function = layer.test_function = layer.predict_function = None


@contextlib.contextmanager
def unlocked(layer: keras.layers.Layer) -> Iterator[None]:
    """Allows a layer that is already built to add weights while the block runs."""
    layer._tracker.unlock()
    try:
        yield
    finally:
        layer._tracker.lock()
