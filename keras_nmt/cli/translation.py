"""The commands that apply models to text: `translate`, `score` and `embed`."""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_nmt.cli.answers import (
    Answers,
    Input,
    Languages,
    answers_by_sentence,
    answers_of_directory,
    answers_of_server,
)
from keras_nmt.cli.lines import (
    STANDARD,
    check_input,
    check_outputs,
    chunks,
    input_lines,
    number_of_lines,
    output_lines,
    write_line,
)
from keras_nmt.cli.options import (
    BeamSize,
    CoveragePenalty,
    Directory,
    Ensemble,
    Import,
    Language,
    LengthPenalty,
    MaxLength,
    MaxLengthFactor,
    MinLength,
    NBest,
    Sample,
    ShortlistFile,
    ShortlistSize,
    Source,
    SourceLanguage,
    Target,
    TargetLanguage,
    Temperature,
    TopK,
    TopP,
    Weights,
    Xla,
    check_models,
    check_search,
    given,
    refuse,
    refuse_without,
    sampling,
    shortlisted,
)
from keras_nmt.cli.progress import LINES_OF_A_STEP, Advance, progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import check_writable, write_bytes
from keras_nmt.files.read_line_pairs import read_line_pairs
from keras_nmt.steps import show_steps

if TYPE_CHECKING:
    from keras_nmt.inference import Translation, Translator
    from keras_nmt.serving import Client

FOR_A_SERVER = {
    *("server", "model", "source_language", "target_language", "n_best", "scores", "sample", "seed"),
    *(
        "timeout",
        "retries",
        "batch_size",
        "input_",
        "output",
        "line_buffered",
        "beam_size",
        "prefixes",
        "alignments",
        "split_sentences",
    ),
}
OF_A_SEARCH = {"beam_size", "prefixes", "alignments"}
FOR_SAMPLES = FOR_A_SERVER - OF_A_SEARCH - {"split_sentences"}
FOR_SENTENCES = FOR_A_SERVER - OF_A_SEARCH - {"n_best", "sample", "seed"}


def translate(
    context: typer.Context,
    directory: Annotated[Path | None, typer.Argument(metavar="DIRECTORY", help="A model directory.")] = None,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A model server instead of DIRECTORY: http://HOST:8501 or grpc://HOST:8500."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The server's name of the model. Default: that of `keras-nmt serve`, or else `model`."
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="With --server: time for a batch, retries included. Default: 60."),
    ] = None,
    retries: Annotated[
        int | None, typer.Option(help="With --server: how often a batch is sent again to a busy server. Default: 5.")
    ] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    input_: Annotated[
        Path, typer.Option("--input", help="File to translate, plain text or gzip; - is standard input.")
    ] = STANDARD,
    output: Annotated[
        Path, typer.Option(help="File to write; missing folders are made; - is standard output.")
    ] = STANDARD,
    line_buffered: Annotated[
        bool, typer.Option("--line-buffered", help="Answer each line at once, as on a terminal.")
    ] = False,
    batch_size: Annotated[int | None, typer.Option(min=1, max=10_000, help="Most sentences of a batch.")] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    min_length: MinLength = None,
    max_length: MaxLength = None,
    max_length_factor: MaxLengthFactor = None,
    n_best: NBest = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write score, tab, translation.")] = False,
    weights: Weights = None,
    xla: Xla = False,
    sample: Sample = False,
    temperature: Temperature = None,
    top_k: TopK = None,
    top_p: TopP = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="With --sample: seed of the samples.")] = 1,
    prefixes: Annotated[
        Path | None, typer.Option(help="File with the beginning of each translation; an empty line for none.")
    ] = None,
    ensemble: Ensemble = None,
    coverage_penalty: CoveragePenalty = None,
    shortlist: ShortlistFile = None,
    shortlist_size: ShortlistSize = None,
    alignments: Annotated[
        Path | None, typer.Option(help="File to write: aligned words of source and translation, as 0-0 1-2.")
    ] = None,
    alignment_layer: Annotated[
        int | None, typer.Option(min=1, help="Decoder layer whose attention aligns. Default: the last but one.")
    ] = None,
    split_sentences: Annotated[
        str | None,
        typer.Option(metavar="LANGUAGE", help="With --server: split lines into sentences, by the rules of en, de, ..."),
    ] = None,
    import_: Import = None,
) -> None:
    """Translates line by line.

    With --n-best N, each line gives N lines, best first, and as many lines in the file of --alignments; where the beam
    has fewer different texts, the last lines are empty, with the score -inf. Empty translations, and those that the
    length limit cut off, are counted on standard error. The options of the search of a server's model are those of its
    export; --prefixes, --beam-size and --n-best need its signature `search`, --alignments needs `align`.
    """
    check_input(input_)
    check_outputs(output, *([] if alignments is None else [alignments]))
    if alignments == output:
        raise UserError(f"Alignments and translations go to different files. Received: both {output}")
    if not sample:
        refuse_without(context, "seed", "--sample")
    # On a terminal, translations and a bar would disturb each other.
    is_on_terminal = output == STANDARD and sys.stdout.isatty()
    has_bar = sys.stderr.isatty() and not is_on_terminal
    bar = progress(number_of_lines(input_), "lines", shown=has_bar)
    at_once = _lines_at_once(line_buffered or (input_ == STANDARD and sys.stdin.isatty()), has_bar or is_on_terminal)
    texts = Input(input_lines(input_), at_once, prefixes, seed if sample else None)
    is_aligned, languages = alignments is not None, (source_language, target_language)
    if server is not None:
        _check_options_of_server(context, sample, split_sentences)
        open_client = functools.partial(_open_client, server, model=model, timeout=timeout, retries=retries)
        warn: Callable[[Mapping[str, int]], None] = _warn_of_export
        if split_sentences is not None:
            client = open_client(batch_size=batch_size or at_once)
            answers = answers_by_sentence(client, texts.lines, languages, split_sentences)
        else:
            client = open_client(batch_size=batch_size)
            answers = answers_of_server(
                client, texts, languages, n_best=n_best, beam_size=beam_size, is_aligned=is_aligned
            )
    else:
        directory = _check_options_of_directory(context, directory, sample, is_aligned)
        search = sampling(sample, temperature, top_k, top_p) | given(
            beam_size=beam_size,
            length_penalty=length_penalty,
            min_length=min_length,
            max_length=max_length,
            max_length_factor=max_length_factor,
            num_hypotheses=n_best,
            coverage_penalty=coverage_penalty,
        )
        search |= shortlisted(shortlist, shortlist_size)
        translator = _open_translator(directory, languages, weights, ensemble or (), search, batch_size, xla, import_)
        warn = functools.partial(warn_of_translator, translator=translator)
        answers = answers_of_directory(translator, texts, is_aligned=is_aligned, alignment_layer=alignment_layer)
    of_alignments = contextlib.nullcontext(_write_nothing) if alignments is None else output_lines(alignments)
    with output_lines(output) as write, of_alignments as write_aligned, contextlib.closing(answers), bar as advance:
        counts = _write_answers(answers, write, write_aligned, advance, scores)
    warn(counts)


def score(
    directory: Directory,
    source: Source,
    target: Target,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    weights: Weights = None,
    ensemble: Ensemble = None,
    import_: Import = None,
) -> None:
    """Writes the log-probability of each given translation."""
    check_models(directory, *ensemble or ())
    sources, targets = read_line_pairs(source, target)
    import_tensorflow(import_, to_translate=True)
    from keras_nmt.inference import Translator

    translator = Translator.from_directory(
        directory, source=source_language, target=target_language, weights=weights, ensemble=ensemble or ()
    )
    with progress(len(sources), "lines", shown=not sys.stdout.isatty()) as advance:
        for pairs in chunks(zip(sources, targets, strict=True), LINES_OF_A_STEP if sys.stderr.isatty() else None):
            for log_probability in translator.score(*zip(*pairs, strict=True)):
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
    if output.suffix != ".npy":
        raise UserError(f"The vectors go to a NumPy file, *.npy. Received: --output {output}")
    check_input(input_)
    check_writable(output)
    check_models(directory)
    sentences = list(input_lines(input_))  # before the work: they take less memory than their vectors
    if not sentences:
        raise UserError("The input has no lines to embed.")
    import_tensorflow(import_, to_translate=True)
    import io

    import numpy as np

    from keras_nmt.inference import Translator

    translator = Translator.from_directory(directory, weights=weights)
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


def warn_of_translator(counts: Mapping[str, int], translator: Any) -> None:
    """Says on standard error how many lines a translator truncated, left empty or cut off; see `counts_of`."""
    if number := counts["truncated"]:
        longest = translator.length_buckets[-1]
        print(f"{number} line(s) of {longest} subwords or more were truncated.", file=sys.stderr)
    _warn_of_outputs(counts, "--max-length-factor and --max-length set it")


def _lines_at_once(is_read_at_once: bool, is_watched: bool) -> int | None:
    """The number of lines that are computed together, None for the default of `chunks`."""
    return 1 if is_read_at_once else LINES_OF_A_STEP if is_watched else None


def _check_options_of_server(context: typer.Context, sample: bool, split_sentences: str | None) -> None:
    """Raises a `UserError` if an option has no effect on the model of a server."""
    refuse(context, FOR_A_SERVER, "with --server")
    if sample:
        refuse(context, FOR_SAMPLES, "with --server and --sample")
    if split_sentences is not None:
        refuse(context, FOR_SENTENCES, "with --split-sentences")


def _check_options_of_directory(context: typer.Context, directory: Path | None, sample: bool, is_aligned: bool) -> Path:
    """Returns the directory; a `UserError` if there is none, or an option has no effect on the model of a directory."""
    refuse_without(context, "split_sentences", "--server")
    if directory is None:
        raise UserError("Missing argument: the DIRECTORY of a model, or --server URL.")
    for name in ("model", "timeout", "retries"):
        refuse_without(context, name, "--server")
    if sample and (beam_size := context.params["beam_size"]) is not None:
        raise UserError(f"--sample does not search and has no beam. Received: --beam-size {beam_size}")
    if not is_aligned:
        refuse_without(context, "alignment_layer", "--alignments FILE")
    return directory


def _open_client(server: str, **options: Any) -> Client:
    from keras_nmt.serving import Client

    return Client(server, **given(**options))


def _open_translator(
    directory: Path,
    languages: Languages,
    weights: Path | None,
    ensemble: Sequence[Path],
    search: dict[str, Any],
    batch_size: int | None,
    xla: bool,
    imports: Sequence[Path] | None,
) -> Translator:
    """A translator of one direction."""
    check_models(*ensemble)
    check_search(directory, search)
    import_tensorflow(imports, to_translate=True)
    from keras_nmt.inference import Translator
    from keras_nmt.inference.search_options import SearchOptions

    if batch_size is not None:
        smaller = [size for size in SearchOptions.batch_buckets if size < batch_size]
        search = {**search, "batch_buckets": [*smaller, batch_size]}
    source, target = languages
    translator = Translator.from_directory(
        directory, weights=weights, source=source, target=target, ensemble=ensemble, jit_compile=xla, **search
    )
    if len(translator.directions) > 1:
        names = ", ".join(dict.fromkeys(source for source, _ in translator.directions))
        raise UserError(
            f"The model of {directory} has the languages {names}. Missing options --source-language and "
            "--target-language."
        )
    return translator


def _write_answers(
    answers: Answers, write: Callable[[str], None], write_aligned: Callable[[str], None], advance: Advance, scores: bool
) -> Mapping[str, int]:
    """Writes translations, which readers get at once, and alignments. Returns counts of the translations."""
    counts = Counter[str]()
    for translations, alignments in answers:
        for hypothesis in itertools.chain.from_iterable(translation.hypotheses for translation in translations):
            write(f"{hypothesis.score:.4f}\t{hypothesis.text}" if scores else hypothesis.text)
        for pairs in alignments:
            write_aligned(" ".join(f"{source}-{target}" for source, target in pairs))
        sys.stdout.flush()
        counts.update(counts_of(translations))
        advance(len(translations))
    return counts


def _write_nothing(line: str) -> None:
    pass


def counts_of(translations: Sequence[Translation]) -> dict[str, int]:
    """The numbers of translations that are "truncated", "empty" and "cut_off"."""
    from keras_nmt.inference.translation import count_outputs

    return {"truncated": sum(translation.truncated for translation in translations), **count_outputs(translations)}


def _warn_of_export(counts: Mapping[str, int]) -> None:
    if number := counts["truncated"]:
        print(f"{number} line(s) were truncated: they have more subwords than the export allows.", file=sys.stderr)
    _warn_of_outputs(counts, "the export sets it")


def _warn_of_outputs(counts: Mapping[str, int], advice: str) -> None:
    empty, cut_off = counts["empty"], counts["cut_off"]
    shown = [f"{empty} translation(s) are empty"] * bool(empty)
    shown += [f"{cut_off} translation(s) were cut off at the length limit ({advice})"] * bool(cut_off)
    if shown:
        print(f"{', '.join(shown)}.", file=sys.stderr)
