"""Translates documents: splits lines into sentences, and joins the translations."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from keras_nmt.errors import UserError, install_extra
from keras_nmt.inference.lines import check_lines
from keras_nmt.inference.translation import Hypothesis, Translation

# The sentences of a line, and the spaces before, between and after them: one more than there are sentences.
SplitLine = tuple[list[str], list[str]]


def sentence_splitter(language: str | None) -> Callable[[str], SplitLine]:
    """Returns a function that splits a line by the rules of a language.

    Raises:
        UserError: There is no language, or sentencex is not installed.
    """
    if not isinstance(language, str) or not language.strip():
        raise UserError(
            f'`language` must be the language whose rules split sentences, such as "en". Received: {language!r}'
        )
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
            before, text = part[: len(part) - len(part.lstrip())], part.strip()
            spaces[-1] += before
            if text:
                spaces[-1] = spaces[-1] or " " * bool(sentences)
                sentences.append(text)
                spaces.append(part[len(before) + len(text) :])
        return sentences, spaces

    return split


def translate_document(
    lines: Iterable[str],
    split: Callable[[str], SplitLine],
    translate: Callable[[list[str]], list[Translation]],
    batch_size: int,
) -> Iterator[Translation]:
    """Yields the translation of each line as soon as all its sentences are translated, `batch_size` at a time."""
    waiting: deque[SplitLine] = deque()  # lines without an answer
    unsent: list[str] = []  # their sentences without a translation
    done: deque[Translation] = deque()  # their translated sentences

    def answered(least: int) -> Iterator[Translation]:
        """Translates while at least `least` sentences wait, and yields the lines that are complete."""
        while len(unsent) >= least:
            done.extend(translate(unsent[:batch_size]))
            del unsent[:batch_size]
        while waiting and len(waiting[0][0]) <= len(done):
            sentences, (first, *others) = waiting.popleft()
            found = [done.popleft() for _ in sentences]
            text = first + "".join(x.text + space for x, space in zip(found, others, strict=True))
            score, cut_off = sum((x.score for x in found), 0.0), any(x.cut_off for x in found)
            are = any(x.truncated for x in found), any(x.is_empty for x in found)
            yield Translation((Hypothesis(text, score, cut_off),), *are)

    for number, line in enumerate(lines, 1):
        (checked,) = check_lines([line], number)
        waiting.append(split(checked.rstrip("\r\n")))
        unsent.extend(waiting[-1][0])
        yield from answered(batch_size)
    yield from answered(1)
