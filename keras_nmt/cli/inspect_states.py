"""The commands of `inspect` that read states, gates, compositions and roles, and score or translate text."""

from __future__ import annotations

import enum
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt import analysis
from keras_nmt.cli.inspect_common import (
    SHARED,
    DecoderTarget,
    Directories,
    Inspection,
    Seeds,
    SourceUnlessConllu,
    check_inspection,
    write_results,
)
from keras_nmt.cli.lines import STANDARD, check_outputs, chunks, output_lines
from keras_nmt.cli.options import Directory, Source, Target, refuse_without, with_options
from keras_nmt.cli.progress import progress, working
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError, require
from keras_nmt.files.model_config import ModelFiles
from keras_nmt.progress import show_steps
from keras_nmt.text.text_files import read_line_pairs, read_lines


class GroupedBy(enum.StrEnum):
    """Groups of tokens."""

    FREQUENCY = "frequency"
    POS = "pos"


By = Annotated[
    GroupedBy | None, typer.Option(help="Also give numbers by frequency of the subword, or by part of speech.")
]
Conllu = Annotated[
    Path | None, typer.Option(help="CoNLL-U file with text and tags: the text that is measured by --by pos.")
]


@with_options(SHARED)
def similarity(directories: Directories, source: Source, target: DecoderTarget = None, **shared: Any) -> None:
    """Measures the cosine of the embeddings and each layer's states at the same positions."""
    _of_states("similarity", Inspection(directories, **shared), source, target)


@with_options(SHARED)
def composition(directories: Directories, source: Source, target: DecoderTarget = None, **shared: Any) -> None:
    """Measures the part of each layer or head in compositions, first and second order apart."""
    _of_states("composition", Inspection(directories, **shared), source, target)


@with_options(SHARED)
def gates(
    directories: Directories,
    source: SourceUnlessConllu = None,
    target: DecoderTarget = None,
    by: By = None,
    conllu: Conllu = None,
    frequencies: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="With --by frequency: the training text, whose subwords are counted. With --target, a second "
            "--frequencies FILE, of its translations. Default: the given text.",
        ),
    ] = None,
    by_head: Annotated[bool, typer.Option("--by-head", help="Also give the gates of each head.")] = False,
    **shared: Any,
) -> None:
    """Measures the gates of lexical shortcuts by layer, and by head, frequency or part of speech."""
    _check_grouping(by, conllu, target)
    files = ", ".join(map(str, frequencies or ()))
    is_by = not frequencies or by == GroupedBy.FREQUENCY
    require(is_by, f"--frequencies goes with --by frequency. Received: by={by}, frequencies={files}")
    is_right = len(frequencies or ()) in (0, 1 if target is None else 2)
    problem = "Give one --frequencies FILE for --source, and a second one for --target"
    require(is_right, f"{problem}. Received: target={target}, frequencies={files}")
    is_one = (source is None) != (conllu is None)
    require(is_one, f"Give --source FILE, or --by pos --conllu FILE. Received: source={source}, conllu={conllu}")
    inspection = Inspection(directories, **shared)
    _of_states("gates", inspection, source, target, by, conllu, frequencies or (), by_head=by_head)


@with_options(SHARED)
def lexical(
    directories: Directories,
    source: Source,
    target: DecoderTarget = None,
    test_source: Annotated[
        Path | None, typer.Option(help="File of sentences of which accuracy is measured. Default: every tenth.")
    ] = None,
    test_target: Annotated[Path | None, typer.Option(help="File of their translations.")] = None,
    by: By = None,
    conllu: Conllu = None,
    target_conllu: Annotated[
        Path | None,
        typer.Option(
            help="With --target: CoNLL-U file with the measured target text and its tags, translations of the text of "
            "--conllu, or of --test-source."
        ),
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the text.")] = 5,
    seeds: Seeds = 1,
    **shared: Any,
) -> None:
    """Trains classifiers that read the subword from each layer's state at its position."""
    _check_grouping(by, conllu or target_conllu, None if target_conllu else target)
    problem = f"--conllu is the text that is measured: leave --test-source out. Received: {test_source}"
    require(conllu is None or test_source is None, problem)
    has_target = target is not None and test_target is None and (test_source or conllu)
    problem = "--target-conllu needs --target, and --conllu or --test-source, and replaces --test-target"
    require(target_conllu is None or has_target, f"{problem}. Received: {target_conllu}")
    has_source = test_source is not None and target is not None
    problem = f"--test-target goes with --test-source and --target. Received: {test_target}"
    require(test_target is None or has_source, problem)
    are_together = (test_target is None and target_conllu is None) == (target is None)
    problem = f"With --test-source, --target and --test-target go together. Received: {test_source}"
    require(test_source is None or are_together, problem)
    inspection = Inspection(directories, **shared)
    texts = _texts(source, target)
    tests = _texts(test_source, test_target)

    def measure(model: ModelFiles) -> Any:
        measured, groups = tests, None
        if conllu is not None or target_conllu is not None:
            treebanks = [None if path is None else analysis.read_conllu(path) for path in (conllu, target_conllu)]
            lines = [None if bank is None else [sentence.text for sentence in bank] for bank in treebanks]
            measured, groups = (lines[0] or tests[0], lines[1]), analysis.by_tag(*treebanks)
        elif by == GroupedBy.FREQUENCY:
            from keras_nmt.analysis.lexical_probes import split_rows  # here: imports TensorFlow

            rows = range(len(texts[0])) if test_source else split_rows(len(texts[0]))[0]
            counted = [of and [of[i] for i in rows] for of in texts]  # the lines that train
            groups = analysis.by_frequency(model, *counted, **inspection.languages)
        return analysis.lexical(
            model,
            *texts,
            test_source=measured[0],
            test_target=measured[1],
            groups=groups,
            epochs=epochs,
            seeds=range(1, seeds + 1),
            **inspection.languages,
        )

    inputs = [source, target, test_source, test_target, conllu, target_conllu]
    inspection.measure("lexical", measure, inputs, by=by, epochs=epochs, seeds=seeds)


@with_options(SHARED)
def contrast(
    directories: Directories,
    source: Annotated[Path | None, typer.Option(help="File of source sentences.")] = None,
    correct: Annotated[Path | None, typer.Option(help="File of right translations.")] = None,
    incorrect: Annotated[list[Path] | None, typer.Option(help="File of wrong translations. May be repeated.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Instead: JSON of LingEval97, ContraWSD or MuCoW, or a folder of texts by category."),
    ] = None,
    **shared: Any,
) -> None:
    """Measures how often the right translation scores above every wrong one, in all and by category."""
    texts = [source, correct, *(incorrect or [])]
    if any(texts) if data is not None else len(texts) < 3 or None in texts:
        raise UserError(
            "Give --source, --correct and --incorrect, or --data. "
            f"Received: source={source}, correct={correct}, incorrect={incorrect}, data={data}"
        )
    inspection = Inspection(directories, **shared)

    def measure(model: ModelFiles) -> Any:
        items = analysis.contrast_of_texts(*texts) if data is None else analysis.read_contrast(data)  # type: ignore[arg-type]
        return analysis.contrast(model, items, **inspection.languages)

    inspection.measure("contrast", measure, [*texts, data])


@with_options(SHARED)
def senses(
    directories: Directories,
    data: Annotated[
        Path, typer.Option(help="MuCoW's NAME.key.txt, with NAME.text.txt beside it, or a table of ambiguous words.")
    ],
    **shared: Any,
) -> None:
    """Measures how often ambiguous words are translated in the right sense."""
    from keras_nmt.analysis.task_data import text_of_key  # here: imports NumPy

    inspection = Inspection(directories, **shared)

    def measure(model: ModelFiles) -> Any:
        return analysis.senses(model, analysis.read_senses(data), **inspection.languages)

    inspection.measure("senses", measure, [data, text_of_key(data)])


@with_options(SHARED)
def lengths(
    context: typer.Context,
    directories: Directories,
    source: Source,
    references: Annotated[Path, typer.Option(help="File of reference translations.")],
    bins: Annotated[int, typer.Option(min=1, help="Width of a group of source lengths, in words.")] = 10,
    quantiles: Annotated[
        int | None, typer.Option(min=1, help="Number of groups of about equally many sentences instead.")
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option("--lowercase/--no-lowercase", help="Whether case is ignored. Default: as of each model's target."),
    ] = None,
    **shared: Any,
) -> None:
    """Measures BLEU by the length of the source."""
    if quantiles is not None:
        refuse_without(context, "bins", "groups of one width, without --quantiles")
    inspection = Inspection(directories, **shared)
    lines = read_line_pairs(source, references)

    def measure(model: ModelFiles) -> Any:
        return analysis.lengths(
            model, *lines, width=bins, quantiles=quantiles, lowercase=lowercase, **inspection.languages
        )

    cases: set[bool] = set()

    def check_case(measured: Any) -> Any:
        cases.add(measured.details["lowercase"])
        if len(cases) > 1:
            raise UserError(
                "BLEU would ignore case for some models and not for others, because some lower-case their text: choose "
                "--lowercase or --no-lowercase for all."
            )
        return measured

    options = {"bins": bins, "quantiles": quantiles, "lowercase": lowercase}
    inspection.measure("lengths", measure, [source, references], finish=check_case, **options)


@with_options(SHARED)
def alignments(
    directories: Directories,
    source: Source,
    target: Target,
    gold: Annotated[Path, typer.Option(help="File of gold links: 3-4, or 3p4 where only possible.")],
    first: Annotated[int, typer.Option(min=0, max=1, help="Number of the first word.")] = 1,
    swap: Annotated[bool, typer.Option("--swap", help="The second number of a link is the source's word.")] = False,
    **shared: Any,
) -> None:
    """Measures the alignment error rate of each decoder layer's attention."""
    inspection = Inspection(directories, **shared)
    lines = read_line_pairs(source, target)

    def measure(model: ModelFiles) -> Any:
        links = analysis.read_gold_alignments(gold, first=first, swap=swap)
        return analysis.alignment_error_rate(model, lines[0], lines[1], links, **inspection.languages)

    inspection.measure("alignments", measure, [source, target, gold], first=first, swap=swap)


class Site(enum.StrEnum):
    """Places of attention."""

    CROSS = "cross"
    ENCODER = "encoder"
    DECODER = "decoder"


@with_options({name: option for name, option in SHARED.items() if name != "output"})
def attention(
    directory: Directory,
    source: Source,
    target: Annotated[Path | None, typer.Option(help="File of their translations. Default: the model's own.")] = None,
    site: Annotated[Site, typer.Option(help="To the source, or of a side to itself.")] = Site.CROSS,
    layer: Annotated[
        int | None, typer.Option(min=1, help="Default: the layer that aligns words; of a side to itself, the last.")
    ] = None,
    head: Annotated[int | None, typer.Option(min=1, help="Default: the mean, or the head that aligns words.")] = None,
    output: Annotated[Path, typer.Option(help="File to write; - is standard output.")] = STANDARD,
    **shared: Any,
) -> None:
    """Writes the attention of a layer and a head for each sentence, as JSON: subwords, and a matrix of weights."""
    (model,) = check_inspection([directory], None)
    check_outputs(output, texts=(source, target))
    lines = _texts(source, target)
    import_tensorflow(shared.pop("import_"), to_translate=True)
    from keras_nmt.analysis.token_states import open_translator  # here: imports TensorFlow

    translator, _ = open_translator(model, **shared)
    pairs = zip(lines[0], lines[1] or itertools.repeat(""), strict=target is not None)
    bar = progress(len(lines[0]), "lines", shown=output != STANDARD)
    with bar as advance, output_lines(output) as write:
        for some in chunks(pairs):
            sources, targets = zip(*some, strict=True)
            given_targets = None if target is None else targets
            for x in analysis.attention(translator, sources, given_targets, site=site, layer=layer, head=head):
                weights = [[round(weight, 6) for weight in row] for row in x.weights.tolist()]
                write(json.dumps({"rows": x.rows, "columns": x.columns, "weights": weights}, ensure_ascii=False))
            advance(len(some))


@with_options(SHARED)
def roles(
    directory: Directory,
    source: SourceUnlessConllu = None,
    conllu: Annotated[Path | None, typer.Option(help="CoNLL-U file with text and tags, instead of --source.")] = None,
    token: Annotated[str | None, typer.Option(help="A subword whose every occurrence is listed.")] = None,
    references: Annotated[
        Path | None, typer.Option(help="With --token: file of translations, to whose words occurrences are aligned.")
    ] = None,
    **shared: Any,
) -> None:
    """Shows the roles that a model gives to the tokens of a text."""
    is_one = (source is None) != (conllu is None)
    require(is_one, f"Give --source FILE or --conllu FILE. Received: source={source}, conllu={conllu}")
    has_both = token is not None and source is not None
    problem = f"--references goes with --token and --source. Received: {references}"
    require(references is None or has_both, problem)
    output, imports = shared.pop("output"), shared.pop("import_")
    (model,) = check_inspection([directory], output)
    lines, others = _texts(source, references)
    import_tensorflow(imports)
    groups = None
    if conllu is not None:
        lines, groups = _tagged(conllu)
    assert lines is not None
    with working(f"Reading {directory}"):
        results = analysis.roles(model, lines, groups=groups, token=token, references=others, **shared)
    write_results(results, output)


@with_options(SHARED)
def ablate(
    directory: Directory,
    source: Source,
    target: Target,
    cuts: Annotated[
        list[str],
        typer.Option(
            "--cut",
            metavar="PATTERN=KIND",
            help="What to replace, by a pattern of places: 'encoder/*:gates=constant:0'; KIND is constant:NUMBER, "
            "mean, shuffle, sentence (another sentence's values) or without:ORDER. Repeat it for others.",
        ),
    ],
    each: Annotated[
        bool,
        typer.Option("--each", help="Also each matching place alone; with a pattern that ends with ':*', each part."),
    ] = False,
    no_search: Annotated[
        bool, typer.Option("--no-search", help="Only score the targets; do not translate for BLEU.")
    ] = False,
    patch: Annotated[
        int | None,
        typer.Option(metavar="LINE", min=1, help="The line whose values `sentence` takes. Default: the next line."),
    ] = None,
    **shared: Any,
) -> None:
    """Measures what changes if gates, heads, roles, compositions, states or bridges are replaced."""
    output, imports = shared.pop("output"), shared.pop("import_")
    (model,) = check_inspection([directory], output)
    lines = read_line_pairs(source, target)
    import_tensorflow(imports)
    with show_steps(progress):
        options = {"each": each, "search": not no_search, "patch": patch, **shared}
        results = analysis.ablate(model, lines[0], lines[1], cuts, **options)
    write_results(results, output)


STATE_COMMANDS = (
    *(similarity, gates, composition, lexical, roles, attention),
    *(contrast, senses, lengths, alignments, ablate),
)


def _of_states(
    name: str,
    inspection: Inspection,
    source: Path | None,
    target: Path | None,
    by: GroupedBy | None = None,
    conllu: Path | None = None,
    frequencies: Sequence[Path] = (),
    **options: Any,
) -> None:
    """Measures by a function of `keras_nmt.analysis` from a model and texts."""
    lines = _texts(source, target)
    counted = _texts(*frequencies) if frequencies else lines

    def measure(model: ModelFiles) -> Any:
        texts, more = lines, dict(options)
        if conllu is not None:
            tagged, more["groups"] = _tagged(conllu)
            texts = tagged, None
        elif by == GroupedBy.FREQUENCY:
            more["groups"] = analysis.by_frequency(model, *counted, **inspection.languages)
        return getattr(analysis, name)(model, *texts, **more, **inspection.languages)

    inspection.measure(name, measure, [source, target, conllu, *frequencies], by=by, **options)


def _check_grouping(by: GroupedBy | None, conllu: Path | None, target: Path | None) -> None:
    are_together = (by == GroupedBy.POS) == (conllu is not None)
    require(are_together, f"--by pos and --conllu FILE go together. Received: by={by}, conllu={conllu}")
    require(conllu is None or target is None, f"--conllu has no translations: leave --target out. Received: {target}")


def _tagged(conllu: Path) -> tuple[list[str], Any]:
    """Returns the text of a CoNLL-U file, and the groups of its tokens by part of speech."""
    sentences = analysis.read_conllu(conllu)
    return [sentence.text for sentence in sentences], analysis.by_tag(sentences)


def _texts(first: Path | None, second: Path | None = None) -> Any:
    """Returns the lines of a file, and of another file whose lines correspond; None for a file that is not given."""
    if first is None:
        return None, None
    return read_line_pairs(first, second) if second is not None else (read_lines(first), None)
