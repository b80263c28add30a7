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
    "lost_mask",
    "set_keras_mask",
    "unlocked",
    "without_values",
]

M = TypeVar("M", bound=keras.Model)

# These layers have a mask only if all their inputs have one.
_MERGING = tuple(
    getattr(keras.layers, name) for name in ("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract")
)


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


def lost_mask(tensor: Any) -> str | None:
    """Returns the name of the operation behind which a symbolic tensor `[B, T, ...]` lost the mask of its positions.

    Operators, functions of `keras.ops` and merging layers pass no mask on; `Concatenate` passes one on that has no
    padding, if one of its inputs has no mask. Another layer that passes none on has decided so. Returns None if no mask
    was lost.
    """
    waiting, seen = [tensor], set[int]()
    while waiting:
        tensor = waiting.pop()
        if id(tensor) in seen or not hasattr(tensor, "_keras_history"):
            continue
        seen.add(id(tensor))
        operation, node, _ = tensor._keras_history
        inputs = [x for x in operation._inbound_nodes[node].input_tensors if x.shape[:2] == tensor.shape[:2]]
        masked, has_mask = [get_keras_mask(x) is not None for x in inputs], get_keras_mask(tensor) is not None
        is_plain = not isinstance(operation, keras.layers.Layer) or isinstance(operation, _MERGING)
        if isinstance(operation, keras.layers.Concatenate):
            is_lost = any(masked) and not all(masked)
        else:
            is_lost = any(masked) and is_plain and not has_mask
        if is_lost:
            return str(operation.name)
        if is_plain or has_mask or not any(masked):
            waiting += inputs
    return None


@contextlib.contextmanager
def unlocked(layer: keras.layers.Layer) -> Iterator[None]:
    """Allows a layer that is already built to add weights while the block runs."""
    layer._tracker.unlock()
    try:
        yield
    finally:
        layer._tracker.lock()
