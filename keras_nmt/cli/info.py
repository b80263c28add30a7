"""The commands that describe a model directory: `info` and `report`."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.lines import STANDARD, check_outputs, output_lines, write_line
from keras_nmt.cli.options import Directory
from keras_nmt.errors import UserError
from keras_nmt.files.checkpoint_files import STATE, saved_updates
from keras_nmt.files.json_file import named_damage
from keras_nmt.files.model_config import SENTENCES_PER_LINE, WEIGHTS, ModelFiles, read_model_files

WIDTH = 23  # of the column of names
GROUPS = ("layers", "_layer_checkpoint_dependencies")  # Keras' groups of layers in a file of weights


def info(directory: Directory) -> None:
    """Shows a model's configuration, parameters, training, scores, data and files.

    Reads the files alone: neither TensorFlow nor the model is loaded.
    """
    files = read_model_files(directory)
    write_line(f"{files.model_class} in {files}")
    for title, rows in (
        ("model", _model_rows(files)),
        ("parameters", _parameter_rows(files.weights_path)),
        ("training", _training_rows(files.path)),
        ("files", _file_rows(files)),
    ):
        if rows:
            write_line(title)
            for name, value in rows:
                write_line(f"  {name:{WIDTH}} {value}".rstrip())


def report(
    directory: Directory,
    output: Annotated[
        Path | None,
        typer.Option(help="File to write, *.html; - is standard output. Default: report.html in the directory."),
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Test sentences to show.")] = 20,
) -> None:
    """Writes curves, scores, examples and settings of a run, also of a running one, to an HTML file, which it names."""
    from keras_nmt.experiments.reports import html_report

    path = output or directory / "report.html"
    check_outputs(path)
    page = html_report(directory, examples)
    with output_lines(path, end="") as write:
        write(page)
    if path != STANDARD:
        write_line(str(path))


def _model_rows(files: ModelFiles) -> list[tuple[str, str]]:
    from keras_nmt.data.subword_models import cleans_sources, read_subwords  # imports NumPy
    from keras_nmt.data.target_tags import TargetTags

    options = files.model_config
    if "target_vocabulary_size" in options and options["target_vocabulary_size"] is None:
        options["target_vocabulary_size"] = "joint"
    options |= files.search
    options |= {} if files.sentences_per_line is None else {SENTENCES_PER_LINE: files.sentences_per_line}
    names = {os.path.basename(name) for side, name in files.config["subwords"].items() if side != "target"}
    protos = [read_subwords(path) for path in map(files.path.joinpath, names) if path.is_file()]
    options["source_cleaning"] = any(map(cleans_sources, protos))
    if tags := TargetTags(next(iter(protos), b"") if "source" in files.config["subwords"] else b""):
        options["target languages"] = f"{', '.join(tags.texts)} (by tags, such as {tags.example})"
    return [(name, _shown(value)) for name, value in options.items()]


def _parameter_rows(path: Path) -> list[tuple[str, str]]:
    """Numbers of parameters by layer, by the shapes in the file of weights."""
    if not path.is_file():
        return [("none", "the model has not been trained to the end")]
    from keras_nmt.files.weights_file import arrays, float_type, open_weights

    counts: Counter[str] = Counter()
    with open_weights(path) as file:
        for name, array in arrays(file).items():
            if float_type(array) is not None:  # others are states of random generators
                counts[next(part for part in name.split("/") if part not in GROUPS)] += math.prod(array.shape)
    return [("all", f"{sum(counts.values()):,}"), *((name, f"{count:,}") for name, count in counts.items())]


def _training_rows(directory: Path) -> list[tuple[str, str]]:
    from keras_nmt.experiments.reports import read_record, score_rows
    from keras_nmt.files.weights_file import OTHER_WEIGHTS, scores_are_current

    rows: list[tuple[str, str]] = []
    results = None
    with _damage_as_row("results", rows):
        results = read_record(directory, "results")
        with named_damage(directory / "results.json"):
            is_current = scores_are_current(results, directory)
            names = ("updates", "training_seconds", "ended_by", *(("final_updates",) if is_current else ()))
            rows += [(name.replace("_", " "), _shown(results[name])) for name in names if name in results]
            rows += score_rows(results) if is_current else [("scores", OTHER_WEIGHTS)]
    with _damage_as_row("last save", rows):
        update = max(saved_updates(directory / "checkpoints", STATE), default=None)
        if update is not None and (results is None or update != results.get("updates")):
            rows.append(("last save", f"update {update}{'' if results is None else '; the run has not ended'}"))
    with _damage_as_row("settings", rows):
        settings = read_record(directory, "settings")
        with named_damage(directory / "settings.json"):
            data = settings.get("data", {})
            named = {"languages": data.get("languages"), "directions": data.get("pairs")}
            rows += [(title, ", ".join(names)) for title, names in named.items() if names]
            rows += [(name, _shown(data[name])) for name in ("train", "dev", "test") if data.get(name) is not None]
    return rows


@contextlib.contextmanager
def _damage_as_row(what: str, rows: list[tuple[str, str]]) -> Iterator[None]:
    """Adds a row about damage instead of an error: all else is of use, too."""
    try:
        yield
    except UserError as error:
        rows.append((what, f"damaged. {error}"))


def _file_rows(files: ModelFiles) -> list[tuple[str, str]]:
    from keras_nmt.data.subword_models import read_subwords  # imports NumPy

    names = {os.path.basename(name) for name in files.config["subwords"].values()}
    for path in (files.path / name for name in names):
        if path.is_file():
            read_subwords(path, files.subword_digest(path))
    paths = [files.path / name for name in sorted({WEIGHTS, *names})]
    return [(path.name, f"{path.stat().st_size:,} bytes" if path.is_file() else "missing") for path in paths]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
