"""The commands that make models: `train`, `average` and `extend-vocabulary`."""

from __future__ import annotations

import dataclasses
import json
import shutil
import textwrap
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import (
    EXPERIMENT,
    Directory,
    Import,
    Set,
    drop_none,
    make_callbacks,
    refuse_without,
    setting,
    with_options,
)
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError, require
from keras_nmt.files.atomic_files import check_writable
from keras_nmt.files.model_config import CONFIG, read_model_files
from keras_nmt.files.search_options import described_arguments
from keras_nmt.text.text_files import read_lines

SETTINGS = {
    name: x for name, x in EXPERIMENT.items() if name not in ("accumulation_steps", "jit_compile", "allow_missing")
}


@with_options(SETTINGS)
def train(
    directory: Annotated[
        Path | None, typer.Option(help="Model directory to make, or to continue in. Required without --settings.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A JSON file of settings, such as the settings.json of a run.")
    ] = None,
    train_files: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--train", metavar="SOURCE TARGET", help="Training files. Required without --settings."),
    ] = None,
    dev_files: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--dev", metavar="SOURCE TARGET", help="Development files. Required without --settings."),
    ] = None,
    test_files: Annotated[
        tuple[Path, Path] | None, typer.Option("--test", metavar="SOURCE TARGET", help="Test files.")
    ] = None,
    shortcuts: Annotated[str | None, typer.Option(help="Lexical shortcuts: none, plain, fusion or ungated.")] = None,
    callbacks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:FACTORY",
            help="Function that gets the settings and returns a Keras callback, or several. May be repeated.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, measure a few updates, and write nothing.")
    ] = False,
    list_settings: Annotated[
        bool, typer.Option("--list-settings", help="Show all settings with defaults and descriptions, and exit.")
    ] = False,
    set_: Set = None,
    import_: Import = None,
    **shared: Any,
) -> None:
    """Trains subwords and a model. The same command continues a run that was stopped.

    Settings come from --settings, then --set, then the other options; the last one counts. --list-settings shows all
    settings, in the order of the documentation of `keras_nmt.experiments.ExperimentConfig`.
    """
    if list_settings:
        import_tensorflow()
        from keras_nmt.experiments import ExperimentConfig
        from keras_nmt.models.factory import MECHANISMS

        width = min(100, shutil.get_terminal_size().columns)
        write_line(ExperimentConfig.list_settings(width))
        write_line("\nArguments of `model`: python -m pydoc keras_nmt.models.Transformer, and so on for other classes")
        for name, mechanism in MECHANISMS.items():
            write_line(f"\n  Arguments of `model.{name}`")
            descriptions = described_arguments(mechanism)
            for field in dataclasses.fields(mechanism):
                shown = "needed" if field.name == "kind" else json.dumps(field.default)
                write_line(f"    {field.name} = {shown}")
                write_line(textwrap.indent(textwrap.fill(descriptions[field.name], width - 8), " " * 8))
        return
    files = {"train": train_files, "dev": dev_files, "test": test_files}
    chosen = [*(dict([setting(text)]) for text in set_ or []), drop_none(directory=directory, **shared)]
    if shortcuts is not None:
        chosen.append({"model.shortcuts": None if shortcuts == "none" else shortcuts})
    if settings is None and not any(chosen) and not any(files.values()):
        raise UserError(
            "Missing options: --directory DIRECTORY, --train SOURCE TARGET, --dev SOURCE TARGET and a limit, such as "
            "--max-updates N; or --settings FILE."
        )
    if dry_run and callbacks:
        raise UserError(f"--callbacks have no effect with --dry-run. Received: --callbacks {callbacks[0]}")
    import_tensorflow(import_)
    from keras_nmt import experiments
    from keras_nmt.files.settings import merge_settings

    of_file = {} if settings is None else experiments.ExperimentConfig.read_settings(settings)
    merged = merge_settings(experiments.ExperimentConfig, of_file, *chosen)
    _add_model_of_start(merged)
    _add_files(merged, files)
    config = experiments.ExperimentConfig.from_merged(merged)
    if dry_run:
        experiments.dry_run(config)
    else:
        experiments.run(config, callbacks=make_callbacks(callbacks or (), config.settings()))


def _add_files(settings: dict[str, Any], files: dict[str, tuple[Path, Path] | None]) -> None:
    """Adds options with two files each to settings: the files; and their direction, unless it is named."""
    from keras_nmt.experiments.corpus_files import languages_of_files

    given = {name: both for name, both in files.items() if both is not None}
    if not given:
        return
    data = settings.setdefault("data", {})
    pair, languages = languages_of_files(next(iter(given.values()))), data.get("languages")
    if isinstance(languages, list) and len(languages) == 2:
        one, other = map(str, languages)
        if data.get("pairs") == [f"{other}-{one}"]:
            pair = other, one
        elif data.get("pairs") == [f"{one}-{other}"] or set(pair) != {one, other}:
            pair = one, other
    for name, both in given.items():
        if languages_of_files(both) == pair[::-1]:
            raise UserError(
                f"--{name} must name the files of {pair[0]} and {pair[1]} in this order, as other options and settings "
                f"do. Received: --{name} {both[0]} {both[1]}"
            )
    data |= {name: dict(zip(pair, both, strict=True)) for name, both in given.items()}
    data.setdefault("languages", list(pair))
    data.setdefault("pairs", ["-".join(pair)])


def _add_model_of_start(settings: dict[str, Any]) -> None:
    """Adds architecture and arguments of the model of `init_from` to settings, unless a preset or others are chosen.

    A resumed run reads its own model instead, because the model it started from may be deleted.
    """
    from keras_nmt.experiments.model_config import ARCHITECTURES
    from keras_nmt.files.settings import merge_arguments

    path, model = settings.get("training", {}).get("start", {}).get("init_from"), settings.get("model", {})
    if path is None or model.get("preset") is not None:
        return
    places = [x for x in (path, settings.get("directory")) if isinstance(x, str | Path)]  # others are refused later
    folders = [x for x in places if (Path(x) / CONFIG).is_file()]
    if not folders:
        return
    files = read_model_files(folders[0])
    for name, kind in ARCHITECTURES.items():
        if kind.model.__name__ == files.model_class and model.get("architecture", name) == name:
            arguments = {key: x for key, x in files.model_config.items() if key in kind.arguments}
            settings["model"] = merge_arguments({"architecture": name, **arguments}, model)


def average(
    directory: Directory,
    last: Annotated[int | None, typer.Option(min=1, help="Average the last N checkpoints.")] = None,
    best: Annotated[int | None, typer.Option(min=1, help="Average the best N checkpoints.")] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write, *.weights.h5. Default: the model's weights.")
    ] = None,
) -> None:
    """Averages checkpoints into the model's weights."""
    which, number = ("last", last) if last is not None else ("best", best)
    if number is None or (last is not None and best is not None):
        raise UserError(f"Give --last N or --best N. Received: last={last}, best={best}")
    if output is not None:
        check_writable(output)
    import_tensorflow()
    from keras_nmt.training import average_checkpoints

    updates = average_checkpoints(directory, which=which, number=number, output=output)
    write_line(f"Averaged updates {', '.join(map(str, updates))}")
    if output is None and (results := directory / "results.json").exists():
        warnings.warn(f"{results} has the scores of the old weights: `keras-nmt evaluate` scores these", stacklevel=1)


def extend_vocabulary(
    context: typer.Context,
    directory: Directory,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Model directory to make.")],
    text: Annotated[Path | None, typer.Option(metavar="FILE", help="Text from which subwords are learnt.")] = None,
    number: Annotated[
        int, typer.Option(min=1, max=10**6, help="With --text: most new subwords, beside new characters.")
    ] = 1000,
    pieces: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of words, one a line, each of which becomes one subword.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            help="New target language of a model with language labels; of a Transformer, a symbol that is never split, "
            "such as <2fr>. May be repeated."
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Whose subwords to extend, where vocabularies are separate: source, target, ...")
    ] = None,
    import_: Import = None,
) -> None:
    """Writes a model with more subwords to train on: `keras-nmt train --init-from OUTPUT`.

    Old subwords keep their vectors; a new one begins with the mean of those that spelled it.
    """
    if text is None:
        refuse_without(context, "number", "--text FILE")
    require(text is not None or pieces is not None or tag, "Missing option: --text FILE, --pieces FILE or --tag TAG.")
    files = read_model_files(directory)
    lines = [] if text is None else read_lines(text)
    words = [] if pieces is None else [line for line in read_lines(pieces) if line.strip()]
    with working(f"Extending {directory}"):
        import_tensorflow(import_)
        from keras_nmt import training

        added = training.extend_vocabulary(
            files,
            output,
            language=language,
            text=lines,
            number=0 if text is None else number,
            words=words,
            tags=tag or (),
        )
    write_line(f"{output}: {added:,} new subwords")
