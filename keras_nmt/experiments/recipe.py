"""A recipe: a corpus, the settings that its experiments share, and what each of them changes."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_nmt.cli.app import given, import_tensorflow, run_app, setting
from keras_nmt.errors import UserError

if TYPE_CHECKING:
    from keras_nmt.experiments.experiment import Experiment

CORPORA = ("train", "dev", "test")
OF_A_RECIPE = ("matched_to", "start_from")  # keys of a configuration that are no settings of an experiment
# What each run has of its own, and the flag that says it: `--set` would give it to all of them.
FLAGS = {
    "seed": "--seed",
    "directory": "--output",
    "source": "--source",
    "target": "--target",
    "data_dir": "--data-dir",
}

Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Output = Annotated[
    Path | None, typer.Option(help="Model directory. Default: runs/RECIPE-SOURCE-TARGET-CONFIGURATION-SEED.")
]
DataDir = Annotated[Path, typer.Option(help="Folder of the corpus.")]
Source = Annotated[str, typer.Option(help="Language to translate from.")]
Target = Annotated[str, typer.Option(help="Language to translate to.")]
Seeds = Annotated[str, typer.Option(help="Seeds, with commas between them.")]
Runs = Annotated[
    Path | None,
    typer.Option(help="Folder of the runs and of the table. Default: runs/RECIPE-SOURCE-TARGET-comparison."),
]
TableOnly = Annotated[bool, typer.Option("--table-only", help="Train nothing: write the table of what there is.")]
Unequal = Annotated[bool, typer.Option("--unequal", help="Allow budgets, starts and searches that differ.")]
Dtype = Annotated[str | None, typer.Option(help="float32, or mixed_bfloat16 where the processor has it.")]
Replicas = Annotated[int | None, typer.Option(help="Replicas. Default: all GPUs, or one.")]
AccumulationSteps = Annotated[int | None, typer.Option(help="Micro-batches a replica.")]
JitCompile = Annotated[bool | None, typer.Option(help="Whether XLA compiles training. Made for GPUs.")]
BatchSize = Annotated[int | None, typer.Option(help="Size of an update's batch.")]
MaxUpdates = Annotated[int | None, typer.Option(help="Updates after which training ends.")]
TimeLimit = Annotated[float | None, typer.Option(help="Minutes of training after which it ends.")]
InitFrom = Annotated[Path | None, typer.Option(help="Model directory whose weights to start from.")]
AllowNew = Annotated[
    list[str] | None, typer.Option(help="Weights that --init-from may lack, such as '*/key_value/*'. May be repeated.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other setting; VALUE is JSON or a word. May be repeated."),
]


@dataclasses.dataclass(kw_only=True)
class Recipe:
    """Experiments on one corpus that share their settings, and the command line that runs them.

    A recipe's script declares one and calls `run`. Settings are those of `Experiment`. Where several say something of
    one setting, `settings` come first, then the configuration's, then what the command line gives, and the last counts;
    `model` is merged argument by argument.

    A configuration may have two keys that are no settings:

    - `matched_to`: the name of another configuration. The model gets the width whose number of parameters is nearest
      to that configuration's; see `matched_width`. Which it is, and what remains between the two, is printed.
    - `start_from`: the name of another configuration. Training starts from the weights of its run of the same seed,
      which lies beside this one's; `allow_new` tells which weights it may lack.

    Attributes:
        name: Runs go to `runs/NAME-SOURCE-TARGET-CONFIGURATION-SEED`.
        corpora: The stem of the files of "train", "dev" and, if there is one, "test". A file is `STEM.LANGUAGE` or
            `STEM.LANGUAGE.gz`.
        languages: Source and target, where the command line does not say.
        known_languages: The languages of the corpus. Empty: not checked.
        settings: What all configurations share.
        configurations: What each changes, by name.
        baseline: The name of the configuration that `compare` compares with.
        comparison: What `compare` changes in `settings`, such as a shorter training.

    Raises:
        UserError: The baseline or another configuration that is referred to does not exist.

    Example:

    >>> recipe = Recipe(
    ...     name="mine",
    ...     corpora={"train": "train", "dev": "dev"},
    ...     languages=("de", "en"),
    ...     settings={"max_updates": 1000, "model": {"dropout": 0.1}},
    ...     configurations={"baseline": {}, "fusion": {"model": {"shortcuts": "fusion"}}},
    ...     baseline="baseline",
    ... )
    >>> recipe.experiment("fusion", data_dir="data", source="de", target="en", seed=1, directory="run").model
    {'dropout': 0.1, 'shortcuts': 'fusion'}
    """

    name: str
    corpora: dict[str, str]
    languages: tuple[str, str]
    known_languages: tuple[str, ...] = ()
    settings: dict[str, Any]
    configurations: dict[str, dict[str, Any]]
    baseline: str
    comparison: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted({*self.corpora, "train", "dev"} - (set(self.corpora) & set(CORPORA))):
            raise UserError(f"A recipe has corpora named train, dev and perhaps test. Received: {', '.join(unknown)}")
        self._configuration(self.baseline)
        for name, configuration in self.configurations.items():
            for key in OF_A_RECIPE:
                if key not in configuration:
                    continue
                other = self._configuration(configuration[key])
                if key in other or configuration[key] == name:
                    raise UserError(
                        f"`{key}` leads on to a configuration that has none itself. "
                        f"Received: {name}, {key}={configuration[key]!r}"
                    )

    def experiment(
        self,
        configuration: str,
        /,
        *,
        data_dir: str | os.PathLike[str],
        source: str,
        target: str,
        seed: int,
        directory: str | os.PathLike[str],
        **overrides: Any,
    ) -> Experiment:
        """Makes the experiment of a configuration.

        Args:
            configuration: Its name.
            data_dir: Folder of the corpus.
            source: Language to translate from.
            target: Language to translate to.
            seed: Seed of everything random.
            directory: The model directory to make. Of a configuration with `start_from`, its name ends with
                `CONFIGURATION-SEED`, unless `init_from` is given.
            **overrides: Settings of `Experiment`; they win. `model` is merged.

        Raises:
            UserError: The configuration, a language or a setting is unknown.
        """
        for language in (source, target):
            if self.known_languages and language not in self.known_languages:
                raise UserError(f"The corpus has {', '.join(self.known_languages)}. Received: {language}")
        if source == target:
            raise UserError(f"Source and target must differ. Received: {source} and {target}")
        chosen = self._configuration(configuration)
        import_tensorflow()
        from keras_nmt.experiments.experiment import Experiment

        settings = self._settings(configuration, overrides)
        for corpus, stem in self.corpora.items():
            for side, language in (("source", source), ("target", target)):
                settings.setdefault(f"{corpus}_{side}", corpus_file(data_dir, f"{stem}.{language}"))
        if "matched_to" in chosen:
            other = self._settings(chosen["matched_to"], overrides)
            settings["model"] = {
                **settings.get("model", {}),
                "hidden_dim": _matched_hidden_dim(configuration, settings, chosen["matched_to"], other),
            }
        if "start_from" in chosen and settings.get("init_from") is None:
            settings["init_from"] = self._run_beside(Path(directory), configuration, chosen["start_from"], seed)
        return Experiment.from_settings({**settings, "seed": seed, "directory": directory})

    def run(self) -> None:
        """Runs the command line: `train`, `compare` and `list`."""
        run_app(self.app())

    def app(self) -> typer.Typer:
        """The command line, as a typer application."""
        app = typer.Typer(
            add_completion=False,
            pretty_exceptions_enable=False,
            help=f"Trains and compares the configurations of {self.name}; `list` shows them.",
        )

        @app.command()
        def train(
            configuration: Annotated[str, typer.Argument(help="One of those that `list` shows.")],
            data_dir: DataDir,
            source: Source = self.languages[0],
            target: Target = self.languages[1],
            seed: Seed = 1,
            output: Output = None,
            dtype: Dtype = None,
            replicas: Replicas = None,
            accumulation_steps: AccumulationSteps = None,
            jit_compile: JitCompile = None,
            batch_size: BatchSize = None,
            max_updates: MaxUpdates = None,
            time_limit: TimeLimit = None,
            init_from: InitFrom = None,
            allow_new: AllowNew = None,
            set_: Set = None,
            export: Annotated[bool, typer.Option(help="Whether to export a SavedModel, too.")] = True,
        ) -> None:
            """Trains one configuration, scores it on the test data, and exports it. Started again, it goes on."""
            directory = output or Path("runs") / f"{self.name}-{source}-{target}-{configuration}-{seed}"
            overrides = parse_overrides(
                set_,
                FLAGS,
                dtype=dtype,
                replicas=replicas,
                accumulation_steps=accumulation_steps,
                jit_compile=jit_compile,
                batch_size=batch_size,
                max_updates=max_updates,
                time_limit=time_limit,
                init_from=init_from,
                allow_new=allow_new,
            )
            self.experiment(
                configuration,
                data_dir=data_dir,
                source=source,
                target=target,
                seed=seed,
                directory=directory,
                **overrides,
            ).run()
            if export:
                export_run(directory)

        @app.command()
        def compare(
            data_dir: DataDir,
            configurations: Annotated[
                list[str] | None, typer.Argument(help="Some of those that `list` shows. Default: all.")
            ] = None,
            source: Source = self.languages[0],
            target: Target = self.languages[1],
            seeds: Seeds = "1,2,3",
            output: Runs = None,
            dtype: Dtype = None,
            replicas: Replicas = None,
            accumulation_steps: AccumulationSteps = None,
            jit_compile: JitCompile = None,
            batch_size: BatchSize = None,
            max_updates: MaxUpdates = None,
            time_limit: TimeLimit = None,
            init_from: InitFrom = None,
            allow_new: AllowNew = None,
            set_: Set = None,
            unequal: Unequal = False,
            table_only: TableOnly = False,
        ) -> None:
            """Trains configurations with several seeds and writes one table. Started again, it goes on.

            The baseline is always among them.
            """
            overrides = parse_overrides(
                set_,
                {**FLAGS, "seed": "--seeds"},
                dtype=dtype,
                replicas=replicas,
                accumulation_steps=accumulation_steps,
                jit_compile=jit_compile,
                batch_size=batch_size,
                max_updates=max_updates,
                time_limit=time_limit,
                init_from=init_from,
                allow_new=allow_new,
            )
            recipe = dataclasses.replace(self, settings=merge_settings(self.settings, self.comparison))

            def make(name: str, seed: int, directory: Path) -> Experiment:
                return recipe.experiment(
                    name,
                    data_dir=data_dir,
                    source=source,
                    target=target,
                    seed=seed,
                    directory=directory,
                    **overrides,
                )

            names = self._compared(configurations or list(self.configurations))
            numbers = parse_seeds(seeds)
            import_tensorflow()
            from keras_nmt.experiments.comparison import Comparison

            comparison = Comparison(
                experiments={name: functools.partial(make, name) for name in names},
                baseline=self.baseline,
                seeds=numbers,
                directory=output or Path("runs") / f"{self.name}-{source}-{target}-comparison",
                unequal=unequal,
            )
            if not table_only:
                comparison.run()
            comparison.show()

        @app.command(name="list")
        def list_() -> None:
            """Shows the configurations and what each changes."""
            width = max(map(len, self.configurations))
            for name, configuration in self.configurations.items():
                print(f"{name:{width}}  {_in_words(configuration) or 'the shared settings'}")
            print(f"\nShared: {_in_words(self.settings)}")
            if self.comparison:
                print(f"Where they are compared: {_in_words(self.comparison)}")

        return app

    def _configuration(self, name: str) -> dict[str, Any]:
        if name not in self.configurations:
            raise UserError(f"There are the configurations {', '.join(self.configurations)}. Received: {name}")
        return self.configurations[name]

    def _settings(self, configuration: str, overrides: dict[str, Any]) -> dict[str, Any]:
        chosen = {key: x for key, x in self._configuration(configuration).items() if key not in OF_A_RECIPE}
        return merge_settings(self.settings, chosen, overrides)

    def _compared(self, names: list[str]) -> list[str]:
        """The baseline and those named, in the recipe's order, but each after the one that it starts from."""
        starts = {name: self._configuration(name).get("start_from") for name in {self.baseline, *names}}
        if missing := sorted(
            {f"{other} (for {name})" for name, other in starts.items() if other and other not in starts}
        ):
            raise UserError(f"Compare those too from which others start. Received: no {', '.join(missing)}")
        return sorted(starts, key=lambda name: (starts[name] is not None, list(self.configurations).index(name)))

    @staticmethod
    def _run_beside(directory: Path, configuration: str, other: str, seed: int) -> Path:
        """The other configuration's run of the same seed."""
        ending = f"{configuration}-{seed}"
        if not directory.name.endswith(ending):
            raise UserError(
                f"{configuration} starts from the run of {other}: name the folder ...{ending}, so that it is the one "
                f"beside it named ...{other}-{seed}, or give its folder as `init_from`. Received: {directory}"
            )
        return directory.with_name(directory.name.removesuffix(ending) + f"{other}-{seed}")


def export_run(directory: Path) -> None:
    """Exports what a run trained, into its folder; of several workers, the chief alone."""
    from keras_nmt.training.workers import is_chief

    if is_chief():
        from keras_nmt.inference.load import load
        from keras_nmt.serving import export

        model, tokenizers, search = load(directory)
        print(f"Exported: {export(directory / 'export', model, tokenizers, **search)}")


def merge_settings(*layers: dict[str, Any]) -> dict[str, Any]:
    """Settings of several places as one; the last place counts, and `model` is merged argument by argument."""
    merged: dict[str, Any] = {}
    for layer in layers:
        if not isinstance(layer.get("model", {}), dict):
            raise UserError(f"`model` must be arguments of the model by name. Received: model={layer['model']!r}")
        merged = {**merged, **layer}
    if model := {key: value for layer in layers for key, value in layer.get("model", {}).items()}:
        merged["model"] = model
    return merged


def corpus_file(folder: str | os.PathLike[str], name: str) -> Path:
    """The file of that name, or its gzip twin where there is one."""
    zipped = Path(folder) / f"{name}.gz"
    return zipped if zipped.is_file() else Path(folder) / name


def parse_seeds(text: str) -> list[int]:
    """The seeds of "1,2,3"."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise UserError(f"Seeds are integers with commas between them. Received: {text}") from None


def parse_overrides(set_: Iterable[str] | None, flags: dict[str, str], **options: Any) -> dict[str, Any]:
    """The settings that a command line gives.

    Args:
        set_: Values of `--set`.
        flags: Names that `--set` may not give, and the flag of each.
        **options: Settings with flags of their own, None where they are not given; they win.

    Raises:
        UserError: `--set` gives one of `flags`, or is not NAME=VALUE.
    """
    overrides = dict(setting(text) for text in set_ or ())
    for name in overrides:
        if name in flags:
            raise UserError(f"Give `{name}` by {flags[name]}, not by --set. Received: --set {name}={overrides[name]}")
    return {**overrides, **given(**options)}


def _in_words(settings: dict[str, Any]) -> str:
    words = []
    for name, value in settings.items():
        if name == "model":
            words += [f"{argument}={json.dumps(x)}" for argument, x in value.items()]
        else:
            words.append(f"{name}={json.dumps(value)}")
    return ", ".join(words)


def _matched_hidden_dim(name: str, settings: dict[str, Any], other_name: str, other: dict[str, Any]) -> int:
    """The width of the configuration whose number of parameters is nearest to the other's."""
    sizes = [json.dumps(_model_arguments(either), sort_keys=True) for either in (settings, other)]
    return _solve(name, sizes[0], other_name, sizes[1])


@functools.cache  # for all seeds at once: it makes several models
def _solve(name: str, sizes: str, other_name: str, other: str) -> int:
    from keras_nmt.models import count_parameters, matched_width

    try:
        matched = matched_width(count_parameters(**json.loads(other)), **json.loads(sizes))
    except (TypeError, ValueError) as error:
        raise UserError(f"The width of {name} cannot be matched to {other_name}. {error}") from None
    print(
        f"{name}: width {matched.hidden_dim}, {matched.parameters:,} parameters, {abs(matched.residual):,} "
        f"{'fewer' if matched.residual < 0 else 'more'} than {other_name} has",
        flush=True,
    )
    return matched.hidden_dim


def _model_arguments(settings: dict[str, Any]) -> dict[str, Any]:
    """What an experiment with these settings makes its `Transformer` of."""
    from keras_nmt.experiments.experiment import Experiment

    defaults = {field.name: field.default for field in dataclasses.fields(Experiment)}
    return Experiment.transformer_arguments({**defaults, "model": {}, **settings})
