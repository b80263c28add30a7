"""Training of subwords for corpora that are too large to be read for it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_nmt.files.read_blocks import read_blocks
from keras_nmt.text import train_subwords


def train_on_beginnings(
    files: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], *, lines: int, **options: Any
) -> Path:
    """Trains a subword model on the first lines of each file.

    Args:
        files: Sequence of files, as `read_blocks` reads them.
        path: String or path of the model to write.
        lines: Integer, the number of lines of each file.
        **options: Arguments of `train_subwords`.

    Returns:
        The path of the model.
    """
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as sample:
        for file in files:
            remaining = lines
            for block in read_blocks(file):
                sample.writelines(f"{line}\n" for line in block[:remaining])
                remaining -= len(block)
                if remaining <= 0:
                    break
        sample.flush()
        return train_subwords(sample.name, path, **options)
