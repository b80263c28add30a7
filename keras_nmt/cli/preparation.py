"""The command that prepares corpora: `prepare`."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import given
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError

FILES = "Files of the {side} side, in order. May be repeated."


def prepare(
    output: Annotated[Path, typer.Option(help="Folder to make.")],
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
    subword_sample: Annotated[
        int, typer.Option(min=1, help="With --vocabulary-size: lines of each file to train on, from its beginning.")
    ] = 1_000_000,
    max_length: Annotated[int | None, typer.Option(help="Longest sentence in subwords. Default: 256.")] = None,
    max_ratio: Annotated[float | None, typer.Option(help="Largest ratio of lengths. Default: 3.")] = None,
    normalization: Annotated[str | None, typer.Option(help="none, NFC or NFKC. Default: none.")] = None,
    drop_identical: Annotated[bool, typer.Option("--drop-identical", help="Drop pairs with equal sides.")] = False,
    script: Annotated[
        list[str] | None,
        typer.Option(metavar="SIDE=SCRIPT", help="Script of most letters of a side, such as ru=CYRILLIC."),
    ] = None,
    duplicates: Annotated[
        str | None,
        typer.Option(help="Drop duplicates by pair, source, target or either; or keep them. Default: pair."),
    ] = None,
    order: Annotated[str | None, typer.Option(help="shuffled, or lines. Default: shuffled.")] = None,
    source_tag: Annotated[
        str | None, typer.Option("--tag", help="Subword at the start of each source sentence, such as <BT>.")
    ] = None,
    keep_text: Annotated[bool, typer.Option("--keep-text", help="Keep the text, for subword sampling.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: the processors.")] = None,
    beam: Annotated[
        list[str] | None, typer.Option(metavar="OPTION", help="Option of Apache Beam, such as --runner=FlinkRunner.")
    ] = None,
) -> None:
    """Prepares a corpus for training: text to shards of subword ids. Needs the extra `prepare`.

    Training takes the sides of the folder, such as OUTPUT/de, wherever it takes files.
    """
    given_models = (subwords or source_subwords, subwords or target_subwords)
    if vocabulary_size is None and None in given_models:
        raise UserError(
            "Give --subwords FILE, or --source-subwords and --target-subwords, or --vocabulary-size N. "
            "Received: no subwords"
        )
    if vocabulary_size is not None and any(given_models):
        raise UserError(f"Give subwords or --vocabulary-size. Received: --vocabulary-size {vocabulary_size} and a file")
    if subwords is not None and (source_subwords or target_subwords):
        raise UserError(f"Give one model of both sides, or one of each. Received: --subwords {subwords} and another")
    scripts = dict(map(_script, script or []))
    logging.getLogger().setLevel(logging.ERROR)  # Beam warns when it is imported without libraries for Google's cloud
    try:
        from keras_nmt.preparation import Preparation
        from keras_nmt.preparation import prepare as run
    except ImportError as error:
        raise UserError(f"Preparation needs Apache Beam: pip install 'keras_nmt[prepare]'. Received: {error}") from None
    with tempfile.TemporaryDirectory() as folder:
        if vocabulary_size is not None:
            import_tensorflow()
            from keras_nmt.preparation.train_on_beginnings import train_on_beginnings

            write_line(f"Training {vocabulary_size:,} subwords")
            model = train_on_beginnings(
                source + target,
                Path(folder) / "subwords.model",
                lines=subword_sample,
                vocabulary_size=vocabulary_size,
                user_symbols=[] if source_tag is None else [source_tag],
            )
            given_models = model, model
        assert given_models[0] is not None
        assert given_models[1] is not None
        preparation = Preparation(
            sides=sides,
            sources=source,
            targets=target,
            subwords=(given_models[0], given_models[1]),
            scripts=scripts,
            drop_identical=drop_identical,
            keep_text=keep_text,
            **given(
                max_length=max_length,
                max_ratio=max_ratio,
                normalization=normalization,
                duplicates=duplicates,
                order=order,
                source_tag=source_tag,
            ),
        )
        run(preparation, output, workers=workers, beam_options=beam or [], report=write_line)


def _script(text: str) -> tuple[str, str]:
    side, equals, script = text.partition("=")
    if not equals:
        raise UserError(f"--script takes SIDE=SCRIPT. Received: {text}")
    return side, script
