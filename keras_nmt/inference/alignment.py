"""Words of subwords, for alignments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from keras_nmt.text import SubwordTokenizer


def words_of_subwords(
    tokenizer: SubwordTokenizer, texts: Sequence[str], begins: Sequence[Sequence[int]] | None = None
) -> list[list[int]]:
    """For each text, the word index of each subword.

    A subword that spans several words belongs to the first word that it has letters of.

    Args:
        tokenizer: `SubwordTokenizer`.
        texts: Sequence of N texts.
        begins: Sequence of N sequences of integers, the index of the letter where each word begins, in ascending order.
            Defaults to words that spaces separate.
    """
    found: list[list[int]] = []
    _, starts, limits = tokenizer.tokenize_with_offsets(texts)
    if begins is None:
        begins = [[match.start() for match in re.finditer(r"\S+", text)] for text in texts]
    for text, of_text, text_starts, text_limits in zip(texts, begins, starts.to_list(), limits.to_list(), strict=True):
        encoded = text.encode()
        # Offsets count bytes.
        words, letters, size = [], 0, 0
        for begin in of_text:
            size += len(text[letters:begin].encode())
            letters = begin
            words.append(size)
        found.append([])
        for start, limit in zip(text_starts, text_limits, strict=True):
            piece = encoded[start:limit].decode("utf-8", "ignore")
            first = start + len(piece.encode()) - len(piece.lstrip().encode())
            found[-1].append(max(bisect_right(words, first) - 1, 0))
    return found
