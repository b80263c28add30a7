"""The command that gives a trained model more subwords: `extend-vocabulary`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import Directory, Import, check_models, refuse_without
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.data.text_files import read_lines
from keras_nmt.errors import UserError


def extend_vocabulary(
    context: typer.Context,
    directory: Directory,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Model directory to make.")],
    text: Annotated[Path | None, typer.Option(metavar="FILE", help="Text from which subwords are learnt.")] = None,
    number: Annotated[
        int, typer.Option(min=1, max=10**6, help="With --text: most new subwords, beside new characters.")
    ] = 1000,
    pieces: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of words, one a line, each of which becomes one subword.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            help="New target language of a model with language labels; of a Transformer, a symbol that is never split, "
            "such as <2fr>. May be repeated."
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Whose subwords to extend, where vocabularies are separate: source, target, ...")
    ] = None,
    import_: Import = None,
) -> None:
    """Writes a model with more subwords to train on: `keras-nmt train --init-from OUTPUT`.

    Old subwords keep their vectors; a new one begins with the mean of those that spelled it.
    """
    if text is None:
        refuse_without(context, "number", "--text FILE")
    if text is None and pieces is None and not tag:
        raise UserError("Missing option: --text FILE, --pieces FILE or --tag TAG.")
    check_models(directory)
    lines = [] if text is None else read_lines(text)
    words = [] if pieces is None else [line for line in read_lines(pieces) if line.strip()]
    with working(f"Extending {directory}"):
        import_tensorflow(import_)
        from keras_nmt import training

        added = training.extend_vocabulary(
            directory,
            output,
            language=language,
            text=lines,
            number=0 if text is None else number,
            words=words,
            tags=tag or (),
        )
    write_line(f"{output}: {added:,} new subwords")
