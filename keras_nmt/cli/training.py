"""The commands that make models: `train` and `average`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.callbacks import make_callbacks
from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import Directory, Import, Set, given, setting
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import check_writable

SHORTCUTS = ("none", "plain", "fusion", "ungated")


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
    preset: Annotated[str | None, typer.Option(help="Sizes of the model, such as transformer_small.")] = None,
    shortcuts: Annotated[str | None, typer.Option(help="Lexical shortcuts: none, plain, fusion or ungated.")] = None,
    vocabulary_size: Annotated[int | None, typer.Option(help="Number of subwords.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Tokens of an update, padding included.")] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, mixed_bfloat16 or mixed_float16.")] = None,
    replicas: Annotated[
        int | None, typer.Option(help="Replicas: GPUs, or logical CPU devices where there is no GPU.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random numbers.")] = None,
    max_updates: Annotated[
        int | None, typer.Option(help="Updates, of all directions together, after which training ends.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Minutes of training after which training ends.")] = None,
    init_from: Annotated[Path | None, typer.Option(help="Model directory whose weights to start from.")] = None,
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
) -> None:
    """Trains subwords and a model. The same command continues a run that was stopped.

    Settings come from --settings, then --set, then the other options; the last one counts. --list-settings shows all
    settings, in the order of the documentation of `keras_nmt.experiments.Experiment`.
    """
    if list_settings:
        import_tensorflow()
        from keras_nmt.experiments import Experiment

        write_line(Experiment.described(min(100, shutil.get_terminal_size().columns)))
        write_line("\nArguments of `model`: python -m pydoc keras_nmt.models.Transformer, and so on for other classes")
        return
    chosen: dict[str, Any] = dict(setting(text) for text in set_ or [])
    for prefix, files in (("train", train_files), ("dev", dev_files), ("test", test_files)):
        if files is not None:
            chosen[f"{prefix}_source"], chosen[f"{prefix}_target"] = files
    chosen |= given(
        directory=directory,
        preset=preset,
        vocabulary_size=vocabulary_size,
        batch_size=batch_size,
        dtype=dtype,
        replicas=replicas,
        seed=seed,
        max_updates=max_updates,
        time_limit=time_limit,
        init_from=init_from,
    )
    if shortcuts not in (None, *SHORTCUTS):
        raise UserError(f"--shortcuts is one of {', '.join(SHORTCUTS)}. Received: {shortcuts}")
    if settings is None and not chosen:
        raise UserError(
            "Missing options: --directory DIRECTORY, --train SOURCE TARGET, --dev SOURCE TARGET and a limit, such as "
            "--max-updates N; or --settings FILE."
        )
    if dry_run and callbacks:
        raise UserError(f"--callbacks have no effect with --dry-run. Received: --callbacks {callbacks[0]}")
    import_tensorflow(import_)
    from keras_nmt import experiments

    if settings is not None:
        chosen = {**experiments.Experiment.read_settings(settings), **chosen}
    if shortcuts is not None and isinstance(chosen.setdefault("model", {}), dict):  # else refused below
        chosen["model"] = {**chosen["model"], "shortcuts": None if shortcuts == "none" else shortcuts}
    experiment = experiments.Experiment.from_settings(chosen)
    if dry_run:
        experiments.dry_run(experiment)
    else:
        experiments.run(experiment, callbacks=make_callbacks(callbacks or (), experiment.settings()))


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
