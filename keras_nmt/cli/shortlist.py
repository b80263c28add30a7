"""The command that makes a table of likely translations: `shortlist`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import Directory, Import, SourceLanguage, Target, TargetLanguage, check_models
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import check_writable
from keras_nmt.files.read_line_pairs import read_line_pairs


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
    sources, targets, *given = read_line_pairs(source, target, *([alignments] if alignments else []))
    from keras_nmt.inference.shortlist import Shortlist, parse_pharaoh_alignments

    pairs = parse_pharaoh_alignments(given[0]) if given else None
    import_tensorflow(import_, to_translate=True)
    from keras_nmt.inference import Translator

    with working(f"Counting aligned subwords in {len(sources):,} sentences"):
        translator = Translator.from_directory(directory, source=source_language, target=target_language)
        if len(translator.directions) > 1:
            raise UserError(
                f"A shortlist is for one direction, and the model of {directory} has several: give --source-language "
                "and --target-language. Received: neither"
            )
        if pairs is None:
            pairs = translator.align(sources, targets)
        Shortlist.from_alignments(translator.tokenizers, sources, targets, pairs, num_candidates=candidates).write(
            output
        )
    write_line(str(output))
