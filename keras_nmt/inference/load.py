"""Loads the model and the subwords of a model directory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from keras_nmt.errors import UserError, one_line
from keras_nmt.models import Ensemble, ModelDirectory, MultilingualModel, TranslationModel
from keras_nmt.text import SubwordTokenizer


class LoadedModel(NamedTuple):
    """A model in float32, its subwords, and the search settings of the model directory."""

    model: TranslationModel | MultilingualModel
    tokenizers: dict[str, SubwordTokenizer]  # by the keys of `model.vocabulary_sizes`; one object for joint subwords
    search: dict[str, Any]


def load(
    directory: str | os.PathLike[str],
    *,
    weights: str | os.PathLike[str] | None = None,
    source: str | None = None,
    target: str | None = None,
    ensemble: Sequence[str | os.PathLike[str]] = (),
) -> LoadedModel:
    """Loads the model of a directory, with all its directions or with one.

    Args:
        directory: Path of a model directory.
        weights: Path of a weights file to load instead of the directory's, such as a kept checkpoint.
        source: String, the language of a multilingual model to translate from. With `target`, the model of this
            direction is loaded, with tokenizers for "source" and "target".
        target: String, the language to translate to.
        ensemble: Paths of other model directories with the same subwords. All models are loaded as an `Ensemble`.

    Raises:
        UserError: A directory is no model directory, or not whole; the model does not have the direction; or the models
            cannot be an ensemble.
    """
    loaded = _load(directory, weights, source, target)
    if not ensemble:
        return loaded
    models = [loaded.model]
    for other in ensemble:
        model, tokenizers, _ = _load(other, None, source, target)
        if {key: x.proto for key, x in tokenizers.items()} != {key: x.proto for key, x in loaded.tokenizers.items()}:
            raise UserError(
                f"Models of an ensemble must have the same subword models, and {other} has others than {directory}. "
                f"Received: ensemble={[str(path) for path in ensemble]!r}"
            )
        models.append(model)
    try:
        return loaded._replace(model=Ensemble(models))
    except ValueError as error:
        raise UserError(one_line(error)) from None


def _load(
    directory: str | os.PathLike[str], weights: str | os.PathLike[str] | None, source: str | None, target: str | None
) -> LoadedModel:
    folder = ModelDirectory(directory)
    model = folder.load_model(dtype="float32", weights=weights)
    paths = folder.subword_paths()
    by_path = {path: SubwordTokenizer(path) for path in set(paths.values())}
    tokenizers = {key: by_path[path] for key, path in paths.items()}
    search = folder.load_config()["search"]
    if source is None and target is None:
        return LoadedModel(model, tokenizers, search)
    if (source, target) not in model.directions:
        choice = (
            "name no languages" if len(model.directions) == 1 else "name one to translate from and one to translate to"
        )
        raise UserError(
            f"The model of {directory} has the languages {', '.join(model.languages)}: {choice}. "
            f"Received: from {source} to {target}"
        )
    assert source is not None and target is not None  # noqa: PT018
    pair = model.pair(source, target)
    return LoadedModel(pair, {"source": tokenizers[source], "target": tokenizers[target]}, search)
