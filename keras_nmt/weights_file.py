"""Weights of a model in a file, without what its optimizer remembers of each of them."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from typing import Any

from keras_nmt.atomic_files import atomic_path


def write_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Writes the weights of a Keras model to `path` (it ends with `.weights.h5`), whole or not at all."""
    # HDF5 crashes, and Python with it, where a disk gets full. Groups and names take a few kB for each variable.
    room = sum(math.prod(weight.shape) * 4 + 8192 for weight in model.weights)
    with atomic_path(path, suffix=".weights.h5", room=room) as temporary, _without_optimizer(model):
        model.save_weights(temporary, overwrite=True)


def read_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Loads the weights of a Keras model from `path`."""
    with _without_optimizer(model):
        model.load_weights(path)


@contextlib.contextmanager
def _without_optimizer(model: Any) -> Iterator[None]:
    """Keras writes the optimizer of a compiled model too: with Adam, two numbers more for each weight."""
    optimizer = model.optimizer if getattr(model, "compiled", False) else None
    if optimizer is None:
        yield
        return
    model.optimizer = None
    try:
        yield
    finally:
        model.optimizer = optimizer
