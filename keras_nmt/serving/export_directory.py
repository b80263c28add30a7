"""Exports the model of a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_nmt.errors import UserError
from keras_nmt.inference.load import load_directory, load_multilingual
from keras_nmt.models import ModelDirectory, MultilingualModel
from keras_nmt.serving.export import export
from keras_nmt.serving.export_multilingual import export_multilingual


def export_directory(
    path: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    *,
    version: int | None = None,
    weights: str | os.PathLike[str] | None = None,
    source: str | None = None,
    target: str | None = None,
    ensemble: Sequence[str | os.PathLike[str]] = (),
    **search: Any,
) -> Path:
    """`export` of the model in a folder, or `export_multilingual` of a multilingual one.

    Args:
        path: The folder of the model's versions.
        directory: A model directory.
        version: The number of the version. `None`: one more than the highest in `path`, 1 if there is none.
        weights: A weights file to export instead of the directory's, such as a kept checkpoint.
        source: Language to translate from, to export one pair of a multilingual model as `export` does; else None.
        target: Language to translate to, likewise.
        ensemble: Other model directories with the same subwords, whose models are exported together with it, as an
            `Ensemble`.
        **search: As of `export`, `warmup`, `warmup_xla` and `quantize` too. Where they are silent, the search settings
            of the directory count.

    Returns:
        The folder written.

    Raises:
        UserError: The folder is no model directory, or not whole, or `export` raises it.
    """
    if source is None and target is None and issubclass(ModelDirectory(directory).model_class(), MultilingualModel):
        if ensemble:
            raise UserError(
                "An ensemble of multilingual models is exported for one pair: give a source and a target. "
                f"Received: ensemble={[str(path) for path in ensemble]!r}"
            )
        multilingual_model, tokenizers, defaults = load_multilingual(directory, weights)
        return export_multilingual(path, multilingual_model, tokenizers, version=version, **{**defaults, **search})
    model, source_tokenizer, target_tokenizer, defaults = load_directory(directory, weights, source, target, ensemble)
    return export(path, model, source_tokenizer, target_tokenizer, version=version, **{**defaults, **search})
