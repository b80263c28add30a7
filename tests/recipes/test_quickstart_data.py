"""The quickstart's corpus and its generator."""

from __future__ import annotations

import itertools
import random
import re
import unicodedata
from types import ModuleType

import pytest
from scripts import load_script

from keras_nmt.quickstart_data import FOLDER, LANGUAGES

SIZES = {"train": 7000, "dev": 200, "test": 200}


@pytest.fixture(scope="module")
def corpus() -> dict[str, list[tuple[str, ...]]]:
    """The committed lines of each part, in the four languages."""
    read = {
        part: [(FOLDER / f"{part}.{language}").read_bytes().decode("utf-8").split("\n") for language in LANGUAGES]
        for part in SIZES
    }
    for columns in read.values():
        for column in columns:
            assert column.pop() == ""  # the file ends with a newline
    return {part: list(zip(*columns, strict=True)) for part, columns in read.items()}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    pytest.importorskip("num2words")
    return load_script("quickstart_data/generate.py")


def assert_one_to_one(sentences: list[tuple[str, ...]]) -> None:
    assert len(set(sentences)) == len(sentences)
    for language, column in zip(LANGUAGES, zip(*sentences, strict=True), strict=True):
        assert len(set(column)) == len(column), f"A sentence in {language} has two translations."


def test_the_script_writes_the_committed_files(generator: ModuleType) -> None:
    for name, text in generator.generate().items():
        assert (FOLDER / name).read_bytes() == text.encode("utf-8"), name


def test_sizes(corpus: dict[str, list[tuple[str, ...]]]) -> None:
    assert {part: len(lines) for part, lines in corpus.items()} == SIZES
    assert sum(path.stat().st_size for path in FOLDER.glob("*.??")) <= 2_000_000


def test_text_is_clean(corpus: dict[str, list[tuple[str, ...]]]) -> None:
    for text in itertools.chain.from_iterable(itertools.chain.from_iterable(corpus.values())):
        assert text == unicodedata.normalize("NFC", text) == " ".join(text.split())
        assert text[0].isupper() or text[0].isdigit()
        assert text[-1] in ".?"
        assert not re.search(r"[{}|/]", text)


def test_sentences_have_one_translation_and_occur_in_one_part(
    corpus: dict[str, list[tuple[str, ...]]],
) -> None:
    assert_one_to_one([*corpus["train"], *corpus["dev"], *corpus["test"]])


def test_every_sentence_has_one_translation_in_a_larger_sample(generator: ModuleType) -> None:
    assert_one_to_one(list(itertools.islice(generator.sentences(seed=7), 10_000)))


def test_templates_have_the_same_slots_in_every_language(generator: ModuleType) -> None:
    for template in generator.TEMPLATES:
        assert len(template) == len(LANGUAGES)
        used = [set(re.findall(r"{(\w+)", text)) for text in template]
        assert used[0] == used[1] == used[2] == used[3], template


def test_every_slot_is_used(generator: ModuleType) -> None:
    used = {slot.rstrip("0123456789") for slot in re.findall(r"{(\w+)", str(generator.TEMPLATES))}
    assert used == set(generator.SLOTS)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, ["one apple", "ein Apfel", "une pomme", "jedno jablko"]),
        (2, ["two apples", "zwei Äpfel", "deux pommes", "dvě jablka"]),
        (4, ["four apples", "vier Äpfel", "quatre pommes", "čtyři jablka"]),
        (5, ["five apples", "fünf Äpfel", "cinq pommes", "pět jablek"]),
    ],
)
def test_counting(generator: ModuleType, number: int, expected: list[str]) -> None:
    apple = next(row for row in generator.WORDS["GOODS"] if row[0][0] == "apple")
    assert [phrase.text for phrase in generator.count(random.Random(0), apple, number)] == expected


def test_cases_of_what_is_counted(generator: ModuleType) -> None:
    dog = next(row for row in generator.WORDS["ANIMALS"] if row[0][0] == "dog")
    _, german, _, czech = generator.count(random.Random(0), dog, 1)
    assert (f"{german:acc}", f"{czech:acc}") == ("einen Hund", "jednoho psa")
    _, german, _, czech = generator.count(random.Random(0), dog, 3)
    assert (f"{german:dat}", f"{czech}", f"{czech:acc}") == ("drei Hunden", "tři psi", "tři psy")


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (80, ["eighty", "achtzig", "quatre-vingts", "osmdesát"]),
        (
            235,
            ["two hundred and thirty-five", "zweihundertfünfunddreißig", "deux cent trente-cinq", "dvě stě třicet pět"],
        ),
        (2500, ["two thousand five hundred", "zweitausendfünfhundert", "deux mille cinq cents", "dva tisíce pět set"]),
        (10, ["ten", "zehn", "dix", "deset"]),
    ],
)
def test_words(generator: ModuleType, number: int, expected: list[str]) -> None:
    assert generator.words(number) == expected


def test_numbers_as_names_have_no_french_plural(generator: ModuleType) -> None:
    assert generator.label(80)[2] == "quatre-vingt"
    assert generator.label(300)[2] == "trois cent"
    assert generator.label(3)[2] == "trois"


def test_ordinals(generator: ModuleType) -> None:
    assert generator.ordinals(80) == ["eightieth", "achtzigste", "quatre-vingtième"]
    assert generator.czech_ordinal(23, "ého", "ího") == "dvacátého třetího"
    assert generator.czech_ordinal(12, "ém", "ím") == "dvanáctém"
