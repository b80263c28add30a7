"""The front of translation: what is the same for a model in this process and for one on a server."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable

from keras_nmt.errors import UserError, require
from keras_nmt.text.glossary import Glossary, mark_avoided
from keras_nmt.text.kept_text import KeptText
from keras_nmt.text.lines import Request, TooManyPhrases
from keras_nmt.text.markup import translate_marked
from keras_nmt.text.sentences import (
    DEFAULT_RULES,
    NOT_SPLIT,
    Align,
    Translate,
    more_sentences,
    translate_sentences,
    warning_of_sentences,
)
from keras_nmt.text.translation import Translation


def translate_lines(
    backend: Translate,
    align: Align,
    request: Request,
    *,
    markup: str | None = None,
    split_sentences: str | None = None,
    glossary: Glossary | None = None,
    keep: Iterable[str] | None = None,
    sentences_per_line: int | None = None,
    rules: str | None = None,
) -> list[Translation]:
    """Translates lines by a backend; see `Translator.translate` for the last options.

    The `backend` answers a `Request` without markup and glossary, in its languages and words. It raises
    `TooManyPhrases` if fewer lines may be possible. `align` is like `Translator.align`, for tags and for text that
    stays. A line with more than `sentences_per_line` sentences is warned of; None is any number.
    `rules` is the source language of a model of one direction, if it is known.
    """
    problem = "`glossary` must be a `keras_nmt.text.Glossary`, such as Glossary({'house': 'Haus'})"
    require(glossary is None or isinstance(glossary, Glossary), f"{problem}. Received: {glossary!r:.80}")
    splits = split_sentences != NOT_SPLIT and (split_sentences is not None or markup is not None)
    most = sentences_per_line if split_sentences is None and markup is None else None
    if most is not None and (numbers := more_sentences(request.lines, most)):
        warnings.warn(warning_of_sentences(numbers, most), stacklevel=4)
    translate: Translate = functools.partial(_translate_plain, backend, glossary)
    if splits:
        translate = functools.partial(
            translate_sentences, language=split_sentences, translate=translate, default=rules or DEFAULT_RULES
        )
    if markup is None and keep is None:
        return translate(request)
    what, option = ("for lines with markup", {"markup": markup}) if markup else ("with `keep`", {"keep": keep})
    require(request.prefixes is None, f"`prefixes` cannot be used {what}", **option)
    return translate_marked(request, markup, None if keep is None else KeptText(keep), translate, align)


def are_in_parts(markup: str | None, keep: Iterable[str] | None, split_sentences: str | None) -> bool:
    """Tells whether lines are translated in parts: sentence by sentence, or text between tags or kept text."""
    return markup is not None or keep is not None or split_sentences not in (None, NOT_SPLIT)


def _translate_plain(backend: Translate, glossary: Glossary | None, request: Request) -> list[Translation]:
    """Translates lines as they are, with the constraints of a glossary, and says what is avoided."""
    if glossary is not None:
        request = request._replace(constraints=glossary.add_to(request.constraints, request.lines))
    answers = _answers(backend, request)
    return answers if request.avoid is None else mark_avoided(answers, request.avoid)


def _answers(backend: Translate, request: Request) -> list[Translation]:
    """Returns the answers to a request, of which it makes two if the phrases of all lines are too many."""
    count = len(request.lines)
    try:
        return backend(request)
    except TooManyPhrases as error:
        if count == 1:
            raise UserError(f"{error}, for the sentence {request.lines[0][:80]!r}") from None
    # The sizes are the largest of all lines: fewer lines may have smaller ones.
    halves = range(count // 2), range(count // 2, count)
    return [x for rows in halves for x in _answers(backend, request.of_rows(rows))]
