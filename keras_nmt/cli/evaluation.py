"""The command that scores translations: `evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import (
    MODEL,
    SEARCH,
    check_search,
    names_in,
    refuse,
    refuse_without,
    searching,
    with_options,
)
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.cli.translation import open_translator
from keras_nmt.cli.translation_stream import Defects
from keras_nmt.errors import UserError, check_names, require
from keras_nmt.evaluation.metrics import DEFAULT_METRICS, METRICS
from keras_nmt.text.text_files import check_any_text, read_line_pairs

ALL_METRICS = (*METRICS, "comet")


@with_options(SEARCH | MODEL)
def evaluate(
    context: typer.Context,
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIRECTORY", help="The model directory that translates --source.")
    ] = None,
    references: Annotated[
        list[Path] | None,
        typer.Option("--references", help="File of reference translations. Repeated for several references. Required."),
    ] = None,
    source: Annotated[Path | None, typer.Option(help="File of source sentences. Required with DIRECTORY.")] = None,
    hypotheses: Annotated[
        Path | None, typer.Option(help="File of a system's translations, instead of DIRECTORY and --source.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="File of another system's translations: paired bootstrap against them.")
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--no-lowercase",
            help="Whether BLEU and chrF ignore case. Default: if the model of DIRECTORY lower-cases its target.",
        ),
    ] = None,
    tokenize: Annotated[
        str,
        typer.Option(
            help="sacreBLEU's tokenizer for BLEU, such as 13a, intl, zh or char; none if --hypotheses and --references "
            "are tokenised, for the tokenised BLEU of papers."
        ),
    ] = "13a",
    metrics: Annotated[
        str, typer.Option(help=f"Metrics among {', '.join(ALL_METRICS)}, separated by commas.")
    ] = ",".join(DEFAULT_METRICS),
    comet_model: Annotated[
        Path | None, typer.Option(metavar="FILE", help="COMET's model, a .ckpt file. Required for comet.")
    ] = None,
    comet_program: Annotated[
        str, typer.Option(metavar="PROGRAM", help="comet-score of an environment with unbabel-comet.")
    ] = "comet-score",
    **shared: Any,
) -> None:
    """Scores the translations of a model or of a system: BLEU, chrF and TER by sacreBLEU, COMET by its own program."""
    names = names_in(metrics)
    check_names("--metrics", names, ALL_METRICS)
    if not references:
        raise UserError("Missing option --references: the file of reference translations.")
    problem = f"Name each file of references once. Received: {', '.join(map(str, references))}"
    require(len(set(references)) == len(references), problem)
    with_comet = "comet" in names
    if (hypotheses is None) == (directory is None) or (directory is not None and source is None):
        raise UserError(
            "Give DIRECTORY with --source FILE, or --hypotheses FILE, and not both. "
            f"Received: directory={directory}, source={source}, hypotheses={hypotheses}"
        )
    require(not with_comet or source is not None, "Missing option --source: the metric comet also needs --source FILE.")
    if with_comet != (comet_model is not None) or (with_comet and len(references) > 1):
        raise UserError(
            "For COMET, give --metrics comet, --comet-model FILE and one file of references. "
            f"Received: metrics={metrics}, comet_model={comet_model}, {len(references)} file(s) of references"
        )
    if "bleu" not in names:
        refuse_without(context, "tokenize", "--metrics bleu")
    if not any(METRICS[name].has_case for name in names if name in METRICS):
        with_case = [name for name, kind in METRICS.items() if kind.has_case]
        refuse_without(context, "lowercase", f"--metrics {' or '.join(with_case)}")
    if not with_comet:
        refuse_without(context, "comet_program", "--metrics comet")
    if hypotheses is not None:
        allowed = {"references", "hypotheses", "baseline", "lowercase", "tokenize", "metrics"}
        allowed |= {"source", "comet_model", "comet_program"} if with_comet else set()
        refuse(context, allowed, "with --hypotheses")
    of_model = {name: shared.pop(name) for name in MODEL}
    options = {"num_hypotheses": 1, **searching(shared)}
    model = None if directory is None else check_search(directory, options)
    named = {"source": source, "hypotheses": hypotheses, "baseline": baseline}
    files = {name: path for name, path in named.items() if path is not None}
    texts = read_line_pairs(*files.values(), *references)
    lines, streams = dict(zip(files, texts, strict=False)), texts[len(files) :]
    for path, stream in zip(references, streams, strict=True):
        check_any_text(path, stream)
    import_tensorflow(of_model.pop("import_"), to_translate=True)
    from keras_nmt.evaluation import corpus_scores, paired_bootstrap
    from keras_nmt.evaluation.comet import check_comet
    from keras_nmt.evaluation.metrics import check_tokenizer

    of_sacrebleu = [name for name in names if name != "comet"]
    check_tokenizer(tokenize, load="bleu" in names)  # before the translation
    if comet_model is not None:
        check_comet(comet_model, comet_program)
    if model is not None:
        with working(f"Translating {source}"):
            translator = open_translator(model, options, **of_model)
            translations = translator.translate(lines["source"])
        defects = Defects()
        defects.add(translations)
        defects.warn_of_translator(translator)
        lines["hypotheses"] = [translation.text for translation in translations]
        if lowercase is None:
            ((_, target),) = translator.directions
            lowercase = translator.tokenizers[target].lowercases
    results: dict[str, Any] = {}
    scoring: dict[str, Any] = {"metrics": of_sacrebleu, "lowercase": bool(lowercase), "tokenize": tokenize}
    if of_sacrebleu:
        with working("Scoring"):  # TER of bad translations of long text takes minutes
            if baseline is None:
                results |= corpus_scores(lines["hypotheses"], streams, **scoring)
            else:
                results |= paired_bootstrap(lines["hypotheses"], lines["baseline"], streams, **scoring)
    if comet_model is not None:
        with working("Scoring by COMET"):
            results["comet"] = _comet(lines, streams[0], comet_model, comet_program)
    for name in names:
        write_line(str(results[name]))


def _comet(lines: dict[str, list[str]], references: list[str], model: Path, program: str) -> str:
    """Measures COMET of the hypotheses and, with a baseline, the difference and its p-value."""
    import numpy as np

    from keras_nmt.evaluation import comet_scores, significance

    system, *baseline = (
        comet_scores(lines["source"], lines[name], references, model=model, program=program)
        for name in ("hypotheses", "baseline")
        if name in lines
    )
    if not baseline:
        return str(system)
    sums = [np.stack([scores.sentences, np.ones(len(references))], -1) for scores in (system, *baseline)]
    difference, p = system.score - baseline[0].score, significance(*sums)
    shown = "too few sentences for p" if p is None else f"p = {p:.4f}"
    return f"{system}, baseline {baseline[0].score:.4f}, difference {difference:+.4f} ({shown})"
