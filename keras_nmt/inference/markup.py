"""Translates text with markup: removes the tags, and places them in the translation by the alignment of words.

`html.parser` of the standard library reads the tags, `_tag_placement` places them. Imports nothing heavy.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple

from keras_nmt.errors import UserError
from keras_nmt.inference._tag_placement import Node, Placement
from keras_nmt.inference.lines import Languages, languages_of_lines
from keras_nmt.inference.translation import Hypothesis, Translation

MARKUPS = ("html", "xml")
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


def check_markup_alone(markup: str, **others: object) -> None:
    """Checks that lines with markup, which may be several texts each, have no arguments for one text."""
    for name, value in others.items():
        if value is not None:
            raise UserError(f"`{name}` cannot be used for lines with markup. Received: markup={markup!r}")


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


def translate_marked(
    lines: Sequence[str],
    markup: str,
    source: Languages,
    target: Languages,
    translate: Callable[..., list[Translation]],
    align: Callable[[list[str], list[str], Languages, Languages], list[list[tuple[int, int]]]],
    **of_lines: Sequence[Any] | None,
) -> list[Translation]:
    """Translates lines with markup, each a document or a part of one, for `Translator.translate`.

    `translate` makes translations from texts, their source and target languages, and what `of_lines` has for their
    lines; `align` is like `Translator.align`.

    Returns:
        A list of a `Translation` for each line, whose texts have the tags of the line. If a line has several texts,
        such as paragraphs, their scores are added; it has as many hypotheses as each of its texts.

    Raises:
        UserError: `markup` is unknown, the elements of a line are nested too deep, or many follow a tag without an end.
    """
    if markup not in MARKUPS:
        raise UserError(f"`markup` must be {' or '.join(MARKUPS)}. Received: markup={markup!r}")
    documents = [_segments(line, markup) for line in lines]
    for parts in documents:
        if not any(isinstance(part, Segment) for part in parts):
            parts.append(Segment([]))  # an empty text has as many hypotheses as others
    found = [(row, segment) for row, parts in enumerate(documents) for segment in parts if isinstance(segment, Segment)]
    rows, sides = [row for row, _ in found], {"source": source, "target": target}
    names: list[Languages] = []
    for side, given in sides.items():
        is_one = given is None or isinstance(given, str)
        names.append(given if is_one else languages_of_lines(given, len(lines), side))  # type: ignore[arg-type]

    def of(numbers: list[int]) -> list[Languages]:
        return [[x[row] for row in numbers] if isinstance(x, list) else x for x in names]

    given = {name: [column[row] for row in rows] for name, column in of_lines.items() if column is not None}
    translations = translate([segment.text for _, segment in found], *of(rows), **given)
    tagged = [
        (row, segment.text, hypothesis.text)
        for (row, segment), translation in zip(found, translations, strict=True)
        for hypothesis in translation.hypotheses
        if segment.has_tags
    ]
    pairs: list[list[tuple[int, int]]] = []
    if tagged:
        of_rows, texts, hypotheses = map(list, zip(*tagged, strict=True))
        pairs = align(texts, hypotheses, *of(of_rows))
    aligned, waiting = iter(pairs), iter(translations)
    return [
        _joined([(part, next(waiting) if isinstance(part, Segment) else None) for part in document], aligned)
        for document in documents
    ]


def _joined(
    parts: list[tuple[str | Segment, Translation | None]], aligned: Iterable[list[tuple[int, int]]]
) -> Translation:
    """Joins the translations of a document's texts, with the alignments of their hypotheses in order."""
    columns: list[Iterable[Hypothesis]] = []
    pairs = iter(aligned)
    for part, translation in parts:
        if translation is None or isinstance(part, str):
            columns.append(itertools.repeat(Hypothesis(str(part), 0.0)))
            continue
        columns.append(
            [
                x._replace(text=part.with_tags(x.text, next(pairs) if part.has_tags else []))
                for x in translation.hypotheses
            ]
        )
    translated = [translation for _, translation in parts if translation is not None]
    hypotheses = tuple(
        Hypothesis(
            "".join(x.text for x in row),
            sum(x.score for x in row),
            any(x.cut_off for x in row),
            tuple(piece for x in row for piece in x.pieces),
        )
        for row in zip(*columns, strict=False)
    )
    return Translation(hypotheses, any(x.truncated for x in translated), any(x.is_empty for x in translated))
