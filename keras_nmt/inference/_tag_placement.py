"""Places tags in a translation by the alignment of words. Imports nothing heavy."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from keras_nmt.inference.translation import WORD_ENDS


class Node:
    """A tag, or an element with its contents. `begin` and `end` are positions in the text without markup."""

    def __init__(self, before: str, begin: int, is_single: bool = False, is_seen: bool = False) -> None:
        self.before, self.after = before, ""  # the tags
        self.begin = self.end = begin
        self.is_single = is_single  # a start tag without an end tag, or an end tag without a start tag
        self.is_seen = is_seen  # readers see it, and need spaces around it
        self.children: list[Node] = []


class _Token(NamedTuple):
    """A word without the punctuation around it, or one mark of that punctuation.

    `part` is 0 for the word, -1, -2, ... for the marks before it, beginning at the word, and 1, 2, ... for those after
    it.
    """

    start: int
    stop: int
    word: int
    part: int


class Placement:
    """Places the tags of a source text in a target text.

    An element surrounds the target words that are aligned to its source words. If other words are between them, it
    surrounds the part in which its words outnumber the others most. It never has words of a neighbouring element.
    """

    def __init__(
        self, root: Node, source: str, target: str, pairs: Iterable[tuple[int, int]], escaped: Callable[[str], str]
    ) -> None:
        self._root, self._source, self._target, self._escaped = root, source, target, escaped
        self._tokens = _tokens(source), _tokens(target)
        self._starts = [token.start for token in self._tokens[0]]
        self._sources = _aligned(*self._tokens, pairs)  # the source tokens of each target token
        self._targets: defaultdict[int, list[int]] = defaultdict(list)  # the target tokens of each source token
        for j, sources in enumerate(self._sources):
            for i in sources:
                self._targets[i].append(j)
        self._depth = [0] * len(self._tokens[0])  # the number of elements around each source token
        self._count(root)

    def render(self) -> str:
        """Returns the target text with the tags."""
        return self._render(self._root, (0, len(self._tokens[1])), (0, len(self._target)), 0)

    def _count(self, node: Node) -> None:
        for child in node.children:
            for i in self._range(child):
                self._depth[i] += 1
            self._count(child)

    def _range(self, node: Node) -> range:
        """Returns the source tokens in an element."""
        start = bisect_left(self._starts, node.begin)
        if node.begin < node.end and start and self._tokens[0][start - 1].stop > node.begin:
            start -= 1  # an element that begins inside a word contains the word
        return range(start, max(start, bisect_left(self._starts, node.end)))

    def _render(self, node: Node, span: tuple[int, int], place: tuple[int, int], level: int) -> str:
        """Returns the target text in `place`, whose tokens are `span`, with the tags inside an element."""
        items: list[tuple[int, int, int, str]] = []  # start, stop, number, text
        spans = self._spans(node, span, level)
        for number, child in enumerate(node.children):
            if number in spans:
                first, stop = spans[number]
                inside = (
                    place if (first, stop) == span else (self._tokens[1][first].start, self._tokens[1][stop - 1].stop)
                )
                text = self._render(child, (first, stop), inside, level + 1)
                items.append((*inside, number, child.before + text + child.after))
        around = [item[:2] for item in items]
        last_single = place[0]
        for number, child in enumerate(node.children):
            if number not in spans:
                at = self._point(node, child, span, place)
                is_before = at[1]
                # Single tags keep their order: a start tag moved before an end tag would make an element.
                point = max(at[0], last_single) if child.is_single else at[0]
                for start, stop in around:
                    if start < point < stop:
                        point = start if is_before and not child.is_single else stop
                last_single = max(last_single, point) if child.is_single else last_single
                text = self._render(child, (span[0], span[0]), (point, point), level + 1)
                text = child.before + text + child.after
                if child.is_seen:
                    text = self._spaced(child.begin, point, text)
                items.append((point, point, number, text))
        written, done = "", place[0]
        for start, stop, _, text in sorted(items):
            written += self._escaped(self._target[done:start]) + text
            done = stop
        return written + self._escaped(self._target[done : place[1]])

    def _spaced(self, begin: int, point: int, text: str) -> str:
        """Adds the spaces around a text that it has in the source and lacks in the target."""
        source, target = (
            (text[:place][-1:] or " ", text[place:][:1] or " ")
            for text, place in ((self._source, begin), (self._target, point))
        )
        has_room = not self._target[:point].strip(), not self._target[point:].strip()
        before, after = (
            " " * (one.isspace() and not other.isspace() and not room)
            for one, other, room in zip(source, target, has_room, strict=True)
        )
        return before + text + after

    def _spans(self, node: Node, span: tuple[int, int], level: int) -> dict[int, tuple[int, int]]:
        """Returns the target tokens that each child surrounds, by its number, if there are any."""
        ranges = {number: found for number, child in enumerate(node.children) if (found := self._range(child))}
        if span[0] == span[1] or not ranges:
            return {}
        of_token = {i: number for number, found in reversed(ranges.items()) for i in found}
        owners = [  # the child of each target token
            min((of_token[i] for i in self._sources[j] if i in of_token), default=None) for j in range(*span)
        ]
        inside = self._range(node)
        spans: dict[int, tuple[int, int]] = {}
        taken: set[int] = set()  # target tokens of earlier elements
        for number, found in ranges.items():
            if found[0] <= inside[0] and found[-1] >= inside[-1]:
                return {number: span}  # the element surrounds everything in its parent
            weights: list[float] = []
            for j, owner in zip(range(*span), owners, strict=True):
                if j in taken or owner not in (None, number):
                    weights.append(float("-inf"))
                elif owner == number:
                    weights.append(max(self._depth[i] - level for i in self._sources[j] if i in found))
                else:
                    weights.append(-1 if self._sources[j] else 0)
            if (best := _heaviest(weights)) is not None:
                spans[number] = span[0] + best[0], span[0] + best[1]
                taken.update(range(*spans[number]))
        return spans

    def _point(self, node: Node, child: Node, span: tuple[int, int], place: tuple[int, int]) -> tuple[int, bool]:
        """Returns the position of a tag without words, and whether it stands before a word instead of after one."""
        inside = self._range(node)
        after = bisect_left(self._starts, child.begin, inside.start, inside.stop)  # the next source token
        if after == inside.start:
            return place[0], True
        if after == inside.stop:
            return place[1], False
        at = child.begin
        is_before = self._source[at - 1 : at].isspace() or not self._source[at : at + 1].isspace()
        if self._source[at - 1 : at + 1].isspace():  # between words, also if the words have changed places
            of_last, of_next = ({j for j in self._targets[i] if span[0] <= j < span[1]} for i in (after - 1, after))
            if places := [j for j in of_next if j + 1 in of_last and j - 1 not in of_last]:
                return self._tokens[1][min(places)].stop, False
        for distance in range(len(inside)):
            sides = [(after + distance, True), (after - 1 - distance, False)]
            for i, before in sides if is_before else reversed(sides):
                if i in inside and (found := [j for j in self._targets[i] if span[0] <= j < span[1]]):
                    token = self._tokens[1][found[0] if before else found[-1]]
                    return (token.start if before else token.stop), before
        return place[1], False


def _heaviest(weights: Sequence[float]) -> tuple[int, int] | None:
    """Returns start and stop of the part with the largest sum, without zeros at its ends; the longest of several.

    Example:

    >>> _heaviest([0, 1, -1, 1, 0]), _heaviest([1, -1, -1, 1, 1]), _heaviest([-1, 0])
    ((1, 4), (3, 5), None)
    """
    best, found = (0.0, 0), None
    total, start = -1.0, 0
    for place, weight in enumerate(weights):
        if total < 0:
            total, start = (0.0, place) if weight > 0 else (-1.0, 0)
        total += weight
        if weight > 0 and (total, place - start) > best:
            best, found = (total, place - start), (start, place + 1)
    return found


def _tokens(text: str) -> list[_Token]:
    """Returns the tokens of a text, whose words are those of `split_words`."""
    tokens = []
    for word, match in enumerate(re.finditer(f"[^{WORD_ENDS}]+", text)):
        start, stop = match.span()
        is_letter = [unicodedata.category(letter)[0] != "P" for letter in match[0]]
        first = start + is_letter.index(True) if any(is_letter) else start
        last = stop - is_letter[::-1].index(True) if any(is_letter) else stop
        tokens += [_Token(place, place + 1, word, place - first) for place in range(start, first)]
        tokens.append(_Token(first, last, word, 0))
        tokens += [_Token(place, place + 1, word, place - last + 1) for place in range(last, stop)]
    return tokens


def _aligned(sources: list[_Token], targets: list[_Token], pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Returns the source tokens of each target token. The punctuation of aligned words is aligned, too."""
    numbers = {(token.word, token.part): i for i, token in enumerate(sources)}
    words: defaultdict[int, set[int]] = defaultdict(set)
    for source, target in pairs:
        words[target].add(source)
    return [
        {numbers[word, token.part] for word in words[token.word] if (word, token.part) in numbers} for token in targets
    ]
