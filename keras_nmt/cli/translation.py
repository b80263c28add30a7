"""The commands that apply models to text: `translate`, `score` and `embed`."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from keras_nmt.cli.lines import check_streams, chunks, input_lines, output_lines, write_line
from keras_nmt.cli.options import (
    BeamSize,
    CoveragePenalty,
    Directory,
    Ensemble,
    Import,
    LengthPenalty,
    NBest,
    Sample,
    ShortlistFile,
    ShortlistSize,
    SourceLanguage,
    TargetLanguage,
    Temperature,
    TopK,
    TopP,
    Weights,
    Xla,
    check_models,
    check_search,
    given,
    named_on_command_line,
    refuse,
    sampling,
    shortlisted,
)
from keras_nmt.cli.progress import LINES_OF_A_STEP, number_of_lines, progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import check_writable, write_bytes
from keras_nmt.files.read_line_pairs import read_line_pairs
from keras_nmt.steps import show_steps

if TYPE_CHECKING:
    from keras_nmt.inference import Translation

FOR_A_SERVER = {
    *("server", "model", "source_language", "target_language", "n_best", "scores", "sample", "seed"),
    *("batch_size", "input_", "output", "line_buffered", "beam_size", "prefixes", "alignments", "split_sentences"),
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
        str, typer.Option(metavar="NAME", help="The server's name of the model; `keras-nmt serve` takes the folder's.")
    ] = "model",
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    input_: Annotated[
        Path | None, typer.Option("--input", help="File to translate, plain text or gzip. Default: standard input.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write; missing folders are made. Default: standard output.")
    ] = None,
    line_buffered: Annotated[
        bool, typer.Option("--line-buffered", help="Answer each line at once, as on a terminal.")
    ] = False,
    batch_size: Annotated[int | None, typer.Option(min=1, max=10_000, help="Most sentences of a batch.")] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
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

    With --n-best N, each line gives N lines, best first, and as many lines in the file of --alignments. The options of
    the search of a server's model are those of its export; --prefixes, --beam-size and --n-best need its signature
    `search`, --alignments needs `align`.
    """
    check_streams(input_, output)
    if alignments is not None:
        check_writable(alignments)
    named = named_on_command_line(context)
    if "seed" in named and not sample:
        raise UserError(f"--seed goes with --sample. Received: --seed {seed}")
    # On a terminal, translations and a bar would disturb each other.
    has_bar = sys.stderr.isatty() and (output is not None or not sys.stdout.isatty())
    at_once = 1 if line_buffered or (input_ is None and sys.stdin.isatty()) else LINES_OF_A_STEP if has_bar else None
    lines, with_seed, aligned = input_lines(input_), seed if sample else None, []
    bar = functools.partial(progress, number_of_lines(input_) if has_bar else None, "lines", shown=has_bar)
    if server is not None:
        refuse(context, FOR_A_SERVER, "with --server")
        from keras_nmt.serving import Client

        if sample:
            refuse(context, FOR_SAMPLES, "with --server and --sample")
        if split_sentences is not None:
            refuse(context, FOR_SENTENCES, "with --split-sentences")
            batch_size = batch_size or at_once
        truncated = 0
        service = Client(server, model, **given(batch_size=batch_size))
        with output_lines(output) as write, service as client, bar() as advance:
            write_translation = _writer(write, n_best or 1, scores)
            answer = client.sample if sample else client.translate
            search: dict[str, Any] = {} if sample else given(num_hypotheses=n_best, beam_size=beam_size)
            if split_sentences is not None:
                for translation in client.stream(lines, source_language, target_language, language=split_sentences):
                    truncated += _write_all([translation], write_translation)
                    advance(1)
            else:
                for texts, beside in _with_inputs_beside(chunks(lines, at_once), prefixes, with_seed):
                    translations = answer(texts, source_language, target_language, **beside, **search)
                    if alignments is not None:
                        pairs = _pairs(texts, translations, n_best or 1)
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")  # the command says itself which lines were truncated
                            aligned += client.align(*pairs, source_language, target_language)
                    truncated += _write_all(translations, write_translation)
                    advance(len(texts))
        _write_alignments(alignments, aligned)
        if truncated:
            print(
                f"{truncated} line(s) were truncated: they have more subwords than the export allows.", file=sys.stderr
            )
        return
    if split_sentences is not None:
        raise UserError(f"--split-sentences goes with --server. Received: --split-sentences {split_sentences}")
    if directory is None:
        raise UserError("Give a model's DIRECTORY, or --server URL. Received: neither")
    if "model" in named:
        raise UserError(f"--model goes with --server. Received: --model {model}")
    if sample and beam_size is not None:
        raise UserError(f"--sample does not search and has no beam. Received: --beam-size {beam_size}")
    if alignment_layer is not None and alignments is None:
        raise UserError(f"--alignment-layer goes with --alignments FILE. Received: --alignment-layer {alignment_layer}")
    options = sampling(sample, temperature, top_k, top_p) | given(
        beam_size=beam_size, length_penalty=length_penalty, num_hypotheses=n_best, coverage_penalty=coverage_penalty
    )
    options |= shortlisted(shortlist, shortlist_size)
    check_models(*ensemble or ())
    check_search(directory, options)
    import_tensorflow(import_)
    from keras_nmt.inference import Translator
    from keras_nmt.inference.search_options import SearchOptions

    if batch_size is not None:
        smaller = [size for size in SearchOptions.batch_buckets if size < batch_size]
        options["batch_buckets"] = [*smaller, batch_size]
    translator = Translator.from_directory(
        directory,
        weights=weights,
        source=source_language,
        target=target_language,
        ensemble=ensemble or (),
        jit_compile=xla,
        **options,
    )
    if len(translator.directions) > 1:
        languages = ", ".join(dict.fromkeys(source for source, _ in translator.directions))
        raise UserError(
            f"The model of {directory} has the languages {languages}: give --source-language and --target-language. "
            "Received: neither"
        )
    truncated = 0
    with output_lines(output) as write, bar() as advance:
        write_translation = _writer(write, None, scores)
        for texts, beside in _with_inputs_beside(chunks(lines, at_once), prefixes, with_seed):
            translations = translator.translate(texts, **beside)
            if alignments is not None:
                aligned += translator.align(*_pairs(texts, translations, None), layer=alignment_layer)
            truncated += _write_all(translations, write_translation)
            advance(len(texts))
    _write_alignments(alignments, aligned)
    warn_truncated(truncated, translator)


def score(
    directory: Directory,
    source: Annotated[Path, typer.Option(help="File of source sentences.")],
    target: Annotated[Path, typer.Option(help="File of their translations.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    weights: Weights = None,
    ensemble: Ensemble = None,
    import_: Import = None,
) -> None:
    """Writes the log-probability of each given translation."""
    check_models(directory, *ensemble or ())
    sources, targets = read_line_pairs(source, target)
    import_tensorflow(import_)
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
    language: Annotated[str, typer.Option(help="Language of the sentences.")],
    output: Annotated[Path, typer.Option(help="File to write, *.npy: a float32 array of lines x width.")],
    input_: Annotated[
        Path | None, typer.Option("--input", help="File of sentences, plain text or gzip. Default: standard input.")
    ] = None,
    all_vectors: Annotated[
        bool, typer.Option("--all-vectors", help="Write the k vectors of each sentence: lines x k x width.")
    ] = False,
    weights: Weights = None,
    import_: Import = None,
) -> None:
    """Writes a vector for each sentence: the mean of the attention bridge's vectors."""
    if output.suffix != ".npy":
        raise UserError(f"The vectors go to a NumPy file, *.npy. Received: --output {output}")
    check_streams(input_, output)
    check_models(directory)
    import_tensorflow(import_)
    import io

    import numpy as np

    from keras_nmt.inference import Translator

    translator = Translator.from_directory(directory, weights=weights)
    parts, total = [], number_of_lines(input_) if sys.stderr.isatty() else None
    with progress(total, "lines", text=f"Embedding {input_ or 'standard input'}") as advance, show_steps(progress):
        for lines in chunks(input_lines(input_)):
            parts.append(translator.embed(lines, language)[all_vectors])
            advance(len(lines))
    if not parts:
        raise UserError("There is nothing to embed. Received: no lines")
    file = io.BytesIO()
    np.save(file, np.concatenate(parts), allow_pickle=False)
    write_bytes(output, file.getvalue())
    shape = " x ".join(map(str, (sum(map(len, parts)), *parts[0].shape[1:])))
    print(f"{output}: {shape}", file=sys.stderr)


def warn_truncated(number: int, translator: Any) -> None:
    """Says on standard error how many lines a translator truncated."""
    if number:
        longest = translator.length_buckets[-1]
        print(f"{number} line(s) of {longest} subwords or more were truncated.", file=sys.stderr)


def _writer(write: Callable[[str], None], n_best: int | None, scores: bool) -> Callable[[Translation], None]:
    """A function that writes the hypotheses of a translation: the first `n_best`, or all."""

    def write_translation(translation: Translation) -> None:
        if len(translation.hypotheses) < (n_best or 1):
            raise UserError(
                f"The model was exported to give {len(translation.hypotheses)} translation(s) of a sentence. "
                f"Received: --n-best {n_best}"
            )
        for hypothesis in translation.hypotheses[:n_best]:
            write(f"{hypothesis.score:.4f}\t{hypothesis.text}" if scores else hypothesis.text)

    return write_translation


def _write_all(translations: list[Translation], write_translation: Callable[[Translation], None]) -> int:
    """Writes translations, which readers get at once. Returns the number of truncated ones."""
    for translation in translations:
        write_translation(translation)
    sys.stdout.flush()
    return sum(translation.truncated for translation in translations)


def _pairs(texts: list[str], translations: list[Translation], n_best: int | None) -> tuple[list[str], list[str]]:
    """The texts and the first `n_best` hypotheses of each, or all."""
    pairs = [(text, x.text) for text, found in zip(texts, translations, strict=True) for x in found.hypotheses[:n_best]]
    return [text for text, _ in pairs], [translation for _, translation in pairs]


def _write_alignments(path: Path | None, aligned: list[list[tuple[int, int]]]) -> None:
    if path is not None:
        shown = (" ".join(f"{source}-{target}" for source, target in pairs) for pairs in aligned)
        write_bytes(path, "".join(f"{line}\n" for line in shown).encode())


def _with_inputs_beside(
    texts: Iterable[list[str]], prefixes: Path | None, seed: int | None
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Lists of lines, and the prefixes and the seeds of their lines."""
    from keras_nmt.inference.lines import seeds_of_lines

    beginnings = [] if prefixes is None else list(input_lines(prefixes))
    generator, start = None, 0
    if seed is not None:
        from numpy.random import RandomState

        generator = RandomState(seed)
    for lines in texts:
        beside: dict[str, Any] = {}
        if generator is not None:
            beside["seeds"] = seeds_of_lines(generator, len(lines))
        if prefixes is not None:
            beside["prefixes"] = beginnings[start : start + len(lines)]
            if len(beside["prefixes"]) < len(lines):
                break
        yield lines, beside
        start += len(lines)
    else:
        if prefixes is None or start == len(beginnings):
            return
    raise UserError(
        f"{prefixes} must have a line, which may be empty, for each line of the input. "
        f"Received: {len(beginnings)} lines"
    )
