"""The command that scores translations: `evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import (
    BeamSize,
    Import,
    LengthPenalty,
    SourceLanguage,
    TargetLanguage,
    Weights,
    check_search,
    given,
    refuse,
)
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.cli.translation import warn_truncated
from keras_nmt.errors import UserError
from keras_nmt.files.read_line_pairs import read_line_pairs


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
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    tokenize: Annotated[
        str,
        typer.Option(
            help="sacreBLEU's tokenizer for BLEU, such as 13a, intl, zh or char; none if --hypotheses and --references "
            "are tokenised, for the tokenised BLEU of papers."
        ),
    ] = "13a",
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    weights: Weights = None,
    import_: Import = None,
) -> None:
    """Scores the translations of a model or of a system by sacreBLEU: BLEU, chrF and TER with their signatures."""
    if not references:
        raise UserError("Give the reference translations: --references FILE. Received: none")
    if (hypotheses is None) == (directory is None) or (directory is None) != (source is None):
        raise UserError(
            "Give DIRECTORY with --source FILE, or --hypotheses FILE. "
            f"Received: directory={directory}, source={source}, hypotheses={hypotheses}"
        )
    if hypotheses is not None:
        refuse(context, {"references", "hypotheses", "baseline", "lowercase", "tokenize"}, "with --hypotheses")
    options = given(beam_size=beam_size, length_penalty=length_penalty) | {"num_hypotheses": 1}
    if directory is not None:
        check_search(directory, options)
    texts = [path for path in (source, hypotheses, baseline) if path is not None]
    lines, *others = read_line_pairs(*texts, *references)
    streams = others[len(texts) - 1 :]
    import_tensorflow(import_)
    from keras_nmt.evaluation import corpus_scores, paired_bootstrap
    from keras_nmt.evaluation.metrics import check_tokenizer

    check_tokenizer(tokenize)  # before the translation
    if directory is not None:
        from keras_nmt.inference import Translator

        with working(f"Translating {source}"):
            translator = Translator.from_directory(
                directory, weights=weights, source=source_language, target=target_language, **options
            )
            translations = translator.translate(lines)
        warn_truncated(sum(translation.truncated for translation in translations), translator)
        lines = [translation.text for translation in translations]
    results: dict[str, Any] = (
        dict(corpus_scores(lines, streams, lowercase=lowercase, tokenize=tokenize))
        if baseline is None
        else dict(paired_bootstrap(lines, others[0], streams, lowercase=lowercase, tokenize=tokenize))
    )
    for result in results.values():
        write_line(str(result))
