"""The formats of other toolkits, and the import of a model.

To add a format, write a module of this package and add one line to `FORMATS` under the name of the module. The commands
`import` and `export` then offer it; programs import its function from `keras_nmt.formats`. The module needs

- to be read: `is_there(path)`, which returns whether a path holds a model of the format, and `read(path)`, which
  returns a `keras_nmt.formats.parameters.Imported`;
- to be written: `export_NAME(path, model, tokenizers, **options)`, which returns the path of what it wrote.

`FORMATS` must not need TensorFlow, because `keras-nmt --help` lists it.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.files.atomic_files import atomic_folder, check_new_folder, check_writable, write_bytes
from keras_nmt.files.paths import check_local
from keras_nmt.serving._versions import check_version

if TYPE_CHECKING:
    from keras_nmt.models import ModelDirectory


class Format(NamedTuple):
    """A format of models.

    Attributes:
        toolkit: String, the name of the toolkit, for messages.
        is_read: Boolean, whether models can be imported from the format.
        export_options: Tuple of the options of `keras-nmt export` that the export function takes: "version",
            "quantize", "search" for the settings of the search, or "source" and "target" for the languages. None if
            models cannot be exported to the format.
    """

    toolkit: str
    is_read: bool
    export_options: tuple[str, ...] | None


FORMATS = {
    "ctranslate2": Format("CTranslate2", True, ("version", "quantize")),
    "huggingface": Format("Hugging Face", True, ("search",)),
    "marian": Format("Marian", True, ("search",)),
    "keras_hub": Format("keras_hub", True, ("search",)),
    "argos": Format("Argos Translate", False, ("quantize", "source", "target")),
}
IMPORTED = tuple(name for name, format_ in FORMATS.items() if format_.is_read)
EXPORTED = tuple(name for name, format_ in FORMATS.items() if format_.export_options is not None)


def check_export(path: Path, format: str, version: int | None = None) -> None:
    """Checks, before the work, that an export in a format, also "savedmodel", can be written to a path.

    Raises:
        OSError, UserError: The file, the folder or the version cannot be written, or exists.
    """
    if format == "argos":
        check_writable(path)
        is_right = path.suffix == ".argosmodel" and not path.exists()
        require(is_right, f"The path must end in .argosmodel, and must not exist. Received: {path}")
    elif format in FORMATS and "version" not in (FORMATS[format].export_options or ()):
        check_new_folder(path)
    else:
        check_version(path, version)


def format_module(name: str) -> Any:
    """Imports the module of a format."""
    return importlib.import_module(f"keras_nmt.formats.{name}")


def find_format(source: str | os.PathLike[str]) -> str:
    """Returns the name of the format of another toolkit's model.

    Raises:
        UserError: The path holds no model of a known format, or models of several.
    """
    names = [name for name in IMPORTED if format_module(name).is_there(Path(source))]
    problem = f"The path holds models of the formats {', '.join(names)}: choose one by `format` or --format"
    require(len(names) <= 1, f"{problem}. Received: {source}")
    if names:
        return names[0]
    raise UserError(f"The path must hold a model of one of the formats {', '.join(IMPORTED)}. Received: {source}")


def import_model(
    source: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    format: str | None = None,
    languages: Sequence[str] = (),
) -> ModelDirectory:
    """Makes a model directory from a model of another toolkit.

    The import runs no code of the model and reads no pickle. It compares the sizes that a file claims with the file's
    length before it allocates memory. A warning tells of each thing of the model that is not read.

    Args:
        source: Path of the model: a folder, or for Marian also a file.
        directory: Path of the model directory to write, which must not exist.
        format: String, "ctranslate2", "huggingface", "marian" or "keras_hub". Defaults to the format found at `source`.
        languages: Sequence of strings, the languages to keep of a model of many languages. An export has an encoder and
            a search for each. Defaults to all.

    Returns:
        The `ModelDirectory`.

    Raises:
        UserError: There is no such model, the model has something that a `Transformer` does not have, a file is
            damaged, a language is unknown, or `directory` exists.
    """
    from keras_nmt.models import ModelDirectory

    check_local(source)
    check_new_folder(directory)
    path = Path(source)
    require(path.exists(), f"There is no such model. Received: {source}")
    check_choice("format", format, (None, *IMPORTED))
    format = format or find_format(path)
    module = format_module(format)
    require(module.is_there(path), f"The path must hold a model of the format {format}. Received: {source}")
    with atomic_folder(directory) as folder:
        imported = module.read(path)
        if languages:
            imported.choose_languages(languages)
        model, protos = imported.make_model(), imported.subword_models()
        is_joint = protos["source"] == protos["target"]
        names = {side: "subwords.model" if is_joint else f"subwords.{side}.model" for side in protos}
        for side, name in names.items():
            write_bytes(folder / name, protos[side])
        if imported.languages:
            names = dict.fromkeys(imported.languages, names["source"])
        written = ModelDirectory(folder)
        written.save_config(model, subwords=names, search=imported.search)
        written.save_weights(model)
    for note in dict.fromkeys(imported.all_notes()):
        warnings.warn(note, stacklevel=2)
    return ModelDirectory(directory)
