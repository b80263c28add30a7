"""The answer of a translator or a client to one sentence."""

from __future__ import annotations

from typing import NamedTuple


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    Attributes:
        text: String, the translation.
        score: Float, the translation's log-probability divided by the length penalty, plus the coverage penalty where
            there is one.
    """

    text: str
    score: float

    @classmethod
    def of(cls, text: bytes | str, score: float) -> Hypothesis:
        r"""Makes a hypothesis of a model's output.

        Bytes that are not UTF-8 are replaced. Line breaks, which subwords of single bytes can write, become spaces, so
        that a translation takes one line.

        Args:
            text: Bytes or string, the translation.
            score: Float, the score.

        Example:

        >>> Hypothesis.of(b"a\nb", -1)
        Hypothesis(text='a b', score=-1.0)
        """
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")  # JSON can escape half of a character
        return cls(text.decode("utf-8", "replace").replace("\n", " ").replace("\r", " "), float(score))


class Translation(NamedTuple):
    """The translations of one sentence.

    Attributes:
        hypotheses: Tuple of `num_hypotheses` hypotheses, best first.
        truncated: Boolean, whether the source or the prefix was longer than the largest length bucket and was truncated
            to the bucket's length.
    """

    hypotheses: tuple[Hypothesis, ...]
    truncated: bool

    @property
    def text(self) -> str:
        """The text of the best hypothesis."""
        return self.hypotheses[0].text

    @property
    def score(self) -> float:
        """The score of the best hypothesis."""
        return self.hypotheses[0].score
