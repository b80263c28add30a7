"""Translations, the answers of a translator or a client, with their subwords and words."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

WORD_ENDS = " \t"  # no other spaces, as in programs that align words
WORD_BEGIN = "▁"  # SentencePiece's mark of a space, at the beginning of the first subword of a word
UNKNOWN_PIECE, END_PIECE = "<unk>", "</s>"
UNKNOWN = "⁇"  # in texts
_BYTE = re.compile("<0x([0-9A-F]{2})>")
_LINE_BREAKS = ("<0x0A>", "<0x0D>")  # as subwords
_NO_HYPOTHESIS = -5e8  # entries without a hypothesis have a lower score


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


def pieces_of_outputs(outputs: Mapping[str, Any]) -> Iterable[tuple[Piece, ...]]:
    """Returns the pieces of each hypothesis of a line from a model's outputs for it; none where there are no scores."""
    if "token" not in outputs:
        return itertools.repeat(())
    return map(Piece.row, outputs["token"], outputs["token_log_probability"])


class Word(NamedTuple):
    """One word of a translation: a subword that begins with a space, and the subwords up to the next such subword.

    The bytes of line breaks are spaces, as in the text.

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


def words_of_pieces(pieces: Iterable[Piece], *, unknown_is_word: bool = True) -> tuple[Word, ...]:
    """Returns the words of the subwords of a translation; the end of the translation belongs to no word.

    An unknown subword is a word, as in the text, where it has spaces around; or else part of one, as where text of the
    source replaces it.

    Example:

    >>> [word.text for word in words_of_pieces(Piece.row(["▁two", "▁dog", "s", "<unk>", "</s>"], [-1] * 5))]
    ['two', 'dogs', '⁇']
    """
    groups: list[list[Piece]] = []
    ended, after_break = True, False  # whether a word begins with the next subword
    for piece in pieces:
        if piece.text == END_PIECE:
            ended = True  # the next text of a line with markup begins a word
            continue
        is_unknown = unknown_is_word and piece.text == UNKNOWN_PIECE
        is_break = piece.text in _LINE_BREAKS
        begins = ended or piece.text.startswith(WORD_BEGIN) or (is_unknown and _joined(groups[-1]))
        is_blank = after_break and not _joined(groups[-1])  # only spaces so far: the next word has them
        if not groups or (begins and not is_break and not is_blank):
            groups.append([])
        groups[-1].append(piece)
        ended, after_break = is_unknown or is_break, is_break
    return tuple(Word(_joined(group), tuple(group)) for group in groups)


def _words(text: str, pieces: tuple[Piece, ...]) -> tuple[Word, ...]:
    """Returns the words of the subwords of a text, in which text of the source may have replaced unknown ones."""
    if UNKNOWN in text or all(piece.text != UNKNOWN_PIECE for piece in pieces):
        return words_of_pieces(pieces)
    texts = split_words(without_white_ends(text))  # as a given text is read
    words = words_of_pieces(pieces, unknown_is_word=False)
    if len(words) != len(texts):
        return words
    return tuple(word._replace(text=text) for word, text in zip(words, texts, strict=True))


class SentencePair(NamedTuple):
    """A sentence of a line, and its translation.

    Attributes:
        source, target: Strings, the sentence and its translation.
        source_word, target_word: Integers, the numbers of their first words among the words of the line and of its
            translation, from 0.
    """

    source: str
    source_word: int
    target: str
    target_word: int


class Hypothesis(NamedTuple):
    """One translation of a sentence, or of a line of several sentences.

    Attributes:
        text: String, the translation.
        score: Float, the translation's log-probability divided by the length penalty, plus the coverage penalty if
            there is one.
        cut_off: Boolean, whether the length limit ended the translation. Defaults to False.
        pieces: Tuple of `Piece`, the translation's subwords with their
            log-probabilities, including its end, if they are asked for. Defaults to an empty tuple.
        met: Tuple of booleans, whether the translation meets each constraint of its line. Defaults to an empty tuple.
        sentences: Tuple of `SentencePair`, the sentences of which the translation of a line was composed, if there are
            several. Defaults to an empty tuple.
        avoided: Tuple of booleans, whether the translation has no word or words of each phrase to avoid of its line, in
            capital or small letters, and in any subwords. Defaults to an empty tuple.
        words: Tuple of `Word`, the words of `pieces`, without markup, with their log-probabilities. Words in which text
            of the source has replaced unknown subwords are those of the text. Defaults to an empty tuple.
    """

    text: str
    score: float
    cut_off: bool = False
    pieces: tuple[Piece, ...] = ()
    met: tuple[bool, ...] = ()
    sentences: tuple[SentencePair, ...] = ()
    avoided: tuple[bool, ...] = ()
    words: tuple[Word, ...] = ()

    @classmethod
    def of(
        cls,
        text: bytes | str,
        score: float,
        cut_off: bool,
        pieces: tuple[Piece, ...] = (),
        met: tuple[bool, ...] = (),
    ) -> Hypothesis:
        r"""Makes a hypothesis from a model's output.

        Bytes that are not UTF-8 are replaced. A translation is one line: line breaks, which subwords of single bytes
        can write, become spaces.

        Example:

        >>> Hypothesis.of(b"a\nb", -1, False, met=(True, False))[:5]
        ('a b', -1.0, False, (), (True, False))
        """
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")  # JSON can have lone surrogates
        text = without_line_breaks(text.decode("utf-8", "replace"))
        return cls(text, float(score), bool(cut_off), pieces, met, words=_words(text, pieces))

    @classmethod
    def of_target(cls, text: str, score: float, outputs: Mapping[str, Any]) -> Hypothesis:
        """Makes a hypothesis of a given translation, with its pieces from the outputs of `score` for it.

        Example:

        >>> outputs = {"token": [["▁a", "</s>"]], "token_log_probability": [[-1, -0.5]]}
        >>> Hypothesis.of_target("a", -1.5, outputs).words[0].log_probability
        -1.0
        """
        (pieces,) = pieces_of_outputs(outputs)
        return cls(text, score, pieces=pieces, words=_words(text, pieces))


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

    @classmethod
    def of_outputs(cls, outputs: Mapping[str, Any]) -> list[Alternative]:
        """Makes the alternatives of one line from a model's outputs for it, without padding."""
        columns = [outputs[name] for name in ("piece", "probability", "translation", "score", "cut_off")]
        return [
            cls(piece.decode(), probability, Hypothesis.of(*hypothesis))
            for piece, probability, *hypothesis in zip(*columns, pieces_of_outputs(outputs), strict=False)
            if piece
        ]


class Translation(NamedTuple):
    """The translations of one sentence.

    Attributes:
        hypotheses: Tuple of `num_hypotheses` hypotheses, best first: complete ones by their score, then those that the
            length limit cut off. Hypotheses of a search have different texts, and there are fewer if the beam has
            fewer, one of a text without subwords; samples may be equal.
        truncated: Boolean, whether the source or the prefix was truncated to the length of the largest length bucket.
        has_empty_part: Boolean, whether the translation of a part is empty: of a sentence, or of a text between tags.
            Defaults to False.
        has_unknown: Boolean, whether the source has characters without a subword, of which the model read unknown
            subwords. Defaults to False.
    """

    hypotheses: tuple[Hypothesis, ...]
    truncated: bool
    has_empty_part: bool = False
    has_unknown: bool = False

    @classmethod
    def of(
        cls,
        texts: Iterable[bytes | str],
        scores: Iterable[float],
        cut_off: Iterable[bool],
        truncated: bool,
        *,
        pieces: Iterable[tuple[Piece, ...]] | None = None,
        met: Iterable[tuple[bool, ...]] | None = None,
    ) -> Translation:
        """Makes a translation from a model's outputs for one sentence, without entries that have no hypothesis.

        Example:

        >>> Translation.of([b"a", b""], [-1, -1e9], [True, False], truncated=False).hypotheses
        (Hypothesis(text='a', score=-1.0, cut_off=True, pieces=(), met=(), sentences=(), avoided=(), words=()),)
        """
        columns = (itertools.repeat(()) if column is None else column for column in (pieces, met))
        first, *others = map(Hypothesis.of, texts, scores, cut_off, *columns)
        return cls((first, *(x for x in others if not x.score < _NO_HYPOTHESIS)), bool(truncated))

    @classmethod
    def of_outputs(
        cls,
        outputs: Mapping[str, Any],
        constraints: list[str] | None = None,
        count: int | None = None,
        *,
        is_sample: bool = False,
    ) -> Translation:
        """Makes the translation of one line from the outputs of a model, or of a server, for it.

        Hypotheses of a search have different texts: of those of a text without subwords, which are all empty, one.

        Args:
            outputs: Mapping from the name of an output, such as "translation", to its value for each hypothesis;
                "truncated" and "has_unknown", which servers of older exports do not give, have one value.
            constraints: List of the line's constraints, if it has some. Defaults to None.
            count: Integer, the largest number of hypotheses. Defaults to all.
            is_sample: Boolean, whether the hypotheses are samples, which may be equal. Defaults to False.

        Example:

        >>> outputs = {"translation": ["", ""], "score": [0, 0], "cut_off": [False, False], "truncated": False}
        >>> (
        ...     len(Translation.of_outputs(outputs).hypotheses),
        ...     len(Translation.of_outputs(outputs, is_sample=True).hypotheses),
        ... )
        (1, 2)
        """
        met = None if constraints is None else [met_of_phrases(x, constraints) for x in outputs["met"]]
        columns = outputs["translation"][:count], outputs["score"], outputs["cut_off"]
        translation = cls.of(*columns, outputs["truncated"], pieces=pieces_of_outputs(outputs), met=met)
        translation = translation._replace(has_unknown=outputs.get("has_unknown", False))
        if is_sample:
            return translation
        return translation._replace(hypotheses=distinct(translation.hypotheses))

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
        """Whether the translation of a text or of a part is empty. That of an empty text (score 0) does not count."""
        return self.has_empty_part or (not self.text.strip() and self.score != 0)


def distinct(hypotheses: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Returns the first hypothesis of each text.

    Example:

    >>> [x.score for x in distinct([Hypothesis("a", -1), Hypothesis("b", -2), Hypothesis("a", -3)])]
    [-1, -2]
    """
    first: dict[str, Hypothesis] = {}
    for x in hypotheses:
        first.setdefault(x.text, x)
    return tuple(first.values())


def met_of_phrases(met: bytes | str, phrases: list[str]) -> tuple[bool, ...]:
    """Returns for each phrase whether a hypothesis has it, from the output `met`, which is padded or empty.

    Example:

    >>> met_of_phrases(b"1011", ["Haus", "alt"]), met_of_phrases("", ["Haus"])
    ((True, False), (False,))
    """
    digits = met.decode("ascii", "replace") if isinstance(met, bytes) else met
    return tuple(digits[i : i + 1] == "1" for i in range(len(phrases)))


def count_outputs(translations: Iterable[Translation]) -> Mapping[str, int]:
    """Counts all "lines", "empty" translations of text, "cut_off" ones, "distinct" ones, and "truncated" lines.

    Example:

    >>> texts = [["a"], [""], ["a"]]
    >>> count_outputs(Translation.of(text, [-1], [text == ["a"]], truncated=False) for text in texts)
    {'lines': 3, 'empty': 1, 'cut_off': 2, 'distinct': 2, 'truncated': 0}
    """
    counted = list(translations)
    return {
        "lines": len(counted),
        "empty": sum(translation.is_empty for translation in counted),
        "cut_off": sum(translation.cut_off for translation in counted),
        "distinct": len({translation.text for translation in counted}),
        "truncated": sum(translation.truncated for translation in counted),
    }


def split_words(text: str) -> list[str]:
    """Splits a text at spaces and tabs into words. A no-break space is part of a word.

    Example:

    >>> split_words("10\\xa0000  cats ")
    ['10\\xa0000', 'cats']
    """
    return re.findall(f"[^{WORD_ENDS}]+", text)


def without_white_ends(text: str) -> str:
    r"""Returns a text without white space of ASCII at its ends, as `SubwordTokenizer.cleaned` does in the graph.

    Example:

    >>> without_white_ends("\t10\xa0000 \xa0\n")
    '10\xa0000 \xa0'
    """
    return text.strip(string.whitespace)


def without_line_breaks(text: str) -> str:
    r"""Returns a text with a space for each line break.

    Example:

    >>> without_line_breaks("a\nb")
    'a b'
    """
    return text.replace("\n", " ").replace("\r", " ")


def with_plain_spaces(text: str) -> str:
    """Returns a text with a space for each space of another kind; no letter moves."""
    return "".join(" " if letter.isspace() else letter for letter in text)


def aligned_words(
    source: str, target: str, alignment: Sequence[int], source_word: Sequence[int], target_word: Sequence[int]
) -> list[tuple[int, int]]:
    """Returns the pairs (source word, target word) of a sentence that have aligned subwords, in ascending order.

    `alignment` has the position of a source subword for each target subword, or -1 for none; the last two arguments
    have the position of the word of each subword. A text of spaces and tabs may have subwords, and has no word.

    Example:

    >>> aligned_words("zwei Hunde", "two dogs", [2, 0, 1, -1], [0, 0, 1], [0, 1, 1, -1])
    [(0, 1), (1, 0)]
    """
    if not (split_words(source) and split_words(target)):
        return []
    return sorted({(source_word[i], word) for i, word in zip(alignment, target_word, strict=True) if i >= 0})


def _joined(pieces: list[Piece]) -> str:
    """Returns the text of subwords. Bytes that are not UTF-8 are replaced."""
    written = b""
    for piece in pieces:
        byte = _BYTE.fullmatch(piece.text)
        text = UNKNOWN if piece.text == UNKNOWN_PIECE else piece.text
        written += bytes([int(byte[1], 16)]) if byte else text.encode()
    return without_line_breaks(written.decode("utf-8", "replace")).replace(WORD_BEGIN, " ").strip(" ")
