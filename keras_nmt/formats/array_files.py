"""Reads and writes files of arrays, safetensors and NumPy's `.npz`, without running code that they may contain."""

from __future__ import annotations

import contextlib
import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from keras_nmt.errors import UserError, error_and_type, one_line
from keras_nmt.files.atomic_files import write_bytes

MAX_RATIO = 20  # how many times its size a zip may unpack to
TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8", "I64": "<i8", "I32": "<i4"}
MAX_DIMENSIONS = 8
MAX_HEADER = 100_000_000  # bytes, as in safetensors itself


@contextlib.contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Opens a zip to read it. Errors of the zip inside the block become a `UserError`.

    Raises:
        UserError: The zip is damaged, or unpacks to more than `MAX_RATIO` times its size.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(member.file_size for member in archive.infolist())
            if total > MAX_RATIO * path.stat().st_size:
                raise UserError(f"{path} must unpack to at most {MAX_RATIO} times its size. Received: {total:,} bytes")
            yield archive
    except UserError:
        raise
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise UserError(f"{path} is damaged. Received: {error_and_type(error)}") from None


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """Reads the arrays of an `.npz` file; arrays of floats become float32.

    The sizes that a header claims are compared with the file first.

    Raises:
        UserError: The file is damaged, or an array is a pickle.
    """
    with open_zip(path) as archive:
        return {x.filename.removesuffix(".npy"): _array(archive.read(x), path) for x in archive.infolist()}


def _array(content: bytes, path: Path) -> np.ndarray:
    """Returns the array of an `.npy` file. Raises a `ValueError` for other content."""
    stream, formats = io.BytesIO(content), np.lib.format
    is_old = formats.read_magic(stream)[0] == 1
    read_header = formats.read_array_header_1_0 if is_old else formats.read_array_header_2_0
    try:
        shape, is_fortran, dtype = read_header(stream)
    except Exception as error:  # NumPy raises many kinds of errors for damaged headers
        raise ValueError(f"a wrong header of an array: {one_line(error)[:100]}") from None
    if dtype.hasobject or dtype.kind not in "fi":
        raise UserError(f"{path} must contain arrays of numbers; pickles are not read. Received: dtype={dtype}")
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell() or min(shape, default=0) < 0:
        raise UserError(f"{path} is damaged: the size of an array does not match its shape. Received: {shape}")
    array = np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape, order="F" if is_fortran else "C")
    return array.astype("float32") if dtype.kind == "f" else array


def write_npz(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes an `.npz` file, the same for the same arrays, with headers that other readers also support."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue())
    write_bytes(path, stream.getvalue())


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Reads the arrays of a safetensors file; arrays of bfloat16 become float32.

    The sizes that the file claims are compared with its length first.

    Raises:
        UserError: The file is damaged.
    """
    length = path.stat().st_size
    start = 0
    if length > 8:
        with open(path, "rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            start = 8 + size
            header = file.read(size) if size <= min(MAX_HEADER, length - 8) else b""
    try:
        entries = json.loads(header if start else "")
        entries.pop("__metadata__", None)
        spans = {}
        for name, entry in entries.items():
            first, last = map(int, entry["data_offsets"])
            spans[name] = (str(entry["dtype"]), entry["shape"], first, last)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise UserError(f"{path} is not a safetensors file, or is damaged. Received: {length:,} bytes") from None
    content = np.memmap(path, mode="r", dtype=np.uint8)
    arrays = {}
    place = 0  # arrays must follow each other without gaps, so that no byte is copied twice
    for name, (kind, shape, first, last) in sorted(spans.items(), key=lambda item: item[1][2:]):
        if kind not in TYPES:
            raise UserError(
                f"{path}: arrays must have one of the types {', '.join(TYPES)}. Received: {one_line(kind)[:100]}"
            )
        dtype = np.dtype(TYPES[kind])
        if not (
            isinstance(shape, list)
            and len(shape) <= MAX_DIMENSIONS
            and all(type(n) is int and 0 <= n <= length for n in shape)
            and place == first <= last <= length - start
            and math.prod(shape) * dtype.itemsize == last - first
        ):
            raise UserError(
                f"{path} is damaged: the place of an array does not match its shape. Received: "
                f"{one_line(name[:100])} {str(shape)[:100]} at {first}"
            )
        array = np.frombuffer(content[start + first : start + last], dtype).reshape(shape)
        arrays[name], place = from_bfloat16(array) if kind == "BF16" else array, last
    if place < length - start:
        raise UserError(f"{path} is damaged: bytes follow the arrays. Received: {length - start - place:,} bytes")
    return arrays


def from_bfloat16(array: np.ndarray) -> np.ndarray:
    """Returns numbers of bfloat16, which are the upper halves of float32, as float32."""
    return (array.astype("<u4") << 16).view("<f4")


def write_safetensors(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes arrays in float32 to a safetensors file."""
    place, entries, parts = 0, {}, []
    for name, array in arrays.items():
        content = np.ascontiguousarray(array, "<f4").tobytes()
        entries[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [place, place + len(content)]}
        parts.append(content)
        place += len(content)
    header = json.dumps({"__metadata__": {"format": "pt"}, **entries}).encode()
    header += b" " * (-len(header) % 8)
    write_bytes(path, b"".join([struct.pack("<Q", len(header)), header, *parts]))
