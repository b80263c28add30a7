"""Translates text with markup: removes the tags, and places them in the translation by the alignment of words.

`_parts` reads the tags, `_segments` finds the texts, `_tag_placement` places the tags.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from keras_nmt.errors import UserError, require
from keras_nmt.text._parts import Part, split_document, with_kept_text
from keras_nmt.text._parts import ends_inside as ends_inside
from keras_nmt.text._segments import Segment, make_segments
from keras_nmt.text.kept_text import KeptText
from keras_nmt.text.lines import Languages
from keras_nmt.text.sentences import (
    NOT_SPLIT,
    align_hypotheses,
    compose,
    sentence_splitter,
    translate_parts,
    translate_sentences,
)
from keras_nmt.text.translation import WORD_ENDS, SentencePair, Translation, split_words, with_plain_spaces

MARKUPS = ("html", "xml")
DEFAULT_RULES = "en"  # the language by whose rules texts with markup are split, if no source language is known


def translate_in_parts(
    lines: Sequence[str],
    source: Languages,
    target: Languages,
    translate: Callable[..., list[Translation]],
    align: Callable[..., list[list[tuple[int, int]]]],
    *,
    markup: str | None,
    split_sentences: str | None,
    keep: Iterable[str] | None = None,
    prefixes: Iterable[str] | None = None,
    **of_lines: Any,
) -> list[Translation]:
    """Translates lines with markup or kept text, lines that are split into sentences, or both.

    `translate` and `align` are those of a translator or a client; for the rest, see `Translator.translate`.
    """
    read = (list(x) if isinstance(x, Iterable) and not isinstance(x, str) else x for x in (source, target))
    source, target = read  # lists, which can be read several times
    kept = None if keep is None else KeptText(keep)
    if markup is None and kept is None:
        split = sentence_splitter(split_sentences)
        translate = functools.partial(translate, split_sentences=NOT_SPLIT)
        return translate_sentences(lines, split, source, target, translate, prefixes=prefixes, **of_lines)
    if prefixes is not None:
        what, received = "for lines with markup", f"markup={markup!r}"
        if markup is None and kept is not None:
            what, received = "with `keep`", f"keep={kept.patterns}"
        raise UserError(f"`prefixes` cannot be used {what}. Received: {received}")
    if split_sentences is None and markup is not None:
        split_sentences = source if isinstance(source, str) else DEFAULT_RULES
    of_texts = functools.partial(translate, split_sentences=split_sentences)
    return translate_marked(lines, markup, source, target, of_texts, align, kept, **of_lines)


def translate_marked(
    lines: Sequence[str],
    markup: str | None,
    source: Languages,
    target: Languages,
    translate: Callable[..., list[Translation]],
    align: Callable[..., list[list[tuple[int, int]]]],
    kept: KeptText | None = None,
    **of_lines: Any,
) -> list[Translation]:
    """Translates lines with markup, each a document or a part of one; or plain lines, if `markup` is None.

    `translate` and `of_lines` are those of `translate_parts`, for the texts of the lines; `align` is like
    `Translator.align`. `kept` finds spans of text that stay as they are.

    Returns:
        A list of a `Translation` for each line, whose texts have the tags of the line. If a line has several texts,
        such as paragraphs, it is composed of their translations, see `keras_nmt.text.sentences.compose`.

    Raises:
        UserError: `markup` is unknown, the elements of a line are nested too deep, or many follow a tag without an end.
    """
    require(markup is None or markup in MARKUPS, f"{{markup}} must be {' or '.join(MARKUPS)}", markup=markup)
    documents = [_document(line, markup, kept) for line in lines]
    # A line without text is one empty text, which has a translation.
    segments = [[x for x in parts if isinstance(x, Segment)] or [Segment([])] for parts in documents]
    texts = [[segment.text for segment in of_line] for of_line in segments]
    translated = translate_parts(texts, source, target, translate, **of_lines)
    flat = [
        (row, segment, translation)
        for row, (of_line, parts) in enumerate(zip(segments, translated, strict=True))
        for segment, translation in zip(of_line, parts.translations, strict=True)
    ]
    tagged = [(row, *_at_all_spaces(segment.text, x)) for row, segment, x in flat if segment.has_tags]
    pairs: Iterator[list[tuple[int, int]]] = iter(())
    if tagged:
        rows, sources, translations = zip(*tagged, strict=True)
        sides = (
            [languages[row] for row in rows] if isinstance(languages, list) else languages
            for languages in (source, target)
        )
        pairs = iter(align_hypotheses(sources, translations, align, *sides))
    written = iter(
        [
            translation._replace(
                hypotheses=tuple(
                    x._replace(text=segment.with_tags(x.text, next(pairs) if segment.has_tags else []), sentences=())
                    for x in translation.hypotheses
                ),
                has_empty_part=translation.is_empty,
            )
            for _, segment, translation in flat
        ]
    )
    return [
        compose(_between(document), parts._replace(translations=[next(written) for _ in parts.translations]))
        for document, parts in zip(documents, translated, strict=True)
    ]


def _at_all_spaces(text: str, translation: Translation) -> tuple[str, Translation]:
    """Returns a text and its translation for `align_hypotheses`, with words of the text that any space separates."""
    spaced = with_plain_spaces(text)

    def moved(pairs: Sequence[SentencePair]) -> Iterator[SentencePair]:
        stop = 0
        for pair in pairs:
            start = text.index(pair.source, stop)
            stop = start + len(pair.source)
            goes_on = start > 0 and spaced[start - 1] not in WORD_ENDS
            yield pair._replace(source=spaced[start:stop], source_word=len(split_words(spaced[:start])) - goes_on)

    hypotheses = (x._replace(sentences=tuple(moved(x.sentences))) for x in translation.hypotheses)
    return spaced, translation._replace(hypotheses=tuple(hypotheses))


def _document(line: str, markup: str | None, kept: KeptText | None) -> list[str | Segment]:
    """Returns the texts of a line, and the strings between them that stay as they are."""
    parts = [Part("text", line, text=line)] if markup is None else split_document(line, markup)
    if kept is not None:
        parts = with_kept_text(parts, kept)
    if markup is None and len(parts) == 1 and parts[0].kind == "text":
        return [Segment(parts, {})]  # as without `kept`
    return make_segments(parts) if markup else make_segments(parts, {})


def _between(document: Sequence[str | Segment]) -> list[str]:
    """Returns the strings before, between and after the texts of a document."""
    spaces = [""]
    for part in document:
        if isinstance(part, Segment):
            spaces.append("")
        else:
            spaces[-1] += part
    return spaces if len(spaces) > 1 else [*spaces, ""]
