"""Reads and writes files of model weights, with a digest of their content and without the optimizer's state."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import h5py
import ml_dtypes
import numpy as np

from keras_nmt.errors import UserError, one_line, require
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.paths import check_regular

# A file attribute, so that the digest is replaced and copied together with the weights.
DIGEST = "keras_nmt.sha256"
HDF5_EXPECTED = "The file must hold weights, as HDF5"
RESULTS = ("updates", "ended_by")  # entries that every `results.json` has
OTHER_WEIGHTS = "of earlier weights, so not shown: `keras-nmt evaluate` scores the present ones"


def write_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Writes the weights of a Keras model, but not of its optimizer, and their digest, completely or not at all.

    Raises:
        OSError: The file `*.weights.h5` cannot be written.
        UserError: The path exists and is not a regular file.
    """
    if os.path.exists(path):
        check_regular(path)
    # On a full disk, HDF5 crashes the process. Groups and names take a few kB for each variable.
    room = sum(math.prod(weight.shape) * 4 + 8192 for weight in model.weights)
    with atomic_path(path, suffix=".weights.h5", room=room) as temporary, _errors_of_locks(path):
        with _without_optimizer(model):
            model.save_weights(temporary, overwrite=True)
        with h5py.File(temporary, "r+") as file:
            write_digest(file)


def read_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Loads the weights of a Keras model from a file `*.weights.h5`, or from a whole model `*.keras`, and checks them.

    A `*.weights.h5` without a digest, as Keras itself writes it, is loaded with a warning.

    Raises:
        UserError: The file is damaged or not a regular file, contains numbers that are not finite, or contains more
            variables than the model has.
        Exception: Keras's error if the file contains fewer variables, or other variables.
    """
    name = os.fspath(path)
    check_regular(path)
    with _errors_of_locks(path):
        if name.endswith(".weights.h5"):
            with h5py.File(path, "r") as file:
                held = sum(not array.startswith("optimizer/") for array in arrays(file))
                if held > len(model.weights):  # Keras would load some of them without an error
                    raise UserError(
                        "The weights belong to another model, such as a deeper one. "
                        f"Received: {held} variables in {name}, {len(model.weights)} in the model"
                    )
                if not check_digest(file):
                    logging.getLogger(__name__).warning("%s has no digest: damage cannot be noticed.", name)
        with _without_optimizer(model):
            model.load_weights(path)
    for weight in model.weights:
        if "float" in weight.dtype and not np.isfinite(weight.numpy()).all():
            raise UserError(f"The weights in {name} must be finite: use another file. Received: {weight.path}")


def check_kind(path: str | os.PathLike[str]) -> None:
    """Raises a `UserError` if a file is not one that `read_weights` reads, by its name and its first bytes."""
    name = os.fspath(path)
    check_regular(path)
    is_right = h5py.is_hdf5(name) if name.endswith(".weights.h5") else name.endswith(".keras") and is_zipfile(name)
    require(is_right, f"{HDF5_EXPECTED} named *.weights.h5, or as a whole model, *.keras. Received: {name}")


def check_size(path: str | os.PathLike[str], model: Any) -> None:
    """Checks that a file of weights has as many numbers as a Keras model. Its weights need no values yet.

    Raises:
        OSError: The file cannot be read.
        UserError: The file has fewer numbers, or see `arrays`.
    """
    needed = sum(math.prod(weight.shape) for weight in model.weights if "float" in weight.dtype)
    if os.fspath(path).endswith(".weights.h5"):
        with h5py.File(path, "r") as file:
            held = sum(array.size for array in arrays(file).values())
    else:
        held = os.path.getsize(path)  # a number takes a byte at least
    problem = f"{os.fspath(path)} does not match config.json or is damaged"
    require(needed <= held, f"{problem}. Received: {held:,} numbers for a model of {needed:,}")


def open_weights(path: str | os.PathLike[str]) -> h5py.File:
    """Opens a file of weights for reading, and checks its digest.

    Raises:
        FileNotFoundError: There is no such file.
        UserError: The file is damaged, or is not an HDF5 file.
    """
    with contextlib.ExitStack() as stack:
        try:
            check_regular(path)
            require(h5py.is_hdf5(path), f"{HDF5_EXPECTED}: give another, or restore it. Received: {os.fspath(path)}")
            file = stack.enter_context(h5py.File(path, "r"))
            check_digest(file)
        except (UserError, FileNotFoundError):
            raise
        except Exception as error:  # HDF5 raises many kinds of errors for damaged files
            raise UserError(
                f"The weights cannot be read: restore the file. Received: {os.fspath(path)} ({one_line(error)})"
            ) from None
        stack.pop_all()
    return file


def weights_digest(path: str | os.PathLike[str]) -> str:
    """Checks a file of weights, and returns the digest of its arrays. For errors, see `open_weights`."""
    with open_weights(path) as file:
        return str(file.attrs.get(DIGEST) or _digest(file))


def written_digest(path: str | os.PathLike[str]) -> str | None:
    """Returns the digest that is written in a file of weights, unchecked, or None without a readable file or digest."""
    try:
        with h5py.File(path, "r") as file:
            return str(file.attrs[DIGEST])
    except (OSError, KeyError):
        return None


def scores_are_current(results: Mapping[str, Any], directory: Path) -> bool:
    """Returns whether the content of `results.json` is about the weights in the directory, as far as both tell.

    It is not after `average`, nor after a longer run that ended while it translated the test data.
    """
    present = written_digest(directory / "model.weights.h5")
    return present is None or results.get("weights", present) in (None, present)


def arrays(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Returns all arrays of an HDF5 file by their paths in the file.

    Raises:
        UserError: An array refers to another file, or claims a larger size than its data in the file.
    """
    arrays_by_path: dict[str, h5py.Dataset] = {}
    file.visititems(lambda name, item: arrays_by_path.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    for name, array in arrays_by_path.items():
        if array.external or array.is_virtual or array.id.get_storage_size() != array.nbytes:
            raise UserError(f"The data of weights must be in the file itself. Received: {file.filename}, {name}")
    return arrays_by_path


def float_type(array: h5py.Dataset) -> np.dtype | None:
    """Returns the type of an array of floats, or None for others. HDF5 has no bfloat16: Keras names it beside bytes."""
    if array.attrs.get("dtype") == "bfloat16":
        return np.dtype(ml_dtypes.bfloat16)
    return array.dtype if array.dtype.kind == "f" else None


def storable(values: np.ndarray) -> np.ndarray:
    """Returns floats in a type that HDF5 has, for files that Keras does not write."""
    return values.astype(np.promote_types(values.dtype, "float32"))


def write_digest(file: h5py.File) -> None:
    """Writes the digest of a file's arrays to the file."""
    file.attrs[DIGEST] = _digest(file)


def check_digest(file: h5py.File) -> bool:
    """Checks the digest of a file's arrays, and returns whether there is one; raises a `UserError` if it is wrong."""
    written = file.attrs.get(DIGEST)
    if written is not None and str(written) != _digest(file):
        raise UserError(f"The weights are damaged: restore the file. Received: {file.filename}")
    return written is not None


def _digest(file: h5py.File) -> str:
    """Returns the SHA-256 of the names, types, shapes and bytes of all arrays."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays(file).items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array[()]).data)
    return digest.hexdigest()


@contextlib.contextmanager
def _errors_of_locks(path: str | os.PathLike[str]) -> Iterator[None]:
    """Adds to HDF5's error about locks what to do. (The command line sets the environment variable itself.)"""
    try:
        yield
    except OSError as error:
        if "unable to lock file" not in str(error):
            raise
        raise UserError(
            "HDF5 cannot lock the file. No lock is needed: set the environment variable HDF5_USE_FILE_LOCKING=FALSE. "
            f"Received: {os.fspath(path)} ({one_line(error)})"
        ) from None


@contextlib.contextmanager
def _without_optimizer(model: Any) -> Iterator[None]:
    """Leaves the optimizer of a compiled model out of the file: Adam has two numbers for each weight."""
    optimizer = model.optimizer if getattr(model, "compiled", False) else None
    if optimizer is None:
        yield
        return
    model.optimizer = None
    try:
        yield
    finally:
        model.optimizer = optimizer
