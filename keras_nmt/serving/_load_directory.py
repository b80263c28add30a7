from __future__ import annotations

import os
from typing import Any

from keras_nmt.models import ModelDirectory, TranslationModel
from keras_nmt.text import SubwordTokenizer


def load_directory(
    directory: str | os.PathLike[str], weights: str | os.PathLike[str] | None
) -> tuple[TranslationModel, SubwordTokenizer, SubwordTokenizer, dict[str, Any]]:
    """The model of a folder in float32, its source and target tokenizers (one where joint), and its search settings."""
    folder = ModelDirectory(directory)
    search = folder.load_config().get("search", {})
    source, target = folder.subword_paths()
    source_tokenizer = SubwordTokenizer(source)
    target_tokenizer = source_tokenizer if target == source else SubwordTokenizer(target)
    return folder.load_model(dtype="float32", weights=weights), source_tokenizer, target_tokenizer, search
