"""The shared part of the commands of `inspect`: several models, finished parts, tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import keras_nmt
from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import check_models
from keras_nmt.cli.progress import progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import check_writable
from keras_nmt.steps import show_steps

if TYPE_CHECKING:
    from keras_nmt.analysis import Measurements

Directories = Annotated[
    list[Path], typer.Argument(metavar="DIRECTORY...", help="Model directories; differences are from the first.")
]
Source = Annotated[Path, typer.Option(help="File of source sentences.")]
Target = Annotated[
    Path | None, typer.Option(help="File of their translations, for the decoder. Default: the encoder alone.")
]
Output = Annotated[
    Path | None, typer.Option(help="Folder for results.json, table.md and pictures. Finished models are kept there.")
]


def check_inspection(directories: Sequence[Path], output: Path | None) -> None:
    """Raises an error, before TensorFlow is imported, if a folder is no model directory or cannot be written to."""
    check_models(*directories)
    if len({path.resolve() for path in directories}) < len(directories):
        raise UserError(f"Name each model directory once. Received: {', '.join(map(str, directories))}")
    if output is not None:
        check_writable(output / "results.json")


def inspect_models(
    directories: Sequence[Path],
    output: Path | None,
    inputs: Sequence[Path | None],
    settings: Mapping[str, Any],
    parts: Mapping[str, Callable[[Path], Measurements]],
    finish: Callable[[Measurements], Measurements] | None = None,
    imports: Sequence[Path] | None = None,
) -> None:
    """Measures models part by part, prints the table, and writes the results.

    Args:
        directories: Model directories.
        output: Folder of the results, or None. Each finished part is kept there, so that the same command goes on after
            an interruption.
        inputs: Files and folders that the results depend on.
        settings: Options that the results depend on, in types of JSON.
        parts: Mapping from names of parts to functions from a model directory to `Measurements`.
        finish: Function from the measurements of all parts of a model to those of the table. Defaults to none.
        imports: Python files to run first, of `--import`. Defaults to none.
    """
    import_tensorflow(imports)
    from keras_nmt.analysis import Measurements, compare

    names = model_names(directories)
    models: dict[str, Measurements] = {}
    files = [_state(path) for path in inputs if path is not None]
    with progress(len(directories) * len(parts), "parts") as advance, show_steps(progress):
        for name, directory in zip(names, directories, strict=True):
            for part, measure in parts.items():
                advance(0, f"{name} {part}".strip())
                of_model = [_state(directory / "config.json"), _state(directory / "model.weights.h5")]
                described = {
                    "version": keras_nmt.__version__,
                    "files": files,
                    "model": of_model,
                    "settings": dict(settings),
                    "part": part,
                }
                part_name = file_name("-".join(filter(None, (name, part))))
                path = None if output is None else output / "parts" / f"{part_name}.npz"
                found = None if path is None else Measurements.load(path, described)
                if found is None:
                    found = measure(directory)
                    if path is not None:
                        found.save(path, described)
                models[name] = models[name].joined(found) if name in models else found
                advance()
    comparison = compare({name: found if finish is None else finish(found) for name, found in models.items()})
    for line in comparison.to_markdown().splitlines():
        write_line(line)
    if output is not None:
        comparison.write(output)


def model_names(directories: Sequence[Path]) -> list[str]:
    """The names of model directories in tables; whole paths where two directories have one name."""
    names = [path.resolve().name for path in directories]
    return names if len(set(names)) == len(names) else [str(path) for path in directories]


def file_name(name: str) -> str:
    """The name of a model as the name of a file."""
    return name.replace("/", "_")


def _state(path: Path) -> list[Any]:
    """A file or folder with its size and time of change: other values mean that results are out of date."""
    paths = sorted(x for x in path.rglob("*") if x.is_file()) if path.is_dir() else [path]
    states = [(x.stat().st_size, x.stat().st_mtime_ns) for x in paths if x.exists()]
    return [str(path.resolve()), len(states), sum(size for size, _ in states), max((t for _, t in states), default=0)]
