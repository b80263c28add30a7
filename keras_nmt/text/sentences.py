"""Splits lines into sentences, translates the parts of lines, and composes the answers."""

from __future__ import annotations

import hashlib
import heapq
import itertools
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from keras_nmt.errors import install_extra, require
from keras_nmt.text.language_codes import is_code, two_letter_code
from keras_nmt.text.lines import Request, check_lines, languages_of_lines
from keras_nmt.text.normalization import UNSPACED
from keras_nmt.text.translation import (
    WORD_ENDS,
    Hypothesis,
    SentencePair,
    Translation,
    distinct,
    split_words,
    with_plain_spaces,
)

# The ends of sentences, and the quotation marks and brackets behind them, for the rule of `split_at_end_marks`.
# Marks of direction, and other invisible characters, may stand between.
_IN_WORDS = ".!?…։۔"  # also inside of words, such as ASP.NET
_BETWEEN_WORDS = "‽؟।॥።፧။។៕᱾᱿꯫᙮"
_WITHOUT_SPACE = "。！？｡"
_MARKS = f"[{_IN_WORDS}{_BETWEEN_WORDS}]"
_INVISIBLE = "\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_CLOSING = f"[\"'”’»›)\\]」』）】{_INVISIBLE}]*+"
# A run of marks is read once, from its beginning, so that any line takes linear time.
_END = re.compile(f"(?<!{_MARKS}){_MARKS}++{_CLOSING}\\s+|[{_WITHOUT_SPACE}]+{_CLOSING}\\s*")
_OPENING = re.compile(f"[\"'“‘„«‹(\\[「『（【¿¡–—{_INVISIBLE}-]*")
_INITIAL = re.compile(r"(?:^|[\s.(])\w\.$")  # as in "J. Smith" and "z. B."
# For `_joined`: the end of a part that is always a sentence; the beginning of a part with a space; and the end and the
# beginning of two parts in a script without spaces.
_BREAK = re.compile(f"(?:\\s[{_INVISIBLE}]*+|[{_BETWEEN_WORDS}{_WITHOUT_SPACE}]{_CLOSING})\\Z")
_SPACE = re.compile(f"[{_INVISIBLE}]*\\s")
_UNSPACED_END = re.compile(f"{UNSPACED}[{_IN_WORDS}]+{_CLOSING}\\Z")
_UNSPACED_BEGIN = re.compile(f"{_OPENING.pattern}{UNSPACED}")


NOT_SPLIT = "none"  # in place of a language
DEFAULT_RULES = "en"  # the language of the rules if no source language is known


class SplitLine(NamedTuple):
    """A line and its sentences."""

    sentences: list[str]  # without spaces around
    spaces: list[str]  # before, between and after them: one more than there are sentences


Splitter = Callable[[str], SplitLine]
Translate = Callable[[Request], list[Translation]]
Align = Callable[..., list[list[tuple[int, int]]]]  # such as `Translator.align` and `Client.align`


def sentence_splitter(language: str | None) -> Splitter:
    """Returns a function that splits a line by the rules of a language, whose code may have any form: `de`, `deu_Latn`.

    The rules are those of sentencex, of the extra `split`, which knows codes of two letters, and few of three, and
    has those of English for others. Words such as ASP.NET, which it splits, stay whole. Without it, a warning says so,
    and `split_at_end_marks` splits.

    Raises:
        UserError: The language is no code.
    """
    problem = "The rules that split sentences are named by the code of a language, such as en, deu or pt-BR"
    require(isinstance(language, str) and is_code(language), f"{problem}. Received: {language!r}")
    try:
        from sentencex import segment
    except ImportError:
        warnings.warn(
            "Lines are split by a simple rule, at end marks before a capital letter. For the rules of languages: "
            f"{install_extra('split', 'split')}",
            stacklevel=3,
        )
        return lambda line: _split(line, split_at_end_marks(line))
    code = two_letter_code(str(language))
    if code == "km":  # whose end marks sentencex 1.0 does not know
        return lambda line: _split(line, split_at_end_marks(line))
    # sentencex 1.0 fails at a space of several bytes before an initial. The replacement moves no letter.
    return lambda line: _split(line, _joined(segment(code, with_plain_spaces(line))))


def split_at_end_marks(line: str) -> list[str]:
    """Splits a line behind end marks that spaces and no small letter follow, and behind those of Chinese and Japanese.

    The parts together are the line. An initial, such as "J." or "z. B.", ends no sentence.

    Example:

    >>> split_at_end_marks("A dog runs. It is 3.5 p.m. now! “Why?” asked J. Smith. 今日は。明日は。")
    ['A dog runs. ', 'It is 3.5 p.m. now! ', '“Why?” asked J. Smith. ', '今日は。', '明日は。']
    """
    parts, start = [], 0
    for end in _END.finditer(line):
        opening = _OPENING.match(line, end.end())
        first = opening.end() if opening else end.end()
        behind = line[first : first + 1]
        # An initial is in the last three letters.
        is_initial = _INITIAL.search(line, max(start, end.start() - 2), end.start() + 1)
        if behind and not behind.islower() and not is_initial:
            parts.append(line[start : end.end()])
            start = end.end()
    return [*parts, line[start:]]


def count_sentences(line: str) -> int:
    """Returns the number of sentences of a line by `split_at_end_marks`, the same on every machine."""
    return sum(bool(part.strip()) for part in split_at_end_marks(line))


def first_letters(line: str) -> list[int]:
    """Returns where the sentences of a line begin, behind spaces and opening marks, by `split_at_end_marks`.

    Example:

    >>> first_letters(" “Why?” Stop.")
    [2, 8]
    """
    parts = split_at_end_marks(line)
    starts = itertools.accumulate(map(len, parts), initial=0)
    places = []
    for start, part in zip(starts, parts, strict=False):
        spaces = len(part) - len(part.lstrip())
        opening = _OPENING.match(part, spaces)
        places.append(start + (opening.end() if opening else spaces))
    return places


def more_sentences(lines: Sequence[str], most: int, first: int = 1) -> list[int]:
    """Returns the numbers of the lines, from `first`, that have more sentences than `most`."""
    return [i for i, line in enumerate(lines, first) if count_sentences(line) > most]


def warning_of_sentences(numbers: Sequence[int], most: int) -> str:
    """Returns what to say of lines with more sentences than those of the training data."""
    return (
        f"{len(numbers)} line(s), the first of them line {numbers[0]}, have more sentences than the lines of the "
        f"training data, which have at most {most}: the translation may leave some out. --split-sentences LANGUAGE "
        "(`split_sentences`) translates sentence by sentence."
    )


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Joins parts that no space separates, unless their script has none, or the mark between them stands in no word.

    Example:

    >>> list(_joined(["Use ASP.", "NET. ", "Stop.", "今日は！", "明日は!", "雨。"]))
    ['Use ASP.NET. ', 'Stop.今日は！', '明日は!', '雨。']
    """
    group: list[str] = []
    for part in parts:
        if group and (
            _BREAK.search(group[-1])
            or _SPACE.match(part)
            or (_UNSPACED_END.search(group[-1]) and _UNSPACED_BEGIN.match(part))
        ):
            yield "".join(group)
            group = []
        group.append(part)
    yield "".join(group)


def _split(line: str, parts: Iterable[str]) -> SplitLine:
    """Separates the sentences `parts` of a line, which may differ from it in their spaces, from the spaces between."""
    sentences: list[str] = []
    spaces, start = [""], 0
    for sentence in parts:
        part = line[start : start + len(sentence)]
        start += len(sentence)
        before, text = part[: len(part) - len(part.lstrip())], part.strip()
        spaces[-1] += before
        if text:
            sentences.append(text)
            spaces.append(part[len(before) + len(text) :])
    return SplitLine(sentences, spaces)


def translate_sentences(
    request: Request, language: str | None, translate: Translate, default: str = DEFAULT_RULES
) -> list[Translation]:
    """Translates lines sentence by sentence, by the rules of a language, or else of the source language of each line.

    Without either, the rules are those of the language `default`; if a model's name of a language is no code, those of
    English. For `translate`, see `translate_parts`; for the answers, `compose`.
    """
    rules = (request.source or default) if language is None else language
    names = languages_of_lines(rules, len(request.lines), "source")
    if language is None:
        names = [name if is_code(name) else DEFAULT_RULES for name in names]
    splitters = {name: sentence_splitter(name) for name in dict.fromkeys(names)}
    split_lines = [splitters[name](line) for name, line in zip(names, request.lines, strict=True)]
    # A line without text is one empty sentence, which has a translation.
    split_lines = [
        x if x.sentences else SplitLine([""], ["", line]) for x, line in zip(split_lines, request.lines, strict=True)
    ]
    parts = translate_parts(request, [x.sentences for x in split_lines], translate, "sentence")
    return [
        compose(line.spaces, of_line, sources=line.sentences) for line, of_line in zip(split_lines, parts, strict=True)
    ]


class Parts(NamedTuple):
    """The translations of the parts of a line."""

    translations: list[Translation]
    places: list[int]  # for each constraint of the line the part that got it
    is_sample: bool


def translate_parts(request: Request, texts: Sequence[Sequence[str]], translate: Translate, kind: str) -> list[Parts]:
    """Translates the parts of lines, such as sentences, and gives each part what belongs to it.

    The first part of a line gets its prefix and its seed; the seeds of the others follow from it, and from the `kind`
    of parts: sentences of a text have other seeds than texts of a document. All parts get what is to be avoided, and
    the line's limit of lengths, as they have the limits of the search. A constraint goes to the part whose score it
    lowers least; to know it, each part is also translated with each constraint alone.

    `texts` has the parts of each line of the `request`, at least one; `translate` answers a `Request` of parts.
    """
    row_of = [row for row, of_line in enumerate(texts) for _ in of_line]
    starts = [0, *itertools.accumulate(map(len, texts))]  # the number of each line's first part
    numbers = [i - starts[row] for i, row in enumerate(row_of)]  # of each part in its line
    parts = request.of_rows(row_of)._replace(lines=list(itertools.chain.from_iterable(texts)), constraints=None)
    if parts.prefixes is not None:
        prefixes = zip(parts.prefixes, numbers, strict=True)
        parts = parts._replace(prefixes=["" if number else prefix for prefix, number in prefixes])
    if parts.seeds is not None:
        parts = parts._replace(seeds=[_seed_of_part(*x, kind) for x in zip(parts.seeds, numbers, strict=True)])

    def run(rows: Sequence[int], phrases: list[list[str]] | None) -> list[Translation]:
        """Translates some of the parts."""
        return translate(parts.of_rows(rows)._replace(constraints=phrases))

    places: list[list[int]] = [[] for _ in texts]
    phrases_of: list[list[str]] | None = None
    if request.constraints is not None:
        places = _places_of_constraints(request.constraints, texts, starts, run)
        phrases_of = [[] for _ in row_of]
        for row, of_line in enumerate(places):
            for place, phrase in zip(of_line, request.constraints[row], strict=True):
                phrases_of[starts[row] + place].append(phrase)
    translated = run(range(len(row_of)), phrases_of)
    is_sample = request.seeds is not None
    return [Parts(translated[starts[row] : starts[row + 1]], places[row], is_sample) for row in range(len(texts))]


def compose(spaces: Sequence[str], parts: Parts, sources: Sequence[str] = ()) -> Translation:
    """Composes the translation of a line from those of its parts, with the texts before, between and after the parts.

    A hypothesis of the line has one of each part: those with the highest sums of scores, as many as the part with the
    most hypotheses has; of samples, the first has the first of each part. It is cut off if one of its parts is, and has
    the subwords of all. Of hypotheses of one text that are no samples, the best is left. `met` has the constraints of
    the line first, then those of a glossary, which each part has. `sources` are the parts, if they are sentences of the
    line, for `align_hypotheses`.

    Example:

    >>> one, two = (
    ...     Translation.of([text, "?"], [score, -3], [False] * 2, False) for text, score in (("A.", -1), ("B.", 0))
    ... )
    >>> [(x.text, x.score) for x in compose(["", " ", ""], Parts([one, two], [], False)).hypotheses]
    [('A. B.', -1.0), ('? B.', -3.0)]
    """
    translations = parts.translations
    written = list(spaces)
    if sources:  # sentences without spaces between, as in Chinese, have them in the translation
        written[1:-1] = [space or " " for space in spaces[1:-1]]
    rows = zip(*(x.hypotheses for x in translations), strict=False) if parts.is_sample else _best_rows(translations)
    hypotheses = []
    for row in rows:
        pieces = tuple(piece for x in row for piece in x.pieces)
        words = tuple(word for x in row for word in x.words)
        text = written[0] + "".join(x.text + space for x, space in zip(row, written[1:], strict=True))
        score, cut_off = sum((x.score for x in row), 0.0), any(x.cut_off for x in row)
        pairs = _pairs_of_words((spaces, written), sources, row) if len(sources) > 1 else ()
        avoided = tuple(map(all, zip(*(x.avoided for x in row), strict=True)))  # each part has those of the line
        hypotheses.append(Hypothesis(text, score, cut_off, pieces, _met(row, parts.places), pairs, avoided, words))
    kinds = ([getattr(x, name) for x in translations] for name in ("truncated", "is_empty", "has_unknown"))
    return Translation(tuple(hypotheses) if parts.is_sample else distinct(hypotheses), *map(any, kinds))


def align_hypotheses(
    sources: Sequence[str],
    translations: Sequence[Translation],
    align: Align,
    source: str | list[str] | None = None,
    target: str | list[str] | None = None,
) -> list[list[tuple[int, int]]]:
    """Aligns the words of each hypothesis of each line, sentence by sentence where it was translated so."""
    whole = [
        (row, x.sentences or (SentencePair(text, 0, x.text, 0),))
        for row, (text, translation) in enumerate(zip(sources, translations, strict=True))
        for x in translation.hypotheses
    ]
    flat = [(row, pair) for row, pairs in whole for pair in pairs]
    sides = [[x[row] for row, _ in flat] if isinstance(x, list) else x for x in (source, target)]
    aligned = iter(align([pair.source for _, pair in flat], [pair.target for _, pair in flat], *sides))
    return [
        sorted({(one + pair.source_word, other + pair.target_word) for pair in pairs for one, other in next(aligned)})
        for _, pairs in whole
    ]


def translate_document(
    lines: Iterable[str], split: Splitter, translate: Callable[[list[str]], list[Translation]], batch_size: int
) -> Iterator[Translation]:
    """Yields the translation of each line as soon as all its sentences are translated, `batch_size` at a time."""
    waiting: deque[SplitLine] = deque()  # lines without an answer
    unsent: list[str] = []  # their sentences without a translation
    done: deque[Translation] = deque()  # their translated sentences

    def answered(least: int) -> Iterator[Translation]:
        """Translates while at least `least` sentences wait, and yields the lines that are complete."""
        while len(unsent) >= least:
            done.extend(translate(unsent[:batch_size]))
            del unsent[:batch_size]
        while waiting and len(waiting[0].sentences) <= len(done):
            line = waiting.popleft()
            translations = [x._replace(hypotheses=x.hypotheses[:1]) for x in (done.popleft() for _ in line.sentences)]
            yield compose(line.spaces, Parts(translations, [], False), line.sentences)

    for number, line in enumerate(lines, 1):
        (checked,) = check_lines([line], number)
        waiting.append(split(checked.rstrip("\r\n")))
        unsent.extend(waiting[-1].sentences)
        yield from answered(batch_size)
    yield from answered(1)


def _places_of_constraints(
    phrases: Sequence[Sequence[str]],
    texts: Sequence[Sequence[str]],
    starts: Sequence[int],
    run: Callable[[Sequence[int], list[list[str]]], list[Translation]],
) -> list[list[int]]:
    """Returns for each constraint of each line the part that gets it."""
    places = [[0] * len(of_line) for of_line in phrases]
    rows = [row for row, of_line in enumerate(phrases) if of_line and len(texts[row]) > 1]
    tried = [(row, part, phrase) for row in rows for part in range(len(texts[row])) for phrase in ("", *phrases[row])]
    if not tried:
        return places
    translations = run(
        [starts[row] + part for row, part, _ in tried], [[phrase] * bool(phrase) for *_, phrase in tried]
    )
    best = {key: translation.hypotheses[0] for key, translation in zip(tried, translations, strict=True)}
    for row in rows:
        for number, phrase in enumerate(phrases[row]):
            losses = [
                (not all(best[row, part, phrase].met), best[row, part, ""].score - best[row, part, phrase].score)
                for part in range(len(texts[row]))
            ]
            places[row][number] = losses.index(min(losses))
    return places


def _best_rows(translations: Sequence[Translation]) -> list[tuple[Hypothesis, ...]]:
    """Returns the rows of one hypothesis of each translation with the highest sums of scores, complete ones first."""
    count = max(len(x.hypotheses) for x in translations) if translations else 1
    rows: list[tuple[bool, float, Any]] = [(True, 0.0, None)]  # whether it is complete, score, hypotheses as a chain
    for translation in translations:
        longer = (
            (is_complete and not x.cut_off, score + x.score, (chain, x))
            for is_complete, score, chain in rows
            for x in translation.hypotheses
        )
        rows = heapq.nlargest(count, longer, key=lambda row: row[:2])
    return [tuple(_unchained(chain))[::-1] for *_, chain in rows]


def _unchained(chain: Any) -> Iterator[Hypothesis]:
    while chain is not None:
        chain, last = chain
        yield last


def _met(row: Sequence[Hypothesis], places: Sequence[int]) -> tuple[bool, ...]:
    """Returns `met` of a line from those of its parts, which have the line's constraints at `places` first."""
    met = [iter(x.met) for x in row]
    return (*(next(met[place]) for place in places), *itertools.chain.from_iterable(met))


def _pairs_of_words(
    spaces: tuple[Sequence[str], Sequence[str]], sources: Sequence[str], row: Sequence[Hypothesis]
) -> tuple[SentencePair, ...]:
    """Returns the sentences of a line with their translations, and the numbers of their first words in the line.

    `spaces` are those of the line and those of its translation.
    """
    places = zip(*map(_first_words, (sources, [x.text for x in row]), spaces), strict=True)
    return tuple(
        SentencePair(source, one, x.text, other) for source, x, (one, other) in zip(sources, row, places, strict=True)
    )


def _first_words(texts: Sequence[str], spaces: Sequence[str]) -> Iterator[int]:
    """Yields the number of the first word of each text in the line that texts and spaces make together."""
    count, is_inside = 0, False  # the words so far, and whether the last of them may go on
    for text, space in zip(texts, spaces, strict=False):
        for part, is_text in ((space, False), (text, True)):
            goes_on = is_inside and part[:1] not in WORD_ENDS  # a no-break space, for instance, ends no word
            if is_text:
                yield count - goes_on
            count += len(split_words(part)) - goes_on
            is_inside = part[-1] not in WORD_ENDS if part else is_inside


def _seed_of_part(seed: int, part: int, kind: str) -> int:
    """Returns a seed of 32 bits: that of the line for its first part, and others for the next."""
    digest = hashlib.blake2s(f"{seed} {kind} {part}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big", signed=True) if part else seed
