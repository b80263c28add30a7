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
