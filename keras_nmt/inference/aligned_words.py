"""Words of texts, and pairs of aligned words of a translator's or a server's answer; imports nothing heavy."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORD_ENDS = " \t"  # and no other spaces, as for the programs that align words


def split_words(text: str) -> list[str]:
    """The words of a text, which spaces and tabs separate. A no-break space is a part of a word.

    Example:

    >>> split_words("10\\xa0000  cats ")
    ['10\\xa0000', 'cats']
    """
    return re.findall(f"[^{WORD_ENDS}]+", text)


def aligned_words(
    alignment: Sequence[int], source_word: Sequence[int], target_word: Sequence[int]
) -> list[tuple[int, int]]:
    """The pairs (source word, target word) of a sentence that have aligned subwords, in ascending order.

    Args:
        alignment: Sequence of integers, for each subword of the target the position of a subword of the source, or -1
            for none.
        source_word, target_word: Sequences of integers, for each subword the position of its word.

    Example:

    >>> aligned_words([2, 0, 1, -1], [0, 0, 1], [0, 1, 1, -1])
    [(0, 1), (1, 0)]
    """
    return sorted({(source_word[i], word) for i, word in zip(alignment, target_word, strict=True) if i >= 0})
