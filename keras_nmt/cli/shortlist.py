"""The command that makes a table of likely translations: `shortlist`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import Directory, Import, SourceLanguage, Target, TargetLanguage, check_models
from keras_nmt.cli.progress import progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import check_writable
from keras_nmt.files.read_paired_blocks import read_paired_blocks
from keras_nmt.steps import show_steps


def shortlist(
    directory: Directory,
    source: Annotated[Path, typer.Option(help="File of source sentences, such as the training text.")],
    target: Target,
    output: Annotated[Path, typer.Option(help="File to write, for --shortlist of `translate` and `export`.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    alignments: Annotated[
        Path | None,
        typer.Option(help="File of aligned words, as 0-0 1-2, by fast_align or eflomal. Default: the model's own."),
    ] = None,
    candidates: Annotated[int, typer.Option(min=1, max=1000, help="Target subwords of each source subword.")] = 50,
    import_: Import = None,
) -> None:
    """Writes a table of the target subwords that are likely for each source subword, for a faster search.

    The table is for one direction, and for the subwords of DIRECTORY. Without --alignments, the model's attention
    aligns the words of the given sentences.
    """
    check_writable(output)
    check_models(directory)
    files = [source, target, *([alignments] if alignments else [])]
    total = None
    if all(map(os.path.isfile, files)):  # a fault is found before the work; a pipe can be read only once
        total = sum(len(lines) for lines, *_ in read_paired_blocks(*files))
    import_tensorflow(import_, to_translate=True)
    from keras_nmt.inference import Translator
    from keras_nmt.inference.shortlist import AlignedSubwords, parse_pharaoh_alignments

    with progress(total, "lines", text="Counting aligned subwords") as advance, show_steps(progress):
        translator = Translator.from_directory(directory, source=source_language, target=target_language)
        if len(translator.directions) > 1:
            raise UserError(
                f"A shortlist is for one direction, and the model of {directory} has several. Missing options "
                "--source-language and --target-language."
            )
        counts = AlignedSubwords(translator.tokenizers)
        for sources, targets, *given in read_paired_blocks(*files):
            pairs = (
                parse_pharaoh_alignments(given[0], counts.num_sentences + 1)
                if given
                else translator.align(sources, targets)
            )
            counts.add(sources, targets, pairs)
            advance(len(sources))
        counts.shortlist(candidates).write(output)
    if counts.passed_over:
        print(f"{counts.passed_over:,} pair(s) of words without subwords were passed over.", file=sys.stderr)
    write_line(str(output))
