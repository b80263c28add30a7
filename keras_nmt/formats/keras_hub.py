"""Reads and writes presets of keras_hub with a task of `keras_nmt.hub`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keras_nmt.errors import UserError, errors_as, require
from keras_nmt.files.atomic_files import atomic_folder
from keras_nmt.files.json_file import read_json
from keras_nmt.files.model_config import check_limits
from keras_nmt.files.weights_file import check_size, read_weights

if TYPE_CHECKING:
    from keras_nmt.data import SubwordTokenizer
    from keras_nmt.models import Transformer

CONFIG, TASK, WEIGHTS = "config.json", "task.json", "model.weights.h5"
CLASS = "keras_nmt>TranslationBackbone"
ASSETS = {"target": "assets/tokenizer/vocabulary.spm", "source": "assets/source_tokenizer/vocabulary.spm"}


@dataclasses.dataclass
class ImportedTask:
    """A task of keras_hub, as `read` returns it; see `keras_nmt.formats.parameters.Imported`."""

    model: Transformer
    protos: dict[str, bytes]
    search: dict[str, Any]
    languages: tuple[str, ...] = ()

    def make_model(self) -> Transformer:
        return self.model

    def subword_models(self) -> dict[str, bytes]:
        return self.protos

    def all_notes(self) -> list[str]:
        return []

    def choose_languages(self, languages: Sequence[str]) -> None:
        raise UserError(f"The model has one direction: leave its languages out. Received: {', '.join(languages)}")


def is_there(folder: Path) -> bool:
    """Returns whether a folder holds a preset of this format."""
    path = folder / CONFIG
    return path.is_file() and CLASS.encode() in path.read_bytes()[: 1 << 20]


def read(folder: Path) -> ImportedTask:
    """Reads a preset that `save_to_preset` of a `TranslationSeq2SeqLM` wrote.

    Keras makes no object of the files, so no class but those of `keras_nmt.hub` is looked up.

    Raises:
        UserError: A file is missing or damaged, or the weights are quantised.
    """
    from keras_nmt.data.subword_models import read_subwords
    from keras_nmt.hub import TranslationBackbone
    from keras_nmt.layers._keras_private import initialize, without_values

    path, weights = folder / CONFIG, folder / WEIGHTS
    for needed in (weights, folder / ASSETS["target"]):
        require(needed.is_file(), f"Missing file of the preset: {needed}")
    with errors_as(
        f"{folder} does not hold a complete preset of this version",
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RuntimeError,
    ):
        config = dict(read_json(path, "the configuration of a backbone")["config"])
        policy, quantization = config.pop("dtype"), config.pop("quantization", None)
        if quantization or policy["class_name"] != "DTypePolicy":
            raise UserError(
                "A model directory holds float weights: import the preset that was saved before `quantize`. "
                f"Received: {folder}, of {quantization['mode'] if quantization else policy['class_name']} weights"
            )
        check_limits(config)
        names = [name for name in config if name not in ("name", "trainable")]
        arguments = {**{name: config[name] for name in names}, "dtype": str(policy["config"]["name"])}
        backbone = without_values(lambda: TranslationBackbone(**arguments))
        task = folder / TASK
        search = read_json(task, "the configuration of a task")["config"]["search"] if task.is_file() else {}
        check_size(weights, backbone)  # before the model takes memory
        initialize(backbone)
        read_weights(weights, backbone)
    target = read_subwords(folder / ASSETS["target"])
    source_file = folder / ASSETS["source"]
    return ImportedTask(
        backbone.model,
        {"source": read_subwords(source_file) if source_file.is_file() else target, "target": target},
        search,
    )


def export_keras_hub(
    path: str | os.PathLike[str],
    model: Transformer,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    search: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a preset, which `keras_hub.models.Seq2SeqLM.from_preset` loads after `import keras_nmt.hub`.

    Args:
        path: Path of the folder to write, which must not exist.
        model: `Transformer`, with any mechanisms.
        tokenizers: Mapping of "source" and "target" to their subwords, or the joint subwords.
        search: Mapping of search settings, which `generate` uses. Defaults to none.

    Returns:
        The path.

    Raises:
        UserError: The model is of another class, quantised or has an adapter, or the path exists.
    """
    from keras_nmt.hub import TranslationSeq2SeqLM
    from keras_nmt.inference.load import checked_tokenizers

    task = TranslationSeq2SeqLM.from_model(model, checked_tokenizers(model, tokenizers), search)
    with atomic_folder(path) as folder:
        task.save_to_preset(os.fspath(folder))
    return Path(path)
