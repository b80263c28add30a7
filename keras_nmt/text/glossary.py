"""Glossaries: how words of the source must be translated."""

from __future__ import annotations

import functools
import itertools
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from keras_nmt.errors import UserError
from keras_nmt.text.lines import check_phrases, without_padding
from keras_nmt.text.normalization import UNSPACED
from keras_nmt.text.source_cleaning import clean_source
from keras_nmt.text.text_files import read_blocks


class Glossary:
    """Finds the constraints of sentences by their words.

    The words of an entry must be whole words of the sentence; an entry of a script without spaces may begin and end
    anywhere. Both are read in Unicode's form NFC, cleaned by `keras_nmt.text.clean_source`. Of entries that overlap,
    the one that begins first counts, and of those the longest.

    Args:
        entries: Mapping from words of the source language to a phrase of the target language, which may have
            alternatives: "Haus|Gebäude".
        ignore_case: Boolean, whether to ignore the case of the source. Defaults to False.

    Example:

    >>> glossary = Glossary({"house": "Haus|Gebäude", "old house": "Altbau", "us": "uns"})
    >>> glossary.constraints(["the old house of us", "a house", "a bus"])
    [['Altbau', 'uns'], ['Haus|Gebäude'], []]
    """

    def __init__(self, entries: Mapping[str, str], *, ignore_case: bool = False) -> None:
        self._lower = str.lower if ignore_case else str
        self._entries: dict[str, str] = {}
        for source, target in entries.items():
            words = " ".join(self._fold(source).split())
            if not words or not target.strip():
                raise UserError(f"An entry must have words and a phrase. Received: {source!r} with {target!r}")
            _add(self._entries, words, target, repr(words))
        longest_first = sorted(self._entries, key=len, reverse=True)
        found = "|".join(re.escape(source).replace(r"\ ", r"\s+") for source in longest_first)
        # No letter of an entry's word is before or behind it. In a script without spaces, words have no known ends, but
        # marks belong to the letter before them.
        letter, mark = rf"(?!{UNSPACED})[\w{_marks()}]", f"[{_marks()}]"
        begin = f"(?:(?={UNSPACED})|(?<!{letter}))"
        end = f"(?:(?<={UNSPACED})(?!{mark})|(?<!{UNSPACED})(?!{letter}))"
        self._found = re.compile(f"{begin}(?:{found}){end}") if found else None

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, ignore_case: bool = False) -> Glossary:
        """Reads a text file, plain or compressed, with an entry in each line: words of the source, tab, phrase.

        Raises:
            OSError: The file cannot be opened.
            UserError: A line is not an entry, not UTF-8 or too long, or the file is damaged.
        """
        entries: dict[str, str] = {}
        for number, line in enumerate(itertools.chain.from_iterable(read_blocks(path)), 1):
            source, _, target = line.partition("\t")
            if not source.strip() or not target.strip() or "\t" in target:
                raise UserError(
                    "An entry of a glossary must be words of the source, tab, phrase of the target. "
                    f"Received: {os.fspath(path)}, line {number}, {line[:40]!r}"
                )
            _add(entries, source, target.strip(), f"{os.fspath(path)}, line {number}, {source[:40]!r}")
        return cls(entries, ignore_case=ignore_case)

    def constraints(self, lines: Iterable[str]) -> list[list[str]]:
        """Returns the `constraints` of lines, for `Translator.translate` or `Client.translate`."""
        if self._found is None:
            return [[] for _ in lines]
        found = ([" ".join(x.split()) for x in self._found.findall(self._fold(line))] for line in lines)
        return [list(dict.fromkeys(self._entries[source] for source in of_line)) for of_line in found]

    def add_to(self, constraints: Iterable[Iterable[str]] | None, lines: Sequence[str]) -> list[list[str]]:
        """Returns the given constraints of each line, if there are any, and those of the entries that it has."""
        own = [[]] * len(lines) if constraints is None else check_phrases(constraints, len(lines), "constraints")
        return [[*without_padding(x), *y] for x, y in zip(own, self.constraints(lines), strict=True)]

    def _fold(self, text: str) -> str:
        return unicodedata.normalize("NFC", self._lower(clean_source(text)))


@functools.cache
def _marks() -> str:
    """Returns the ranges of characters that continue a word for a regular expression, where `\\w` does not have them.

    They are the marks of Unicode, such as the vowel signs of Devanagari and decomposed accents, and joiners.
    """
    marks = [i for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i))[0] == "M"]
    starts = [i for i, before in zip(marks, [-1, *marks], strict=False) if i != before + 1]
    ends = [i for i, after in zip(marks, [*marks[1:], -1], strict=True) if after != i + 1]
    return "\u200c\u200d" + "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


def _add(entries: dict[str, str], words: str, phrase: str, where: str) -> None:
    """Adds an entry, unless its words have another phrase, which is an error; `where` names the entry."""
    if entries.setdefault(words, phrase) != phrase:
        raise UserError(
            "The words of an entry must have one phrase: join alternatives by `|`. "
            f"Received: {where} with {entries[words]!r} and {phrase!r}"
        )
