"""Reads and writes files of arrays, safetensors and NumPy's `.npz`, without running code that they may contain."""

from __future__ import annotations

import contextlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from keras_nmt.errors import UserError, errors_as, one_line, require
from keras_nmt.files.atomic_files import write_bytes

MAX_RATIO = 20  # how many times its size a zip may unpack to
TYPES = ("float32", "float16", "bfloat16", "float64", "int64", "int32")


@contextlib.contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Opens a zip to read it. Errors of the zip inside the block become a `UserError`.

    Raises:
        UserError: The zip is damaged, or unpacks to more than `MAX_RATIO` times its size.
    """
    errors = zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError
    with errors_as(f"{path} is damaged", *errors), zipfile.ZipFile(path) as archive:
        total = sum(member.file_size for member in archive.infolist())
        if total > MAX_RATIO * path.stat().st_size:
            raise UserError(f"{path} must unpack to at most {MAX_RATIO} times its size. Received: {total:,} bytes")
        yield archive


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """Reads the arrays of an `.npz` file; arrays of floats become float32.

    Raises:
        UserError: The file is damaged, or has something else than numbers, such as a pickle.
    """
    with open_zip(path), errors_as(f"{path} is damaged"), np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    for name, array in arrays.items():
        kind = array.dtype
        require(kind.kind in "fi", f"{path} must contain arrays of numbers. Received: {one_line(name)} of {kind}")
    return {name: array.astype("float32") if array.dtype.kind == "f" else array for name, array in arrays.items()}


def write_npz(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes an `.npz` file, the same for the same arrays.

    Unlike `np.savez`, it writes headers that other readers also support.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue())
    write_bytes(path, stream.getvalue())


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Reads the arrays of a safetensors file; arrays of bfloat16 become float32.

    Raises:
        UserError: The file is damaged, or has arrays of another type than `TYPES`, such as quantised ones.
    """
    import ml_dtypes  # noqa: F401  so that NumPy knows bfloat16
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    errors = SafetensorError, ValueError, TypeError, KeyError
    with errors_as(f"{path} is not a safetensors file, or is damaged", *errors):
        arrays = load_file(path)
    for name, array in arrays.items():
        kind = array.dtype.name
        problem = f"{path}: arrays must have one of the types {', '.join(TYPES)}. Received: {one_line(name)} of {kind}"
        require(kind in TYPES, problem)
    return {name: x.astype("float32") if x.dtype.name == "bfloat16" else x for name, x in arrays.items()}


def write_safetensors(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes arrays in float32 to a safetensors file."""
    from safetensors.numpy import save

    # safetensors 0.8.0 saves the bytes as they lie in memory, whatever their order.
    content = {name: np.ascontiguousarray(array, "float32") for name, array in arrays.items()}
    write_bytes(path, save(content, metadata={"format": "pt"}))
