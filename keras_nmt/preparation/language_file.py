"""Files of fastText's classifiers of languages, which fastText reads without an error if they are truncated."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

MAGIC, CLASSIFIER, LABEL_ENTRY = 793712314, 3, 1
KSUB = 256  # centroids of a part of a quantised matrix


def language_labels(path: str | os.PathLike[str]) -> list[str]:
    """Returns the labels of a classifier, such as "__label__de", after its file was found whole.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is truncated, or not that of a classifier.
    """
    with open(path, "rb") as file:
        magic, _, *settings = _read(file, "<14id")  # 12 numbers and the threshold of sampling
        if magic != MAGIC:
            raise ValueError("it is not a model of fastText")
        if settings[7] != CLASSIFIER:
            raise ValueError("it has vectors of words and no labels")
        size, _, _, _, pruned = _read(file, "<3i2q")
        labels = []
        for _ in range(size):
            word = _word(file)
            _, kind = _read(file, "<qb")
            if kind == LABEL_ENTRY:
                labels.append(word)
        _skip(file, 8 * max(pruned, 0))
        (is_quantised,) = _read(file, "<?")
        _skip_matrix(file, bool(is_quantised))
        (is_output_quantised,) = _read(file, "<?")
        _skip_matrix(file, bool(is_quantised and is_output_quantised))
    return labels


def _skip_matrix(file: BinaryIO, is_quantised: bool) -> None:
    if not is_quantised:
        rows, columns = _read(file, "<2q")
        _skip(file, 4 * rows * columns)
        return
    has_norms, rows, _, size = _read(file, "<?2qi")
    _skip(file, size)
    _skip_centroids(file)
    if has_norms:
        _skip(file, rows)
        _skip_centroids(file)


def _skip_centroids(file: BinaryIO) -> None:
    dimension, _, _, _ = _read(file, "<4i")
    _skip(file, 4 * dimension * KSUB)


def _read(file: BinaryIO, form: str) -> tuple[int, ...]:
    content = file.read(struct.calcsize(form))
    if len(content) < struct.calcsize(form):
        raise ValueError("it is truncated: download it again")
    return struct.unpack(form, content)


def _word(file: BinaryIO) -> str:
    word = bytearray()
    while (byte := file.read(1)) != b"\0":
        if not byte:
            raise ValueError("it is truncated: download it again")
        word += byte
    return word.decode("utf-8", "replace")


def _skip(file: BinaryIO, size: int) -> None:
    end = file.tell() + size
    if size < 0 or end > os.fstat(file.fileno()).st_size:
        raise ValueError("it is truncated: download it again")
    file.seek(end)
