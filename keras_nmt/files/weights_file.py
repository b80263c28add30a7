"""Weights of a model in a file, without what its optimizer remembers of each of them."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from typing import Any

import h5py

from keras_nmt.files.atomic_files import atomic_path


def write_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Writes the weights of a Keras model to `path` (it ends with `.weights.h5`), whole or not at all."""
    # HDF5 crashes, and Python with it, where a disk gets full. Groups and names take a few kB for each variable.
    room = sum(math.prod(weight.shape) * 4 + 8192 for weight in model.weights)
    with atomic_path(path, suffix=".weights.h5", room=room) as temporary, _without_optimizer(model):
        model.save_weights(temporary, overwrite=True)


def read_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Loads the weights of a Keras model from `path`.

    Raises:
        ValueError: The file holds more than the model has, of which Keras takes what it finds and says nothing.
        Exception: Whatever Keras raises where it holds less, or something else.
    """
    with _without_optimizer(model):
        model.load_weights(path)
    # A whole model in a file, which Keras takes as well, has other things beside the weights.
    held = _number_of_variables(path) if os.fspath(path).endswith(".weights.h5") else 0
    if held > len(model.weights):
        raise ValueError(
            "The weights are those of another model, such as a deeper one. "
            f"Received: {held} variables in {os.fspath(path)}, {len(model.weights)} in the model"
        )


def arrays(file: h5py.File) -> dict[str, h5py.Dataset]:
    """All arrays of an HDF5 file, by their paths in it."""
    found: dict[str, h5py.Dataset] = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def _number_of_variables(path: str | os.PathLike[str]) -> int:
    """How many variables a file holds, but for those of an optimizer."""
    with h5py.File(path, "r") as file:
        return sum(not name.startswith("optimizer/") for name in arrays(file))


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
