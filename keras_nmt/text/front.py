"""The front of translation: what is the same for a model in this process and for one on a server."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from keras_nmt.errors import UserError
from keras_nmt.text.glossary import Glossary, mark_avoided
from keras_nmt.text.lines import Languages, check_max_lengths, check_phrases, check_prefixes
from keras_nmt.text.markup import translate_in_parts
from keras_nmt.text.sentences import NOT_SPLIT, more_sentences, warning_of_sentences
from keras_nmt.text.translation import Translation


class Request(NamedTuple):
    """Lines to translate, and what belongs to each, checked. The phrases of all lines are padded to the same number."""

    lines: list[str]
    source: Languages
    target: Languages
    prefixes: list[str] | None
    max_lengths: list[int] | None  # 0 for a line without a limit of its own
    constraints: list[list[str]] | None
    avoid: list[list[str]] | None
    seeds: list[int] | None
    word_scores: bool

    def part(self, rows: slice) -> Request:
        """Returns the request of some of the lines."""
        columns: dict[str, Any] = {name: x[rows] for name, x in self._asdict().items() if isinstance(x, list)}
        return self._replace(**columns)


class TooManyPhrases(UserError):
    """The phrases of all lines of a request together take too much memory; those of some of the lines may not."""


Backend = Callable[[Request], list[Translation]]
Align = Callable[..., list[list[tuple[int, int]]]]


def translate_lines(
    backend: Backend,
    align: Align,
    lines: list[str],
    source: Languages,
    target: Languages,
    *,
    prefixes: Iterable[str] | None = None,
    max_lengths: Iterable[int | None] | None = None,
    constraints: Iterable[Iterable[str]] | None = None,
    avoid: Iterable[Iterable[str]] | None = None,
    seeds: list[int] | None = None,
    word_scores: bool = False,
    markup: str | None = None,
    split_sentences: str | None = None,
    glossary: Glossary | None = None,
    keep: Iterable[str] | None = None,
    sentences_per_line: int | None = None,
) -> list[Translation]:
    """Translates lines by a backend.

    Args:
        backend: Function that answers a `Request` without markup and glossary, in its languages and words. It raises
            `TooManyPhrases` if fewer lines may be possible.
        align: Function like `Translator.align`, for tags and for text that stays.
        lines: List of strings, checked.
        source, target, prefixes, max_lengths, constraints, avoid, word_scores, markup, split_sentences, glossary, keep:
            See `Translator.translate`.
        seeds: List of integers, the seed of each line, checked; None without sampling.
        sentences_per_line: Integer, how many sentences a line may have without a warning. Defaults to None, for any
            number.
    """
    read = (list(x) if isinstance(x, Iterable) and not isinstance(x, str) else x for x in (source, target))
    source, target = read  # lists, which can be divided
    if are_in_parts(markup, keep, split_sentences):
        translate = functools.partial(
            translate_lines,
            backend,
            align,
            word_scores=word_scores,
            glossary=glossary,
            sentences_per_line=sentences_per_line,
        )
        return translate_in_parts(
            lines,
            source,
            target,
            translate,
            align,
            markup=markup,
            split_sentences=split_sentences,
            keep=keep,
            prefixes=prefixes,
            max_lengths=max_lengths,
            constraints=constraints,
            avoid=avoid,
            seeds=seeds,
        )
    most = sentences_per_line if split_sentences is None else None
    if most is not None and (numbers := more_sentences(lines, most)):
        warnings.warn(warning_of_sentences(numbers, most), stacklevel=4)
    if glossary is not None:
        constraints = glossary.add_to(constraints, lines)
    request = Request(
        lines,
        source,
        target,
        None if prefixes is None else check_prefixes(prefixes, len(lines)),
        None if max_lengths is None else check_max_lengths(max_lengths, len(lines)),
        None if constraints is None else check_phrases(constraints, len(lines), "constraints"),
        None if avoid is None else check_phrases(avoid, len(lines), "avoid"),
        seeds,
        word_scores,
    )
    answers = _answers(backend, request)
    return answers if request.avoid is None else mark_avoided(answers, request.avoid)


def are_in_parts(markup: str | None, keep: Iterable[str] | None, split_sentences: str | None) -> bool:
    """Tells whether lines are translated in parts: sentence by sentence, or text between tags or kept text."""
    return markup is not None or keep is not None or split_sentences not in (None, NOT_SPLIT)


def _answers(backend: Backend, request: Request) -> list[Translation]:
    """Returns the answers to a request, of which it makes two if the phrases of all lines are too many."""
    try:
        return backend(request)
    except TooManyPhrases as error:
        if len(request.lines) == 1:
            raise UserError(f"{error}, for the sentence {request.lines[0][:80]!r}") from None
    # The sizes are the largest of all lines: fewer lines may have smaller ones.
    middle = len(request.lines) // 2
    return [x for rows in (slice(middle), slice(middle, None)) for x in _answers(backend, request.part(rows))]
