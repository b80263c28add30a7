"""Log-probabilities of the subwords and words of a translation. Imports nothing heavy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

WORD_BEGIN = "▁"  # SentencePiece's mark of a space, at the beginning of the first subword of a word
UNKNOWN_PIECE, END_PIECE = "<unk>", "</s>"
_BYTE = re.compile("<0x([0-9A-F]{2})>")


class Piece(NamedTuple):
    """One subword of a translation.

    Attributes:
        text: String, the subword as in the subword model: "▁" is a space, "</s>" the end of the translation, "<0xC3>" a
            byte.
        log_probability: Float, natural logarithm of the subword's probability after the previous subwords.
    """

    text: str
    log_probability: float

    @classmethod
    def row(cls, texts: Iterable[bytes | str], log_probabilities: Iterable[float]) -> tuple[Piece, ...]:
        """Makes the pieces of one hypothesis from a model's outputs, without padding.

        Example:

        >>> Piece.row([b"\\xe2\\x96\\x81a", ""], [-1, 0])
        (Piece(text='▁a', log_probability=-1.0),)
        """
        decoded = (x.decode("utf-8", "replace") if isinstance(x, bytes) else x for x in texts)
        return tuple(cls(x, float(value)) for x, value in zip(decoded, log_probabilities, strict=True) if x)


class Word(NamedTuple):
    """One word of a translation: a subword that begins with a space, and the subwords up to the next such subword.

    Attributes:
        text: String, the word.
        pieces: Tuple of `Piece`, at least one.
    """

    text: str
    pieces: tuple[Piece, ...]

    @property
    def log_probability(self) -> float:
        """The sum over the word's subwords: the log-probability of the word after the previous words."""
        return sum(piece.log_probability for piece in self.pieces)

    @property
    def mean(self) -> float:
        """The mean over the word's subwords, which does not depend on their number."""
        return self.log_probability / len(self.pieces)


def words_of_pieces(pieces: Iterable[Piece]) -> tuple[Word, ...]:
    """Returns the words of the subwords of a translation; the end of the translation belongs to no word.

    Example:

    >>> [word.text for word in words_of_pieces(Piece.row(["▁two", "▁dog", "s", "</s>"], [-1, -2, -1, -1]))]
    ['two', 'dogs']
    """
    groups: list[list[Piece]] = []
    for piece in pieces:
        if piece.text == END_PIECE:
            continue
        if not groups or piece.text.startswith(WORD_BEGIN):
            groups.append([])
        groups[-1].append(piece)
    return tuple(Word(_joined(group), tuple(group)) for group in groups)


def _joined(pieces: list[Piece]) -> str:
    """Returns the text of subwords. Bytes that are not UTF-8 are replaced."""
    written = b""
    for piece in pieces:
        byte = _BYTE.fullmatch(piece.text)
        text = "⁇" if piece.text == UNKNOWN_PIECE else piece.text
        written += bytes([int(byte[1], 16)]) if byte else text.encode()
    return written.decode("utf-8", "replace").replace(WORD_BEGIN, " ").strip(" ")
