"""Lines split into sentences, translated, and put together again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from keras_nmt.errors import UserError, install_extra
from keras_nmt.inference.lines import check_lines
from keras_nmt.inference.translation import Hypothesis, Translation


class SplitLine(NamedTuple):
    """The sentences of a line, without the spaces around them, and these spaces: one more than there are sentences."""

    sentences: list[str]
    spaces: list[str]

    def joined(self, sentences: Sequence[str]) -> str:
        """The line with other sentences instead of its own."""
        first, *others = self.spaces
        return first + "".join(text for pair in zip(sentences, others, strict=True) for text in pair)


def sentence_splitter(language: str | None) -> Callable[[str], SplitLine]:
    """A function that splits a line by the rules of a language.

    Raises:
        UserError: There is no language, or sentencex is not installed.
    """
    if not isinstance(language, str) or not language.strip():
        raise UserError(f'Name the language to split sentences by, such as "en". Received: language={language!r}')
    try:
        from sentencex import segment
    except ImportError:
        raise UserError(
            f"Splitting sentences needs sentencex: {install_extra('split', 'split')}. Received: language={language!r}"
        ) from None

    def split(line: str) -> SplitLine:
        sentences: list[str] = []
        spaces = [""]
        start = 0
        # sentencex 1.0 fails at a space of several bytes before an initial. The replacement moves no letter.
        for found in segment(language, "".join(" " if letter.isspace() else letter for letter in line)):
            part = line[start : start + len(found)]
            start += len(found)
            text = part.strip()
            before = len(part) - len(part.lstrip())
            spaces[-1] += part[:before]
            if text:
                if sentences:
                    spaces[-1] = spaces[-1] or " "
                sentences.append(text)
                spaces.append(part[before + len(text) :])
        return SplitLine(sentences, spaces)

    return split


def translated_lines(
    lines: Iterable[str],
    split: Callable[[str], SplitLine],
    translate: Callable[[list[str]], list[Translation]],
    batch_size: int,
) -> Iterator[Translation]:
    """Yields the translation of each line as soon as its sentences, at most `batch_size` at a time, are translated."""
    waiting: deque[SplitLine] = deque()  # lines that are not answered
    unsent: list[str] = []  # their sentences that are not translated
    done: deque[Translation] = deque()  # their translated sentences

    def send() -> None:
        done.extend(translate(unsent[:batch_size]))
        del unsent[:batch_size]

    def answered() -> Iterator[Translation]:
        while waiting and len(waiting[0].sentences) <= len(done):
            line = waiting.popleft()
            found = [done.popleft() for _ in line.sentences]
            text = line.joined([translation.text for translation in found])
            score, cut_off = sum((x.score for x in found), 0.0), any(x.cut_off for x in found)
            yield Translation((Hypothesis(text, score, cut_off),), any(x.truncated for x in found))

    for line in lines:
        (checked,) = check_lines([line])
        waiting.append(split(checked.rstrip("\r\n")))
        unsent.extend(waiting[-1].sentences)
        while len(unsent) >= batch_size:
            send()
        yield from answered()
    send()
    yield from answered()
