"""Makes texts to translate of the parts of documents."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from keras_nmt.errors import UserError
from keras_nmt.text._parts import Part
from keras_nmt.text._tag_placement import Node, Placement, is_closing
from keras_nmt.text.translation import with_plain_spaces

MOST_LEVELS = 199  # largest depth of nested elements
SPACES = " \t\r\n\f"
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
OPENING = frozenset('"¿¡#@§')  # beside brackets and quotation marks that open
_LINE_END = re.compile(r"[\r\n]")


class Segment:
    """A text that is translated as a whole, with its tags.

    Args:
        parts: Sequence of parts of a document.
        escapes: Mapping from letters to what the document has for them.

    Attributes:
        text: String, the text without markup, as the model reads it.
        has_tags: Boolean, whether there are tags to place.
    """

    def __init__(self, parts: Sequence[Part], escapes: Mapping[str, str] = ESCAPES) -> None:
        self._parts = parts
        self._following = _following_letters(parts)
        self._escapes = dict(escapes)
        self._letters: list[str] = []  # those of the text
        self._written: list[str] = []  # for each, what the document has: nothing for spaces that only the model reads
        self._root = Node("", 0)
        stack, names, starts = [self._root], [""], [0]
        is_behind = False  # whether an element with text ended after the last letter
        for number, part in enumerate(parts):
            if part.kind == "text":
                self._add_text(number, stack[-1])
                is_behind = False
            elif part.kind == "end" and part.name in names:
                # This end tag also ends elements without an end tag. Their start tags become single tags.
                while names[-1] != part.name:
                    names.pop()
                    starts.pop()
                    _dissolve(stack.pop(), stack[-1])
                names.pop()
                node, start = stack.pop(), starts.pop()
                node.after, node.end = self._taken_spaces(number, node) + part.raw, len(self._letters)
                if "".join(self._letters[node.begin :]).strip():
                    is_behind = True
                else:
                    node.stand_alone(*_spaces_around(parts, start, number))
            else:
                if part.kind == "start" and is_behind and _begins_with_text(parts, number):
                    self._separate(number)  # two elements share no word
                stack[-1].children.append(self._node(number, stack[-1]))
                if part.kind == "start":
                    stack.append(stack[-1].children[-1])
                    names.append(part.name)
                    starts.append(number)
                    if len(stack) > MOST_LEVELS + 1:  # with the root
                        raise UserError(
                            f"Markup must have at most {MOST_LEVELS} nested elements. Received: {part.raw[:80]}"
                        )
        while len(stack) > 1:
            _dissolve(stack.pop(), stack[-1])
        self._root.end = len(self._letters)
        self.has_tags = bool(self._root.children)
        self._source = "".join(self._letters)
        self.text = re.sub(r"[ \t]+", self._read_spaces, self._source)
        if self.has_tags:
            self.text = self.text.strip(SPACES)  # spaces beside a tag are its own

    def with_tags(
        self, target: str, words: tuple[Sequence[str], Sequence[str]], pairs: Iterable[tuple[int, int]]
    ) -> str:
        """Returns the translation `target` of the text with its tags.

        `words` are those of the text, with plain spaces, and of `target`; `pairs` are their numbers, as of `align`.
        """
        source = with_plain_spaces(self._source)
        return Placement(self._root, source, self._written, target, words, pairs, self._escaped).render()

    def _read_spaces(self, spaces: re.Match[str]) -> str:
        """Returns a space for the end of a line with indentation, and other spaces as they are."""
        return " " if _LINE_END.search("".join(self._written[slice(*spaces.span())])) else spaces[0]

    def _escaped(self, text: str) -> str:
        return "".join(self._escapes.get(letter, letter) for letter in text)

    def _add_text(self, number: int, node: Node) -> None:
        """Adds the text of a part, which is in the element `node`."""
        part, begin = self._parts[number], len(self._letters)
        is_reference = part.raw != part.text and part.raw[-1] == ";" and len(part.text) == 1
        if is_reference and not (part.text.isascii() and (part.text.isspace() or part.text.isalnum())):
            self._escapes.setdefault(part.text, part.raw)
        self._letters += re.sub(r"[\r\n\f]", " ", part.text)
        self._written += [part.raw] if is_reference else part.text
        if not number:
            return
        before, spaces = self._parts[number - 1], len(part.text) - len(part.text.lstrip())
        is_indented = _LINE_END.search(part.text[:spaces]) and self._letters[begin - 1 : begin] == [" "]
        if before.kind == "start" and (is_indented or not begin):
            node.before += self._taken(begin, begin + spaces)  # spaces that belong to the tag

    def _taken_spaces(self, number: int, node: Node) -> str:
        """Takes spaces before an end tag out of the text: at its end, and indentation if there are spaces behind."""
        after, end = self._following[number], len(self._letters)
        begin = end
        while self._parts[number - 1].kind == "text" and begin > node.begin and self._letters[begin - 1].isspace():
            begin -= 1
        is_indented = _LINE_END.search("".join(self._written[begin:])) and after.isspace()
        return self._taken(begin, end) if is_indented or not after else ""

    def _taken(self, begin: int, end: int) -> str:
        spaces = "".join(self._written[begin:end])
        self._written[begin:end] = [""] * (end - begin)
        return spaces

    def _node(self, number: int, parent: Node) -> Node:
        """Returns the node of a tag in an element, and adds what separates the words around it."""
        part = self._parts[number]
        if part.kind in ("start", "end"):
            return Node(part.raw, len(self._letters), part.kind == "end")
        lead, trail = _spaces_around(self._parts, number, number)
        following = self._following[number]
        if part.kind != "other" and lead and following and (is_closing(following) or following in "”»"):
            # "see <code>x</code>, too" is read as "see, too", and so is "see <code>x</code> <code>y</code>, too".
            keep = len(self._letters)
            while keep > parent.begin and self._letters[keep - 1].isspace():
                keep -= 1
            del self._letters[keep:], self._written[keep:]
            for node in itertools.takewhile(lambda node: node.end > keep, reversed(parent.children)):
                node.begin, node.end = min(node.begin, keep), keep
        node = Node(part.raw, len(self._letters))
        node.stand_alone(lead, trail)
        if part.name not in ("", "wbr"):  # comments have no name
            self._separate(number, is_line=part.name == "br")
        return node

    def _separate(self, number: int, is_line: bool = False) -> None:
        """Adds a space that only the model reads, where a tag, or the end of a line, separates words."""
        before, after = "".join(self._letters[-1:]), self._following[number]
        if not before or not after or before in SPACES or after in SPACES:
            return
        if is_line or _may_separate(before, after):
            self._letters.append(" ")
            self._written.append("")


def _may_separate(before: str, after: str) -> bool:
    """Returns whether a space is possible between two letters, in regard of punctuation and marks."""
    one, other = unicodedata.category(before), unicodedata.category(after)
    is_end = one[0] in "LMNS" or one == "Pf" or is_closing(before)
    return is_end and (other[0] in "LNS" or other in ("Ps", "Pi") or after in OPENING)


def _following_letters(parts: Sequence[Part]) -> list[str]:
    """Returns the first letter of the text behind each part."""
    letters, letter = [], ""
    for part in reversed(parts):
        letters.append(letter)
        letter = part.text[0] if part.kind == "text" and part.text else letter
    return letters[::-1]


def _begins_with_text(parts: Sequence[Part], number: int) -> bool:
    """Returns whether the first that an element has inside is text."""
    inside = itertools.islice(parts, number + 1, None)
    return next((part.kind for part in inside if part.kind not in ("start", "other")), "") == "text"


def _spaces_around(parts: Sequence[Part], start: int, end: int) -> tuple[str, str]:
    """Returns the spaces directly before the part `start` and directly behind the part `end`, as in the document."""
    return _spaces(parts, start - 1, -1), _spaces(parts, end + 1, 1)


def _spaces(parts: Sequence[Part], number: int, step: int) -> str:
    """Returns the spaces of the texts from part `number` on, in the direction `step`, up to the first letter."""
    spaces = []
    while 0 <= number < len(parts) and parts[number].kind == "text":
        raw, is_space = parts[number].raw, parts[number].text.isspace()  # a reference such as &nbsp; is a space, too
        if not is_space:
            raw = raw[len(raw.rstrip()) :] if step < 0 else raw[: len(raw) - len(raw.lstrip())]
        spaces.append(raw)
        if not is_space:
            break
        number += step
    return "".join(spaces[::step])


def _dissolve(node: Node, parent: Node) -> None:
    """Turns a start tag without an end tag into a single tag, and moves its children to its parent."""
    parent.children += node.children
    node.children, node.is_single = [], True


def make_segments(parts: Sequence[Part], escapes: Mapping[str, str] = ESCAPES) -> list[str | Segment]:
    """Makes texts to translate, and strings between them that stay as they are, of the parts of a document."""
    groups = [list(group) for _, group in itertools.groupby(parts, lambda part: part.is_block)]
    segments: list[str | Segment] = []
    for group in groups:
        if group[0].is_block or not any(part.kind == "text" and not part.text.isspace() for part in group):
            segments.append("".join(part.raw for part in group))
            continue
        # Spaces around a text stay as they are: some blocks, such as <button>, stand in a line of text.
        before, inside, after = _without_spaces(group)
        segments += [before, Segment(inside, escapes), after]
    return segments


def _without_spaces(parts: Sequence[Part]) -> tuple[str, list[Part], str]:
    """Separates the spaces at the start and at the end of a group of parts, which has a text, from what is between."""
    places = [i for i, part in enumerate(parts) if part.kind != "text" or not part.text.isspace()]
    inside = list(parts[places[0] : places[-1] + 1])
    for place, strip in ((0, str.lstrip), (-1, str.rstrip)):
        part = inside[place]
        if part.kind == "text" and part.raw == part.text:  # references to letters have no spaces
            inside[place] = part._replace(raw=strip(part.raw), text=strip(part.text))
    return _spaces(parts, 0, 1), inside, _spaces(parts, len(parts) - 1, -1)
