"""The command line of a recipe: `train`, `compare` and `list`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_nmt.cli.options import EXPERIMENT, Import, Set, drop_none, setting, with_options
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow, make_app, run_app
from keras_nmt.errors import UserError, require
from keras_nmt.experiments.recipe import SECTIONS, Recipe, merge_settings
from keras_nmt.files.atomic_files import write_text
from keras_nmt.files.json_file import json_digest
from keras_nmt.files.model_config import read_model_files

if TYPE_CHECKING:
    from keras_nmt.experiments.comparison import Comparison

Seeds = Annotated[str, typer.Option(help="Seeds, with commas between them.")]
# Options of every `compare`.
OF_COMPARISON: dict[str, Any] = {
    "unequal": Annotated[bool, typer.Option("--unequal", help="Allow budgets, starts and searches that differ.")],
    "decoding_speed": Annotated[
        bool, typer.Option("--decoding-speed", help="After training, measure how fast each configuration translates.")
    ],
    "keep": Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE.jsonl",
            help="Keep settings, scores and translations of the runs in this file and TABLE.translations.tar.xz, to "
            "commit them. Runs that are kept there, and not in the folder, are not made again.",
        ),
    ],
    "table_only": Annotated[
        bool, typer.Option("--table-only", help="Train nothing: write the table of finished runs.")
    ],
    "dry_run": Annotated[bool, typer.Option("--dry-run", help="Check all configurations, and write nothing.")],
    "import_": Import,
}
# Options of `train` and `compare`: first options of the recipe, then settings of experiments.
OF_RECIPE: dict[str, Any] = {
    "data_dir": Annotated[Path | None, typer.Option(help="Folder of the corpus.")],
    "source": Annotated[str | None, typer.Option(help="Language to translate from. Default: the first.")],
    "target": Annotated[str | None, typer.Option(help="Language to translate to. Default: the second.")],
    "autoencoding": Annotated[bool, typer.Option("--autoencoding", help="Also train each language to itself: A -> A.")],
    "leave_out": Annotated[list[str] | None, typer.Option(help="Pair, such as de-fr, never trained. May be repeated.")],
    "updates_per_pair": Annotated[int | None, typer.Option(help="Updates for each pair of languages.")],
}
OF_EXPERIMENT = {name: x for name, x in EXPERIMENT.items() if name not in ("preset", "vocabulary_size", "seed")}
OF_EXPERIMENT["set_"] = Set
# Settings that each run has of its own, and their flags: `--set` would set them for all runs.
FLAGS = {"seed": "--seed", "directory": "--output"} | {name: f"--{name.replace('_', '-')}" for name in OF_RECIPE}
COMPARISON_FLAGS = {
    "unequal": "--unequal",
    "decoding_speed": "--decoding-speed",
    "imports": "--import",
    "seeds": "--seeds",
    "configurations": "arguments",
}
MADE_FROM = "assets.extra/model.sha256"  # the file of an export of a run with the digest of the model


def run_recipe(recipe: Recipe) -> None:
    """Runs the command line of a recipe."""
    run_app(recipe_app(recipe))


def recipe_app(recipe: Recipe) -> typer.Typer:
    """Makes the command line of a recipe."""
    app = make_app(f"Trains and compares the configurations of {recipe.name}; `list` shows them.")

    @app.command()
    @with_options(OF_RECIPE | OF_EXPERIMENT, data_dir=recipe.data_dir)
    def train(
        configuration: Annotated[str, typer.Argument(help="One that `list` shows, or several joined by +.")],
        seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 1,
        output: Annotated[
            Path | None, typer.Option(help="Model directory. Default: runs/RECIPE-SOURCE-TARGET-CONFIGURATION-SEED.")
        ] = None,
        export: Annotated[
            bool | None, typer.Option(help="Whether to export a SavedModel, too. Default: of one direction.")
        ] = None,
        import_: Import = None,
        **shared: Any,
    ) -> None:
        """Trains one configuration, scores it on the test data, and exports it. Started again, it continues."""
        chosen, options = _options(recipe, shared, FLAGS)
        system = {**recipe.settings, **chosen.chosen(configuration)}.get("system")
        is_one = system in (None, "bilingual")
        parts = [
            recipe.name,
            *(chosen.pairs(None, source=options["source"], target=options["target"])[0] if is_one else ()),
            configuration,
            *(["autoencoding"] if options["autoencoding"] else []),
            *(f"without-{pair}" for pair in options["leave_out"]),
            str(seed),
        ]
        directory = output or Path("runs") / "-".join(parts)
        import_tensorflow(import_)
        from keras_nmt.experiments import run
        from keras_nmt.training.distribution import is_chief

        _show(run(chosen.experiment(configuration, seed=seed, directory=directory, **options)), recipe.languages)
        if (is_one if export is None else export) and is_chief():  # of several workers
            export_run(directory, directory / "export")

    @app.command()
    @with_options(OF_COMPARISON | OF_RECIPE | OF_EXPERIMENT, data_dir=recipe.data_dir)
    def compare(
        configurations: Annotated[
            list[str] | None, typer.Argument(help="Some that `list` shows, or several joined by +. Default: all.")
        ] = None,
        seeds: Seeds = "1,2,3",
        output: Annotated[
            Path | None,
            typer.Option(help="Folder of the runs and of the table. Default: runs/RECIPE-SOURCE-TARGET-comparison."),
        ] = None,
        baseline: Annotated[
            str, typer.Option(help="Configuration to compare with, or several joined by +.")
        ] = recipe.baseline,
        **shared: Any,
    ) -> None:
        """Trains configurations with several seeds and writes one table. Started again, it continues.

        The baseline is always among them. Scores are means over the directions that all of them translate.
        """
        chosen, options = _options(recipe, shared, {**FLAGS, "seed": "--seeds", **COMPARISON_FLAGS})
        chosen = dataclasses.replace(chosen, baseline=baseline)
        pair = {"source": options["source"], "target": options["target"]}
        named = "system" not in recipe.settings or any(pair.values())
        parts = [recipe.name, *(recipe.pairs(None, **pair)[0] if named else ()), "comparison"]
        numbers = parse_seeds(seeds)
        import_tensorflow(shared["import_"])
        comparison = chosen.compare(
            configurations or [],
            seeds=numbers,
            directory=output or Path("runs") / "-".join(parts),
            **comparison_arguments(shared),
            **options,
        )
        carry_out(comparison, shared)

    @app.command(name="list")
    def list_() -> None:
        """Shows the configurations and the changes of each."""
        width = max(map(len, {**recipe.configurations, **recipe.modifiers}))
        for name, configuration in recipe.configurations.items():
            print(f"{name:{width}}  {_in_words(configuration) or 'the shared settings'}")
        if recipe.modifiers:
            print("\nTo be joined to configurations by +:")
        for name, modifier in recipe.modifiers.items():
            print(f"{name:{width}}  {_in_words(modifier)}")
        print(f"\nShared: {_in_words(recipe.settings)}")
        if recipe.per_pair:
            print(f"For each pair of languages: {_in_words(recipe.per_pair)}")
        if recipe.comparison:
            print(f"Where they are compared: {_in_words(recipe.comparison)}")

    return app


def comparison_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of `Comparison` that options give."""
    return {**{name: options[name] for name in ("unequal", "decoding_speed")}, "imports": options["import_"] or ()}


def carry_out(comparison: Comparison, options: Mapping[str, Any]) -> None:
    """Runs a comparison, shows its table and keeps its runs, or does a part of that: see `OF_COMPARISON`."""
    from keras_nmt.experiments.comparison import check_comparison, compare, finished_runs, write_table
    from keras_nmt.experiments.comparison_table import show_tables
    from keras_nmt.experiments.kept_runs import check_keeping, keep_runs, restore_runs

    keep, table_only, dry_run = (options[name] for name in ("keep", "table_only", "dry_run"))
    for name, value in (("--table-only", table_only), ("--keep", keep)):
        require(not dry_run or not value, f"--dry-run writes nothing. Received: --dry-run and {name}")
    if table_only and options["decoding_speed"]:
        raise UserError("--table-only measures nothing. Received: --table-only and --decoding-speed")
    if dry_run:
        print("\n".join(check_comparison(comparison)))
        return
    if keep is not None:
        check_keeping(keep, comparison.runs)
        if keep.exists():
            restore_runs(keep, comparison.directory)
    show_tables(write_table(comparison) if table_only else compare(comparison))
    print(f"Written to {Path(comparison.directory) / 'comparison.md'}")
    if keep is not None:
        keep_runs(keep, finished_runs(comparison))
        print(f"Kept in {keep}")


def export_run(directory: Path, path: Path) -> Path:
    """Returns the folder of an export of a run's model in `path`: one that is there, or else a new version."""
    from keras_nmt.files.weights_file import weights_digest
    from keras_nmt.inference.load import load
    from keras_nmt.serving import export

    files = read_model_files(directory)
    digest = json_digest([files.config, weights_digest(files.weights_path)])
    for record in path.glob(f"[0-9]*/{MADE_FROM}"):
        if record.read_bytes() == digest.encode():
            print(f"Exported before: {record.parents[1]}")
            return record.parents[1]
    with working(f"Exporting {directory}"):
        model, tokenizers, search, *_ = load(files)
        written = export(path, model, tokenizers, **search)
    write_text(written / MADE_FROM, digest)
    print(f"Exported: {written}")
    return written


def parse_seeds(text: str) -> list[int]:
    """Returns the seeds of a text such as "1,2,3"."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise UserError(f"Seeds are integers with commas between them. Received: {text}") from None


def parse_overrides(set_: Iterable[str] | None, flags: dict[str, str], **options: Any) -> dict[str, Any]:
    """Returns the settings of a command line: the values of `--set`, over which options that are given take precedence.

    The keys of `flags` are settings that `--set` may not give, the values are the flags to use.
    """
    overrides = merge_settings(*(dict([setting(text)]) for text in set_ or ()))
    for name, value in overrides.items():
        end = name.rpartition(".")[2]
        if end in flags:
            raise UserError(f"Give `{end}` by {flags[end]}, not by --set. Received: --set {name}={value}")
    return {**overrides, **drop_none(**options)}


def _options(recipe: Recipe, shared: dict[str, Any], flags: dict[str, str]) -> tuple[Recipe, dict[str, Any]]:
    """Returns the recipe with as many updates as wanted, and arguments of `Recipe.experiment` from the options."""
    options = {name: shared[name] for name in OF_RECIPE}
    updates, options["leave_out"] = options.pop("updates_per_pair"), options["leave_out"] or ()
    require(options["data_dir"] is not None, "Missing option --data-dir: the folder with the corpus.")
    if updates is not None:
        if shared["max_updates"] is not None:
            raise UserError(
                "Give --max-updates or --updates-per-pair. "
                f"Received: --max-updates {shared['max_updates']} --updates-per-pair {updates}"
            )
        recipe = recipe.with_updates_per_pair(updates)
    settings = {name: shared[name] for name in OF_EXPERIMENT if name != "set_"}
    return recipe, options | parse_overrides(shared["set_"], flags, **settings)


def _in_words(settings: dict[str, Any]) -> str:
    words = []
    for name, value in settings.items():
        if isinstance(value, dict) and name in SECTIONS:
            words.append(_in_words(value))
        else:
            # A recipe may have a mechanism as an object.
            words.append(f"{name}={json.dumps(value, default=lambda mechanism: mechanism.get_config())}")
    return ", ".join(words)


def _show(results: dict[str, Any], languages: Sequence[str]) -> None:
    """Prints BLEU by source and target, if there are several directions. A star marks untrained directions."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    scores = results.get("test", {})
    if len(scores) < 2:
        return
    table = Table("BLEU", *languages, box=box.SIMPLE)
    for source in languages:
        cells = [scores.get(f"{source}-{target}") for target in languages]
        shown = ["" if c is None else f"{c['bleu']['score']:.1f}" + ("" if c["trained"] else "*") for c in cells]
        table.add_row(source, *shown)
    Console().print(table)
    print("From the language of the row to that of the column; * never trained.")
