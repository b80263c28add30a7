"""Numbered versions of exports: each appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import keras
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.serving._compact import compact


def new_version(path: Path, version: int | None) -> Path:
    """The folder of a version that is to be written.

    Args:
        path: The folder of the versions.
        version: The number of the version. `None`: one more than the highest in `path`, 1 if there is none.

    Raises:
        UserError: The version exists already, or is not positive.
    """
    version = _next_version(path) if version is None else version
    if version < 1:
        raise UserError(f"`version` must be a positive integer. Received: version={version}")
    final = path / str(version)
    if final.exists():
        raise UserError(f"A version is not overwritten: choose another, or remove {final}. Received: version={version}")
    return final


def _next_version(path: Path) -> int:
    numbers = [int(child.name) for child in path.iterdir() if child.name.isdecimal()] if path.is_dir() else []
    return max(numbers, default=0) + 1


def write_version(final: Path, write: Callable[[Path], None]) -> None:
    """Lets a SavedModel be written under another name, makes it small, and renames it when it is whole.

    Args:
        final: What `new_version` gave.
        write: Writes a SavedModel into the folder that it is given.
    """
    path = final.parent
    path.mkdir(parents=True, exist_ok=True)
    # Model servers look at folders whose names are numbers only.
    temporary = Path(tempfile.mkdtemp(prefix=f".{final.name}-", dir=path))
    try:
        write(temporary)
        compact(temporary)
        _flush(temporary)
        os.rename(temporary, final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _flush_folder(path)


def write_archive(archive: keras.export.ExportArchive, folder: Path) -> None:
    """Writes a SavedModel of an archive's endpoints."""
    # Gradients have no place in what serves, and would hold on to tensors that `compact` takes out.
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    archive.write_out(str(folder), options=options, verbose=False)


def _flush(folder: Path) -> None:
    """Brings a folder to the disk, readable by the server's user: temporary folders are made for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            with open(os.path.join(parent, name), "rb+") as file:
                os.fsync(file.fileno())
        _flush_folder(parent)
    os.chmod(folder, 0o777 & ~mask)


def _flush_folder(folder: str | os.PathLike[str]) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
