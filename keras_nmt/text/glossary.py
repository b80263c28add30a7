"""Glossaries: how words of the source must be translated."""

from __future__ import annotations

import functools
import itertools
import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence

from keras_nmt.errors import UserError
from keras_nmt.text.normalization import UNSPACED
from keras_nmt.text.sentences import first_letters
from keras_nmt.text.source_cleaning import clean_source
from keras_nmt.text.text_files import read_blocks
from keras_nmt.text.translation import Translation

APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇", "'"))


class Glossary:
    """Finds the constraints of sentences by their words.

    The words of an entry must be whole words of the sentence; an entry of a script without spaces may begin and end
    anywhere. Both are read in Unicode's form NFC, cleaned by `keras_nmt.text.clean_source`, and with straight
    apostrophes. Each occurrence is a constraint. Of entries that overlap, the longest counts; a warning names those of
    which none is inside of the other. At the beginning of a sentence, a phrase in small letters may begin with a
    capital.

    Args:
        entries: Mapping from words of the source language to a phrase of the target language, which may have
            alternatives: "Haus|Gebäude".
        ignore_case: Boolean, whether to ignore the case of the source: "STRASSE" is "Straße". Defaults to False.

    Raises:
        UserError: An entry has no words or no phrase, or two entries have the same words.

    Example:

    >>> glossary = Glossary({"house": "Haus|Gebäude", "old house": "Altbau", "today": "heute"})
    >>> glossary.constraints(["the old house", "a house and a house", "houses", "today, a house"])
    [['Altbau'], ['Haus|Gebäude', 'Haus|Gebäude'], [], ['heute|Heute', 'Haus|Gebäude']]
    """

    def __init__(self, entries: Mapping[str, str], *, ignore_case: bool = False) -> None:
        self._ignores_case = ignore_case
        self._entries: dict[str, str] = {}
        self._told: set[tuple[str, str]] = set()
        for source, target in entries.items():
            self._add(source, target)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, ignore_case: bool = False) -> Glossary:
        """Reads a text file, plain or compressed, with an entry in each line: words of the source, tab, phrase.

        Quotation marks around a column, as spreadsheets write a column that has commas, are left out; marks that belong
        to the column are doubled inside of them.

        Raises:
            OSError: The file cannot be opened.
            UserError: A line is not an entry, not UTF-8 or too long, or the file is damaged.
        """
        glossary = cls({}, ignore_case=ignore_case)
        for number, line in enumerate(itertools.chain.from_iterable(read_blocks(path)), 1):
            where, columns = f"{os.fspath(path)}, line {number}, ", list(map(_unquoted, line.split("\t")))
            if len(columns) != 2 or not all(columns):
                raise UserError(
                    "An entry of a glossary must be words of the source, tab, phrase of the target. "
                    f"Received: {where}{line[:40]!r}"
                )
            source, phrase = columns
            glossary._add(source, phrase, where)
        return glossary

    def constraints(self, lines: Iterable[str]) -> list[list[str]]:
        """Returns the `constraints` of lines, for `Translator.translate` or `Client.translate`."""
        return [self._constraints(line) for line in lines]

    def add_to(self, constraints: list[list[str]] | None, lines: Sequence[str]) -> list[list[str]]:
        """Returns the given constraints of each line, if there are any, and those of the entries that it has.

        A phrase is not required once more if it is given, also with other spaces, or if one of its alternatives is.
        """
        constraints_of_lines = []
        for given, of_entries in zip(constraints or [[]] * len(lines), self.constraints(lines), strict=True):
            left, further = list(filter(None, map(_alternatives, given))), []
            for phrase in of_entries:
                allowed = _alternatives(phrase)
                if meeting := next((one for one in left if one <= allowed), None):
                    left.remove(meeting)
                else:
                    further.append(phrase)
            constraints_of_lines.append([*given, *further])
        return constraints_of_lines

    def _add(self, source: str, phrase: str, where: str = "") -> None:
        """Adds an entry. `where` names its place in a file, for messages."""
        words, phrase = " ".join("".join(_letters(_plain(source), self._ignores_case)).split()), phrase.strip()
        if not re.sub(rf"[\s{_marks()}]", "", words) or not _alternatives(phrase):
            raise UserError(f"An entry must have words and a phrase. Received: {where}{source!r} with {phrase!r}")
        if self._entries.setdefault(words, phrase) != phrase:
            raise UserError(
                "The words of an entry must have one phrase: join alternatives by `|`. "
                f"Received: {where}{source[:40]!r} with {self._entries[words]!r} and {phrase!r}"
            )

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _pattern(self._entries)

    def _constraints(self, line: str) -> list[str]:
        if not self._entries:
            return []
        line = _plain(line)
        letters = _letters(line, self._ignores_case)
        spans = self._spans("".join(letters))
        if not spans:
            return []
        places = list(itertools.accumulate(map(len, letters), initial=0))
        begins = {places[i] for i in first_letters(line) if i < len(letters)}
        # All occurrences of a phrase are equal constraints, which are met by as many occurrences.
        phrases = [self._entries[words] for _, words in spans]
        capital = {phrase for phrase, (start, _) in zip(phrases, spans, strict=True) if start in begins}
        return [_with_capital(phrase) if phrase in capital else phrase for phrase in phrases]

    def _spans(self, text: str) -> list[tuple[int, str]]:
        """Returns where entries begin in a text, and their words, without entries that overlap longer ones."""
        spans: list[tuple[int, int, str]] = []
        taken: list[tuple[int, int, str]] = []
        start, is_end = 0, _edges()[1].match
        while match := self._pattern.search(text, start):
            start = match.start() + 1
            for end in range(match.end(), match.start(), -1):  # also shorter entries
                words = " ".join(text[match.start() : end].split())
                if words in self._entries and is_end(text, end):
                    spans.append((match.start(), end, words))
        for begin, end, words in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
            over = next((x for x in taken if begin < x[1] and x[0] < end), None)
            if over is None:
                taken.append((begin, end, words))
            elif not (over[0] <= begin and end <= over[1]) and (over[2], words) not in self._told:
                self._told.add((over[2], words))
                warnings.warn(f"Entries of the glossary overlap: {over[2]!r} counts, {words!r} does not.", stacklevel=2)
        return [(begin, words) for begin, _, words in sorted(taken)]


def _plain(text: str) -> str:
    """Returns a text of the source as it is compared, also without regard to case."""
    return _unified(clean_source(text))


def _unified(text: str) -> str:
    return unicodedata.normalize("NFC", text.translate(APOSTROPHES))


def _unquoted(column: str) -> str:
    """Returns a column of a table without spaces and quotation marks around; those inside are doubled."""
    column = column.strip()
    return column[1:-1].replace('""', '"').strip() if re.fullmatch(r'"(?:[^"]|"")*"', column) else column


def mark_avoided(translations: Iterable[Translation], avoid: Sequence[Sequence[str]]) -> list[Translation]:
    """Returns translations with `avoided` of each hypothesis: whether it lacks each phrase of its line.

    Example:

    >>> translation = Translation.of(["Am Haus"], [-1], [False], False)
    >>> mark_avoided([translation], [["am", "aus"]])[0].hypotheses[0].avoided
    (False, True)
    """
    marked = []
    for translation, phrases in zip(translations, avoid, strict=True):
        patterns = [_pattern_of_phrase(phrase) for phrase in phrases]
        texts = ["".join(_letters(x.text, True)) for x in translation.hypotheses]
        avoided = [tuple(not (x and x.search(text)) for x in patterns) for text in texts]
        hypotheses = (x._replace(avoided=y) for x, y in zip(translation.hypotheses, avoided, strict=True))
        marked.append(translation._replace(hypotheses=tuple(hypotheses)))
    return marked


def _alternatives(phrase: str) -> frozenset[str]:
    return frozenset(filter(None, (" ".join(one.split()) for one in phrase.split("|"))))


def _letters(text: str, ignores_case: bool) -> list[str]:
    """Returns the letters of a text as they are compared: one letter may become several."""
    unified = _unified(text)
    return [x.casefold() for x in unified] if ignores_case else list(unified)


def _with_capital(phrase: str) -> str:
    """Adds to each alternative whose first word is in small letters the same with a capital.

    Example:

    >>> _with_capital("save as|iPhone")
    'save as|Save as|iPhone'
    """
    texts = []
    for text in phrase.split("|"):
        text = text.strip()
        texts.append(text)
        if text and text.split()[0].islower() and text[0] != text[0].title():
            texts.append(text[0].title() + text[1:])
    return "|".join(dict.fromkeys(texts))


def _pattern(entries: Iterable[str]) -> re.Pattern[str]:
    """Returns a regular expression that finds texts as whole words, the longest first."""
    longest_first = sorted(entries, key=len, reverse=True)
    texts = "|".join(re.escape(text).replace(r"\ ", r"\s+") for text in longest_first)
    begin, end = _edges()
    return re.compile(f"{begin}(?:{texts}){end.pattern}")


@functools.lru_cache(maxsize=4096)
def _pattern_of_phrase(phrase: str) -> re.Pattern[str] | None:
    texts = [" ".join("".join(_letters(text, True)).split()) for text in phrase.split("|")]
    return _pattern(filter(None, texts)) if any(texts) else None


@functools.cache
def _edges() -> tuple[str, re.Pattern[str]]:
    """Returns regular expressions for the beginning and the end of whole words.

    No letter of a word is before or behind it. In a script without spaces, words have no known ends, but marks belong
    to the letter before them.
    """
    mark = f"[{_marks()}]"
    letter = rf"(?!{UNSPACED})[\w{_marks()}]"
    begin = f"(?:(?={UNSPACED})|(?<!{letter}))"
    return begin, re.compile(f"(?:(?<={UNSPACED})(?!{mark})|(?<!{UNSPACED})(?!{letter}))")


@functools.cache
def _marks() -> str:
    """Returns the ranges of characters that continue a word for a regular expression, where `\\w` does not have them.

    They are the marks of Unicode, such as the vowel signs of Devanagari and decomposed accents, and joiners.
    """
    marks = [i for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i))[0] == "M"]
    starts = [i for i, before in zip(marks, [-1, *marks], strict=False) if i != before + 1]
    ends = [i for i, after in zip(marks, [*marks[1:], -1], strict=True) if after != i + 1]
    return "\u200c\u200d" + "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))
