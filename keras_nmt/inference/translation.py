"""The answer of a translator or a client to one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

_NO_HYPOTHESIS = -5e8  # lower scores are those of entries without a hypothesis


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    Attributes:
        text: String, the translation.
        score: Float, the translation's log-probability divided by the length penalty, plus the coverage penalty where
            there is one.
        cut_off: Boolean, whether the length limit ended the translation. Defaults to False.
    """

    text: str
    score: float
    cut_off: bool = False

    @classmethod
    def of(cls, text: bytes | str, score: float, cut_off: bool) -> Hypothesis:
        r"""Makes a hypothesis of a model's output.

        Bytes that are not UTF-8 are replaced. Line breaks, which subwords of single bytes can write, become spaces, so
        that a translation takes one line.

        Args:
            text: Bytes or string, the translation.
            score: Float, the score.
            cut_off: Boolean, whether the length limit ended the translation.

        Example:

        >>> Hypothesis.of(b"a\nb", -1, False)
        Hypothesis(text='a b', score=-1.0, cut_off=False)
        """
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")  # JSON can escape half of a character
        return cls(text.decode("utf-8", "replace").replace("\n", " ").replace("\r", " "), float(score), bool(cut_off))


class Translation(NamedTuple):
    """The translations of one sentence.

    Attributes:
        hypotheses: Tuple of `num_hypotheses` hypotheses, best first: those that end by themselves, by their score, then
            those that the length limit cut off. Hypotheses of a search have different texts, and are fewer where the
            beam has fewer; samples may be equal.
        truncated: Boolean, whether the source or the prefix was longer than the largest length bucket and was truncated
            to the bucket's length.
    """

    hypotheses: tuple[Hypothesis, ...]
    truncated: bool

    @classmethod
    def of(
        cls, texts: Iterable[bytes | str], scores: Iterable[float], cut_off: Iterable[bool], truncated: bool
    ) -> Translation:
        """Makes a translation of a model's outputs for one sentence, without the entries that have no hypothesis.

        Example:

        >>> Translation.of([b"a", b""], [-1, -1e9], [True, False], truncated=False)
        Translation(hypotheses=(Hypothesis(text='a', score=-1.0, cut_off=True),), truncated=False)
        """
        first, *others = map(Hypothesis.of, texts, scores, cut_off)
        return cls((first, *(x for x in others if not x.score < _NO_HYPOTHESIS)), bool(truncated))

    @property
    def text(self) -> str:
        """The text of the best hypothesis."""
        return self.hypotheses[0].text

    @property
    def score(self) -> float:
        """The score of the best hypothesis."""
        return self.hypotheses[0].score

    @property
    def cut_off(self) -> bool:
        """Whether the length limit ended the best hypothesis."""
        return self.hypotheses[0].cut_off

    @property
    def is_empty(self) -> bool:
        """Whether the model left the sentence empty. The translation of an empty text, with the score 0, is not."""
        return not self.text.strip() and self.score != 0


def count_outputs(translations: Iterable[Translation]) -> Mapping[str, int]:
    """Counts what may be wrong with translations.

    Returns:
        Dictionary with the numbers of "lines", of "empty" translations of text, of those that the length limit
        "cut_off", and of "distinct" texts.

    Example:

    >>> texts = [["a"], [""], ["a"]]
    >>> count_outputs(Translation.of(text, [-1], [text == ["a"]], truncated=False) for text in texts)
    {'lines': 3, 'empty': 1, 'cut_off': 2, 'distinct': 2}
    """
    found = list(translations)
    return {
        "lines": len(found),
        "empty": sum(translation.is_empty for translation in found),
        "cut_off": sum(translation.cut_off for translation in found),
        "distinct": len({translation.text for translation in found}),
    }
