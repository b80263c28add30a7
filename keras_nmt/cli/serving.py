"""The commands that take models in and out: `import`, `export`, `serve` and `demo`."""

from __future__ import annotations

import importlib.util
import shlex
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.inspect_common import check_inspection, model_names
from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import (
    MORE_SEARCH,
    SAMPLING,
    SEARCH,
    SHORTLIST,
    AdapterFile,
    Directory,
    Ensemble,
    Import,
    SourceLanguage,
    TargetLanguage,
    Weights,
    check_search,
    drop_none,
    sampling,
    searching,
    shortlisted,
    with_options,
)
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow, raised_by_signals
from keras_nmt.errors import UserError, require
from keras_nmt.files.model_config import read_model_files
from keras_nmt.files.paths import check_local
from keras_nmt.files.search_options import TABLE, WITHOUT_SEARCH, flag_of
from keras_nmt.formats.registry import EXPORTED, FORMATS, IMPORTED, check_export, format_module
from keras_nmt.text.text_files import read_lines

EXPORT_FORMATS = ("savedmodel", *EXPORTED)
SEARCH_OPTIONS = SEARCH | {name: MORE_SEARCH[name] for name in ("num_hypotheses", "coverage_penalty", "unknown")}
# SIGTERM is the usual end of a service, and no error. A shell lets its background processes ignore SIGINT: not these.
ENDS_OF_SERVERS: dict[int, BaseException] = {signal.SIGINT: KeyboardInterrupt(), signal.SIGTERM: SystemExit(0)}
Sample = Annotated[
    bool, typer.Option("--sample", help="Add signatures that draw translations at random, by a seed a text.")
]


def import_(
    source: Annotated[Path, typer.Argument(help="The other toolkit's model.")],
    directory: Annotated[Path, typer.Argument(metavar="DIRECTORY", help="The model directory to write.")],
    format_: Annotated[
        str | None, typer.Option("--format", metavar="|".join(IMPORTED), help="Default: what lies there.")
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Of a model of many languages, one to keep. Repeatable. Default: all.")
    ] = None,
) -> None:
    """Makes a model directory of another toolkit's model. No code and no pickle of the model is run."""
    with working(f"Importing {source}"):
        import_tensorflow()
        from keras_nmt.formats import import_model

        import_model(source, directory, format_, language or ())
    write_line(str(directory))


@with_options(SEARCH_OPTIONS | SAMPLING | SHORTLIST | {"sample": Sample})
def export(
    directory: Directory,
    path: Annotated[
        Path,
        typer.Argument(
            help="Folder of the model's versions, which a model server watches. Of huggingface, marian and keras_hub, "
            "the folder to write; of argos, the file."
        ),
    ],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    version: Annotated[int | None, typer.Option(min=1, max=2**63 - 1, help="Version. Default: the next one.")] = None,
    weights: Weights = None,
    adapter: AdapterFile = None,
    warmup: Annotated[
        Path | None, typer.Option(help="File of sentences that a server translates while it loads: all their lengths.")
    ] = None,
    warmup_xla: Annotated[
        bool, typer.Option("--warmup-xla", help="With --warmup, compile too. Only servers with XLA load the version.")
    ] = False,
    ensemble: Ensemble = None,
    signature: Annotated[
        list[str] | None,
        typer.Option(
            metavar="search|align|tokens",
            help="Add signatures: forced prefixes and n-best; alignments; log-probabilities of subwords. Repeatable.",
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
        str, typer.Option("--format", metavar="|".join(EXPORT_FORMATS), help="All but keras_hub run plain models only.")
    ] = "savedmodel",
    import_: Import = None,
    **shared: Any,
) -> None:
    """Writes a SavedModel, text in and text out, that runs without Python, to PATH/VERSION.

    A multilingual model is exported with all its directions; with --source-language and --target-language, with one. A
    model with target-language tags is exported with all of them; with --target-language, with one.
    The other formats are for other toolkits, which have their own search: ctranslate2, huggingface and marian take
    and give subwords; argos is a package of Argos Translate, and takes the codes of its languages; keras_hub is a
    preset of keras_hub, with any mechanism. huggingface, marian and keras_hub hold the settings of the search.
    """
    if format_ not in EXPORT_FORMATS:
        raise UserError(f"--format must be one of {', '.join(EXPORT_FORMATS)}. Received: --format {format_}")
    require(not warmup_xla or warmup is not None, "--warmup-xla goes with --warmup FILE. Received: --warmup-xla alone")
    drawing = sampling(shared)
    search = searching(shared) | shortlisted(shared)
    options = drop_none(version=version, quantize=quantize)
    languages: dict[str, Any] = {"source": source_language, "target": target_language}
    if format_ != "savedmodel":
        toolkit, known = FORMATS[format_].toolkit, FORMATS[format_].export_options or ()
        takes = {name for name, option in TABLE.items() if option.in_model} if "search" in known else set()
        more = sorted({*drawing, *search} - takes)
        shown = ", ".join(map(flag_of, more))
        require(not more, f"{toolkit} has its own search: leave out options of the search. Received: {shown}")
        for name, values in (("--signature", signature), ("--ensemble", ensemble), ("--warmup", warmup and [warmup])):
            require(not values, f"{toolkit} has no {name}. Received: {name} {', '.join(map(str, values or ()))}")
        for name, value in options.items():
            require(name in known, f"{toolkit} has no such option. Received: --{name} {value}")
        if "source" in known:  # the format names the languages, which a model of one direction does not know
            options |= languages
            languages = {}
    check_export(path, format_, version)
    with working(f"Exporting {directory}"):
        if warmup is not None:
            options |= {"warmup": read_lines(warmup), "warmup_xla": warmup_xla}
        model, *others = map(read_model_files, (directory, *(ensemble or ())))
        check_search(model, search)
        if drawing:  # of the signature `sample` alone
            check_search(model, {**search, **drawing, **WITHOUT_SEARCH})
        import_tensorflow(import_)
        from keras_nmt.inference.load import load
        from keras_nmt.serving import export as export_model
        from keras_nmt.serving.warmup import warmup_requests

        loaded = load(model, weights=weights, ensemble=others, adapter=adapter, **languages)
        if loaded.target is not None and format_ != "savedmodel":
            raise UserError(
                f"{toolkit} puts no tag of a target language before sentences: leave out the language, and write the "
                f"tag into the text. Received: --target-language {target_language}"
            )
        if format_ != "savedmodel":
            write = getattr(format_module(format_), f"export_{format_}")
            if "search" in (FORMATS[format_].export_options or ()):
                options["search"] = {**loaded.search, **search}
            written = write(path, loaded.model, loaded.tokenizers, **options)
        else:
            written = export_model(
                path,
                loaded.model,
                loaded.tokenizers,
                target=loaded.target,
                **{**loaded.search, **search, **drawing, **options, **drop_none(signatures=signature)},
            )
    write_line(str(written))
    if warmup is not None:
        number = len(warmup_requests(written))
        compiled = f", {number // 2} of them compiled" if warmup_xla else ""
        print(f"A server runs {number} warm-up requests when it loads the version{compiled}.", file=sys.stderr)


def serve(
    path: Annotated[Path, typer.Argument(help="Folder of a model's versions, as `keras-nmt export` writes them.")],
    name: Annotated[str | None, typer.Option(help="The model's name in requests. Default: the folder's name.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")] = 8501,
    xla: Annotated[bool, typer.Option("--xla/--no-xla", help="Whether `_xla` signatures are allowed.")] = False,
) -> None:
    """Serves an export on this machine, for development, as TensorFlow Serving does in production, until Ctrl-C.

    The server has TensorFlow Serving's REST API, and serves the highest version that it finds at its start. Ctrl-C or
    SIGTERM ends the server when its requests are answered, with exit code 130 or 0; a second one ends it at once. The
    server is not made for many users, nor for the network: `savedmodels/README.md` explains how to run TensorFlow
    Serving, which also has gRPC and loads new versions.
    """
    check_local(path)
    with working(f"Loading {path}"):
        import_tensorflow(to_translate=True)
        from keras_nmt.serving import DevelopmentServer

        server = DevelopmentServer(path, name=name, port=port, xla=xla)
    with raised_by_signals(ENDS_OF_SERVERS), server:
        print(f"{server.name}, version {server.version}, for development, until Ctrl-C:", file=sys.stderr)
        command = shlex.join(["keras-nmt", "translate", "--server", server.rest_url, "--model", server.name])
        print(f"    {command}", file=sys.stderr, flush=True)
        server.wait()


@with_options({name: SEARCH[name] for name in ("beam_size", "length_penalty")})
def demo(
    directories: Annotated[list[Path], typer.Argument(metavar="DIRECTORY...", help="Model directories.")],
    host: Annotated[
        str, typer.Option(help="Address to listen on. Any other than this lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")] = 7860,
    n_best: Annotated[
        int | None, typer.Option(min=1, help="Translations of a sentence. Default: all that the search keeps.")
    ] = None,
    max_characters: Annotated[int, typer.Option(min=1, max=100_000, help="Most characters of a text.")] = 500,
    queue: Annotated[int, typer.Option(min=1, max=10_000, help="Most requests that wait; others are refused.")] = 16,
    import_: Import = None,
    **shared: Any,
) -> None:
    """Shows a page that translates and draws what happens inside the models, until Ctrl-C.

    The page has n-best translations, alignments, gates, roles, compositions and the attention of a bridge, of one model
    or of two side by side. The page is for this machine and few users.
    """
    models = check_inspection(directories, None)
    search = searching(shared) | drop_none(num_hypotheses=n_best)
    for model in models:
        check_search(model, search)
    for package in ("gradio", "matplotlib"):
        problem = f"The page needs the extra `demo`: pip install 'keras_nmt[demo]'. Received: no module {package}"
        require(importlib.util.find_spec(package) is not None, problem)
    with working(f"Loading {', '.join(map(str, directories))}"):
        import_tensorflow(import_, to_translate=True)
        from keras_nmt.analysis import demo_systems
        from keras_nmt.analysis.demo import DemoServer, demo_page
        from keras_nmt.inference import Translator

        translators = {}
        for name, model in zip(model_names(directories), models, strict=True):
            translator = Translator.from_directory(model, **search)
            if n_best is None:
                translator = translator.with_options(num_hypotheses=translator.options.beam_size)
            translators[name] = translator
        page = demo_page(demo_systems(translators, max_characters), queue_size=queue)
        server = DemoServer(page, host, port)
    with raised_by_signals(ENDS_OF_SERVERS), server:
        print(f"{server.url} until Ctrl-C", file=sys.stderr, flush=True)
        server.wait()
