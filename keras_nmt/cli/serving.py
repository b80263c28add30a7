"""The commands that serve models: `export` and `serve`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import (
    BeamSize,
    CoveragePenalty,
    Directory,
    Ensemble,
    Import,
    LengthPenalty,
    MaxLength,
    MaxLengthFactor,
    MinLength,
    NBest,
    ShortlistFile,
    ShortlistSize,
    SourceLanguage,
    TargetLanguage,
    Temperature,
    TopK,
    TopP,
    Weights,
    check_models,
    check_search,
    given,
    sampling,
    shortlisted,
)
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import ended_by_signals, import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.check_path import check_local
from keras_nmt.files.read_lines import read_lines
from keras_nmt.serving._versions import check_version

FORMATS = ("savedmodel", "ctranslate2")


def export(
    directory: Directory,
    path: Annotated[Path, typer.Argument(help="Folder of the model's versions, which a model server watches.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    version: Annotated[int | None, typer.Option(min=1, max=2**63 - 1, help="Version. Default: the next one.")] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    n_best: NBest = None,
    min_length: MinLength = None,
    max_length: MaxLength = None,
    max_length_factor: MaxLengthFactor = None,
    weights: Weights = None,
    warmup: Annotated[
        Path | None, typer.Option(help="File of sentences that a server translates while it loads: all their lengths.")
    ] = None,
    warmup_xla: Annotated[
        bool, typer.Option("--warmup-xla", help="With --warmup, compile too. Only servers with XLA load the version.")
    ] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="Add signatures that draw translations at random, by a seed a text.")
    ] = False,
    temperature: Temperature = None,
    top_k: TopK = None,
    top_p: TopP = None,
    ensemble: Ensemble = None,
    coverage_penalty: CoveragePenalty = None,
    shortlist: ShortlistFile = None,
    shortlist_size: ShortlistSize = None,
    signature: Annotated[
        list[str] | None,
        typer.Option(
            metavar="search|align", help="Add signatures: forced prefixes and n-best; alignments. Repeatable."
        ),
    ] = None,
    quantize: Annotated[
        str | None,
        typer.Option(
            metavar="int8|bfloat16|float16",
            help="Convert the weights: int8 for a quarter of the size; bfloat16 or float16 for half of it, and for "
            "speed on hardware with instructions for the type.",
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option("--format", metavar="savedmodel|ctranslate2", help="CTranslate2 runs plain models only."),
    ] = "savedmodel",
    import_: Import = None,
) -> None:
    """Writes a SavedModel, text in and text out, that runs without Python, to PATH/VERSION.

    A multilingual model is exported with all its directions; with --source-language and --target-language, with one.
    The format ctranslate2 takes and gives subwords, and has the search of CTranslate2.
    """
    check_version(path, version)
    if format_ not in FORMATS:
        raise UserError(f"The format is {' or '.join(FORMATS)}. Received: --format {format_}")
    if warmup_xla and warmup is None:
        raise UserError("--warmup-xla goes with --warmup FILE. Received: --warmup-xla alone")
    drawing = sampling(sample, temperature, top_k, top_p)
    search = given(
        beam_size=beam_size,
        length_penalty=length_penalty,
        num_hypotheses=n_best,
        min_length=min_length,
        max_length=max_length,
        max_length_factor=max_length_factor,
        coverage_penalty=coverage_penalty,
    )
    search |= shortlisted(shortlist, shortlist_size)
    options = given(version=version, quantize=quantize)
    further = given(signatures=signature)
    if format_ == "ctranslate2":
        if more := sorted({*drawing, *search}) + ["warmup"] * (warmup is not None):
            raise UserError(
                f"CTranslate2 has its own search: leave out options of the search. Received: {', '.join(more)}"
            )
        if signature:
            raise UserError(f"CTranslate2 has no signatures. Received: --signature {signature[0]}")
        if ensemble:
            raise UserError(f"CTranslate2 runs no ensembles. Received: --ensemble {ensemble[0]}")
    with working(f"Exporting {directory}"):
        if warmup is not None:
            options |= {"warmup": read_lines(warmup), "warmup_xla": warmup_xla}
        check_models(*ensemble or ())
        check_search(directory, search)
        if drawing:  # of the signature `sample` alone
            check_search(directory, {**search, **drawing, "coverage_penalty": 0})
        import_tensorflow(import_)
        from keras_nmt.inference.load import load
        from keras_nmt.serving import export as export_model
        from keras_nmt.serving import export_ctranslate2
        from keras_nmt.serving.warmup import read_warmup

        loaded = load(
            directory, weights=weights, source=source_language, target=target_language, ensemble=ensemble or ()
        )
        if format_ == "ctranslate2":
            written = export_ctranslate2(path, loaded.model, loaded.tokenizers, **options)
        else:
            written = export_model(
                path, loaded.model, loaded.tokenizers, **{**loaded.search, **search, **drawing, **options, **further}
            )
    write_line(str(written))
    if warmup is not None:
        number = len(read_warmup(written))
        compiled = f", and compiles {number // 2} programs" if warmup_xla else ""  # half of them are to `_xla`
        print(f"A server runs {number} warm-up requests when it loads the version{compiled}.", file=sys.stderr)


def serve(
    path: Annotated[Path, typer.Argument(help="Folder of a model's versions, as `keras-nmt export` writes them.")],
    name: Annotated[str | None, typer.Option(help="The model's name in requests. Default: the folder's name.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")] = 8501,
    xla: Annotated[bool, typer.Option("--xla/--no-xla", help="Whether `_xla` signatures are allowed.")] = False,
) -> None:
    """Serves an export on this machine, for development, as TensorFlow Serving does in production, until Ctrl-C.

    The server has TensorFlow Serving's REST API; for gRPC, run TensorFlow Serving. A version that is exported to the
    folder meanwhile replaces the version before. Ctrl-C or SIGTERM ends the server when its requests are
    answered, with exit code 130 or 0; a second one ends the server at once. The server is not made for many users, nor
    for the network: `savedmodels/README.md` explains how to run TensorFlow Serving.
    """
    check_local(path)
    with working(f"Loading {path}"):
        import_tensorflow(to_translate=True)
        from keras_nmt.serving import DevelopmentServer

        server = DevelopmentServer(path, name=name, port=port, xla=xla)
    with ended_by_signals(), server:
        print(f"{server.name}, version {server.version}, for development, until Ctrl-C:", file=sys.stderr)
        command = shlex.join(["keras-nmt", "translate", "--server", server.rest_url, "--model", server.name])
        print(f"    {command}", file=sys.stderr, flush=True)
        server.wait()
