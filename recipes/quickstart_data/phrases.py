"""Phrases in English, German, French and Czech: words of `words.txt`, numbers, and counted things."""

from __future__ import annotations

import dataclasses
import random
import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from num2words import num2words

from keras_nmt.quickstart_data import LANGUAGES

Row = list[list[str]]  # the forms of a word in each of LANGUAGES


@dataclasses.dataclass(frozen=True)
class Phrase:
    """A piece of a sentence in one language, which a template inserts as `{slot}`.

    `{slot:name}` inserts the form of this name; `{slot:a/b}` inserts the word that agrees with the phrase: `choice` is
    the index of its number or gender in the language's list (English, German, French: singular, plural or masculine,
    feminine; Czech: one, two to four, five and more, or masculine, feminine, neuter).
    """

    text: str
    choice: int = 0
    forms: dict[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        if "/" in spec:
            return spec.split("/")[self.choice]
        return self.forms[spec] if spec else self.text


Phrases = tuple[Phrase, ...]  # in the order of LANGUAGES
Slot = Callable[[random.Random], Phrases]


def read_words() -> dict[str, list[Row]]:
    """The tables of `words.txt` by name: rows of cells between bars, each cell the forms between commas."""
    tables: dict[str, list[Row]] = {}
    for line in (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            tables[line[1:-1]] = rows = []
        elif line and not line.startswith("#"):
            rows.append([[form.strip() for form in cell.split(",")] for cell in line.split("|")])
    return tables


WORDS = read_words()


def phrases(texts: Iterable[str]) -> Phrases:
    """One text in each language, without other forms."""
    return tuple(Phrase(text) for text in texts)


def joined(*parts: Iterable[object], by: str = " ") -> Phrases:
    """The parts of each language, joined."""
    return phrases(by.join(map(str, together)) for together in zip(*parts, strict=True))


def with_form(name: str, texts: Phrases, forms: Iterable[str]) -> Phrases:
    """The phrases, each with an additional form."""
    return tuple(
        Phrase(text.text, text.choice, {**text.forms, name: form}) for text, form in zip(texts, forms, strict=True)
    )


def forms_of(row: Row, number: int = 0) -> list[str]:
    """A form of each language."""
    return [cell[number] for cell in row]


def plain(table: str) -> Slot:
    """A slot whose phrases have one form each: the rows of a table, all equally likely."""
    return lambda rng: phrases(forms_of(rng.choice(WORDS[table])))


# Numbers


def words(number: int) -> list[str]:
    """The cardinal number in the four languages, as in counting."""
    english, german, french, czech = (num2words(number, lang=language) for language in LANGUAGES)
    # The library writes Czech hundreds as one word; the spelling rules require two words: "pět set".
    czech = re.sub(r"\b(dvě|tři|čtyři|pět|šest|sedm|osm|devět)(stě|sta|set)\b", r"\1 \2", czech)
    return [english.replace(",", ""), german, french, czech]


def label(number: int) -> list[str]:
    """The number in words as a name ("page eighty"): French then has no plural mark, "page quatre-vingt"."""
    english, german, french, czech = words(number)
    return [english, german, re.sub(r"(vingt|cent)s$", r"\1", french), czech]


def ordinals(number: int) -> list[str]:
    """The ordinal in English, German ("erste") and French (masculine)."""
    english, german, french = (num2words(number, lang=language, to="ordinal") for language in ("en", "de", "fr"))
    return [english, german, french.replace("vingtsième", "vingtième")]  # an error of the library at eighty


CZECH_ORDINALS = dict(enumerate(WORDS["CZECH_ORDINALS"][0][0], start=1)) | dict(
    zip(range(20, 100, 10), WORDS["CZECH_TENS"][0][0], strict=True)
)


def czech_ordinal(number: int, hard: str, soft: str) -> str:
    """The Czech ordinal with the ending of a case: `hard` for "druhý", `soft` for "první" and "třetí"."""
    if number > 20 and number % 10:
        return f"{czech_ordinal(number - number % 10, hard, soft)} {czech_ordinal(number % 10, hard, soft)}"
    stem = CZECH_ORDINALS[number]
    return stem[:-1] + soft if stem.endswith("í") else stem + hard


def czech_in(number: int) -> str:
    """The preposition "v" before a number, or "ve" before certain sounds: "ve tři hodiny", "ve 12:30"."""
    return "ve" if number in (2, 3, 4, 12, 13, 14) or 20 <= number < 25 else "v"


def draw_number(rng: random.Random, low: int = 1, high: int = 999) -> int:
    """A number for counting: small numbers more often, large numbers mostly round.

    Numbers such as 21, 22, 31 and 101 are left out because usage varies (Czech "dvacet dva korun" or "dvacet dvě
    koruny", German "hundertein Bücher" or "hunderteins").
    """
    while True:
        number = rng.randint(low, min(high, rng.choice((low + 11, low + 11, max(low, 99), max(low, 99), high))))
        if number > 200:
            number = number // 50 * 50
        if number <= 20 or number % 10 not in (1, 2) or number % 100 in (11, 12):
            return number


GERMAN_ONE = {"der": "ein einen einem", "die": "eine eine einer", "das": "ein ein einem"}
CZECH_ONE = {"i": "jeden jeden", "a": "jeden jednoho", "f": "jedna jednu", "n": "jedno jedno"}


def count(rng: random.Random, row: Row, number: int) -> Phrases:
    """A number of things: nominative as the default form, accusative as `:acc`, German dative as `:dat`.

    `row` is a row of a table of nouns: English singular and plural; German singular with its article and plural; French
    singular with its article and plural; Czech gender (i, a: masculine inanimate, animate; f, n), nominative and
    accusative singular, nominative and genitive plural, and the accusative plural if it differs from the nominative.
    """
    (english, english_plural), (german, german_plural), (french, french_plural), czech = row
    in_figures = number > 9 and rng.random() < 0.35
    spelled = [str(number)] * 4 if in_figures else words(number)
    many = int(number != 1)
    article, german = german.split(" ", 1)
    plural_dative = german_plural + ("" if german_plural[-1] in "ns" else "n")
    if many:
        in_german = [f"{spelled[1]} {noun}" for noun in (german_plural, german_plural, plural_dative)]
    else:
        in_german = [f"{one} {german}" for one in GERMAN_ONE[article].split()]
    gender, nominative, accusative, plural, genitive_plural = czech[:5]
    group = 0 if number == 1 else 1 if number < 5 else 2
    if group == 0:
        ones = zip(CZECH_ONE[gender].split(), (nominative, accusative), strict=True)
        in_czech = [f"{one} {noun}" for one, noun in ones]
    elif group == 1:
        numeral = "dvě" if number == 2 and gender in "fn" else spelled[3]
        in_czech = [f"{numeral} {plural}", f"{numeral} {czech[5] if len(czech) > 5 else plural}"]
    else:
        in_czech = [f"{spelled[3]} {genitive_plural}"] * 2
    return (
        Phrase(f"{spelled[0]} {english_plural if many else english}", many, {"noun": english}),
        Phrase(in_german[0], many, {"acc": in_german[1], "dat": in_german[2]}),
        Phrase(f"{spelled[2]} {french_plural}" if many else french, many),
        Phrase(in_czech[0], group, {"acc": in_czech[1]}),
    )


def counted(tables: str, low: int = 1, high: int = 100) -> Slot:
    """A slot of a number of things from a table; for several tables, with their own bounds, see `units`."""
    return lambda rng: count(rng, rng.choice(WORDS[tables]), draw_number(rng, low, high))


def units(*choices: tuple[str, int, int]) -> Slot:
    """A slot of a number of units: one of several units, each with its smallest and largest number."""

    def slot(rng: random.Random) -> Phrases:
        unit, low, high = rng.choice(choices) if len(choices) > 1 else choices[0]
        return count(rng, WORDS[unit][0], draw_number(rng, low, high))

    return slot


def name_number(rng: random.Random, number: int) -> Phrases:
    """A number that names something: in words or in figures."""
    return phrases([str(number)] * 4 if rng.random() < 0.5 else label(number))


def named(low: int, high: int) -> Slot:
    return lambda rng: name_number(rng, rng.randint(low, rng.choice((min(high, 20), min(high, 99), high))))


def same(draw: Callable[[random.Random], object]) -> Slot:
    """A slot with the same text in all languages."""
    return lambda rng: (Phrase(str(draw(rng))),) * 4


# Things


def french_definite(noun: str) -> str:
    """ "un livre" -> "le livre", "une église" -> "l'église": none of the nouns has an aspirated h."""
    article, noun = noun.split(" ", 1)
    first = unicodedata.normalize("NFD", noun)[0]
    return f"l'{noun}" if first in "aeiouhœ" else f"{'le' if article == 'un' else 'la'} {noun}"


def definite(row: Row, colour: Row | None = None) -> Phrases:
    """The thing of a row, "the (red) hat", as the subject of a sentence."""
    english, german, french, czech = row
    choices = int(french[0].startswith("une ")), {"i": 0, "a": 0, "f": 1, "n": 2}[czech[0]]
    nouns = [english[0], german[0], french_definite(french[0]), czech[1]]
    if colour:
        nouns[0] = f"{colour[0][0]} {nouns[0]}"
        nouns[1] = nouns[1].replace(" ", f" {colour[1][0]} ")
        nouns[2] = f"{nouns[2]} {colour[2][choices[0]]}"
        nouns[3] = f"{colour[3][choices[1]]} {nouns[3]}"
    return Phrase(f"the {nouns[0]}"), Phrase(nouns[1]), Phrase(nouns[2], choices[0]), Phrase(nouns[3], choices[1])
