"""Exports the model of a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from keras_nmt.serving._load_directory import load_directory
from keras_nmt.serving.export import export


def export_directory(
    path: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    *,
    version: int | None = None,
    weights: str | os.PathLike[str] | None = None,
    **search: Any,
) -> Path:
    """`keras_nmt.serving.export` of the model in a folder.

    Args:
        path: The folder of the model's versions.
        directory: A model directory.
        version: The number of the version. `None`: one more than the highest in `path`, 1 if there is none.
        weights: A weights file to export instead of the directory's, such as a kept checkpoint.
        **search: As of `export`. Where they are silent, the search settings of the directory count.

    Returns:
        The folder written.

    Raises:
        UserError: The folder is no model directory, or not whole, or `export` raises it.
    """
    model, source_tokenizer, target_tokenizer, defaults = load_directory(directory, weights)
    return export(path, model, source_tokenizer, target_tokenizer, version=version, **{**defaults, **search})
