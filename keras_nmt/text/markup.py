"""Translates text with markup: removes the tags, and places them in the translation by the alignment of words.

`_parts` reads the tags, `_segments` finds the texts, `_tag_placement` places the tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keras_nmt.errors import require
from keras_nmt.text._parts import Part, split_document, with_kept_text
from keras_nmt.text._parts import ends_inside as ends_inside
from keras_nmt.text._segments import Segment, make_segments
from keras_nmt.text.kept_text import KeptText
from keras_nmt.text.lines import Request
from keras_nmt.text.sentences import Align, Translate, align_hypotheses, compose, translate_parts
from keras_nmt.text.translation import Hypothesis, SentencePair, Translation, split_words, with_plain_spaces

MARKUPS = ("html", "xml")


def translate_marked(
    request: Request, markup: str | None, kept: KeptText | None, translate: Translate, align: Align
) -> list[Translation]:
    """Translates lines with markup, each a document or a part of one; or plain lines, if `markup` is None.

    `translate` answers a `Request` of the texts of the lines; `align` is like `Translator.align`. `kept` finds spans of
    text that stay as they are.

    Returns:
        A list of a `Translation` for each line, whose texts have the tags of the line. If a line has several texts,
        such as paragraphs, it is composed of their translations, see `keras_nmt.text.sentences.compose`.

    Raises:
        UserError: `markup` is unknown, the elements of a line are nested too deep, or many follow a tag without an end.
    """
    require(markup is None or markup in MARKUPS, f"{{markup}} must be {' or '.join(MARKUPS)}", markup=markup)
    documents = [_document(line, markup, kept) for line in request.lines]
    # A line without text is one empty text, which has a translation.
    segments = [[x for x in parts if isinstance(x, Segment)] or [Segment([])] for parts in documents]
    texts = [[segment.text for segment in of_line] for of_line in segments]
    translated = translate_parts(request, texts, translate, "text")
    flat = [
        (row, segment, *_at_all_spaces(segment.text, translation))
        for row, (of_line, parts) in enumerate(zip(segments, translated, strict=True))
        for segment, translation in zip(of_line, parts.translations, strict=True)
    ]
    tagged = [(row, text, translation) for row, segment, text, translation in flat if segment.has_tags]
    pairs: Iterator[list[tuple[int, int]]] = iter(())
    if tagged:
        rows, sources, translations = zip(*tagged, strict=True)
        of_rows = request.of_rows(rows)
        pairs = iter(align_hypotheses(sources, translations, align, of_rows.source, of_rows.target))
    written = iter(
        [
            translation._replace(
                hypotheses=tuple(
                    x._replace(
                        text=segment.with_tags(x.text, _words(text, x), next(pairs) if segment.has_tags else []),
                        sentences=(),
                    )
                    for x in translation.hypotheses
                ),
                has_empty_part=translation.is_empty,
            )
            for _, segment, text, translation in flat
        ]
    )
    return [
        compose(_between(document), parts._replace(translations=[next(written) for _ in parts.translations]))
        for document, parts in zip(documents, translated, strict=True)
    ]


def _at_all_spaces(text: str, translation: Translation) -> tuple[str, Translation]:
    """Returns a text and its translation for `align_hypotheses`, with words of the source that any space separates.

    Each sentence begins with a word of its own, also where no space is before it.
    """
    hypotheses = []
    for x in translation.hypotheses:
        pairs, one, other = [], 0, 0
        for pair in x.sentences:
            source = with_plain_spaces(pair.source)
            pairs.append(SentencePair(source, one, pair.target, other))
            one, other = one + len(split_words(source)), other + len(split_words(pair.target))
        hypotheses.append(x._replace(sentences=tuple(pairs)))
    return with_plain_spaces(text), translation._replace(hypotheses=tuple(hypotheses))


def _words(text: str, hypothesis: Hypothesis) -> tuple[list[str], list[str]]:
    """Returns the words of a text and of its translation, as `align_hypotheses` counts them."""
    pairs = hypothesis.sentences or (SentencePair(text, 0, hypothesis.text, 0),)
    of_source = [word for pair in pairs for word in split_words(pair.source)]
    return of_source, [word for pair in pairs for word in split_words(pair.target)]


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
