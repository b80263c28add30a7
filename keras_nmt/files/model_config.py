"""The reader of `config.json`, the configuration of a model directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from keras_nmt.errors import UserError
from keras_nmt.files.check_path import check_local
from keras_nmt.files.json_file import check_digest, named_damage, read_json
from keras_nmt.files.limits import check_limits

CONFIG = "config.json"
FORMAT = 2
SUBWORDS_SHA256 = "subwords_sha256"

# Settings of search in `config.json`, and their types: defaults of a translator's arguments.
SEARCH_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("length_penalty", "coverage_penalty"), (int, float)),
    **dict.fromkeys(("beam_size", "num_hypotheses", "min_length", "max_length"), (int,)),
    **dict.fromkeys(("max_length_factor", "max_length_offset"), (int,)),
    **dict.fromkeys(("length_buckets", "batch_buckets"), (list,)),
}


def read_model_config(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads and checks the `config.json` of a model directory.

    Args:
        directory: String or path, the model directory.

    Returns:
        The object with the keys "format", "keras_nmt", "model" ("class" and "config"), "subwords", "subwords_sha256"
        (by the names of files) and "search".

    Raises:
        UserError: The folder is not a model directory, is of another format, or is damaged; or it is an address of
            storage.
    """
    check_local(directory)
    path = Path(directory) / CONFIG
    if not path.is_file():
        raise UserError(f"No model directory: it has no {CONFIG}. Received: {directory}")
    config = read_json(path, "the configuration of a model", keep_digest=True)
    version = config.get("format")
    if isinstance(version, int) and version != FORMAT:  # another format may differ in any key
        remedy = "upgrade keras_nmt" if version > FORMAT else "train the model again, or use that version"
        raise UserError(
            f"{directory} was written by keras_nmt {config.get('keras_nmt')} in another format than {FORMAT}, which "
            f"this version reads: {remedy}. Received: format={str(version)[:20]}"
        )
    with named_damage(path):
        _check_structure(config)
    return check_digest(config, path)


def is_search_setting(name: str, value: Any) -> bool:
    """Returns whether a name is a setting of search, and the value has the setting's type."""
    values = value if isinstance(value, list) else [value]
    kinds = SEARCH_TYPES.get(name, ())
    numbers = (int,) if kinds == (list,) else kinds
    return isinstance(value, kinds) and all(isinstance(x, numbers) and not isinstance(x, bool) for x in values)


def _check_structure(config: dict[str, Any]) -> None:
    """Raises the error that a use of the configuration would raise."""
    if not isinstance(config["format"], int):
        raise TypeError(config["format"])
    model, search = config["model"], config["search"]
    if not isinstance(model["class"], str):
        raise TypeError(model["class"])
    dtype = model["config"].get("dtype", "float32")
    if not isinstance(dtype, str):  # an object, which Keras would instantiate
        raise TypeError(dtype)
    for language in model["config"].get("languages", ("source", "target")):
        Path(config["subwords"][language])
    for name in config["subwords"].values():
        bytes.fromhex(config[SUBWORDS_SHA256][Path(name).name])
    for name, value in search.items():
        if not is_search_setting(name, value):
            raise TypeError(f"{name}={value!r}")
    check_limits(model["config"])
    check_limits(search)
