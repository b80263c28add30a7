"""Adds noise to source text: typing errors, wrong case, missing full stops."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from keras_nmt.errors import UserError, check_names, is_number, require
from keras_nmt.text.kept_text import KeptText

KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
FULL_STOPS = ".。।۔።"
LETTER_RATES = ("swap", "drop", "insert", "neighbour")
CASES: dict[str, Callable[[str], str]] = {
    "lowercase": str.lower,
    "uppercase": str.upper,
    "titlecase": lambda word: word[:1].upper() + word[1:],
}


def _neighbours() -> dict[str, str]:
    """Returns the letters next to each letter of the keyboard, in its row and in the rows above and below."""
    places = {letter: (x + y / 2, y) for y, row in enumerate(KEYBOARD) for x, letter in enumerate(row)}
    return {
        letter: "".join(b for b, (u, v) in places.items() if b != letter and abs(u - x) <= 1 and abs(v - y) <= 1)
        for letter, (x, y) in places.items()
    }


NEIGHBOURS = _neighbours()


@dataclasses.dataclass(frozen=True, kw_only=True)
class SourceNoise:
    """Typical writing errors, for training a model that translates text with such errors.

    Each rate is a probability, from 0 to 1. Words of one letter have no errors in letters, so that no word disappears.
    A letter gets at most one of the four kinds of errors in letters, and a line at most one of the three changes of
    case: the sum of their rates must be at most 1.

    Args:
        swap: Float, the rate of letters that are swapped with the next letter of the word. Defaults to 0.
        drop: Float, the rate of letters that are left out. Defaults to 0.
        insert: Float, the rate of letters after which another letter is inserted: one that is next to it on a QWERTY
            keyboard, or the same letter if it is not on the keyboard. Defaults to 0.
        neighbour: Float, the rate of letters that are replaced by one next to it on the keyboard. Letters that are not
            on the keyboard stay. Defaults to 0.
        lowercase: Float, the rate of lines in lower case. Defaults to 0.
        uppercase: Float, the rate of lines in upper case. Defaults to 0.
        titlecase: Float, the rate of lines in which each word begins with an upper-case letter. Defaults to 0.
        final_stop: Float, the rate of lines that lose their full stop at the end. Defaults to 0.
        keep: Sequence of patterns of text that stays, see `keras_nmt.text.kept_text.KeptText`; so does the rest of its
            words. Defaults to placeholders and addresses.

    Raises:
        UserError: A rate is out of its range, all rates are 0, the sum of rates that exclude each other is above 1, or
            a pattern is wrong.

    Example:

    >>> noise = SourceNoise(swap=0.1, uppercase=0.5)
    >>> noise.apply(["a cat sat on the mat."] * 2, [3, 4], seeds=(1, 0))
    ['A ACT STA ON TEH MAT.', 'A CAT SAT ON THE AMT.']

    Reference:
        [Belinkov and Bisk, 2018](https://arxiv.org/abs/1711.02173).
    """

    swap: float = 0.0
    drop: float = 0.0
    insert: float = 0.0
    neighbour: float = 0.0
    lowercase: float = 0.0
    uppercase: float = 0.0
    titlecase: float = 0.0
    final_stop: float = 0.0
    keep: Sequence[str] = ("placeholders", "urls")

    def __post_init__(self) -> None:
        rates = dataclasses.asdict(self)
        KeptText(rates.pop("keep"))
        for name, rate in rates.items():
            problem = "A rate of noise must be a number from 0 to 1"
            require(is_number(rate) and 0 <= rate <= 1, problem, **{name: rate})
        for names in (LETTER_RATES, tuple(CASES)):
            if (total := math.fsum(rates[name] for name in names)) > 1:
                raise UserError(f"The sum of {', '.join(names)} must be at most 1. Received: {total:g}")
        require(any(rates.values()), "Missing rate of noise: give one above 0, such as swap=0.01.")

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> SourceNoise:
        """Makes an instance from its arguments by name. Raises a `UserError` for an unknown name."""
        check_names("settings of `noise`", settings, [field.name for field in dataclasses.fields(cls)])
        return cls(**settings)

    def apply(
        self, texts: Sequence[str], lines: Sequence[int], seeds: Sequence[int], keep: Collection[str] = ()
    ) -> list[str]:
        """Adds noise to texts. The result for a text depends only on the text, its line number and the seeds.

        Args:
            texts: Sequence of N strings.
            lines: Sequence of N integers of at least 0, such as line numbers. A number that occurs twice gets different
                noise each time.
            seeds: Sequence of integers of at least 0, such as a seed and the number of the epoch.
            keep: Collection of strings, such as user-defined subwords. Words that contain one of them stay. Defaults to
                none.

        Returns:
            List of N strings. A text that is not blank does not become blank.
        """
        occurrences: dict[int, int] = {}
        kept = KeptText([*self.keep, *(f"(?:{re.escape(symbol)})" for symbol in keep)])
        noisy = []
        for text, line in zip(texts, lines, strict=True):
            number = occurrences[line] = occurrences.get(line, -1) + 1
            # The raw output of PCG64 is the same in every version of NumPy. Draws: two for the text, two per character.
            bits = np.random.PCG64(np.random.SeedSequence((*seeds, int(line), number)))
            draws = ((bits.random_raw(2 * len(text) + 2) >> np.uint64(11)) * 2.0**-53).tolist()
            noisy.append(self._noisy_text(text, iter(draws), kept.spans(text)))
        return noisy

    def _noisy_text(self, text: str, draws: Iterator[float], kept: Sequence[tuple[int, int]]) -> str:
        """Adds noise to a text, but to the words that have one of the spans `kept`."""
        case = self._chosen(CASES, next(draws))
        if next(draws) < self.final_stop:
            without = text.rstrip()
            is_one = without[-1:] and without[-1] in FULL_STOPS and without[-2:-1] not in FULL_STOPS
            is_one = is_one and (not kept or kept[-1][1] < len(without))
            text = without[:-1] if is_one and without[:-1].strip() else text
        words, start, left = [], 0, list(kept[::-1])
        for word in text.split(" "):
            stop = start + len(word)
            while left and left[-1][1] <= start:
                left.pop()
            if not left or left[-1][0] >= stop:
                word = self._noisy_word(word, draws)
                word = CASES[case](word) if case else word
            words.append(word)
            start = stop + 1
        return " ".join(words)

    def _noisy_word(self, word: str, draws: Iterator[float]) -> str:
        left = sum(map(str.isalpha, word))  # letters that the result will have
        if left < 2 or not any(getattr(self, name) for name in LETTER_RATES):
            return word
        letters, result, i = list(word), list[str](), 0
        while i < len(letters):
            letter, choice = letters[i], self._chosen(LETTER_RATES, next(draws))
            which = next(draws)
            i += 1
            if not letter.isalpha() or choice is None:
                result.append(letter)
            elif choice == "swap":
                if i < len(letters) and letters[i].isalpha():
                    result += [letters[i], letter]
                    i += 1
                else:
                    result.append(letter)
            elif choice == "drop":
                left -= 1
                if not left:  # keep the last letter of the word
                    result.append(letter)
                    left = 1
            else:
                beside = NEIGHBOURS.get(letter.lower(), letter.lower())
                other = beside[int(which * len(beside))]
                other = other.upper() if letter.isupper() else other
                other = other if letter.lower() in NEIGHBOURS else letter
                result += [letter, other] if choice == "insert" else [other]
        return "".join(result)

    def _chosen(self, names: Iterable[str], draw: float) -> str | None:
        """Returns one of several kinds of noise that exclude each other, or None."""
        for name in names:
            draw -= getattr(self, name)
            if draw < 0:
                return name
        return None
