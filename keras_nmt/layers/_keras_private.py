"""Private names of Keras that the package needs."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import keras
from keras.src.backend.common.masking import get_keras_mask, set_keras_mask

# Masks are set by these functions because with JAX they are not attributes of tensors.
__all__ = [
    "all_layers",
    "child_layers",
    "forget_graphs",
    "get_keras_mask",
    "initialize",
    "set_keras_mask",
    "unlocked",
    "without_values",
]

M = TypeVar("M", bound=keras.Model)


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


def without_values(make: Callable[[], M]) -> M:
    """Calls a function that makes a model. The weights get shapes but no values, which takes little time and memory."""

    def make_it() -> M:
        with keras.StatelessScope(initialize_variables=False):
            return make()

    # Keras keeps a list of variables to initialise later for each thread. The list of this thread ends with it.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(make_it).result()


def initialize(model: keras.Model) -> None:
    """Gives the weights of a model that was made by `without_values` their initial values."""
    for variable in model.variables:
        variable._deferred_initialize()


@contextlib.contextmanager
def unlocked(layer: keras.layers.Layer) -> Iterator[None]:
    """Allows a layer that is already built to add weights while the block runs."""
    layer._tracker.unlock()
    try:
        yield
    finally:
        layer._tracker.lock()
