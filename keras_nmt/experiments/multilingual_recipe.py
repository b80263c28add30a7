"""A multilingual recipe: a corpus in several languages, and the systems that are trained on it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_nmt.cli.app import import_tensorflow, run_app
from keras_nmt.errors import UserError
from keras_nmt.experiments.recipe import (
    AccumulationSteps,
    AllowNew,
    Dtype,
    InitFrom,
    JitCompile,
    Replicas,
    Seed,
    Set,
    TimeLimit,
    export_run,
    merge_settings,
    parse_overrides,
)

if TYPE_CHECKING:
    from keras_nmt.experiments.multilingual_experiment import MultilingualExperiment

SYSTEMS = ("bilingual", "hub", "many_to_many")
# What a run has of its own, and what says it.
FLAGS = {
    "seed": "--seed",
    "directory": "--output",
    "languages": "the recipe",
    "pairs": "SYSTEM, --monolingual and --leave-out",
    "architecture": "--label",
    "train": "--data-dir",
    "dev": "--data-dir",
    "test": "--data-dir",
    "data_dir": "--data-dir",
    "system": "SYSTEM",
    "source": "--source",
    "target": "--target",
    "monolingual": "--monolingual",
    "leave_out": "--leave-out",
    "label": "--label",
    "bridge": "--no-bridge",
    "penalty": "--no-penalty",
    "shared_attention": "--shared-attention",
    "size": "--size",
    "updates_per_pair": "--updates-per-pair",
}


@dataclasses.dataclass(kw_only=True)
class MultilingualRecipe:
    """The systems of a multilingual corpus, each told by a few choices, and the command line that trains them.

    | system | trained on |
    | --- | --- |
    | "bilingual" | one pair, in one direction |
    | "hub" | each other language to and from the hub |
    | "many_to_many" | all pairs |

    `monolingual` adds to each the task of writing a language's own sentences again (A -> A); `leave_out` takes away a
    pair, in both directions, which is then translated without ever having been trained: zero-shot. `label` trains one
    shared model with language labels instead of an attention bridge.

    Attributes:
        name: Runs go to `runs/NAME-SYSTEM-SEED`, with what was chosen in between.
        languages: The languages.
        hub: The one that the hub system has in each pair.
        files: Patterns of the files of "train", "dev" and "test" in the folder of the corpus; see
            `MultilingualExperiment`.
        settings: What all systems share, as settings of `MultilingualExperiment`. `model` may have arguments of
            `AttentionBridgeModel`; those of its bridge are left out where there is none.
        sizes: Further settings by name, such as a smaller model's; the first is the default.
        updates_per_pair: Default number of updates of each task.
        evaluate_every: Updates of each task between evaluations.
        data_dir: Folder of the corpus, where it comes with the recipe. Default None: the command line says.

    Example:

    >>> recipe = MultilingualRecipe(
    ...     name="mine",
    ...     languages=("en", "de", "fr"),
    ...     hub="en",
    ...     files={"train": "train.{language}", "dev": "dev.{language}", "test": "test.{language}"},
    ...     settings={},
    ...     updates_per_pair=1000,
    ... )
    >>> [f"{source}-{target}" for source, target in recipe.pairs("hub", monolingual=True, leave_out=["en-fr"])]
    ['en-en', 'en-de', 'de-en', 'de-de']
    """

    name: str
    languages: tuple[str, ...]
    hub: str
    files: dict[str, str]
    settings: dict[str, Any]
    sizes: dict[str, dict[str, Any]] = dataclasses.field(default_factory=lambda: {"default": {}})
    updates_per_pair: int
    evaluate_every: int = 500
    data_dir: Path | None = None

    def pairs(
        self,
        system: str,
        *,
        source: str | None = None,
        target: str | None = None,
        monolingual: bool = False,
        leave_out: Sequence[str] = (),
    ) -> list[tuple[str, str]]:
        """The tasks of a system.

        Args:
            system: "bilingual", "hub" or "many_to_many".
            source: Source of "bilingual".
            target: Target of "bilingual".
            monolingual: Whether there are tasks A -> A, of each language that another task has.
            leave_out: Pairs "A-B" to leave out in both directions.

        Raises:
            UserError: A system or language is unknown, or there is nothing to leave out.
        """
        if system not in SYSTEMS:
            raise UserError(f"There are the systems {', '.join(SYSTEMS)}. Received: {system}")
        if (system == "bilingual") != (source is not None and target is not None):
            raise UserError(
                "`bilingual` needs a source and a target, and the others take none. "
                f"Received: {system}, source={source}, target={target}"
            )
        for language in (source, target):
            if language is not None and language not in self.languages:
                raise UserError(f"The corpus has {', '.join(self.languages)}. Received: {language}")
        everything = [(s, t) for s in self.languages for t in self.languages]
        pairs = {
            "bilingual": [(s, t) for s, t in everything if (s, t) == (source, target) and s != t],
            "hub": [(s, t) for s, t in everything if s != t and self.hub in (s, t)],
            "many_to_many": [(s, t) for s, t in everything if s != t],
        }[system]
        if not pairs:
            raise UserError(f"Source and target must differ. Received: {source} and {target}")
        known = {f"{s}-{t}": {(s, t), (t, s)} for s, t in pairs}
        for name in leave_out:
            if name not in known:
                raise UserError(f"Leave out one of {', '.join(known)}. Received: {name}")
            pairs = [pair for pair in pairs if pair not in known[name]]
        if not pairs:
            raise UserError(f"No pair is left to train on. Received: leave_out={list(leave_out)}")
        in_use = {language for pair in pairs for language in pair}
        return [(s, t) for s, t in everything if (s, t) in pairs or (monolingual and s == t and s in in_use)]

    def experiment(
        self,
        system: str,
        *,
        data_dir: str | os.PathLike[str],
        directory: str | os.PathLike[str],
        seed: int = 1,
        source: str | None = None,
        target: str | None = None,
        monolingual: bool = False,
        leave_out: Sequence[str] = (),
        label: bool = False,
        bridge: bool = True,
        penalty: bool = True,
        shared_attention: bool = False,
        size: str | None = None,
        updates_per_pair: int | None = None,
        **overrides: Any,
    ) -> MultilingualExperiment:
        """Makes the experiment of a system.

        Args:
            system: As of `pairs`, also for `source`, `target`, `monolingual` and `leave_out`.
            data_dir: Folder of the corpus.
            directory: The model directory to make.
            seed: Seed of everything random.
            source: See `pairs`.
            target: See `pairs`.
            monolingual: See `pairs`.
            leave_out: See `pairs`.
            label: Whether it is the shared model with language labels.
            bridge: Whether there is an attention bridge.
            penalty: Whether the bridge has its penalty.
            shared_attention: Whether recurrent decoders share their attention.
            size: One of `sizes`.
            updates_per_pair: Updates of each task.
            **overrides: Settings of `MultilingualExperiment`; they win. `model` is merged.

        Raises:
            UserError: A choice is unknown, or choices contradict each other.
        """
        import_tensorflow()
        from keras_nmt.experiments.multilingual_experiment import MultilingualExperiment

        pairs = self.pairs(system, source=source, target=target, monolingual=monolingual, leave_out=leave_out)
        if not penalty and (label or not bridge):
            raise UserError("There is no bridge to have a penalty. Received: --no-penalty")
        if label and not bridge:
            raise UserError("A model with language labels has no bridge to go without. Received: --label --no-bridge")
        size = size or next(iter(self.sizes))
        if size not in self.sizes:
            raise UserError(f"There are the sizes {', '.join(self.sizes)}. Received: {size}")
        settings = merge_settings(self.settings, self.sizes[size])
        model = settings.pop("model", {})
        if label or not bridge:
            model = {name: value for name, value in model.items() if not _is_of_the_bridge(name)}
        if not label:
            model |= {} if bridge else {"bridge_heads": None}
            model |= {} if penalty or not bridge else {"penalty_weight": 0.0}
            model |= {"shared_attention": True} if shared_attention else {}
        if shared_attention and (label or model.get("decoder", "recurrent") != "recurrent"):
            raise UserError(
                "Recurrent decoders of several languages share their attention. "
                f"Received: --shared-attention, {'--label' if label else 'decoder=' + model['decoder']}"
            )
        updates = self.updates_per_pair if updates_per_pair is None else updates_per_pair
        languages = [language for language in self.languages if any(language in pair for pair in pairs)]
        settings |= {
            "architecture": "language_label" if label else "attention_bridge",
            "model": model,
            "max_updates": updates * len(pairs),
            "evaluate_every": self.evaluate_every * len(pairs),
        }
        return MultilingualExperiment.from_settings(
            {
                **merge_settings(settings, overrides),
                **{name: Path(data_dir) / pattern for name, pattern in self.files.items()},
                "directory": directory,
                "seed": seed,
                "languages": languages,
                "pairs": [f"{s}-{t}" for s, t in pairs],
            }
        )

    def run(self) -> None:
        """Runs the command line: `train` and `list`."""
        run_app(self.app())

    def app(self) -> typer.Typer:
        """The command line, as a typer application."""
        app = typer.Typer(
            add_completion=False,
            pretty_exceptions_enable=False,
            help=f"Trains the multilingual systems of {self.name}: {', '.join(SYSTEMS)}.",
        )

        @app.command()
        def train(
            system: Annotated[str, typer.Argument(help=f"{', '.join(SYSTEMS)}.")],
            data_dir: Annotated[Path | None, typer.Option(help="Folder of the corpus.")] = self.data_dir,
            source: Annotated[str | None, typer.Option(help="Source language of `bilingual`.")] = None,
            target: Annotated[str | None, typer.Option(help="Target language of `bilingual`.")] = None,
            monolingual: Annotated[
                bool, typer.Option("--monolingual", help="Train each language's own sentences, too: A -> A.")
            ] = False,
            leave_out: Annotated[
                list[str] | None, typer.Option(help="Pair, such as de-fr, never trained. May be repeated.")
            ] = None,
            label: Annotated[
                bool, typer.Option("--label", help="One shared model with language labels, no bridge.")
            ] = False,
            bridge: Annotated[bool, typer.Option(help="Whether there is an attention bridge.")] = True,
            bridge_heads: Annotated[int | None, typer.Option(help="Vectors k of the bridge.")] = None,
            penalty: Annotated[bool, typer.Option(help="Whether the bridge has its penalty.")] = True,
            shared_attention: Annotated[
                bool, typer.Option("--shared-attention", help="Recurrent decoders share their attention.")
            ] = False,
            size: Annotated[str | None, typer.Option(help="One that `list` shows. Default: the first.")] = None,
            updates_per_pair: Annotated[int | None, typer.Option(help="Updates of each task.")] = None,
            seed: Seed = 1,
            output: Annotated[Path | None, typer.Option(help="Model directory.")] = None,
            dtype: Dtype = None,
            replicas: Replicas = None,
            accumulation_steps: AccumulationSteps = None,
            jit_compile: JitCompile = None,
            time_limit: TimeLimit = None,
            init_from: InitFrom = None,
            allow_new: AllowNew = None,
            set_: Set = None,
            export: Annotated[bool, typer.Option(help="Whether to export a SavedModel, too.")] = False,
        ) -> None:
            """Trains a system and scores it in all directions. Started again, it goes on."""
            if data_dir is None:
                raise UserError("Say where the corpus is: --data-dir. Received: none")
            overrides = parse_overrides(
                set_,
                FLAGS,
                dtype=dtype,
                replicas=replicas,
                accumulation_steps=accumulation_steps,
                jit_compile=jit_compile,
                time_limit=time_limit,
                init_from=init_from,
                allow_new=allow_new,
            )
            if bridge_heads is not None:
                if label or not bridge:
                    raise UserError(f"There is no bridge to have vectors. Received: --bridge-heads {bridge_heads}")
                overrides = merge_settings(overrides, {"model": {"bridge_heads": bridge_heads}})
            chosen = [
                self.name,
                system,
                *([source, target] if system == "bilingual" else []),
                *(["monolingual"] if monolingual else []),
                *(f"without-{pair}" for pair in leave_out or ()),
                *(["label"] if label else [] if bridge else ["no-bridge"]),
                *([] if bridge_heads is None else [f"k{bridge_heads}"]),
                *([] if penalty else ["no-penalty"]),
                *(["shared-attention"] if shared_attention else []),
                *([] if size is None else [size]),
                str(seed),
            ]
            directory = output or Path("runs") / "-".join(map(str, chosen))
            results = self.experiment(
                system,
                data_dir=data_dir,
                directory=directory,
                seed=seed,
                source=source,
                target=target,
                monolingual=monolingual,
                leave_out=leave_out or (),
                label=label,
                bridge=bridge,
                penalty=penalty,
                shared_attention=shared_attention,
                size=size,
                updates_per_pair=updates_per_pair,
                **overrides,
            ).run()
            _show(results, self.languages)
            if export:
                export_run(directory)

        @app.command(name="list")
        def list_() -> None:
            """Shows the systems and their tasks."""
            for system in SYSTEMS[1:]:
                print(f"{system}: {', '.join(f'{s}-{t}' for s, t in self.pairs(system))}")
            print(f"bilingual: any of {', '.join(f'{s}-{t}' for s, t in self.pairs('many_to_many'))}")
            print(f"sizes: {', '.join(self.sizes)}")

        return app


def _is_of_the_bridge(argument: str) -> bool:
    return argument.startswith(("bridge_", "penalty"))


def _show(results: dict[str, Any], languages: Sequence[str]) -> None:
    """BLEU by source and target, a star at what was never trained."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    scores = results.get("test", {})
    table = Table("BLEU", *languages, box=box.SIMPLE)
    for source in languages:
        cells = [scores.get(f"{source}-{target}") for target in languages]
        shown = ["" if c is None else f"{c['bleu']['score']:.1f}" + ("" if c["trained"] else "*") for c in cells]
        table.add_row(source, *shown)
    if scores:
        Console().print(table)
        print("From the language of the row to that of the column; * never trained.")
        print(next(iter(scores.values()))["bleu"]["signature"])
