from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from keras_nmt.errors import UserError
from keras_nmt.models import Ensemble, ModelDirectory, MultilingualModel, TranslationModel
from keras_nmt.text import SubwordTokenizer


def load_directory(
    directory: str | os.PathLike[str],
    weights: str | os.PathLike[str] | None,
    source: str | None = None,
    target: str | None = None,
    ensemble: Sequence[str | os.PathLike[str]] = (),
) -> tuple[TranslationModel, SubwordTokenizer, SubwordTokenizer, dict[str, Any]]:
    """The model of a folder in float32, its source and target tokenizers (one where joint), and its search settings.

    Of a multilingual model, it is that of a pair, whose languages must be given. With other folders, it is the ensemble
    of their models and the first one.
    """
    model, source_tokenizer, target_tokenizer, search = _load(directory, weights, source, target)
    models = [model]
    for other in ensemble:
        model, *tokenizers, _ = _load(other, None, source, target)
        if [x.proto for x in tokenizers] != [source_tokenizer.proto, target_tokenizer.proto]:
            raise UserError(
                f"Models of an ensemble must have the same subword models, and {other} has others than {directory}. "
                f"Received: ensemble={[str(path) for path in ensemble]!r}"
            )
        models.append(model)
    return Ensemble(models) if ensemble else model, source_tokenizer, target_tokenizer, search


def _load(
    directory: str | os.PathLike[str],
    weights: str | os.PathLike[str] | None,
    source: str | None,
    target: str | None,
) -> tuple[TranslationModel, SubwordTokenizer, SubwordTokenizer, dict[str, Any]]:
    """What `load_directory` gives of one folder."""
    folder = ModelDirectory(directory)
    model = folder.load_model(dtype="float32", weights=weights)
    tokenizers, search = _tokenizers(folder), folder.load_config().get("search", {})
    if not isinstance(model, MultilingualModel):
        if source is not None or target is not None:
            raise UserError(f"{directory} holds a model of one pair: name no languages. Received: {source}, {target}")
        return model, tokenizers["source"], tokenizers["target"], search
    if source not in tokenizers or target not in tokenizers:
        raise UserError(
            f"{directory} holds a multilingual model of {', '.join(model.languages)}: say which language to translate "
            f"from, and to which. Received: from {source} to {target}"
        )
    assert source is not None
    assert target is not None
    return model.pair(source, target), tokenizers[source], tokenizers[target], search


def load_multilingual(
    directory: str | os.PathLike[str], weights: str | os.PathLike[str] | None
) -> tuple[MultilingualModel, dict[str, SubwordTokenizer], dict[str, Any]]:
    """The multilingual model of a folder in float32, its tokenizers by language, and its search settings."""
    folder = ModelDirectory(directory)
    model = folder.load_model(dtype="float32", weights=weights)
    if not isinstance(model, MultilingualModel):
        raise UserError(f"The folder holds a model of one pair, no multilingual one. Received: {directory}")
    search = folder.load_config().get("search", {})
    search.pop("coverage_penalty", None)  # which is for one pair
    return model, _tokenizers(folder), search


def _tokenizers(folder: ModelDirectory) -> dict[str, SubwordTokenizer]:
    """By side or language; each file is read once."""
    paths = folder.subword_paths()
    tokenizers = {path: SubwordTokenizer(path) for path in set(paths.values())}
    return {key: tokenizers[path] for key, path in paths.items()}
