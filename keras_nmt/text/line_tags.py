"""Tags at the beginning of lines, such as `>>deu<<`, that say into which language to translate."""

from __future__ import annotations

import re
from typing import NamedTuple

from keras_nmt.text.translation import Translation

NO_LANGUAGE = ""  # of a line that is translated as it is
TAG = re.compile(r">>([^\s<>]+)<<|<2([^\s<>]+)>")  # as in OPUS-MT, and as in Johnson et al., 2017
_AT_BEGIN = re.compile(rf"\s*(?:{TAG.pattern})\s*")


class TaggedLine(NamedTuple):
    """A line whose tag is apart from its text."""

    language: str  # `NO_LANGUAGE` without a tag
    tag: str  # as it stands in the line, with the spaces around
    text: str


def split_tag(line: str) -> TaggedLine:
    """Takes the tag from the beginning of a line, if it has the form of one.

    Example:

    >>> split_tag(">>deu<< A cat."), split_tag("A cat.").language
    (TaggedLine(language='deu', tag='>>deu<< ', text='A cat.'), '')
    """
    match = _AT_BEGIN.match(line)
    if match is None:
        return TaggedLine(NO_LANGUAGE, "", line)
    return TaggedLine(match[1] or match[2], match[0], line[match.end() :])


def with_tag(tag: str, translation: Translation) -> Translation:
    """Returns the translation of a line without its tag as that of the line: the tag is before each sentence."""
    if not tag:
        return translation
    hypotheses = (
        x._replace(sentences=tuple(pair._replace(source=tag + pair.source) for pair in x.sentences))
        for x in translation.hypotheses
    )
    return translation._replace(hypotheses=tuple(hypotheses))
