"""Options that several commands share, and the callbacks that an option names."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from keras_nmt.cli.run_app import given_options
from keras_nmt.errors import UserError, errors_as, require
from keras_nmt.files.json_file import unique_entries
from keras_nmt.files.model_config import ModelFiles, read_model_files
from keras_nmt.files.search_options import TABLE, TYPES, SearchOptions, flag_of, help_of, names_of, with_defaults

if TYPE_CHECKING:
    import keras

Source = Annotated[Path, typer.Option(help="File of source sentences.")]
Target = Annotated[Path, typer.Option(help="File of their translations.")]
Language = Annotated[str, typer.Option(help="Language of the sentences.")]
Directory = Annotated[Path, typer.Argument(metavar="DIRECTORY", help="A model directory.")]
Weights = Annotated[Path | None, typer.Option(help="File of weights to use instead of the directory's.")]
AdapterFile = Annotated[
    Path | None,
    typer.Option(
        "--adapter", metavar="FILE", help="Adapter of the model, which `keras-nmt train --set lora=...` wrote."
    ),
]
Dtype = Annotated[
    str | None,
    typer.Option(
        metavar="float32|bfloat16|auto",
        help="What the model computes in. bfloat16 is faster for large batches on processors that have it, without "
        "--xla; auto takes it there, for models of a width of at least 256.",
    ),
]
SourceLanguage = Annotated[
    str | None, typer.Option("--source-language", "-s", help="Source language, for a multilingual model.")
]
TargetLanguage = Annotated[
    str | None,
    typer.Option("--target-language", "-t", help="Target language, for a model of several, or with tags."),
]
Ensemble = Annotated[
    list[Path] | None,
    typer.Option("--ensemble", metavar="DIRECTORY", help="Another model to combine with this one. May be repeated."),
]
SampleSeed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="With --sample: seed of the samples.")]
Import = Annotated[
    list[Path] | None,
    typer.Option(
        "--import", metavar="FILE", help="Python file that registers layers of your own; runs first. May be repeated."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting, or an argument in one, such as model.dropout; VALUE is JSON or a word. "
        "May be repeated.",
    ),
]

EXPERIMENT: dict[str, Any] = {  # options that are settings of experiments of the same name
    "preset": Annotated[str | None, typer.Option(help="Sizes of the model, such as transformer_small.")],
    "vocabulary_size": Annotated[int | None, typer.Option(help="Number of subwords.")],
    "batch_size": Annotated[int | None, typer.Option(help="Size of an update's batch, by default in tokens.")],
    "dtype": Annotated[str | None, typer.Option(help="float32, mixed_bfloat16 or mixed_float16.")],
    "replicas": Annotated[
        int | None, typer.Option(help="Replicas: GPUs, by default all, or logical CPU devices without a GPU.")
    ],
    "accumulation_steps": Annotated[int | None, typer.Option(help="Micro-batches a replica.")],
    "jit_compile": Annotated[bool | None, typer.Option(help="Whether XLA compiles training. Made for GPUs.")],
    "seed": Annotated[int | None, typer.Option(help="Seed of all random numbers.")],
    "max_updates": Annotated[
        int | None, typer.Option(help="Updates, of all directions together, after which training ends.")
    ],
    "time_limit": Annotated[float | None, typer.Option(help="Minutes of training after which training ends.")],
    "init_from": Annotated[
        Path | None,
        typer.Option(
            help="Model directory whose weights to start from. `keras-nmt train` also takes its arguments, unless "
            "there is a preset."
        ),
    ],
    "allow_missing": Annotated[
        list[str] | None,
        typer.Option(help="Weights that --init-from may lack, such as '*/key_value/*'. May be repeated."),
    ],
}


@dataclasses.dataclass(frozen=True)
class WorksWith:
    """Mark of an option of `translate`: the modes, separated by spaces, in which the option has an effect."""

    modes: str


EVERYWHERE = WorksWith("server sample alternatives document")
OF_TYPES: dict[str, Any] = {"int": int | None, "float": float | None, "bool": bool, "Sequence[str]": list[str] | None}
GOES_WITH = {"temperature": "--sample", "top_k": "--sample", "top_p": "--sample", "shortlist_size": "--shortlist"}


def _declare(name: str) -> Any:
    """Returns the type and the option for typer of an entry of the table of search options."""
    entry, kind = TABLE[name], TYPES[name].removesuffix(" | None")
    number = int if kind == "int" else float
    bounds: dict[str, Any] = {
        bound: number(value)
        for bound, value in (("min", entry.least), ("max", entry.most))
        if kind in ("int", "float") and math.isfinite(value) and entry.above is None and entry.below is None
    }
    text = help_of(name)
    text = f"With {GOES_WITH[name]}: {text[0].lower()}{text[1:]}" if name in GOES_WITH else text
    metavar = entry.metavar or "|".join(entry.choices) or None
    option = typer.Option(flag_of(name), metavar=metavar, help=text, **bounds)
    return Annotated[OF_TYPES.get(kind, str | None), option, WorksWith(entry.works_with)]


# Groups of options for `with_options`. Those of the search have the names of a translator's arguments.
SEARCH, MORE_SEARCH, SAMPLING, SHORTLIST = (
    {name: _declare(name) for name in names_of(group)} for group in ("search", "more", "sampling", "shortlist")
)
SHORTLIST["shortlist"] = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File of `keras-nmt shortlist`: a search among fewer subwords."),
    WorksWith(TABLE["shortlist"].works_with),
]
TRANSLATOR: dict[str, Any] = {
    "source_language": Annotated[SourceLanguage, EVERYWHERE],
    "target_language": Annotated[TargetLanguage, EVERYWHERE],
    "batch_size": Annotated[int | None, typer.Option(min=1, max=10_000, help="Most sentences of a batch."), EVERYWHERE],
    **{
        name: Annotated[option, WorksWith("alternatives document")]
        for name, option in {
            "weights": Weights,
            "adapter": AdapterFile,
            "ensemble": Ensemble,
            "dtype": Dtype,
            "xla": Annotated[bool, typer.Option("--xla", help="Compile by XLA: slower to start, faster afterwards.")],
            "import_": Import,
        }.items()
    },
}
MODEL = {name: option for name, option in TRANSLATOR.items() if name not in ("batch_size", "xla")}


def with_options(options: Mapping[str, Any], **defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns a decorator that adds options to the signature of a command, where typer reads them.

    The command takes them as `**shared`. A default that is not given is None, or False for a flag.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters = [x for x in signature.parameters.values() if x.kind is not x.VAR_KEYWORD]
        unset = {name: False if get_args(option)[0] is bool else None for name, option in options.items()} | defaults
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=unset[name], annotation=option)
            for name, option in options.items()
        ]
        command.__signature__ = signature.replace(parameters=[*parameters, *more])  # type: ignore[attr-defined]
        return command

    return add


def names_in(text: str) -> list[str]:
    """Returns the names in a text with commas between them, each once."""
    return list(dict.fromkeys(name.strip() for name in text.split(",")))


def drop_none(**options: Any) -> dict[str, Any]:
    """Returns the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def searching(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a translator's options for the search, among the options of a command."""
    return {name: x for name, x in options.items() if name in (*SEARCH, *MORE_SEARCH) and x not in (None, [])}


def sampling(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a translator's options for sampling; a `UserError` if they are given without `--sample`."""
    chosen = drop_none(**{name: options[name] for name in SAMPLING if name != "sample"})
    if chosen and not options["sample"]:
        flags = ", ".join(f"{flag_of(name)} {value}" for name, value in chosen.items())
        raise UserError(f"These options go with --sample. Received: {flags}")
    return {"sample": True, **chosen} if options["sample"] else {}


def check_sampling(context: typer.Context) -> None:
    """Raises a `UserError` if the user gave a seed without `--sample`, or a beam with it."""
    if not context.params["sample"]:
        refuse_without(context, "seed", "--sample")
    elif (beam_size := context.params["beam_size"]) is not None:
        raise UserError(f"--sample does not search and has no beam. Received: --beam-size {beam_size}")


def shortlisted(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a translator's options for a shortlist; a `UserError` if the size is given without the file."""
    chosen = drop_none(**{name: options[name] for name in SHORTLIST})
    if not chosen:
        return {}
    if "shortlist" not in chosen:
        raise UserError(
            f"--shortlist-size goes with --shortlist FILE. Received: --shortlist-size {options['shortlist_size']}"
        )
    from keras_nmt.inference.shortlist import Shortlist

    return {**chosen, "shortlist": Shortlist.read(options["shortlist"])}


def check_search(directory: str | os.PathLike[str], options: Mapping[str, Any]) -> ModelFiles:
    """Reads a model directory, and checks, before TensorFlow is imported, that options of the search fit it.

    The message has the names of the command line, such as --n-best for `num_hypotheses`.
    """
    model = read_model_files(directory)
    try:
        SearchOptions(**with_defaults(model.search, options))
    except UserError as error:
        raise error.with_options({name: flag_of(name) for name in (*SEARCH, *MORE_SEARCH, *options)}) from None
    return model


def setting(text: str) -> tuple[str, Any]:
    """Returns the name and the value of `NAME=VALUE`, the value JSON or else a word."""
    name, equals, value = text.partition("=")
    require(name and equals, f"--set must be NAME=VALUE. Received: {text}")
    try:
        return name, json.loads(value, object_pairs_hook=unique_entries)
    except ValueError as error:
        if re.match(r"""[\[{].*[:,'"]""", value, re.DOTALL):  # not a pattern of files such as {language}.txt
            raise UserError(
                f"The value of --set {name} must be JSON, with names once, and texts in double quotes: {error}. "
                f"Received: {value}"
            ) from None
        return name, value
    except RecursionError:
        raise UserError(f"The value of --set is nested too deep. Received: {text[:40]}") from None


def refuse(context: typer.Context, allowed: Collection[str], condition: str) -> None:
    """Raises a `UserError` if the user gave an option without effect under a condition, such as "with --server".

    `allowed` are the names of the parameters that have an effect.
    """
    if others := [shown for name, shown in given_options(context).items() if name not in allowed]:
        raise UserError(f"These options have no effect {condition}. Received: {', '.join(others)}")


def refuse_in(context: typer.Context, mode: str, condition: str) -> None:
    """Raises a `UserError` if the user gave an option without effect in a mode; see `WorksWith` and `refuse`."""
    parameters = inspect.signature(context.command.callback, eval_str=True).parameters.values()  # type: ignore[arg-type]
    marks = {x.name: mark.modes for x in parameters for mark in get_args(x.annotation) if isinstance(mark, WorksWith)}
    refuse(context, {name for name, modes in marks.items() if mode in modes.split()}, condition)


def refuse_without(context: typer.Context, name: str, other: str) -> None:
    """Raises a `UserError` if the user gave the parameter `name`, which has no effect without another option."""
    if flag := given_options(context).get(name):
        raise UserError(f"{flag} goes with {other}. Received: {flag} {context.params[name]}")


def make_callbacks(names: Iterable[str], settings: Mapping[str, Any]) -> list[keras.callbacks.Callback]:
    """Makes the callbacks of factories, each named as "module:factory"; each gets the settings of the experiment.

    The user names a factory at each start: settings and model directories name no code.
    """
    from keras.callbacks import Callback

    callbacks: list[Any] = []
    for name in names:
        module, _, factory = name.partition(":")
        with errors_as(
            "--callbacks must be MODULE:FACTORY of a module that Python finds, for example by PYTHONPATH. "
            f"Received: {name}"
        ):
            function = getattr(importlib.import_module(module), factory)
        with errors_as(f"The factory of callbacks raised an error. Received: {name}"):
            made = function(dict(settings))
        made = list(made) if isinstance(made, list | tuple) else [made]
        problem = f"A factory must return a Keras callback, or a list of such. Received: {name} gave {made!r}"
        require(all(isinstance(callback, Callback) for callback in made), problem)
        callbacks += made
    return callbacks
