"""The directory of a trained model."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras

import keras_nmt
from keras_nmt.errors import UserError, error_and_type, errors_as, one_line, require
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.model_config import (
    CONFIG,
    FORMAT,
    SENTENCES_PER_LINE,
    SUBWORDS_SHA256,
    WEIGHTS,
    ModelFiles,
    check_limits,
    read_model_files,
)
from keras_nmt.files.paths import check_local
from keras_nmt.files.search_options import check_settings
from keras_nmt.files.weights_file import check_kind, check_size, read_weights, write_weights
from keras_nmt.layers._keras_private import initialize, without_values
from keras_nmt.layers.layer_spec import NotRegistered
from keras_nmt.models.adapters import Adapter
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.translation_model import TranslationModel

OWN_PACKAGE = "keras_nmt>"  # prefix of the registered names of this package's classes; `config.json` leaves it out


class ModelDirectory:
    """The directory of a trained model, as all commands that use a model take it.

    | file | content |
    | --- | --- |
    | `config.json` | format, the model's class and configuration, names and SHA-256 of the subword models, search \
settings, and a SHA-256 of all these |
    | `model.weights.h5` | the weights, with a SHA-256 digest |
    | `subwords.model`; or `subwords.source.model` and `subwords.target.model`; or `subwords.LANGUAGE.model` of each \
language | SentencePiece models |
    | `adapter.weights.h5` | only the adapter, after a run with `lora` |
    | `settings.json`, `data.json` | the settings of the training run; SHA-256 of the lines of its data |
    | `training_log.jsonl` | a line of JSON for each logged update and for each evaluation |
    | `results.json`, `test.DIRECTION.hypotheses.txt` | scores, and the translation of the test data |
    | `checkpoints/` | the state from which a stopped training run continues |

    The class of the model can be any sub-class of `TranslationModel` or `MultilingualModel` that is registered by
    `keras.saving.register_keras_serializable`. The process that loads the model must import the module of the class.
    The same holds for the layers of a `LayerSpec`.

    Each file is written under a temporary name and then renamed, so no file is ever incomplete. Loading runs no code
    from the directory, reads no pickle, and rejects sizes above `keras_nmt.files.model_config.LIMITS`.

    Args:
        path: String or path of the directory. It need not exist before `save_config`.

    Attributes:
        config_path: Path of the configuration of the model.
        weights_path: Path of the weights.
        settings_path: Path of the settings of the training run.
        data_path: Path of the digests of the training data.
        log_path: Path of the training log.
        checkpoints_path: Path of the folder of checkpoints.

    Example:

    >>> import tempfile
    >>> from keras_nmt.models import Transformer
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=50)
    >>> directory = ModelDirectory(tempfile.mkdtemp())
    >>> _ = (directory.path / "subwords.model").write_bytes(b"")  # `train_subwords` writes a usable one
    >>> directory.save_config(model, subwords={"source": "subwords.model", "target": "subwords.model"})
    >>> directory.save_weights(model)
    >>> directory.load_model().count_params() == model.count_params()
    True
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_local(path)
        self.path = Path(path)
        self.config_path = self.path / CONFIG
        self.weights_path = self.path / WEIGHTS
        self.settings_path = self.path / "settings.json"
        self.data_path = self.path / "data.json"
        self.log_path = self.path / "training_log.jsonl"
        self.checkpoints_path = self.path / "checkpoints"

    def save_config(
        self,
        model: TranslationModel | MultilingualModel,
        *,
        subwords: Mapping[str, str],
        search: Mapping[str, Any] | None = None,
        sentences_per_line: int | None = None,
    ) -> None:
        """Writes `config.json`.

        Args:
            model: Model of a registered class.
            subwords: Mapping of "source" and "target", or of each language of a multilingual model, to the name of a
                SentencePiece model in the directory. The names are equal if the vocabulary is joint.
            search: Mapping of search settings, of `keras_nmt.files.search_options`. Defaults to none.
            sentences_per_line: Integer, how many sentences the source lines of the training data have, but for one in a
                thousand: the model has not learnt to translate more. Defaults to None, for unknown.

        Raises:
            OSError: A subword model cannot be read.
            UserError: The class of the model is not registered, a language has no subword model, or a search setting is
                unknown, has the wrong type, or is above its limit.
        """
        name = keras.saving.get_registered_name(type(model))
        if keras.saving.get_registered_object(name) is not type(model):
            raise UserError(
                "Only models of a registered class can be saved: decorate the class with "
                f"`keras.saving.register_keras_serializable(package=...)`. Received: model={type(model).__name__}"
            )
        languages = getattr(model, "languages", ("source", "target"))
        problem = f"`subwords` must name the models of {', '.join(languages)}. Received: {', '.join(subwords)}"
        require(set(subwords) == set(languages), problem)
        search = json.loads(json.dumps(search or {}))  # tuples become lists
        check_settings(search)
        config: dict[str, Any] = {
            "format": FORMAT,
            "keras_nmt": keras_nmt.__version__,
            "model": {"class": name.removeprefix(OWN_PACKAGE), "config": model.get_config()},
            "subwords": dict(subwords),
            SUBWORDS_SHA256: {
                name: hashlib.sha256((self.path / name).read_bytes()).hexdigest()
                for name in sorted(set(subwords.values()))
            },
            "search": search,
        }
        if sentences_per_line is not None:
            config[SENTENCES_PER_LINE] = sentences_per_line
        check_limits(config["model"]["config"])
        write_json(self.config_path, with_digest(config))

    def save_weights(self, model: keras.Model) -> None:
        """Writes `model.weights.h5`, completely or not at all."""
        write_weights(self.weights_path, model)

    def read(self) -> ModelFiles:
        """Reads and checks `config.json`.

        Raises:
            UserError: This is not a model directory, has another format, or is damaged.
        """
        return read_model_files(self.path)

    def load_model(
        self, dtype: str | None = None, weights: str | os.PathLike[str] | None = None
    ) -> TranslationModel | MultilingualModel:
        """Builds the model and loads its weights; see `load_model`."""
        return load_model(self.read(), dtype, weights)


def load_model(
    files: ModelFiles, dtype: str | None = None, weights: str | os.PathLike[str] | None = None
) -> TranslationModel | MultilingualModel:
    """Builds the model of a directory and loads its weights.

    Args:
        files: `ModelFiles`, the directory.
        dtype: String, dtype policy of the model. Defaults to the policy that the model was trained with. Weights are
            float32 unless the policy is "bfloat16" or "float16".
        weights: String or path, the weights file, such as a kept checkpoint. Defaults to `model.weights.h5`.

    Raises:
        UserError: The class of the model or a layer of a mechanism is not registered, there is no such dtype policy, or
            the weights are missing, damaged, or belong to another configuration.
    """
    config_path, model_class = files.path / CONFIG, _registered_class(files)
    path = Path(weights) if weights is not None else files.weights_path
    check_local(path)
    if not path.is_file():
        reason = "There is no such file"
        if weights is None and (adapter := files.path / Adapter.file_name).is_file():
            path = adapter
            reason = "There is only an adapter: give the model that it was trained on, with `adapter` or --adapter"
        elif weights is None:
            reason = "The model has no weights yet: train it to the end, or give those of a checkpoint by --weights"
        raise UserError(f"{reason}. Received: {path}")
    check_kind(path)
    if dtype is not None:
        _check_policy(dtype)
    changed = {} if dtype is None else {"dtype": dtype}
    try:
        model = without_values(lambda: model_class.from_config({**files.model_config, **changed}))
    except NotRegistered as error:
        raise UserError(f"{config_path} contains a layer of your own. {error}") from None
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise UserError(
            f"{config_path} does not describe a model of this version. Received: {error_and_type(error)}"
        ) from None
    damage = OSError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile
    with errors_as(f"{path} does not match config.json or is damaged", *damage):
        check_size(path, model)  # before the model takes memory
        initialize(model)
        read_weights(path, model)
    return model


def _registered_class(files: ModelFiles) -> type[TranslationModel] | type[MultilingualModel]:
    name = files.model_class
    model_class = keras.saving.get_registered_object(name if ">" in name else OWN_PACKAGE + name)
    if isinstance(model_class, type) and issubclass(model_class, (TranslationModel, MultilingualModel)):
        return model_class
    raise UserError(
        f"The model class in {files.path / CONFIG} is not registered: import the module that registers the class. "
        f"Received: class={name[:100]!r}"
    )


def _check_policy(dtype: str) -> None:
    require("_from_" not in dtype, "Weights are quantised after loading, by `quantize`", dtype=dtype)
    try:
        keras.dtype_policies.get(dtype)
    except (TypeError, ValueError) as error:
        raise UserError(
            f"`dtype` must be a dtype policy such as float32. Received: dtype={dtype!r} ({one_line(error)[:200]})"
        ) from None
