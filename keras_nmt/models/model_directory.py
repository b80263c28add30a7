from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras

import keras_nmt
from keras_nmt.errors import UserError, one_line
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.weights_file import read_weights, write_weights
from keras_nmt.models.attention_bridge_model import AttentionBridgeModel
from keras_nmt.models.language_label_model import LanguageLabelModel
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.transformer import Transformer
from keras_nmt.models.translation_model import TranslationModel

FORMAT = 1
# By name: no code comes from a folder.
MODEL_CLASSES: dict[str, type[TranslationModel] | type[MultilingualModel]] = {
    model_class.__name__: model_class for model_class in (Transformer, AttentionBridgeModel, LanguageLabelModel)
}

# Defaults for translating that a folder may bring: arguments of a translator.
SEARCH_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("length_penalty", "coverage_penalty"), (int, float)),
    **dict.fromkeys(("beam_size", "num_hypotheses", "max_length", "max_length_factor", "max_length_offset"), (int,)),
    **dict.fromkeys(("length_buckets", "batch_buckets"), (list,)),
}


class ModelDirectory:
    """A folder that is all that a trained model is. Every command that uses a model takes one.

    | file | holds |
    | --- | --- |
    | `config.json` | format, the model's class and configuration, names of the subword models, search settings |
    | `model.weights.h5` | the weights |
    | `subwords.model`; or `subwords.source.model` and `subwords.target.model`; or `subwords.LANGUAGE.model` of each \
language | SentencePiece models |
    | `settings.json`, `data.json` | the settings of the run that trained it; SHA-256 of the lines of its data |
    | `training_log.jsonl` | a line of JSON for each update that was logged, and for each evaluation |
    | `results.json`, `test.hypotheses.txt` | what came of it: scores, and the translation of the test data |
    | `checkpoints/` | what a stopped training goes on from |

    Files are written beside their final name and renamed, so that none is ever half there. Loading runs no code from
    the folder and reads no pickle.

    Args:
        path: The folder. It need not exist before `save_config`.

    Example:

    >>> import tempfile
    >>> from keras_nmt.models import Transformer
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=50)
    >>> directory = ModelDirectory(tempfile.mkdtemp())
    >>> directory.save_config(model, subwords={"source": "subwords.model", "target": "subwords.model"})
    >>> directory.save_weights(model)
    >>> directory.load_model().count_params() == model.count_params()
    True
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def config_path(self) -> Path:
        return self.path / "config.json"

    @property
    def weights_path(self) -> Path:
        return self.path / "model.weights.h5"

    @property
    def settings_path(self) -> Path:
        return self.path / "settings.json"

    @property
    def data_path(self) -> Path:
        return self.path / "data.json"

    @property
    def log_path(self) -> Path:
        return self.path / "training_log.jsonl"

    @property
    def checkpoints_path(self) -> Path:
        return self.path / "checkpoints"

    def save_config(
        self,
        model: TranslationModel | MultilingualModel,
        *,
        subwords: Mapping[str, str],
        search: Mapping[str, Any] | None = None,
    ) -> None:
        """Writes `config.json`.

        Args:
            model: The model whose class and configuration are kept.
            subwords: Names of SentencePiece models in the folder: of "source" and "target"; of a multilingual model by
                language. The same names where the vocabulary is joint.
            search: Defaults for translating: names and types are those of `SEARCH_TYPES`.
        """
        name = type(model).__name__
        sides = model.languages if isinstance(model, MultilingualModel) else ("source", "target")
        if set(subwords) != set(sides):
            raise UserError(f"Name the subword models of {', '.join(sides)}. Received: {', '.join(subwords)}")
        if MODEL_CLASSES.get(name) is not type(model):
            raise UserError(f"A model directory keeps models of {', '.join(MODEL_CLASSES)}. Received: model={name}")
        search = json.loads(json.dumps(search or {}))  # tuples become lists
        for key, value in search.items():
            if not _is_search_setting(key, value):
                raise UserError(f"Settings of search are {', '.join(SEARCH_TYPES)}. Received: {key}={value!r}")
        config = {
            "format": FORMAT,
            "keras_nmt": keras_nmt.__version__,
            "model": {"class": name, "config": model.get_config()},
            "subwords": dict(subwords),
            "search": search,
        }
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.config_path, config)

    def save_weights(self, model: keras.Model) -> None:
        """Writes `model.weights.h5`, complete or not at all."""
        write_weights(self.weights_path, model)

    def load_config(self) -> dict[str, Any]:
        """Reads and checks `config.json`.

        Raises:
            UserError: The folder is no model directory, or of a newer format, or damaged.
        """
        if not self.config_path.is_file():
            raise UserError(f"No model directory: it has no config.json. Received: {self.path}")
        try:
            config = {"search": {}, **json.loads(self.config_path.read_text(encoding="utf-8"))}
            known = isinstance(config["format"], int) and config["format"] <= FORMAT
            if known:  # else anything may be otherwise
                _check_structure(config)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UserError(f"{self.config_path} is damaged; restore it. Received: {error!r}") from None
        if not known:
            raise UserError(
                f"{self.path} was written by keras_nmt {config.get('keras_nmt')}, and this one reads up to {FORMAT}: "
                f"upgrade keras_nmt. Received: format={config['format']!r}"
            )
        return config

    def load_model(
        self, dtype: str | None = None, weights: str | os.PathLike[str] | None = None
    ) -> TranslationModel | MultilingualModel:
        """Builds the model and loads its weights.

        Args:
            dtype: Dtype policy to build it under. Default: the one it was trained under. Weights are float32 always.
            weights: A weights file to load instead of `model.weights.h5`, such as a kept checkpoint.

        Raises:
            UserError: The folder is no model directory, or weights are missing, damaged, or of another configuration.
        """
        described = self.load_config()["model"]
        path = Path(weights) if weights is not None else self.weights_path
        if described["class"] not in MODEL_CLASSES:
            raise UserError(
                f"{self.config_path} names an unknown model class; known are {', '.join(MODEL_CLASSES)}. "
                f"Received: {described['class']!r}"
            )
        if not path.is_file():
            what = "The model has no weights yet: train it first" if weights is None else "There is no such file"
            raise UserError(f"{what}. Received: {path}")
        config = {**described["config"], **({} if dtype is None else {"dtype": dtype})}
        try:
            model = MODEL_CLASSES[described["class"]].from_config(config)
        except (TypeError, ValueError) as error:
            raise UserError(
                f"{self.config_path} does not describe a model of this version. Received: {error}"
            ) from None
        try:
            read_weights(path, model)
        except (OSError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile) as error:
            raise UserError(f"{path} does not fit config.json or is damaged. Received: {one_line(error)}") from None
        return model

    def subword_paths(self) -> dict[str, Path]:
        """Paths of the SentencePiece models: of "source" and "target", or by language; equal where they are joint.

        Raises:
            UserError: The folder is no model directory, or a subword model is missing.
        """
        paths = {key: self.path / Path(name).name for key, name in self.load_config()["subwords"].items()}
        for path in paths.values():
            if not path.is_file():
                raise UserError(f"The subword model is missing; restore it. Received: {path}")
        return paths


def _check_structure(config: dict[str, Any]) -> None:
    """Raises what using the configuration would raise."""
    if not isinstance(config["model"]["class"], str):
        raise TypeError(config["model"]["class"])
    dtype = config["model"]["config"].get("dtype", "float32")
    if not isinstance(dtype, str):  # an object: Keras would make whatever it names
        raise TypeError(dtype)
    for side in config["model"]["config"].get("languages", ("source", "target")):
        Path(config["subwords"][side])
    for name in config["subwords"].values():
        Path(name)
    for name, value in config["search"].items():
        if not _is_search_setting(name, value):
            raise TypeError(f"{name}={value!r}")


def _is_search_setting(name: str, value: Any) -> bool:
    return name in SEARCH_TYPES and isinstance(value, SEARCH_TYPES[name])
