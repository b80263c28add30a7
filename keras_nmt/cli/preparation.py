"""The command that prepares corpora: `prepare`."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.options import drop_none, with_options
from keras_nmt.cli.progress import working, write_above
from keras_nmt.errors import UserError, needs_extra, require
from keras_nmt.files.atomic_files import check_new_folder

FILES = "Files of the {side} side, in order. May be repeated."

OF_VOCABULARY: dict[str, Any] = {  # fields of `Preparation`, for subwords that are trained
    "subword_sample": Annotated[
        int | None, typer.Option(min=1, help="With --vocabulary-size: random pairs to train on. Default: 1,000,000.")
    ],
    "seed": Annotated[int | None, typer.Option(min=0, help="With --vocabulary-size: seed of the sample. Default: 0.")],
    "normalization": Annotated[
        str | None,
        typer.Option(help="With --vocabulary-size: text that the subwords read: nfc, nfkc, identity. Default: nfc."),
    ],
    "character_coverage": Annotated[
        float | None,
        typer.Option(help="With --vocabulary-size: share of characters with a subword, from 0.98. Default: 1."),
    ],
    "byte_fallback": Annotated[
        bool | None,
        typer.Option("--byte-fallback", help="With --vocabulary-size: bytes for unknown characters, 256 subwords."),
    ],
    "source_cleaning": Annotated[
        bool | None,
        typer.Option(
            "--source-cleaning/--no-source-cleaning",
            help="With --vocabulary-size: clean spaces, hyphens and invisible characters of side one. Default: yes.",
        ),
    ],
}
OF_PAIRS: dict[str, Any] = {  # fields of `Preparation`
    "max_length": Annotated[int | None, typer.Option(help="Longest sentence in subwords. Default: 256.")],
    "max_ratio": Annotated[float | None, typer.Option(help="Largest ratio of lengths. Default: 3.")],
    "drop_identical": Annotated[bool, typer.Option("--drop-identical", help="Drop pairs with equal sides.")],
    "language_model": Annotated[
        Path | None, typer.Option(metavar="FILE", help="Model of fastText that identifies languages: lid.176.bin.")
    ],
    "duplicates": Annotated[
        str | None,
        typer.Option(help="Drop duplicates by pair, source, target or either; or keep them. Default: pair."),
    ],
    "order": Annotated[str | None, typer.Option(help="shuffled, or lines. Default: shuffled.")],
    "source_tag": Annotated[
        str | None, typer.Option("--tag", help="Subword at the start of each source sentence, such as <BT>.")
    ],
    "keep_text": Annotated[bool, typer.Option("--keep-text", help="Keep the text, for subword sampling and noise.")],
}


@with_options(OF_VOCABULARY | OF_PAIRS)
def prepare(
    output: Annotated[str, typer.Option(metavar="DIRECTORY", help="Folder to make.")],
    source: Annotated[list[str], typer.Option("--source", metavar="FILE", help=FILES.format(side="first"))],
    target: Annotated[list[str], typer.Option("--target", metavar="FILE", help=FILES.format(side="second"))],
    sides: Annotated[tuple[str, str], typer.Option(metavar="NAME NAME", help="Names of the sides, such as de en.")] = (
        "source",
        "target",
    ),
    subwords: Annotated[Path | None, typer.Option(help="SentencePiece model of both sides.")] = None,
    source_subwords: Annotated[Path | None, typer.Option(help="SentencePiece model of the first side.")] = None,
    target_subwords: Annotated[Path | None, typer.Option(help="SentencePiece model of the second side.")] = None,
    vocabulary_size: Annotated[
        int | None, typer.Option(help="Train one model of this many subwords for both sides.")
    ] = None,
    script: Annotated[
        list[str] | None,
        typer.Option(metavar="SIDE=SCRIPT", help="Script of most letters of a side, such as ru=CYRILLIC."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="SIDE=LANGUAGE", help="Language of a side, a label of --language-model such as de=de."),
    ] = None,
    filter_: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="FILE.py:NAME",
            help="Filter of your own: function, or DoFn, in a file or a module. May be repeated.",
        ),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: the processors.")] = None,
    beam: Annotated[
        list[str] | None, typer.Option(metavar="OPTION", help="Option of Apache Beam, such as --runner=FlinkRunner.")
    ] = None,
    **shared: Any,
) -> None:
    """Prepares a corpus for training: text to shards of subword ids. Needs the extra `prepare`.

    Training takes the sides of the folder, such as OUTPUT/de, wherever it takes files.
    """
    check_new_folder(output)
    given_models = (subwords or source_subwords, subwords or target_subwords)
    problem = "Missing subwords: --subwords FILE, or --source-subwords and --target-subwords, or --vocabulary-size N."
    require(vocabulary_size is not None or None not in given_models, problem)
    problem = f"Give subwords or --vocabulary-size. Received: --vocabulary-size {vocabulary_size} and a file"
    require(vocabulary_size is None or not any(given_models), problem)
    problem = f"Give one model of both sides, or one of each. Received: --subwords {subwords} and another"
    require(subwords is None or not (source_subwords or target_subwords), problem)
    options = drop_none(**shared)
    if vocabulary_size is None and (trained := [name for name in OF_VOCABULARY if name in options]):
        name, value = trained[0], options[trained[0]]
        raise UserError(f"This option goes with --vocabulary-size N. Received: --{name.replace('_', '-')} {value}")
    scripts, languages = (
        _values_by_side(given_texts or [], option)
        for option, given_texts in (("--script SIDE=SCRIPT", script), ("--language SIDE=LANGUAGE", language))
    )
    filters = {text.rpartition(":")[2]: text for text in filter_ or []}
    received = f"Received: {', '.join(filter_ or [])}"
    require(len(filters) == len(filter_ or []), f"Each --filter must have a name of its own. {received}")
    logging.disable(logging.WARNING)  # Beam warns when it is imported without libraries for Google's cloud
    try:
        with needs_extra("`prepare`", "prepare"):
            from keras_nmt.preparation import Preparation
            from keras_nmt.preparation.pipeline import prepare as run
    finally:
        logging.disable(logging.NOTSET)
    preparation = Preparation(
        sides=sides,
        sources=source,
        targets=target,
        subwords=None if given_models[0] is None or given_models[1] is None else (given_models[0], given_models[1]),
        vocabulary_size=vocabulary_size,
        scripts=scripts,
        languages=languages,
        filters=filters,
        **options,
    )
    with working(f"Preparing {output}"):
        run(preparation, output, workers=workers, beam_options=beam or [], report=write_above)


def _values_by_side(texts: list[str], option: str) -> dict[str, str]:
    values = {}
    for text in texts:
        side, equals, value = text.partition("=")
        require(equals, f"The option must be written {option}. Received: {text}")
        require(side not in values, f"A side must be named once by {option}. Received: {', '.join(texts)}")
        values[side] = value
    return values
