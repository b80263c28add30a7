"""The shared part of the commands of `inspect`: several models, finished parts, tables and pictures."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import keras_nmt
from keras_nmt import analysis
from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import Import, SourceLanguage, TargetLanguage, drop_none
from keras_nmt.cli.progress import progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError, require
from keras_nmt.files.atomic_files import check_writable
from keras_nmt.files.model_config import CONFIG, WEIGHTS, ModelFiles, read_model_files
from keras_nmt.files.paths import check_regular
from keras_nmt.progress import show_steps

Directories = Annotated[
    list[Path],
    typer.Argument(
        metavar="DIRECTORY...",
        help="Model directories; differences are from the first. Directories that are joined by commas are runs of one "
        "model with several seeds: mean and deviation.",
    ),
]
SourceUnlessConllu = Annotated[Path | None, typer.Option(help="File of source sentences. Required without --conllu.")]
DecoderTarget = Annotated[
    Path | None, typer.Option(help="File of their translations, for the decoder. Default: the encoder alone.")
]
Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds: mean and deviation.")]
OUTPUT: dict[str, Any] = {
    "output": Annotated[
        Path | None,
        typer.Option(help="Folder for results.json, table.md, pictures and finished parts."),
    ],
    "import_": Import,
}
SHARED = {"source_language": SourceLanguage, "target_language": TargetLanguage, **OUTPUT}
Measure = Callable[[ModelFiles], "analysis.Measurements"]
FORMAT = 5  # of finished parts: another number where the measurements of an analysis have other keys, notes or details


def check_inspection(directories: Sequence[Path], output: Path | None) -> list[ModelFiles]:
    """Reads model directories, before TensorFlow is imported.

    Raises an error if a folder is no model directory, or if results cannot be written to `output`.
    """
    models = list(map(read_model_files, directories))
    if len({path.resolve() for path in directories}) < len(directories):
        raise UserError(f"Name each model directory once. Received: {', '.join(map(str, directories))}")
    if output is not None:
        check_writable(output / "results.json")
    return models


class Inspection:
    """One call of a command of `inspect`: measures models part by part, prints the table, and writes the results.

    Directories that are joined by commas are runs of one model that differ in the seed. Each finished part is kept in
    the folder `output`, if there is one, so that the same command continues after an interruption.

    Attributes:
        languages: Dictionary of the languages that the user gave, as arguments of functions of `keras_nmt.analysis`.
        names: Dictionary from all model directories, as `ModelFiles`, to their names.
    """

    def __init__(
        self,
        directories: Sequence[Path],
        output: Path | None,
        source_language: str | None = None,
        target_language: str | None = None,
        *,
        import_: Sequence[Path] | None = None,
    ) -> None:
        paths = [_joined_by_commas(directory) for directory in directories]
        every = check_inspection([path for runs in paths for path in runs], output)
        models = iter(every)
        self._runs = [[next(models) for _ in runs] for runs in paths]
        self.names = dict(zip(every, model_names([model.path for model in every]), strict=True))
        self.languages = drop_none(source_language=source_language, target_language=target_language)
        self._output = output
        self._imports = import_

    def measure(self, name: str, measure: Measure, inputs: Sequence[Path | None], **settings: Any) -> None:
        """Measures each model in one part; for the arguments see `measure_parts`."""
        self.measure_parts(name, {"": measure}, inputs, **settings)

    def measure_parts(
        self,
        name: str,
        parts: Mapping[str, Measure],
        inputs: Sequence[Path | None],
        *,
        finish: Callable[[analysis.Measurements], analysis.Measurements] | None = None,
        **settings: Any,
    ) -> None:
        """Measures each model part by part, for the analysis `name`.

        The results depend on `inputs`, files and folders beside those of the models and of `--import`, and on
        `settings`, in types of JSON. `finish` turns the measurements of all parts of a model into those of the table.
        """
        if self._output is not None or len(self.names) > 1:
            for path in inputs:
                if path is not None and not path.is_dir():
                    check_regular(path, " for several models, or with --output, which keeps finished parts by its time")
        import_tensorflow(self._imports)
        finished: dict[ModelFiles, analysis.Measurements] = {}
        settings = {"analysis": name, **settings, **self.languages}
        files = [None if path is None else _state(path) for path in (*inputs, *(self._imports or ()))]
        with progress(len(self.names) * len(parts), "parts") as advance, show_steps(progress):
            for directory, model_name in self.names.items():
                measured_parts = []
                for part, measure in parts.items():
                    advance(0, f"{model_name} {part}".strip())
                    described = {
                        "format": FORMAT,
                        "version": keras_nmt.__version__,
                        "files": files,
                        "model": [_state(path) for path in _files_of_model(directory)],
                        "settings": settings,
                        "part": part,
                    }
                    part_name = file_name("-".join(filter(None, (model_name, part))))
                    path = None if self._output is None else self._output / "parts" / f"{part_name}.npz"
                    measured = None if path is None else analysis.Measurements.load(path, described)
                    if measured is None:
                        measured = measure(directory)
                        if path is not None:
                            measured.save(path, described)
                    measured_parts.append(measured)
                    advance()
                whole = functools.reduce(analysis.Measurements.joined, measured_parts)
                finished[directory] = whole if finish is None else finish(whole)
        models: dict[str, analysis.Measurements] = {}
        names_of_runs = _names_of_models([[self.names[path] for path in runs] for runs in self._runs])
        for model_name, runs in zip(names_of_runs, self._runs, strict=True):
            model = analysis.over_seeds([finished[path] for path in runs])
            if len(runs) > 1:
                details = {"runs": {self.names[path]: finished[path].numbers() for path in runs}}
                model = dataclasses.replace(model, details=details)
            models[model_name] = model
        write_results(analysis.compare(models), self._output)


def write_results(results: analysis.ModelComparison | analysis.Roles | analysis.Ablations, output: Path | None) -> None:
    """Prints the table of results, and writes the results to a folder, if there is one."""
    for line in results.to_markdown().splitlines():
        write_line(line)
    if output is not None:
        results.write(output)


def model_names(directories: Sequence[Path]) -> list[str]:
    """Returns the names of model directories in tables; whole paths where two directories have one name."""
    names = [path.resolve().name for path in directories]
    return names if len(set(names)) == len(names) else [str(path) for path in directories]


def _joined_by_commas(argument: Path) -> list[Path]:
    paths = [str(argument)] if os.path.exists(argument) else str(argument).split(",")  # also where the name is too long
    require("" not in paths, f"Join the directories of a model's runs by commas, without spaces. Received: {argument}")
    return [Path(path) for path in paths]


def _names_of_models(runs: Sequence[Sequence[str]]) -> list[str]:
    """Returns the names of models, given the names of each model's runs.

    The runs "baseline-1" and "baseline-2" are "baseline" together, unless another model has this name.
    """
    stems = [{re.sub(r"[-_./]?\d+$", "", name) if len(names) > 1 else name for name in names} for names in runs]
    short = [stem.pop() if len(stem) == 1 else "" for stem in stems]
    return [
        name if name and short.count(name) == 1 else ",".join(names) for name, names in zip(short, runs, strict=True)
    ]


def _files_of_model(files: ModelFiles) -> list[Path]:
    """Returns the files of a model directory that results depend on."""
    subwords = sorted(set(files.config["subwords"].values()))
    return [files.path / Path(name).name for name in (CONFIG, WEIGHTS, *subwords)]


def file_name(name: str) -> str:
    """Returns the name of a model as the name of a file, as in addresses: two names never become one."""
    return name.replace("%", "%25").replace("/", "%2F")


def _state(path: Path) -> list[Any]:
    """Returns a path with the name, size and time of change of each of its files: if they change, so may results."""
    paths = sorted(x for x in path.rglob("*") if x.is_file()) if path.is_dir() else [path]
    states = [[str(x.relative_to(path)), x.stat().st_size, x.stat().st_mtime_ns] for x in paths if x.exists()]
    return [str(path.resolve()), states]
