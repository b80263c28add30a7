"""The commands that apply models to text: `translate`, `score` and `embed`."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_nmt.cli.lines import (
    STANDARD,
    check_input,
    check_outputs,
    chunks,
    input_document,
    input_lines,
    number_of_lines,
    output_lines,
    write_line,
)
from keras_nmt.cli.options import (
    EVERYWHERE,
    MODEL,
    MORE_SEARCH,
    SAMPLING,
    SEARCH,
    SHORTLIST,
    TRANSLATOR,
    Directory,
    Import,
    Language,
    SampleSeed,
    Source,
    Target,
    Weights,
    WorksWith,
    check_sampling,
    check_search,
    drop_none,
    refuse_in,
    refuse_without,
    sampling,
    searching,
    shortlisted,
    with_options,
)
from keras_nmt.cli.progress import LINES_OF_A_STEP, Advance, progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.cli.translation_stream import (
    Answers,
    Defects,
    Input,
    alternatives_of_directory,
    answers,
    samples_of_server,
)
from keras_nmt.errors import UserError, require
from keras_nmt.files.atomic_files import write_bytes
from keras_nmt.files.model_config import read_model_files
from keras_nmt.files.search_options import SearchOptions
from keras_nmt.progress import show_steps
from keras_nmt.text.glossary import Glossary
from keras_nmt.text.line_tags import NO_LANGUAGE
from keras_nmt.text.text_files import check_read_once, read_line_pairs

if TYPE_CHECKING:
    from keras_nmt.inference import Hypothesis, Translator

WordScores = Annotated[
    Path | None,
    typer.Option(help="File to write: for each translation, its words and subwords with log-probabilities, as JSON."),
]
ON_SERVER, WITH_SEARCH = WorksWith("server sample document"), WorksWith("server document")


@with_options(SEARCH | MORE_SEARCH | SAMPLING | SHORTLIST | TRANSLATOR)
def translate(
    context: typer.Context,
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIRECTORY", help="A model directory."),
        WorksWith("alternatives document"),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A model server instead of DIRECTORY: http://HOST:8501 or grpc://HOST:8500."),
        ON_SERVER,
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The server's name of the model. Default: that of `keras-nmt serve`, or else `model`."
        ),
        ON_SERVER,
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="With --server: time for a batch, retries included. Default: 60."),
        ON_SERVER,
    ] = None,
    retries: Annotated[
        int | None,
        typer.Option(help="With --server: how often a batch is sent again to a busy server. Default: 5."),
        ON_SERVER,
    ] = None,
    input_: Annotated[
        Path,
        typer.Option("--input", help="File to translate, plain text or gzip; - is standard input."),
        EVERYWHERE,
    ] = STANDARD,
    output: Annotated[
        Path,
        typer.Option(help="File to write; missing folders are made; - is standard output."),
        EVERYWHERE,
    ] = STANDARD,
    line_buffered: Annotated[
        bool,
        typer.Option("--line-buffered", help="Answer each line at once, as on a terminal."),
        WorksWith("server sample alternatives"),
    ] = False,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write score, tab, translation."),
        WorksWith("server sample"),
    ] = False,
    seed: Annotated[SampleSeed, ON_SERVER] = 1,
    prefixes: Annotated[
        Path | None,
        typer.Option(help="File with the beginning of each translation; an empty line for none."),
        WorksWith("server alternatives document"),
    ] = None,
    max_lengths: Annotated[
        Path | None,
        typer.Option(help="File with the most subwords of each translation, an integer; an empty line for none."),
        WITH_SEARCH,
    ] = None,
    constraints: Annotated[
        Path | None,
        typer.Option(help="File with phrases that each translation must have, tabs between; a|b is either."),
        WITH_SEARCH,
    ] = None,
    avoid: Annotated[
        Path | None,
        typer.Option(help="File with phrases that each translation must not have, tabs between."),
        WITH_SEARCH,
    ] = None,
    glossary: Annotated[
        Path | None,
        typer.Option(help="File of entries: words of the source, tab, phrase that translations must have."),
        WITH_SEARCH,
    ] = None,
    ignore_case: Annotated[
        bool,
        typer.Option("--ignore-case", help="With --glossary: find words in capital and small letters."),
        WITH_SEARCH,
    ] = False,
    alignments: Annotated[
        Path | None,
        typer.Option(help="File to write: aligned words of source and translation, as 0-0 1-2."),
        WITH_SEARCH,
    ] = None,
    alignment_layer: Annotated[
        int | None,
        typer.Option(min=1, help="Decoder layer whose attention aligns. Default: the model's, or the last but one."),
        WorksWith("document"),
    ] = None,
    split_sentences: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            help="Translate line by line, sentence by sentence, by the rules of en, de, ...; none splits no line. "
            "Default: none; with --markup, the source language or en.",
        ),
        WITH_SEARCH,
    ] = None,
    word_scores: Annotated[WordScores, WorksWith("server document alternatives")] = None,
    markup: Annotated[
        str | None,
        typer.Option(metavar="html|xml", help="Keep the tags of the lines, placed by alignment."),
        WITH_SEARCH,
    ] = None,
    document: Annotated[
        bool,
        typer.Option("--document", help="With --markup: the input is one document, not one in each line."),
        WITH_SEARCH,
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Keep text as it is, placed by alignment: placeholders, urls, or a regular expression; "
            "may be repeated.",
        ),
        WITH_SEARCH,
    ] = None,
    alternatives: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Write, instead of the translation, the N likeliest next subwords after the line of --prefixes: "
            "probability, tab, subword, tab, best translation.",
        ),
        WorksWith("alternatives"),
    ] = None,
    **shared: Any,
) -> None:
    """Translates line by line.

    With --n-best N, each line gives N lines, best first, and as many lines in the file of --alignments; where the beam
    has fewer different texts, the last lines are empty, with the score -inf. Empty translations, those that the length
    limit cut off, and lines with characters without a subword are counted on standard error. The options of the search
    of a server's model are those of its export; --prefixes, --max-lengths, --constraints, --avoid, --glossary,
    --beam-size and --n-best need its signature `search`, --alignments, --markup and --keep need `align`, --word-scores
    needs `tokens`.
    """
    read = (input_, prefixes, max_lengths, constraints, avoid, glossary)
    check_input(input_)
    check_read_once(*read)
    written = [path for path in (output, alignments, word_scores) if path is not None]
    check_outputs(*written, texts=read)
    places = [path if path == STANDARD else Path(os.path.realpath(path.parent), path.name) for path in written]
    if len(set(places)) < len(places):
        repeated = next(path for path, place in zip(written, places, strict=True) if places.count(place) > 1)
        raise UserError(f"Alignments, scores and translations go to different files. Received: both {repeated}")
    _check_markup(context, markup, keep)
    if alternatives is not None:
        refuse_in(context, "alternatives", "with --alternatives")
    # On a terminal, translations and a bar would disturb each other.
    is_on_terminal = output == STANDARD and sys.stdout.isatty()
    has_bar = sys.stderr.isatty() and not is_on_terminal
    count = number_of_lines(input_)
    bar = progress(1 if document else count, "documents" if document else "lines", shown=has_bar)
    is_answered_at_once = line_buffered or (input_ == STANDARD and sys.stdin.isatty())
    at_once = 1 if is_answered_at_once else LINES_OF_A_STEP if has_bar or is_on_terminal else None
    files = drop_none(prefixes=prefixes, max_lengths=max_lengths, constraints=constraints, avoid=avoid)
    if glossary is None:
        refuse_without(context, "ignore_case", "--glossary FILE")
    entries = None if glossary is None else Glossary.read(glossary, ignore_case=ignore_case)
    options = drop_none(markup=markup, split_sentences=split_sentences, glossary=entries, keep=keep or None)
    options |= {} if word_scores is None else {"word_scores": True}
    lines = input_document(input_) if document else input_lines(input_)
    texts = Input(lines, at_once, files, seed if shared["sample"] else None, options, is_document=document)
    stack = contextlib.ExitStack()
    if server is not None:
        _check_options_of_server(context)
        from keras_nmt.serving import Client

        given = drop_none(model=model, timeout=timeout, retries=retries, batch_size=shared["batch_size"])
        client = stack.enter_context(Client(server, **given))
        search = searching(shared)
        number = search.get("num_hypotheses", 1)
        translate_some: Callable[..., Any] = functools.partial(client.translate, **search)
        if shared["sample"]:
            translate_some = functools.partial(samples_of_server, client, number)
        align: Callable[..., Any] = client.align
        target = shared["target_language"]
        languages = shared["source_language"], NO_LANGUAGE if target == "none" else target
        warn: Callable[[Defects], None] = Defects.warn_of_export
    else:
        directory = _check_options_of_directory(context, directory)
        search = sampling(shared) | searching(shared) | shortlisted(shared)
        of_translator = {name: shared[name] for name in TRANSLATOR}
        translator = open_translator(check_search(directory, search), search, **of_translator)
        tags = translator.tags if translator.target is None else None
        subwords = translator.tokenizers[translator.directions[0][1]]
        told = translator.sentences_per_line
        texts = dataclasses.replace(texts, sentences_per_line=told, tags=tags, subwords=subwords)
        if alternatives is not None:
            with output_lines(output) as write, _optional_lines(word_scores) as write_words, bar as advance:
                for of_lines in alternatives_of_directory(translator, texts, alternatives):
                    for x in itertools.chain.from_iterable(of_lines):
                        write(f"{x.probability:.4f}\t{x.piece}\t{x.hypothesis.text}")
                        if write_words is not None:
                            write_words(_scores_of_words(x.hypothesis))
                    sys.stdout.flush()
                    advance(len(of_lines))
            return
        number, languages = translator.num_hypotheses, (None, texts.target)
        translate_some, align = translator.translate, functools.partial(translator.align, layer=alignment_layer)
        warn = functools.partial(Defects.warn_of_translator, translator=translator)
    parts = answers(texts, translate_some, None if alignments is None else align, languages, number)
    with stack:
        write = stack.enter_context(output_lines(output, end="" if document else "\n"))  # a document has its own ends
        write_aligned, write_words = (stack.enter_context(_optional_lines(path)) for path in (alignments, word_scores))
        advance = stack.enter_context(bar)
        defects = _write_answers(parts, write, write_aligned, write_words, advance, scores)
    warn(defects)


@with_options(MODEL)
def score(directory: Directory, source: Source, target: Target, word_scores: WordScores = None, **options: Any) -> None:
    """Writes the log-probability of each given translation."""
    if word_scores is not None:
        if word_scores == STANDARD:
            raise UserError("Standard output has the scores: give a file for words. Received: --word-scores -")
        check_outputs(word_scores, texts=(source, target))
    model = read_model_files(directory)
    sources, targets = read_line_pairs(source, target)
    translator = open_translator(model, {}, **options)
    bar = progress(len(sources), "lines", shown=not sys.stdout.isatty())
    with _optional_lines(word_scores) as write_words, bar as advance:
        for pairs in chunks(zip(sources, targets, strict=True), LINES_OF_A_STEP if sys.stderr.isatty() else None):
            texts = zip(*pairs, strict=True)
            if write_words is None:
                scores = translator.score(*texts)
            else:
                hypotheses = translator.score(*texts, word_scores=True)
                scores = [hypothesis.score for hypothesis in hypotheses]
                for hypothesis in hypotheses:
                    write_words(_scores_of_words(hypothesis))
            for log_probability in scores:
                write_line(f"{log_probability:.4f}")
            advance(len(pairs))


def embed(
    directory: Directory,
    language: Language,
    output: Annotated[Path, typer.Option(help="File to write, *.npy: a float32 array of lines x width.")],
    input_: Annotated[
        Path, typer.Option("--input", help="File of sentences, plain text or gzip; - is standard input.")
    ] = STANDARD,
    all_vectors: Annotated[
        bool, typer.Option("--all-vectors", help="Write the k vectors of each sentence: lines x k x width.")
    ] = False,
    weights: Weights = None,
    import_: Import = None,
) -> None:
    """Writes a vector for each sentence: the mean of the attention bridge's vectors."""
    require(output.suffix == ".npy", f"The vectors go to a NumPy file, *.npy. Received: --output {output}")
    check_input(input_)
    check_outputs(output, texts=[input_])
    model = read_model_files(directory)
    sentences = list(input_lines(input_))  # before the work: they take less memory than their vectors
    require(sentences, "The input has no lines to embed.")
    import_tensorflow(import_, to_translate=True)
    import io

    import numpy as np

    from keras_nmt.inference import Translator

    translator = Translator.from_directory(model, weights=weights)
    parts = []
    name = "standard input" if input_ == STANDARD else input_
    with progress(len(sentences), "lines", text=f"Embedding {name}") as advance, show_steps(progress):
        for lines in chunks(sentences):
            parts.append(translator.embed(lines, language)[all_vectors])
            advance(len(lines))
    file = io.BytesIO()
    np.save(file, np.concatenate(parts), allow_pickle=False)
    write_bytes(output, file.getvalue())
    shape = " x ".join(map(str, (sum(map(len, parts)), *parts[0].shape[1:])))
    print(f"{output}: {shape}", file=sys.stderr)


def _check_options_of_server(context: typer.Context) -> None:
    """Raises a `UserError` if an option has no effect on the model of a server."""
    refuse_in(context, "server", "with --server")
    if context.params["sample"]:
        refuse_in(context, "sample", "with --server and --sample")
    check_sampling(context)


def _check_options_of_directory(context: typer.Context, directory: Path | None) -> Path:
    """Returns the directory; a `UserError` if there is none, or an option has no effect on the model of a directory."""
    if directory is None:
        raise UserError("Missing argument: the DIRECTORY of a model, or --server URL.")
    for name in ("model", "timeout", "retries"):
        refuse_without(context, name, "--server")
    check_sampling(context)
    if context.params["sample"]:
        for name in ("constraints", "glossary"):
            if context.params[name] is not None:
                raise UserError(f"--sample does not search for phrases. Received: --{name} {context.params[name]}")
    if context.params["alignments"] is None:
        refuse_without(context, "alignment_layer", "--alignments FILE")
    if context.params["prefixes"] is None:
        refuse_without(context, "prefix_bias_beta", "--prefixes FILE")
    return directory


def open_translator(
    directory: str | os.PathLike[str],
    search: dict[str, Any],
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    batch_size: int | None = None,
    weights: Path | None = None,
    adapter: Path | None = None,
    ensemble: Sequence[Path] | None = None,
    dtype: str | None = None,
    xla: bool = False,
    import_: Sequence[Path] | None = None,
) -> Translator:
    """Opens a translator of one direction, with options of the search that fit its model, and those of `TRANSLATOR`."""
    model, *others = map(read_model_files, (directory, *(ensemble or ())))
    import_tensorflow(import_, to_translate=True)
    import tensorflow as tf

    from keras_nmt.inference import Translator

    if xla and dtype == "bfloat16" and not tf.config.list_physical_devices("GPU"):
        warnings.warn("On CPUs, bfloat16 with --xla is slower than either: leave one out", stacklevel=1)
    if batch_size is not None:
        smaller = [size for size in SearchOptions.batch_buckets if size < batch_size]
        search = {**search, "batch_buckets": [*smaller, batch_size]}
    translator = Translator.from_directory(
        model,
        weights=weights,
        source=source_language,
        target=target_language,
        ensemble=others,
        adapter=adapter,
        dtype=dtype or "float32",
        jit_compile=xla,
        **search,
    )
    if len(translator.directions) > 1:
        names = ", ".join(dict.fromkeys(source for source, _ in translator.directions))
        raise UserError(
            f"The model of {directory} has the languages {names}. Missing options --source-language and "
            "--target-language."
        )
    return translator


def _optional_lines(path: Path | None) -> contextlib.AbstractContextManager[Callable[[str], None] | None]:
    """Gives the function of `output_lines`, or None without a path."""
    return contextlib.nullcontext() if path is None else output_lines(path)


def _write_answers(
    answers: Answers,
    write: Callable[[str], None],
    write_aligned: Callable[[str], None] | None,
    write_words: Callable[[str], None] | None,
    advance: Advance,
    scores: bool,
) -> Defects:
    """Writes translations, which readers get at once, alignments and scores of words. Returns what is to be told."""
    defects = Defects()
    for translations, alignments in answers:
        for hypothesis in itertools.chain.from_iterable(translation.hypotheses for translation in translations):
            write(f"{hypothesis.score:.4f}\t{hypothesis.text}" if scores else hypothesis.text)
            if write_words is not None:
                write_words(_scores_of_words(hypothesis))
        if write_aligned is not None:
            for pairs in alignments:
                write_aligned(" ".join(f"{source}-{target}" for source, target in pairs))
        sys.stdout.flush()
        defects.add(translations)
        advance(len(translations))
    return defects


def _scores_of_words(hypothesis: Hypothesis) -> str:
    """Returns a line of JSON with the words and the subwords of a hypothesis."""
    words = [
        {"word": word.text, "log_probability": round(word.log_probability, 4), "mean": round(word.mean, 4)}
        for word in hypothesis.words
    ]
    pieces = [[piece.text, round(piece.log_probability, 4)] for piece in hypothesis.pieces]
    return json.dumps({"words": words, "pieces": pieces}, ensure_ascii=False)


def _check_markup(context: typer.Context, markup: str | None, keep: Sequence[str] | None) -> None:
    """Raises a `UserError` for unknown markup, for wrong patterns, and for options that both exclude."""
    from keras_nmt.text.kept_text import KeptText
    from keras_nmt.text.markup import MARKUPS

    require(markup in (None, *MARKUPS), f"--markup must be {' or '.join(MARKUPS)}. Received: --markup {markup}")
    if keep:
        KeptText(keep)
    if markup is None:
        refuse_without(context, "document", "--markup")
    elif context.params["document"]:
        refuse_in(context, "document", "with --document")
    given = "--markup" if markup else "--keep" if keep else None
    for name in ("prefixes", "alignments"):
        if given and context.params[name] is not None:
            raise UserError(f"{given} excludes --{name}. Received: --{name} {context.params[name]}")
