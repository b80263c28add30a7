"""The commands that align the words of given translations: `align`, and `shortlist`, a table of likely translations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.lines import STANDARD, check_outputs, number_of_lines, output_lines, write_line
from keras_nmt.cli.options import TRANSLATOR, Directory, Source, Target, with_options
from keras_nmt.cli.progress import progress
from keras_nmt.cli.translation import open_translator
from keras_nmt.files.atomic_files import check_kept, check_writable
from keras_nmt.files.model_config import read_model_files
from keras_nmt.progress import show_steps
from keras_nmt.text.text_files import read_paired_blocks

OF_MODEL = {name: TRANSLATOR[name] for name in ("source_language", "target_language", "import_")}


@with_options(OF_MODEL)
def align(
    directory: Directory,
    source: Source,
    target: Target,
    output: Annotated[Path, typer.Option(help="File to write; - is standard output.")] = STANDARD,
    layer: Annotated[
        int | None,
        typer.Option(min=1, help="Decoder layer whose mean attention aligns. Default: the last but one, or its head."),
    ] = None,
    **options: Any,
) -> None:
    """Aligns the words of given translations by the model's attention: a line such as 0-0 1-2 for each pair.

    `keras-nmt train --set alignments=FILE` trains on such alignments.
    """
    check_outputs(output, texts=(source, target))
    model, total = read_model_files(directory), number_of_lines(source, target)
    with (
        progress(total, "lines", text="Aligning", shown=output != STANDARD) as advance,
        show_steps(progress),
        output_lines(output) as write,
    ):
        translator = open_translator(model, {}, **options)
        for sources, targets in read_paired_blocks(source, target):
            for pairs in translator.align(sources, targets, layer=layer):
                write(" ".join(f"{a}-{b}" for a, b in pairs))
            advance(len(sources))


@with_options(OF_MODEL)
def shortlist(
    directory: Directory,
    source: Annotated[Path, typer.Option(help="File of source sentences, such as the training text.")],
    target: Target,
    output: Annotated[Path, typer.Option(help="File to write, for --shortlist of `translate` and `export`.")],
    alignments: Annotated[
        Path | None,
        typer.Option(help="File of aligned words, as 0-0 1-2, by fast_align or eflomal. Default: the model's own."),
    ] = None,
    candidates: Annotated[int, typer.Option(min=1, max=1000, help="Target subwords of each source subword.")] = 50,
    **options: Any,
) -> None:
    """Writes a table of the target subwords that are likely for each source subword, for a faster search.

    The table is for one direction, and for the subwords of DIRECTORY. Without --alignments, the model's attention
    aligns the words of the given sentences.
    """
    files = [source, target, *([alignments] if alignments else [])]
    check_writable(output)
    check_kept(files, output)
    model, total = read_model_files(directory), number_of_lines(*files)
    from keras_nmt.data.word_alignments import parse_pharaoh_alignments
    from keras_nmt.inference.aligned_subwords import AlignedSubwords

    with progress(total, "lines", text="Counting aligned subwords") as advance, show_steps(progress):
        translator = open_translator(model, {}, **options)
        name = str(alignments or "the alignments")
        counts = AlignedSubwords(translator.tokenizers, name)
        for sources, targets, *given in read_paired_blocks(*files):
            pairs = (
                parse_pharaoh_alignments(given[0], counts.num_sentences + 1, name)
                if given
                else translator.align(sources, targets)
            )
            counts.add(sources, targets, pairs)
            advance(len(sources))
        counts.shortlist(candidates).write(output)
    if counts.passed_over:
        print(f"{counts.passed_over:,} pair(s) of words without subwords were passed over.", file=sys.stderr)
    write_line(str(output))
