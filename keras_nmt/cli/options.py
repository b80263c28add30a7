"""Options that several commands share."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.errors import UserError
from keras_nmt.files.limits import LENGTH_PENALTIES, LIMITS
from keras_nmt.files.model_config import read_model_config

LARGEST_BEAM = 1000

Source = Annotated[Path, typer.Option(help="File of source sentences.")]
Target = Annotated[Path, typer.Option(help="File of their translations.")]
Language = Annotated[str, typer.Option(help="Language of the sentences.")]
Directory = Annotated[Path, typer.Argument(metavar="DIRECTORY", help="A model directory.")]
BeamSize = Annotated[
    int | None, typer.Option(min=1, max=LARGEST_BEAM, help="Hypotheses that the search keeps. Default: the model's.")
]
LengthPenalty = Annotated[
    float | None,
    typer.Option(
        min=LENGTH_PENALTIES[0],
        max=LENGTH_PENALTIES[1],
        help="Exponent of the length penalty: a larger one favours longer translations. Default: the model's.",
    ),
]
NBest = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=LARGEST_BEAM,
        help="Translations of a sentence, with different texts: by score, those cut off by the length limit last. "
        "Default: the model's setting, or 1.",
    ),
]
MinLength = Annotated[
    int | None,
    typer.Option(min=0, max=2**16, help="Least subwords of a translation. Default: the model's setting, or 1."),
]
MaxLength = Annotated[int | None, typer.Option(min=1, max=2**16, help="Most subwords of a translation, end included.")]
MaxLengthFactor = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=LIMITS["max_length_factor"],
        help="Most subwords of a translation for each of its source, and 10 more. Default: the model's, from its data.",
    ),
]
CoveragePenalty = Annotated[
    float | None, typer.Option(help="Penalty of translations that leave out parts of the source, such as 0.2.")
]
Weights = Annotated[Path | None, typer.Option(help="File of weights to use instead of the directory's.")]
SourceLanguage = Annotated[
    str | None, typer.Option("--source-language", "-s", help="Source language, for a multilingual model.")
]
TargetLanguage = Annotated[
    str | None, typer.Option("--target-language", "-t", help="Target language, for a multilingual model.")
]
Ensemble = Annotated[
    list[Path] | None,
    typer.Option("--ensemble", metavar="DIRECTORY", help="Another model to combine with this one. May be repeated."),
]
Sample = Annotated[bool, typer.Option("--sample", help="Draw translations at random instead of searching.")]
Temperature = Annotated[
    float | None, typer.Option(help="With --sample: below 1 likelier translations, above 1 more varied ones.")
]
TopK = Annotated[
    int | None, typer.Option(min=0, max=2**31 - 1, help="With --sample: draw from the K likeliest subwords only.")
]
TopP = Annotated[
    float | None, typer.Option(help="With --sample: draw from the likeliest subwords whose probabilities sum to P.")
]
Xla = Annotated[bool, typer.Option("--xla", help="Compile by XLA: slower to start, faster afterwards.")]
ShortlistFile = Annotated[
    Path | None,
    typer.Option("--shortlist", metavar="FILE", help="File of `keras-nmt shortlist`: a search among fewer subwords."),
]
ShortlistSize = Annotated[
    int | None, typer.Option(min=4, help="With --shortlist: subwords that a batch may use. Default: 2048.")
]
Import = Annotated[
    list[Path] | None,
    typer.Option(
        "--import", metavar="FILE", help="Python file that registers layers of your own; runs first. May be repeated."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other setting; VALUE is JSON or a word. May be repeated."),
]


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def sampling(sample: bool, temperature: float | None, top_k: int | None, top_p: float | None) -> dict[str, Any]:
    """Options of a translator for sampling; a `UserError` if they are given without `--sample`."""
    options = given(temperature=temperature, top_k=top_k, top_p=top_p)
    if options and not sample:
        flags = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in options.items())
        raise UserError(f"These options go with --sample. Received: {flags}")
    return {"sample": True, **options} if sample else {}


def shortlisted(file: Path | None, size: int | None) -> dict[str, Any]:
    """Options of a translator for a shortlist; a `UserError` if the size is given without the file."""
    if file is None:
        if size is not None:
            raise UserError(f"--shortlist-size goes with --shortlist FILE. Received: --shortlist-size {size}")
        return {}
    from keras_nmt.inference.shortlist import Shortlist

    return {"shortlist": Shortlist.read(file), **given(shortlist_size=size)}


def check_models(*directories: Path) -> None:
    """Raises a `UserError`, before TensorFlow is imported, if a folder is no model directory."""
    for directory in directories:
        read_model_config(directory)


def check_search(directory: Path, options: Mapping[str, Any]) -> None:
    """Raises a `UserError`, before TensorFlow is imported, if options of the search do not fit a model directory.

    The message has the names of the command line, such as --n-best for `num_hypotheses`.
    """
    from keras_nmt.inference.search_options import SearchOptions, with_defaults

    search = read_model_config(directory)["search"]
    try:
        SearchOptions(**with_defaults(search, options))
    except UserError as error:
        message = str(error)
        for name in {"beam_size", "num_hypotheses", *options}:
            flag = "--n-best" if name == "num_hypotheses" else f"--{name.replace('_', '-')}"
            message = re.sub(rf"\b{name}=", f"{flag} ", message).replace(f"`{name}`", flag)
        raise UserError(message) from None


def setting(text: str) -> tuple[str, Any]:
    """The name and the value of `NAME=VALUE`, the value JSON or else a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"--set takes NAME=VALUE. Received: {text}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
    except RecursionError:
        raise UserError(f"The value of --set is nested too deep. Received: {text[:40]}") from None


def named_on_command_line(context: typer.Context) -> dict[str, str]:
    """The parameters that the user gave: a dictionary from names to the flags on the command line."""
    return {
        parameter.name: parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper()
        for parameter in context.command.params
        if parameter.name is not None
        and getattr(context.get_parameter_source(parameter.name), "name", "") == "COMMANDLINE"
    }


def refuse(context: typer.Context, allowed: Collection[str], condition: str) -> None:
    """Raises a `UserError` if the user gave an option without effect under a condition, such as "with --server".

    `allowed` are the names of the parameters that have an effect.
    """
    if others := [shown for name, shown in named_on_command_line(context).items() if name not in allowed]:
        raise UserError(f"These options have no effect {condition}. Received: {', '.join(others)}")


def refuse_without(context: typer.Context, name: str, other: str) -> None:
    """Raises a `UserError` if the user gave the parameter `name`, which has no effect without another option."""
    if flag := named_on_command_line(context).get(name):
        raise UserError(f"{flag} goes with {other}. Received: {flag} {context.params[name]}")
