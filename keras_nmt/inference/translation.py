"""Translations: the answers of a translator or a client to sentences. Imports nothing heavy."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from keras_nmt.inference.word_scores import Piece, Word, words_of_pieces

_NO_HYPOTHESIS = -5e8  # entries without a hypothesis have a lower score


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    Attributes:
        text: String, the translation.
        score: Float, the translation's log-probability divided by the length penalty, plus the coverage penalty if
            there is one.
        cut_off: Boolean, whether the length limit ended the translation. Defaults to False.
        pieces: Tuple of `keras_nmt.inference.word_scores.Piece`, the translation's subwords with their
            log-probabilities, including its end, if they are asked for. Defaults to an empty tuple.
        met: Tuple of booleans, whether the translation meets each constraint of its line. Defaults to an empty tuple.
    """

    text: str
    score: float
    cut_off: bool = False
    pieces: tuple[Piece, ...] = ()
    met: tuple[bool, ...] = ()

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of `pieces`, with their log-probabilities."""
        return words_of_pieces(self.pieces)

    @classmethod
    def of(
        cls, text: bytes | str, score: float, cut_off: bool, pieces: tuple[Piece, ...] = (), met: str = ""
    ) -> Hypothesis:
        r"""Makes a hypothesis from a model's output. `met` has a 1 or 0 for each constraint.

        Bytes that are not UTF-8 are replaced. Line breaks, which subwords of single bytes can write, become spaces, so
        that a translation is one line.

        Example:

        >>> Hypothesis.of(b"a\nb", -1, False, met="10")
        Hypothesis(text='a b', score=-1.0, cut_off=False, pieces=(), met=(True, False))
        """
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")  # JSON can have lone surrogates
        text = text.decode("utf-8", "replace").replace("\n", " ").replace("\r", " ")
        return cls(text, float(score), bool(cut_off), pieces, tuple(digit == "1" for digit in met))


class Alternative(NamedTuple):
    """One way to continue the beginning of a translation.

    Attributes:
        piece: String, the next subword: "▁" is a space, "</s>" the end of the translation.
        probability: Float from 0 to 1, the model's probability of the subword after the beginning.
        hypothesis: `Hypothesis`, the best translation with this beginning and subword.
    """

    piece: str
    probability: float
    hypothesis: Hypothesis


class Translation(NamedTuple):
    """The translations of one sentence.

    Attributes:
        hypotheses: Tuple of `num_hypotheses` hypotheses, best first: complete ones by their score, then those that the
            length limit cut off. Hypotheses of a search have different texts, and there are fewer if the beam has
            fewer; samples may be equal.
        truncated: Boolean, whether the source or the prefix was truncated to the length of the largest length bucket.
    """

    hypotheses: tuple[Hypothesis, ...]
    truncated: bool

    @classmethod
    def of(
        cls,
        texts: Iterable[bytes | str],
        scores: Iterable[float],
        cut_off: Iterable[bool],
        truncated: bool,
        *,
        pieces: Iterable[tuple[Piece, ...]] | None = None,
        met: Iterable[str] | None = None,
    ) -> Translation:
        """Makes a translation from a model's outputs for one sentence, without entries that have no hypothesis.

        Example:

        >>> Translation.of([b"a", b""], [-1, -1e9], [True, False], truncated=False)
        Translation(hypotheses=(Hypothesis(text='a', score=-1.0, cut_off=True, pieces=(), met=()),), truncated=False)
        """
        pieces, met = itertools.repeat(()) if pieces is None else pieces, itertools.repeat("") if met is None else met
        first, *others = map(Hypothesis.of, texts, scores, cut_off, pieces, met)
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
        """Whether the translation of a text is empty. That of an empty text, with the score 0, does not count."""
        return not self.text.strip() and self.score != 0


def met_of_phrases(met: bytes | str, phrases: list[str]) -> str:
    """Returns a 1 or 0 for each phrase that tells whether a hypothesis has it. Padding is removed.

    Example:

    >>> met_of_phrases(b"1011", ["Haus", "alt", ""]), met_of_phrases("", ["Haus"])
    ('10', '0')
    """
    count = max((i for i, phrase in enumerate(phrases, 1) if phrase), default=0)
    return (met.decode("ascii", "replace") if isinstance(met, bytes) else met).ljust(count, "0")[:count]


def count_outputs(translations: Iterable[Translation]) -> Mapping[str, int]:
    """Counts all "lines", "empty" translations of text, those that the length limit "cut_off", and "distinct" texts.

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
