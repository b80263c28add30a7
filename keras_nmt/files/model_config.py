"""Reads and checks `config.json`, which describes the model of a directory. Needs no Keras."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from keras_nmt.errors import UserError, is_integer, require
from keras_nmt.files.json_file import check_digest, named_damage, read_json
from keras_nmt.files.paths import check_local
from keras_nmt.files.search_options import check_settings

# The largest values of options of models by name.
LIMITS: dict[str, int] = {
    **dict.fromkeys(
        ("num_encoder_layers", "num_decoder_layers", "num_heads", "num_key_value_heads", "bridge_heads"), 1_000
    ),
    **dict.fromkeys(("hidden_dim", "intermediate_dim", "bridge_hidden_dim", "rank", "num_roles", "units"), 65_536),
    **dict.fromkeys(("source_vocabulary_size", "target_vocabulary_size", "languages"), 10_000_000),
}
CONFIG, WEIGHTS = "config.json", "model.weights.h5"
FORMAT = 2
SUBWORDS_SHA256 = "subwords_sha256"
SENTENCES_PER_LINE = "sentences_per_line"  # of the training data; older models and imported ones have none


def check_limits(options: Mapping[str, Any]) -> None:
    """Checks that options of a model do not exceed `LIMITS`; raises a `UserError` otherwise.

    All numbers of a sequence or mapping, and nested options, are checked.

    Example:

    >>> check_limits({"hidden_dim": 512, "transformer": {"num_heads": 10**7}})
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: `num_heads` must be at most 1,000. Received: num_heads=10000000
    """
    for name, value in options.items():
        limit = LIMITS.get(name)
        if limit is None:
            if isinstance(value, Mapping):
                check_limits(value)
            continue
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else [value]
        for number in items:
            if isinstance(number, Real) and not number <= limit:  # NaN exceeds every limit
                raise UserError(f"{{{name}}} must be at most {limit:,}", {name: value})


@dataclasses.dataclass(frozen=True, eq=False)
class ModelFiles(os.PathLike[str]):
    """A model directory whose configuration was read: `read_model_files` makes it. It goes where a path can go.

    Attributes:
        path: Path of the directory.
        config: Dictionary, the checked content of `config.json`: "format", "keras_nmt", "model" ("class" and "config"),
            "subwords", "subwords_sha256" (by the names of files), "search", and perhaps "sentences_per_line".
    """

    path: Path
    config: dict[str, Any]

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def weights_path(self) -> Path:
        """Path of the weights."""
        return self.path / WEIGHTS

    @property
    def model_class(self) -> str:
        """The registered name of the model's class."""
        return str(self.config["model"]["class"])

    @property
    def model_config(self) -> dict[str, Any]:
        """The configuration of the model, from which its class makes it."""
        return dict(self.config["model"]["config"])

    @property
    def search(self) -> dict[str, Any]:
        """The search settings, defaults of a translator's options."""
        return dict(self.config["search"])

    @property
    def sentences_per_line(self) -> int | None:
        """How many sentences the lines of the training data have; None for unknown."""
        return self.config.get(SENTENCES_PER_LINE)

    @property
    def has_joint_vocabulary(self) -> bool:
        """Whether all sides have the same subwords.

        They have one subword model; or one for each side of a Transformer with one table of embeddings, as OPUS-MT's,
        which divide words in two ways into the same subwords.
        """
        has_one_table = self.model_config.get("target_vocabulary_size", 0) is None
        return has_one_table or len(set(self.config["subwords"].values())) == 1

    def subword_paths(self) -> dict[str, Path]:
        """Returns the paths of the subword models by "source" and "target", or by language; the same for a joint one.

        Raises:
            UserError: A subword model is missing.
        """
        paths = {key: self.path / Path(name).name for key, name in self.config["subwords"].items()}
        for path in paths.values():
            require(path.is_file(), f"The subword model is missing; restore it. Received: {path}")
        return paths

    def subword_digest(self, path: Path) -> str:
        """Returns the SHA-256 that the file of a subword model must have."""
        return str(self.config[SUBWORDS_SHA256][path.name])


def read_model_files(directory: str | os.PathLike[str]) -> ModelFiles:
    """Reads and checks the `config.json` of a model directory. Returns what was read already as it is.

    Raises:
        UserError: The folder is not a model directory, has another format, or is damaged; or see `check_local`.
    """
    if isinstance(directory, ModelFiles):
        return directory
    check_local(directory)
    path = Path(directory) / CONFIG
    require(path.is_file(), f"A model directory must contain {CONFIG}. Received: {directory}")
    config = read_json(path, "the configuration of a model", keep_digest=True)
    version = config.get("format")
    if isinstance(version, int) and version != FORMAT:  # before other checks: another format may differ in any key
        remedy = "upgrade keras_nmt" if version > FORMAT else "train the model again, or use that version"
        raise UserError(
            f"{directory} was written by keras_nmt {config.get('keras_nmt')}, but this version reads only format "
            f"{FORMAT}: {remedy}. Received: format={str(version)[:20]}"
        )
    with named_damage(path):
        _check_structure(config)
    return ModelFiles(path.parent, check_digest(config, path))


def _check_structure(config: dict[str, Any]) -> None:
    """Raises the error that using the configuration would raise."""
    if not isinstance(config["format"], int):
        raise TypeError(config["format"])
    model, search = config["model"], config["search"]
    if not isinstance(model["class"], str):
        raise TypeError(model["class"])
    dtype = model["config"].get("dtype", "float32")
    if not isinstance(dtype, str):  # Keras would make an object of a dictionary
        raise TypeError(dtype)
    for language in model["config"].get("languages", ("source", "target")):
        Path(config["subwords"][language])
    for name in config["subwords"].values():
        bytes.fromhex(config[SUBWORDS_SHA256][Path(name).name])
    if not (is_integer(most := config.get(SENTENCES_PER_LINE, 1)) and most > 0):
        raise TypeError(most)
    check_limits(model["config"])
    check_settings(search)
