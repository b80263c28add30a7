from __future__ import annotations

from typing import NamedTuple


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    Attributes:
        text: The translation.
        score: Its log-probability over the length penalty; plus the coverage penalty, where there is one.
    """

    text: str
    score: float

    @classmethod
    def of(cls, text: bytes | str, score: float) -> Hypothesis:
        r"""A hypothesis as a model answers it.

        What is no UTF-8 is replaced, and so is the end of a line, which subwords of single bytes can write: a
        translation stays on its line.

        Example:

        >>> Hypothesis.of(b"a\nb", -1)
        Hypothesis(text='a b', score=-1.0)
        """
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return cls(text.replace("\n", " ").replace("\r", " "), float(score))


class Translation(NamedTuple):
    """What a sentence was translated to.

    Attributes:
        hypotheses: The `num_hypotheses` best, best first.
        truncated: Whether the source, or the prefix, was longer than the largest length bucket, and was cut there.
    """

    hypotheses: tuple[Hypothesis, ...]
    truncated: bool

    @property
    def text(self) -> str:
        """The best hypothesis' text."""
        return self.hypotheses[0].text

    @property
    def score(self) -> float:
        """The best hypothesis' score."""
        return self.hypotheses[0].score
