"""Splits documents into parts: tags, texts, and what is not translated.

`html.parser` of the standard library reads the tags; `_elements` says what they mean.
"""

from __future__ import annotations

import html
import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple

from keras_nmt.errors import require
from keras_nmt.text._elements import (
    BLOCKS,
    FILES,
    INLINE,
    NATIVE_CODE,
    NOTES,
    ROOTS,
    SPANS,
    VOID,
    error_of_file,
    is_protected,
    span_key,
)
from keras_nmt.text.kept_text import KeptText

MOST_OF_NOTE = 20  # largest number of parts of a <sup> or <sub> that may be a number only
MOST_UNFINISHED = 200  # largest number of "<" behind a tag without an end: the parser reads to the line's end for each
_UNFINISHED = re.compile("<[A-Za-z/!?]")
_FOREIGN_NAME = re.compile(r"(</?)[^\W\dA-Za-z]")  # the first letter of a tag's name, which the parser does not know
_QUOTED = "\"[^\"]*\"|'[^']*'"
_SUBSET = rf"(?:<!--.*?-->|<\?.*?\?>|{_QUOTED}|(?!<!--|<\?)[^\]\"'])*+"  # declarations of entities and the like
_DOCTYPE = re.compile(rf"<!DOCTYPE(?:{_QUOTED}|\[{_SUBSET}\]|[^\[\"'<>])*+>", re.DOTALL)


class Part(NamedTuple):
    """A part of a document.

    Its kind is "text", "start", "end", "empty", "kept" (it has contents that are not translated), or "other".
    """

    kind: str
    raw: str  # as in the document
    name: str = ""
    is_protected: bool | None = None  # of a start tag, see `_elements.is_protected`
    is_block: bool = False  # whether it separates texts
    key: str = ""  # what the begin and the end of a span have in common
    text: str = ""  # of a part of kind "text"


class _Parser(HTMLParser):
    """Splits a document into parts, which together are the document."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=False)
        self._markup = markup
        self._is_html = markup == "html"
        self._found: list[tuple[int, Part]] = []  # with the position at which each begins
        self._text = ""
        self._lines: list[int] = []  # the position at which each line begins
        self.is_open = False  # whether the document ends inside a tag or a comment

    def parts(self, text: str) -> list[Part]:
        """Returns the parts of a document."""
        self._text, self._lines = text, [0, *(match.end() for match in re.finditer("\n", text))]
        self.feed(text if self._is_html else _FOREIGN_NAME.sub(r"\1x", text))
        self.is_open = _UNFINISHED.match(self.rawdata) is not None  # what waits for its end
        is_right = not self.is_open or self.rawdata.count("<") <= MOST_UNFINISHED
        problem = f"Behind a tag or comment without an end, there must be at most {MOST_UNFINISHED} of the letter <"
        require(is_right, f"{problem}. Received: {self.rawdata[:80]}")
        # It is text. Newer versions of Python leave a tag without an end out, with all behind it, when they are closed.
        while not self.cdata_elem and _UNFINISHED.match(self.rawdata):
            rest = self.rawdata
            stop = rest.find(">", 1) + 1 or max(rest.find("<", 1), 1)
            self.handle_data(rest[:stop])
            self.updatepos(0, stop)
            self.rawdata = ""
            self.feed(rest[stop:])
        if not self.cdata_elem:
            self.close()
        starts = [start for start, _ in self._found]
        parts = [Part("other", text[: starts[0]] if starts else text)]
        for (start, part), stop in zip(self._found, [*starts, len(text)][1:], strict=True):
            raw = text[start:stop]
            size = len(part.raw) or len(raw)
            written = html.unescape(raw[:size]) if part.kind == "text" else ""
            # The parser skips some text, such as an incomplete tag. It is kept as it is.
            parts += [part._replace(raw=raw[:size], text=written), Part("other", raw[size:])]
        if not self._is_html:  # names of its elements differ in upper and lower case
            tags = ("start", "end", "empty")
            parts = [part._replace(name=_name(part.raw)) if part.kind in tags else part for part in parts]
        return [part for part in parts if part.raw]

    def _add(self, kind: str, raw: str = "", name: str = "", attrs: Sequence[tuple[str, str | None]] = ()) -> None:
        attributes = dict(reversed(attrs))  # the first of several counts
        protected = is_protected(self._markup, name, attributes) if kind in ("start", "empty") else None
        is_block = self._is_html and name in BLOCKS
        self._found.append((self._place(), Part(kind, raw, name, protected, is_block, span_key(attributes))))

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

    def parse_pi(self, i: int) -> int:
        # The parser of the standard library knows those of SGML, which end at the first ">".
        if self._is_html and not self.rawdata.startswith(("<?php", "<?="), i):
            return super().parse_pi(i)
        end = self.rawdata.find("?>", i)
        if end >= 0:
            self.handle_pi("")
        return end + 2 if end >= 0 else -1

    def parse_html_declaration(self, i: int) -> int:
        if self._is_html or not (doctype := _DOCTYPE.match(self.rawdata, i)):  # of XML, with entities inside
            return super().parse_html_declaration(i)
        self.handle_decl("")
        return doctype.end()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raw = self.get_starttag_text() or ""
        name = tag if self._is_html else _name(raw)
        self._add("empty" if self._is_html and name in VOID else "start", raw, name, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raw = self.get_starttag_text() or ""
        self._add("empty", raw, tag if self._is_html else _name(raw), attrs)

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
        self._add("other" if self._is_html else "kept", name="" if self._is_html else "[CDATA[")


def _name(tag: str) -> str:
    """Returns the name of the element of an XML tag, in which upper and lower case differ."""
    return re.sub(r"^</?\s*|[\s/>].*$", "", tag, flags=re.DOTALL)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def split_document(text: str, markup: str) -> list[Part]:
    """Splits a document into parts, which together are the document."""
    return _read(text, markup)[0]


def with_kept_text(parts: Sequence[Part], kept: KeptText) -> list[Part]:
    """Separates the spans of text that stay as they are."""
    separated: list[Part] = []
    for is_text, group in itertools.groupby(parts, lambda part: part.kind == "text"):
        some = list(group)
        if not is_text:
            separated += some
            continue
        edges = list(itertools.chain.from_iterable(kept.spans("".join(part.raw for part in some))))
        start, last = 0, 0  # where the part begins; the number of the edges before the last piece
        for part in some:
            stop = start + len(part.raw)
            is_reference = part.raw != part.text and part.raw[0] == "&"  # is not cut
            cuts = [] if is_reference else edges[bisect_right(edges, start) : bisect_left(edges, stop)]
            for one, other in itertools.pairwise([start, *cuts, stop]):
                raw = part.raw[one - start : other - start]
                number = bisect_right(edges, one)
                if number % 2 and number == last:  # the same span goes on
                    separated[-1] = separated[-1]._replace(raw=separated[-1].raw + raw)
                elif number % 2:
                    separated.append(Part("kept", raw, "keep"))
                else:
                    separated.append(part._replace(raw=raw, text=raw if part.raw == part.text else html.unescape(raw)))
                last = number
            start = stop
    return separated


def ends_inside(line: str, markup: str) -> bool:
    """Returns whether a line ends inside a tag, a comment, or an element whose contents stay: its rest is not there.

    Example:

    >>> [ends_inside(line, "html") for line in ("<pre>a", "a <b", "<!-- a", "1 < 2", "<p>a")]
    [True, True, True, False, False]
    """
    parts, is_open = _read(line, markup)
    return is_open or any(part.is_protected and part.kind == "start" for part in parts)


def _read(text: str, markup: str) -> tuple[list[Part], bool]:
    parser = _Parser(markup)
    parts = parser.parts(text)
    starts = [x.raw for x in parts if x.kind == "start"]
    if whole := next((x for i, x in enumerate(starts) if _local(_name(x)) in (FILES if i else ROOTS)), None):
        raise error_of_file(f"{whole:.80}")
    parts = _with_notes(parts) if markup == "html" else _with_spans(_with_kept(parts, NATIVE_CODE))
    parts = _with_kept(parts)
    if markup == "xml" and (text.startswith("<?xml") or re.search(r"[\r\n]", text)):  # a document, not a line of one
        parts = _with_blocks(parts)
    return parts, parser.is_open


def _pairs(parts: Sequence[Part]) -> dict[int, int]:
    """Returns the number of the end tag of each start tag that has one."""
    open_tags: dict[str, list[int]] = {}
    ends: dict[int, int] = {}
    for number, part in enumerate(parts):
        if part.kind == "start":
            open_tags.setdefault(part.name.lower(), []).append(number)
        elif part.kind == "end" and (waiting := open_tags.get(part.name.lower())):
            ends[waiting.pop()] = number
    return ends


def _with_kept(parts: Sequence[Part], names: frozenset[str] | None = None) -> list[Part]:
    """Joins the parts of each element that is not translated. `names` are those of the elements to join, or all.

    If an element inside is translated, what is before it and what is behind it separate texts.
    """
    ends = _pairs(parts)
    states: list[tuple[int, int | None]] = []  # of elements around: the end tag; as `roots`
    roots: list[int | None] = []  # for each part the start tag of the element because of which it stays
    for number, part in enumerate(parts):
        while states and states[-1][0] < number:
            states.pop()
        root = states[-1][1] if states else None
        if number in ends and part.is_protected is not None and (names is None or _local(part.name) in names):
            root = None if not part.is_protected else number if root is None else root
            states.append((ends[number], root))
        roots.append(root)
    joined: list[Part] = []
    for root, group in itertools.groupby(range(len(parts)), roots.__getitem__):
        some = [parts[number] for number in group]
        if root is None:
            joined += some
            continue
        is_block = parts[root].is_block or len(some) <= ends[root] - root
        raw = "".join(part.raw for part in some)
        joined.append(Part("kept", raw, parts[root].name, is_block=is_block, key=parts[root].key))
    return joined


def _with_notes(parts: list[Part]) -> list[Part]:
    """Marks the elements <sup> and <sub> that stay: those without letters, such as numbers of footnotes.

    Those before a letter or digit are in a word, such as H<sub>2</sub>O.
    """
    marked = list(parts)
    for start, end in _pairs(parts).items():
        if parts[start].name in NOTES and parts[start].is_protected is None and end - start < MOST_OF_NOTE:
            text = "".join(part.text for part in parts[start:end] if part.kind == "text")
            after = parts[end + 1].text[:1] if parts[end + 1 :] and parts[end + 1].kind == "text" else ""
            if text.strip() and not any(map(str.isalpha, text)) and not after.isalnum():
                marked[start] = parts[start]._replace(is_protected=True)
    return marked


def _with_spans(parts: Sequence[Part]) -> list[Part]:
    """Makes the tags of XLIFF and TMX that begin and end a span start and end tags, unless elements cross the span."""
    changed, ends = list(parts), _pairs(parts)
    levels: list[tuple[int, dict[str, int]]] = [(len(parts), {})]  # of elements around: the end, and open spans
    for number, part in enumerate(parts):
        while levels[-1][0] <= number:
            levels.pop()
        name, spans = _local(part.name), levels[-1][1]
        closed = f"</{SPANS.get(name, name)} {part.key}>"
        if part.kind == "start" and number in ends:
            levels.append((ends[number], {}))
        elif part.kind in ("empty", "kept") and name in SPANS:
            spans[closed] = number
        elif part.kind in ("empty", "kept") and name in SPANS.values() and closed in spans:
            start = spans[closed]
            while spans.popitem()[0] != closed:  # spans that cross this one
                pass
            changed[start] = parts[start]._replace(kind="start", name=closed)
            changed[number] = part._replace(kind="end", name=closed)
    return changed


def _with_blocks(parts: Sequence[Part]) -> list[Part]:
    """Marks the tags that separate texts in a document of XML: those of elements in elements without text of their own.

    Elements of XLIFF and TMX within texts count as text.
    """
    ends = _pairs(parts)
    parents: list[int] = []  # the start tag of the element around each part, -1 for none
    with_text: set[int] = set()  # elements with text of their own
    around = [-1]
    for number, part in enumerate(parts):
        while around[-1] >= 0 and ends[around[-1]] <= number:
            around.pop()
        parents.append(around[-1])
        is_inline = part.kind in ("start", "empty", "kept") and (_local(part.name) in INLINE or part.name[:1] in "</")
        if is_inline or (part.kind == "text" and not part.text.isspace()):
            with_text.add(around[-1])
        if number in ends:
            around.append(number)
    marked, in_text = list(parts), set[int]()  # elements in a text
    for number, part in enumerate(parts):
        if parents[number] in with_text or parents[number] in in_text:
            in_text.add(number)
        elif part.kind in ("start", "end", "empty", "kept"):
            marked[number] = part._replace(is_block=True)
    return marked
