"""Words of texts, and pairs of aligned words. Imports nothing heavy."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORD_ENDS = " \t"  # no other spaces, as in programs that align words


def split_words(text: str) -> list[str]:
    """Splits a text at spaces and tabs into words. A no-break space is part of a word.

    Example:

    >>> split_words("10\\xa0000  cats ")
    ['10\\xa0000', 'cats']
    """
    return re.findall(f"[^{WORD_ENDS}]+", text)


def aligned_words(
    alignment: Sequence[int], source_word: Sequence[int], target_word: Sequence[int]
) -> list[tuple[int, int]]:
    """Returns the pairs (source word, target word) of a sentence that have aligned subwords, in ascending order.

    Args:
        alignment: Sequence of integers, the position of a source subword for each target subword, or -1 for none.
        source_word, target_word: Sequences of integers, the position of the word of each subword.

    Example:

    >>> aligned_words([2, 0, 1, -1], [0, 0, 1], [0, 1, 1, -1])
    [(0, 1), (1, 0)]
    """
    return sorted({(source_word[i], word) for i, word in zip(alignment, target_word, strict=True) if i >= 0})
