"""Translates text with markup: removes the tags, and places them in the translation by the alignment of words.

`html.parser` of the standard library reads the tags, `_tag_placement` places them. Imports nothing heavy.
"""

from __future__ import annotations

import functools
import html
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple

from keras_nmt.errors import UserError
from keras_nmt.inference._tag_placement import Node, Placement
from keras_nmt.inference.lines import Languages
from keras_nmt.inference.sentences import (
    NOT_SPLIT,
    align_hypotheses,
    compose,
    sentence_splitter,
    translate_parts,
    translate_sentences,
)
from keras_nmt.inference.translation import Translation

MARKUPS = ("html", "xml")
DEFAULT_RULES = "en"  # the language by whose rules texts with markup are split, if no source language is known
MOST_LEVELS = 200  # largest depth of nested elements
MOST_UNFINISHED = 200  # largest number of "<" behind a tag without an end: the parser reads to the line's end for each
VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
# Elements that separate texts, as paragraphs do.
BLOCKS = re.compile(
    "address|article|aside|blockquote|body|button|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frameset|h1|h2|h3|h4|h5|h6|head|header|hgroup|hr|html|legend|li|"
    "link|main|menu|meta|nav|noscript|ol|optgroup|option|p|pre|script|section|select|style|summary|table|"
    "tbody|td|template|textarea|tfoot|th|thead|title|tr|ul"
)
KEPT = re.compile("code|kbd|math|pre|samp|script|style|svg|textarea|var")  # elements that are not translated
SPACES = " \t\r\n\f"
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def ends_inside(line: str, markup: str) -> bool:
    """Returns whether a line ends inside a tag, a comment, or an element whose contents stay: its rest is not there.

    Example:

    >>> [ends_inside(line, "html") for line in ("<pre>a", "a <b", "<!-- a", "1 < 2", "<p>a")]
    [True, True, True, False, False]
    """
    parser = _Parser(markup)
    parts = _with_kept(parser.parts(line))
    return parser.is_open or any(part.is_kept and part.kind == "start" for part in parts)


class _Part(NamedTuple):
    """A part of a document.

    Its kind is "text", "start", "end", "empty", "kept" (readers see it, and it is not translated), or "other".
    """

    kind: str
    raw: str  # as in the document
    name: str = ""
    is_kept: bool = False  # whether it is the start tag of an element that is not translated


class _Parser(HTMLParser):
    """Splits a document into parts, which together are the document."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=False)
        self._is_html = markup == "html"
        self._found: list[tuple[int, _Part]] = []  # with the position at which each begins
        self._text = ""
        self._lines: list[int] = []  # the position at which each line begins
        self.is_open = False  # whether the document ends inside a tag or a comment

    def parts(self, text: str) -> list[_Part]:
        """Returns the parts of a document."""
        self._text, self._lines = text, [0, *(match.end() for match in re.finditer("\n", text))]
        self.feed(text)
        self.is_open = re.match("<[A-Za-z/!?]", self.rawdata) is not None  # what waits for its end
        if self.is_open and self.rawdata.count("<") > MOST_UNFINISHED:
            raise UserError(
                f"Behind a tag or comment without an end, there must be at most {MOST_UNFINISHED} of the letter <. "
                f"Received: {self.rawdata[:80]}"
            )
        self.close()
        starts = [start for start, _ in self._found]
        parts = [_Part("other", text[: starts[0]] if starts else text)]
        for (start, part), stop in zip(self._found, [*starts, len(text)][1:], strict=True):
            raw = text[start:stop]
            size = len(part.raw) or len(raw)
            # The parser skips some text, such as an incomplete tag. It is kept as it is.
            parts += [part._replace(raw=raw[:size]), _Part("other", raw[size:])]
        return [part for part in parts if part.raw]

    def _add(self, kind: str, raw: str = "", name: str = "", is_kept: bool = False) -> None:
        self._found.append((self._place(), _Part(kind, raw, name, is_kept)))

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def set_cdata_mode(self, *args: Any, **kwargs: Any) -> None:
        if self._is_html:  # XML has no such elements
            super().set_cdata_mode(*args, **kwargs)

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        # The parser of the standard library raises an error for unknown sections.
        end = self.rawdata.find("]]>", i)
        if end >= 0:
            self.unknown_decl("")
        return end + 3 if end >= 0 else -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raw = self.get_starttag_text() or ""
        name = tag if self._is_html else _name(raw)
        values = [(key, value.lower() if value and self._is_html else value) for key, value in attrs]
        is_kept = ("translate", "no") in values or (self._is_html and KEPT.fullmatch(name) is not None)
        self._add("empty" if self._is_html and VOID.fullmatch(name) else "start", raw, name, is_kept)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add("empty", self.get_starttag_text() or "", tag)

    def handle_endtag(self, tag: str) -> None:
        self._add("end", name=tag)

    def handle_data(self, data: str) -> None:
        self._add("text", data)

    def handle_entityref(self, name: str) -> None:
        self._add_reference(f"&{name}")

    def handle_charref(self, name: str) -> None:
        self._add_reference(f"&#{name}")

    def _add_reference(self, raw: str) -> None:
        raw += ";" * self._text.startswith(";", self._place() + len(raw))
        is_unknown = raw.endswith(";") and html.unescape(raw) == raw  # only the document's type defines it
        self._add("kept" if is_unknown else "text", raw)

    def handle_comment(self, data: str) -> None:
        self._add("other")

    def handle_decl(self, decl: str) -> None:
        self._add("other")

    def handle_pi(self, data: str) -> None:
        self._add("other")

    def unknown_decl(self, data: str) -> None:
        self._add("other" if self._is_html else "kept")


class Segment:
    """A text that is translated as a whole, with its tags.

    Args:
        parts: Sequence of parts of a document.

    Attributes:
        text: String, the text without markup.
        has_tags: Boolean, whether there are tags to place.
    """

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._entities: dict[str, str] = {}
        self._root = Node("", 0)
        stack, names, written, length = [self._root], [""], [], 0
        for part in parts:
            if part.kind == "text":
                text = re.sub(r"[\r\n\f]", " ", html.unescape(part.raw))
                is_reference = part.raw[0] == "&" and part.raw[-1] == ";" and len(text) == 1
                if is_reference and not (text.isascii() and (text.isspace() or text.isalnum())):
                    self._entities.setdefault(text, part.raw)
                written.append(text)
                length += len(text)
                continue
            if part.kind == "end" and part.name in names:
                # This end tag also ends elements without an end tag. Their start tags become single tags.
                while names[-1] != part.name:
                    names.pop()
                    _dissolve(stack.pop(), stack[-1])
                names.pop()
                node = stack.pop()
                node.after, node.end = part.raw, length
                continue
            node = Node(part.raw, length, part.kind == "end", part.kind == "kept")
            if part.name == "br" and not "".join(written[-1:]).endswith(" "):
                written.append(" ")  # a line break separates words
                length += 1
            stack[-1].children.append(node)
            if part.kind == "start":
                stack.append(node)
                names.append(part.name)
                if len(stack) > MOST_LEVELS:
                    raise UserError(
                        f"Markup must have at most {MOST_LEVELS} nested elements. Received: {part.raw[:80]}"
                    )
        while len(stack) > 1:
            _dissolve(stack.pop(), stack[-1])
        self.text = "".join(written)
        self._root.end = length
        self.has_tags = bool(self._root.children)

    def with_tags(self, target: str, pairs: Iterable[tuple[int, int]]) -> str:
        """Returns the translation `target` of the text with its tags. `pairs` are those of `Translator.align`."""
        return Placement(self._root, self.text, target, pairs, self._escaped).render()

    def _escaped(self, text: str) -> str:
        written = ESCAPES | self._entities
        return "".join(written.get(letter, letter) for letter in text)


def _dissolve(node: Node, parent: Node) -> None:
    """Turns a start tag without an end tag into a single tag, and moves its children to its parent."""
    parent.children += node.children
    node.children, node.is_single = [], True


def _name(tag: str) -> str:
    """Returns the name of the element of an XML tag, in which upper and lower case differ."""
    return re.sub(r"^</?\s*|[\s/>].*$", "", tag, flags=re.DOTALL)


def _segments(line: str, markup: str) -> list[str | Segment]:
    """Splits a document into texts to translate, and strings between them that stay as they are."""
    parts = _with_kept(_Parser(markup).parts(line))
    if markup == "xml":
        parts = [part._replace(name=_name(part.raw)) if part.kind == "end" else part for part in parts]

    def is_block(part: _Part) -> bool:
        return markup == "html" and BLOCKS.fullmatch(part.name) is not None

    groups = [list(group) for _, group in itertools.groupby(parts, is_block)]
    found: list[str | Segment] = []
    for number, of_group in enumerate(groups):
        has_text = any(part.kind == "text" and not html.unescape(part.raw).isspace() for part in of_group)
        if is_block(of_group[0]) or not has_text:
            found.append("".join(part.raw for part in of_group))
            continue
        # Spaces beside a block stay as they are: some blocks, such as <button>, stand in a line of text.
        before, after = _take_space(of_group, 0, number > 0), _take_space(of_group, -1, number < len(groups) - 1)
        found += [before, Segment([part for part in of_group if part.raw]), after]
    return found


def _take_space(parts: list[_Part], place: int, is_beside_block: bool) -> str:
    """Removes the spaces at the start (place 0) or end (place -1) of a group of parts, and returns them."""
    part = parts[place]
    if part.kind != "text" or not is_beside_block:
        return ""
    text = part.raw.lstrip(SPACES) if place == 0 else part.raw.rstrip(SPACES)
    parts[place] = part._replace(raw=text)
    return part.raw[: len(part.raw) - len(text)] if place == 0 else part.raw[len(text) :]


def _with_kept(parts: list[_Part]) -> list[_Part]:
    """Joins the parts of each element that is not translated."""
    open_tags: dict[str, list[int]] = {}
    ends: dict[int, int] = {}  # start tag -> its end tag
    for number, part in enumerate(parts):
        if part.kind == "start":
            open_tags.setdefault(part.name.lower(), []).append(number)
        elif part.kind == "end" and (waiting := open_tags.get(part.name.lower())):
            ends[waiting.pop()] = number
    found, start = [], 0
    while start < len(parts):
        part, stop = parts[start], start + 1
        if part.is_kept and start in ends:
            stop = ends[start] + 1
            part = _Part("kept", "".join(x.raw for x in parts[start:stop]), part.name)
        found.append(part)
        start = stop
    return found


def translate_in_parts(
    lines: Sequence[str],
    source: Languages,
    target: Languages,
    translate: Callable[..., list[Translation]],
    align: Callable[..., list[list[tuple[int, int]]]],
    *,
    markup: str | None,
    split_sentences: str | None,
    prefixes: Iterable[str] | None = None,
    **of_lines: Any,
) -> list[Translation]:
    """Translates lines with markup, lines that are split into sentences, or both.

    `translate` and `align` are those of a translator or a client; for the rest, see `Translator.translate`.
    """
    read = (list(x) if isinstance(x, Iterable) and not isinstance(x, str) else x for x in (source, target))
    source, target = read  # lists, which can be read several times
    if markup is None:
        split = sentence_splitter(split_sentences)
        translate = functools.partial(translate, split_sentences=NOT_SPLIT)
        return translate_sentences(lines, split, source, target, translate, prefixes=prefixes, **of_lines)
    if prefixes is not None:
        raise UserError(f"`prefixes` cannot be used for lines with markup. Received: markup={markup!r}")
    if split_sentences is None:
        split_sentences = source if isinstance(source, str) else DEFAULT_RULES
    of_texts = functools.partial(translate, split_sentences=split_sentences)
    return translate_marked(lines, markup, source, target, of_texts, align, **of_lines)


def translate_marked(
    lines: Sequence[str],
    markup: str,
    source: Languages,
    target: Languages,
    translate: Callable[..., list[Translation]],
    align: Callable[..., list[list[tuple[int, int]]]],
    **of_lines: Any,
) -> list[Translation]:
    """Translates lines with markup, each a document or a part of one.

    `translate` and `of_lines` are those of `translate_parts`, for the texts of the lines; `align` is like
    `Translator.align`.

    Returns:
        A list of a `Translation` for each line, whose texts have the tags of the line. If a line has several texts,
        such as paragraphs, it is composed of their translations, see `keras_nmt.inference.sentences.compose`.

    Raises:
        UserError: `markup` is unknown, the elements of a line are nested too deep, or many follow a tag without an end.
    """
    if markup not in MARKUPS:
        raise UserError(f"`markup` must be {' or '.join(MARKUPS)}. Received: markup={markup!r}")
    documents = [_segments(line, markup) for line in lines]
    # A line without text is one empty text, which has a translation.
    segments = [[x for x in parts if isinstance(x, Segment)] or [Segment([])] for parts in documents]
    texts = [[segment.text for segment in of_line] for of_line in segments]
    found = translate_parts(texts, source, target, translate, **of_lines)
    flat = [
        (row, segment, translation)
        for row, (of_line, parts) in enumerate(zip(segments, found, strict=True))
        for segment, translation in zip(of_line, parts.translations, strict=True)
    ]
    tagged = [(row, segment.text, translation) for row, segment, translation in flat if segment.has_tags]
    pairs: Iterator[list[tuple[int, int]]] = iter(())
    if tagged:
        rows, sources, translations = zip(*tagged, strict=True)
        sides = ([given[row] for row in rows] if isinstance(given, list) else given for given in (source, target))
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
        for document, parts in zip(documents, found, strict=True)
    ]


def _between(document: Sequence[str | Segment]) -> list[str]:
    """Returns the strings before, between and after the texts of a document."""
    spaces = [""]
    for part in document:
        if isinstance(part, Segment):
            spaces.append("")
        else:
            spaces[-1] += part
    return spaces if len(spaces) > 1 else [*spaces, ""]
