"""Places tags in a translation by the alignment of words."""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

MARKS = frozenset(",.;:!?…،؛؟۔।॥։。、，！？；：")


def is_closing(letter: str) -> bool:
    """Returns whether a letter is punctuation that follows a word without a space: a mark, or a closing bracket."""
    return letter in MARKS or unicodedata.category(letter) == "Pe"


class Node:
    """A tag, or an element with its contents. `begin` and `end` are positions in the text without markup."""

    def __init__(self, before: str, begin: int, is_single: bool = False) -> None:
        self.before, self.after = before, ""  # the tags
        self.begin = self.end = begin
        self.is_single = is_single  # a start tag without an end tag, or an end tag without a start tag
        self.is_alone = False  # whether there is no text inside
        self.lead = self.trail = ""  # the spaces around it, if it is alone
        self.children: list[Node] = []

    def stand_alone(self, lead: str, trail: str) -> None:
        """Says that there is no text inside, and which spaces are around."""
        self.is_alone, self.lead, self.trail = True, lead, trail


class _Token(NamedTuple):
    """A word without the punctuation around it, or one mark of that punctuation.

    `part` is 0 for the word, -1, -2, ... for the marks before it, beginning at the word, and 1, 2, ... for those after
    it. A word in which tags are has several tokens, its pieces.
    """

    start: int
    stop: int
    word: int
    part: int


class _Gap(NamedTuple):
    """The spaces between two words of the target that follow each other in the source."""

    stop: int
    before: str | None  # the source's text before lone tags that are there; None if it is a plain space
    after: str | None  # that behind them


class Placement:
    """Places the tags of a source text in a target text, given the aligned words of both.

    An element surrounds the target words that are aligned to its source words. If other words are between them, it
    surrounds the part in which its words outnumber the others most. It never has words of a neighbouring element.

    `root` is the node around the source. The source is as the model reads it; `written` is what the document has for
    each of its letters, and `escaped` writes text as the document has it. `words` are those of both texts.
    """

    def __init__(
        self,
        root: Node,
        source: str,
        written: Sequence[str],
        target: str,
        words: tuple[Sequence[str], Sequence[str]],
        pairs: Iterable[tuple[int, int]],
        escaped: Callable[[str], str],
    ) -> None:
        self._root, self._source, self._target, self._escaped = root, source, target, escaped
        cuts = {place for node in _nodes(root) for place in (node.begin, node.end)}
        pieces, whole = _cut(_tokens(source, words[0]), cuts), _tokens(target, words[1])
        targets, self._sources = _aligned(source, pieces, target, whole, pairs)
        self._tokens = pieces, targets
        self._starts = [token.start for token in pieces]
        self._targets: defaultdict[int, list[int]] = defaultdict(list)  # the target tokens of each source token
        for j, sources in enumerate(self._sources):
            for i in sources:
                self._targets[i].append(j)
        self._depth = [0] * len(self._tokens[0])  # the number of elements around each source token
        self._count(root)
        self._gaps = self._own_gaps(written)

    def render(self) -> str:
        """Returns the target text with the tags."""
        return self._render(self._root, (0, len(self._tokens[1])), (0, len(self._target)), 0)

    def _own_gaps(self, written: Sequence[str]) -> dict[int, _Gap]:
        """Returns the gaps between aligned words for which the source has no space, the end of a line, or lone tags.

        They are given by where they begin in the target.
        """
        alone = sorted((node.begin, node.end) for node in _nodes(self._root) if node.is_alone)
        gaps = {}
        for i, (one, other) in enumerate(itertools.pairwise(self._tokens[0])):
            # Where not even a space for the model separates sentences, that between their translations stays.
            is_gap = one.word < other.word and one.stop < other.start
            following = set(self._targets[i + 1]) if is_gap else set()
            inside = alone[bisect_left(alone, (one.stop,)) : bisect_left(alone, (other.start + 1,))]
            parts = (inside[0][0], max(end for _, end in inside)) if inside else (other.start, one.stop)
            spaces, before, after = (
                "".join(written[start:stop])
                for start, stop in ((one.stop, other.start), (one.stop, parts[0]), (parts[1], other.start))
            )
            for j in self._targets[i]:
                if j + 1 in following and self._tokens[1][j].word < self._tokens[1][j + 1].word:
                    sides = [
                        side if not spaces or re.search(r"[\r\n]", side) or (inside and side) else None
                        for side in (before, after)
                    ]
                    gaps[self._tokens[1][j].stop] = _Gap(self._tokens[1][j + 1].start, *sides)
        return gaps

    def _count(self, node: Node) -> None:
        for child in node.children:
            for i in self._range(child):
                self._depth[i] += 1
            self._count(child)

    def _range(self, node: Node) -> range:
        """Returns the source tokens in an element."""
        start = bisect_left(self._starts, node.begin)
        return range(start, max(start, bisect_left(self._starts, node.end)))

    def _render(self, node: Node, span: tuple[int, int], place: tuple[int, int], level: int) -> str:
        """Returns the target text in `place`, whose tokens are `span`, with the tags inside an element."""
        items: list[tuple[int, int, int, str]] = []  # start, stop, number, text
        spans = self._spans(node, span, place, level)
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
                point, is_before = self._point(node, child, span, place)
                point = self._beside_word(child, point, place)
                # Single tags keep their order: a start tag moved before an end tag would make an element.
                point = max(point, last_single) if child.is_single else point
                for start, stop in around:
                    if start < point < stop:
                        point = start if is_before and not child.is_single else stop
                last_single = max(last_single, point) if child.is_single else last_single
                text = self._render(child, (span[0], span[0]), (point, point), level + 1)
                text = self._spaced(child, point, child.before + text + child.after)
                # Of two tags that stand alone side by side, one has the space between them.
                if child.lead and items and items[-1][1] == point:
                    text = text.removeprefix(child.lead)
                    text = text if items[-1][3][-1:].isspace() or text[0].isspace() else child.lead + text
                items.append((point, point, number, text))
        written, done = "", place[0]
        for number, (start, stop, _, text) in enumerate(sorted(items)):
            written += self._between(done, start, number > 0, True) + text
            done = stop
        return written + self._between(done, place[1], bool(items), False)

    def _between(self, start: int, stop: int, is_behind_tag: bool, is_before_tag: bool) -> str:
        """Returns the target text between two places, where tags may be, with the spaces of the source."""
        written, done = "", start
        for place in range(start, stop):
            gap = self._gaps.get(place)
            if gap is None or gap.stop > stop:
                continue
            is_behind, is_before = is_behind_tag and place == start, is_before_tag and gap.stop == stop
            spaces = gap.before if is_before else gap.after if is_behind else None
            if spaces is not None:
                written += self._escaped(self._target[done:place]) + spaces
                done = gap.stop
        return written + self._escaped(self._target[done:stop])

    def _spaced(self, child: Node, point: int, text: str) -> str:
        """Adds the spaces around a text that it has in the source and lacks in the target."""
        before, after = self._target[:point], self._target[point:]
        has_lead = before.strip() and not before[-1].isspace() and unicodedata.category(before[-1]) != "Ps"
        following = self._source[child.begin : child.begin + len(child.trail) + 1].strip()[:1]
        is_mark = is_closing(after[:1] or " ") and not is_closing(following or " ")  # unlike in the source
        has_trail = after.strip() and not after[0].isspace() and not is_mark
        lead, trail = child.lead if has_lead else "", child.trail if has_trail else ""
        return lead + text + trail

    def _beside_word(self, child: Node, point: int, place: tuple[int, int]) -> int:
        """Returns the position at the other side of the spaces, if the tag stands alone, and at that side of them."""
        sides = self._source[child.begin - 1 : child.begin], self._source[child.begin : child.begin + 1]
        is_at = [
            not spaces and bool(side.strip()) for spaces, side in zip((child.lead, child.trail), sides, strict=True)
        ]
        if child.is_alone and is_at == [True, False]:
            return max(place[0], len(self._target[:point].rstrip()))
        if child.is_alone and is_at == [False, True]:
            return min(place[1], len(self._target) - len(self._target[point:].lstrip()))
        return point

    def _spans(
        self, node: Node, span: tuple[int, int], place: tuple[int, int], level: int
    ) -> dict[int, tuple[int, int]]:
        """Returns the target tokens that each child surrounds, by its number, if there are any."""
        ranges = {number: tokens for number, child in enumerate(node.children) if (tokens := self._range(child))}
        if span[0] == span[1] or not ranges:
            return {}
        of_token = {i: number for number, tokens in reversed(ranges.items()) for i in tokens}
        owners = [  # the child of each target token
            min((of_token[i] for i in self._sources[j] if i in of_token), default=None) for j in range(*span)
        ]
        inside = self._range(node)
        spans: dict[int, tuple[int, int]] = {}
        taken: set[int] = set()  # target tokens of earlier elements
        for number, tokens in ranges.items():
            if tokens[0] <= inside[0] and tokens[-1] >= inside[-1]:
                return {number: span}  # the element surrounds everything in its parent
            weights: list[float] = []
            for j, owner in zip(range(*span), owners, strict=True):
                if j in taken or owner not in (None, number):
                    weights.append(float("-inf"))
                elif owner == number:
                    weights.append(max(self._depth[i] - level for i in self._sources[j] if i in tokens))
                else:
                    weights.append(-1 if self._sources[j] else 0)
            if (best := _heaviest(weights)) is not None:
                best = self._extended(best, weights, node.children[number], span[0])
                spans[number] = span[0] + best[0], span[0] + best[1]
                taken.update(range(*spans[number]))
        for number, tokens in ranges.items():
            if number in spans or not self._has_words(tokens):
                continue
            # None of its words is aligned here: it gets the nearest word that no element has.
            free = [
                j
                for j, owner in zip(range(*span), owners, strict=True)
                if j not in taken and owner in (None, number) and not self._tokens[1][j].part
            ]
            if free:
                point = self._point(node, node.children[number], span, place)[0]
                _, nearest = min((abs(self._tokens[1][j].start - point), j) for j in free)
                spans[number] = nearest, nearest + 1
                taken.add(nearest)
        return spans

    def _extended(self, part: tuple[int, int], weights: Sequence[float], node: Node, first: int) -> tuple[int, int]:
        """Extends the target tokens of an element, so that each element inside has a word, unless others forbid it."""
        start, stop = part
        low, high = start, stop  # as far as it may extend
        while low and weights[low - 1] > float("-inf"):
            low -= 1
        while high < len(weights) and weights[high] > float("-inf"):
            high += 1
        for child in _nodes(node):
            word_targets = [j - first for i in self._range(child) for j in self._targets[i] if low <= j - first < high]
            if word_targets and not any(start <= j < stop for j in word_targets):
                nearest = min(word_targets, key=lambda j: max(start - j, j - stop))
                start, stop = min(start, nearest), max(stop, nearest + 1)
        return start, stop

    def _has_words(self, tokens: range) -> bool:
        """Returns whether source tokens are whole words, and not only punctuation."""
        ends = [self._tokens[0][i] for i in (tokens.start - 1, tokens.stop) if 0 <= i < len(self._tokens[0])]
        inside = [self._tokens[0][i] for i in tokens]
        words = {token.word for token in inside if not token.part} - {token.word for token in ends if not token.part}
        return bool(words)

    def _point(self, node: Node, child: Node, span: tuple[int, int], place: tuple[int, int]) -> tuple[int, bool]:
        """Returns the position of a tag without words, and whether it stands before a word instead of after one."""
        inside = self._range(node)
        after = bisect_left(self._starts, child.begin, inside.start, inside.stop)  # the next source token
        if after == inside.start:
            return place[0], True
        at = child.begin
        is_of_word = child.is_alone and not child.lead and self._source[at - 1 : at].isalnum()  # as a footnote's number
        if after == inside.stop and not is_of_word:
            return place[1], False
        is_before = self._source[at - 1 : at].isspace() or not self._source[at : at + 1].isspace()
        if self._source[at - 1 : at + 1].isspace():  # between words, also if the words have changed places
            of_last, of_next = ({j for j in self._targets[i] if span[0] <= j < span[1]} for i in (after - 1, after))
            if places := [j for j in of_next if j + 1 in of_last and j - 1 not in of_last]:
                return self._tokens[1][min(places)].stop, False
        for distance in range(len(inside)):
            sides = [(after + distance, True), (after - 1 - distance, False)]
            for i, before in sides if is_before else reversed(sides):
                if i in inside and (aligned := [j for j in self._targets[i] if span[0] <= j < span[1]]):
                    token = self._tokens[1][aligned[0] if before else aligned[-1]]
                    return (token.start if before else token.stop), before
        return place[1], False


def _heaviest(weights: Sequence[float]) -> tuple[int, int] | None:
    """Returns start and stop of the part with the largest sum, without zeros at its ends; the longest of several.

    Example:

    >>> _heaviest([0, 1, -1, 1, 0]), _heaviest([1, -1, -1, 1, 1]), _heaviest([-1, 0])
    ((1, 4), (3, 5), None)
    """
    best, heaviest = (0.0, 0), None
    total, start = -1.0, 0
    for place, weight in enumerate(weights):
        if total < 0:
            total, start = (0.0, place) if weight > 0 else (-1.0, 0)
        total += weight
        if weight > 0 and (total, place - start) > best:
            best, heaviest = (total, place - start), (start, place + 1)
    return heaviest


def _tokens(text: str, words: Iterable[str]) -> list[_Token]:
    """Returns the tokens of a text that has these words in their order."""
    tokens: list[_Token] = []
    stop = 0
    for number, word in enumerate(words):
        start = text.index(word, stop)
        stop = start + len(word)
        is_letter = [unicodedata.category(letter)[0] != "P" for letter in word]
        first = start + is_letter.index(True) if any(is_letter) else start
        last = stop - is_letter[::-1].index(True) if any(is_letter) else stop
        tokens += [_Token(place, place + 1, number, place - first) for place in range(start, first)]
        tokens.append(_Token(first, last, number, 0))
        tokens += [_Token(place, place + 1, number, place - last + 1) for place in range(last, stop)]
    return tokens


def _nodes(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from _nodes(child)


def _cut(tokens: Iterable[_Token], places: set[int]) -> list[_Token]:
    """Cuts tokens at the places inside of them."""
    pieces = []
    for token in tokens:
        cuts = [token.start, *sorted(places.intersection(range(token.start + 1, token.stop))), token.stop]
        pieces += [token._replace(start=start, stop=stop) for start, stop in itertools.pairwise(cuts)]
    return pieces


def _aligned(
    source: str, sources: list[_Token], target: str, whole: list[_Token], pairs: Iterable[tuple[int, int]]
) -> tuple[list[_Token], list[set[int]]]:
    """Returns the target tokens, `whole` or cut, and for each its source tokens.

    The punctuation of aligned words is aligned, too. A target word that equals its source word has the same pieces.
    """
    numbers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for i, token in enumerate(sources):
        numbers[token.word, token.part].append(i)
    words: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        words[other].add(one)
    targets, aligned = [], []
    for token in whole:
        of_words = {word: numbers[word, token.part] for word in words[token.word] if (word, token.part) in numbers}
        cut = [token.start, token.stop]
        same: list[int] = []  # the pieces of a source word with the same text
        for of_word in of_words.values():
            start, stop = sources[of_word[0]].start, sources[of_word[-1]].stop
            if len(of_word) > 1 and source[start:stop] == target[token.start : token.stop]:
                same = of_word
                cut = [token.start + sources[i].start - start for i in of_word] + [token.stop]
        for number, (start, stop) in enumerate(itertools.pairwise(cut)):
            targets.append(token._replace(start=start, stop=stop))
            aligned.append({same[number]} if same else {i for of_word in of_words.values() for i in of_word})
    return targets, aligned
