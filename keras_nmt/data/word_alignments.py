"""Alignments of the words of sentence pairs, as text in the format of Pharaoh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keras_nmt.errors import UserError
from keras_nmt.text.translation import split_words

Alignment = Sequence[tuple[int, int]]  # pairs (source word, target word) of a sentence, from 0


def parse_pharaoh_alignments(
    lines: Iterable[str], first: int = 1, name: str = "the alignments"
) -> list[list[tuple[int, int]]]:
    """Parses alignments in the format of Pharaoh, which `fast_align` and `eflomal` write: `0-0 1-2` for each sentence.

    `first` is the number of the first line, and `name` is that of the file, for the error message.

    Example:

    >>> parse_pharaoh_alignments(["0-0 1-2", ""])
    [[(0, 0), (1, 2)], []]
    """
    alignments = []
    for number, line in enumerate(lines, first):
        pairs = [pair.partition("-") for pair in split_words(line)]
        if not all(x.isdecimal() and len(x) < 10 for source, _, target in pairs for x in (source, target)):
            raise UserError(f"Line {number} of {name} must have pairs such as 0-0. Received: {line[:40]!r}")
        alignments.append([(int(source), int(target)) for source, _, target in pairs])
    return alignments


def check_words(
    line: int, alignment: Alignment, num_source: int, num_target: int, name: str = "the alignments"
) -> None:
    """Checks that the words of the alignment in a line are in its sentences."""
    for source, target in alignment:
        if not (0 <= source < num_source and 0 <= target < num_target):
            raise UserError(
                f"Line {line} of {name} must fit its sentences, of {num_source} and {num_target} words. "
                f"Received: {source}-{target}"
            )
