"""Normalisation by subword models: what is written comes out in the form that each normalisation states."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st

from keras_nmt.data import SubwordTokenizer, normalization_rules, train_subwords
from keras_nmt.text.normalization import KEPT_BY_NMT, LAST

MODELS = {
    "nfc": {"normalization": "nfc"},
    "nfc, lower case": {"normalization": "nfc", "lowercase": True},
    "nfkc": {"normalization": "nfkc"},
    "nfkc, lower case": {"normalization": "nfkc", "lowercase": True},
    "identity": {"normalization": "identity"},
}
# What languages write: Chinese, digits and signs, Persian, spaces of numbers and of Japanese, emoji, kana, Thai.
WRITTEN = [
    "你好，世界！…①½™ﬁ²",
    "می\u200cخواهم",
    "10\u00a0000\u202f€",
    "空\u3000白",
    "👩\u200d💻",
    "ｶﾞｷﾞ ＡＢＣ",
    "ก\u200bข",
    "“quoted” – dashes—‘so’",
]
OTHERS = {"A\u030a": "\u212b", "K": "\u212a", "\u03a9": "\u2126", "\u03b1\u0301": "\u1f71"}  # by decompositions


def spellings(letter: str) -> Iterator[str]:
    """Canonically equal spellings of a letter: accents in any order, some of them composed."""
    base, *accents = unicodedata.normalize("NFD", letter)
    for order in map("".join, itertools.permutations(accents)):
        for number in range(len(order) + 1):
            decomposed, rest = base + order[:number], order[number:]
            for first in (unicodedata.normalize("NFC", decomposed), OTHERS.get(decomposed)):
                if first and unicodedata.normalize("NFC", first + rest) == letter:
                    yield first + rest


COMPOSED = [
    letter
    for letter in map(chr, (*range(0xD800), *range(0xE000, 0x12000)))
    if letter == unicodedata.normalize("NFC", letter) != unicodedata.normalize("NFD", letter)
]
SPELLINGS = sorted({spelled for letter in COMPOSED for spelled in spellings(letter)})
LETTERS = st.characters(exclude_categories=["Cs"]).filter(lambda character: not unicodedata.combining(character))
WORDS = st.sampled_from([*WRITTEN, " ", "  ", "\n"])
SPELLED = st.lists(st.one_of(st.sampled_from(SPELLINGS), LETTERS, WORDS), max_size=8).map("".join)


@pytest.fixture(scope="module")
def tokenizers(made_once: Callable[..., Path]) -> dict[str, SubwordTokenizer]:
    def make(folder: Path) -> None:
        (folder / "text").write_text("the cat sat on the mat\nthat is a\trat\n" * 5)
        for name, options in MODELS.items():
            train_subwords(folder / "text", folder / name, vocabulary_size=290, byte_fallback=True, **options)

    folder = made_once("subwords of each normalisation", make)
    return {name: SubwordTokenizer(folder / name) for name in MODELS}


ENDS = " \t\n\v\f\r"  # white space of ASCII


@functools.cache
def library(tokenizer: SubwordTokenizer) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=tokenizer.proto)


def read(tokenizer: SubwordTokenizer, *texts: str) -> str:
    """The texts that come out of the subwords of texts, in the graph and in Python, joined by a line end."""
    processor = library(tokenizer)
    ids = tokenizer.tokenize(texts)
    assert ids.to_list() == processor.encode([text.strip(ENDS) for text in texts])
    decoded = [text.decode() for text in tokenizer.detokenize(ids).numpy()]
    assert decoded == processor.decode(ids.to_list())
    return "\n".join(decoded)


def joined(text: str) -> str:
    """The text with single spaces (U+0020)."""
    return " ".join(filter(None, text.replace("\u2581", " ").split(" ")))


def cleaned(text: str) -> str:
    lines = " ".join(f"<{text}>".replace("\t", "\n").splitlines())[1:-1]
    return "".join(c for c in lines if unicodedata.category(c) != "Cc" or c == "\0").replace("\ufeff", "")


def test_every_spelling_of_a_letter_is_composed(tokenizers: dict[str, SubwordTokenizer]) -> None:
    assert len(SPELLINGS) > 3 * len(COMPOSED) / 2 > 18_000
    text = " ".join(SPELLINGS)
    assert read(tokenizers["nfc"], text) == unicodedata.normalize("NFC", text)
    assert read(tokenizers["nfkc"], text) == joined(unicodedata.normalize("NFKC", text))
    for form in ("nfc", "nfkc"):
        lower = unicodedata.normalize(form.upper(), unicodedata.normalize(form.upper(), text).lower())
        assert read(tokenizers[f"{form}, lower case"], text) == joined(lower)


def test_nothing_that_ends_a_line_or_controls_a_terminal_comes_out(tokenizers: dict[str, SubwordTokenizer]) -> None:
    characters = [chr(code) for code in range(1, 0x3000)]
    for character, out in zip(
        characters, read(tokenizers["nfc"], *(f"a{c}b" for c in characters)).split("\n"), strict=True
    ):
        ends_line = len(f"a{character}b".splitlines()) > 1 or character == "\t"
        assert (out == "a b") == (ends_line or character in " \u2581")
        assert (out == "ab") == (unicodedata.category(character) == "Cc" and not ends_line)


@settings(max_examples=60)
@given(text=SPELLED)
def test_what_is_spelled_is_composed_at_its_offsets(tokenizers: dict[str, SubwordTokenizer], text: str) -> None:
    composed = unicodedata.normalize("NFC", cleaned(text))
    assert read(tokenizers["nfc"], text) == joined(composed)
    one_by_one = "".join(map(str.lower, composed))  # "Σ" has two lower cases
    assert read(tokenizers["nfc, lower case"], text) == joined(unicodedata.normalize("NFC", one_by_one))
    for tokenizer in tokenizers.values():
        ids, starts, limits = (x.to_list()[0] for x in tokenizer.tokenize_with_offsets([text]))
        assert ids == tokenizer.tokenize([text]).to_list()[0]
        size = len(text.encode())
        assert all(0 <= start <= limit <= size for start, limit in zip(starts, limits, strict=True))
        assert starts == sorted(starts)


@settings(max_examples=60)
@given(text=st.text())
def test_nfc_keeps_any_text_canonically_equal_and_identity_changes_spaces_only(tokenizers, text) -> None:
    """Accents that do not become one letter with theirs may keep another order than Unicode's."""
    out = read(tokenizers["nfc"], text)
    assert unicodedata.normalize("NFC", out) == unicodedata.normalize("NFC", joined(cleaned(text)))
    assert read(tokenizers["identity"], text) == joined(text.strip(ENDS))


def test_nfkc_is_that_of_sentencepiece(tokenizers: dict[str, SubwordTokenizer]) -> None:
    """SentencePiece has an older Unicode, and reads accents after "x" as its letters."""
    own = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc", escape_whitespaces=False)
    characters = [
        character
        for character in map(chr, (*range(1, 0xD800), *range(0xE000, 0x10000)))
        if unicodedata.ucd_3_2_0.category(character) != "Cn" and not unicodedata.combining(character)
    ]
    texts = [f"x{character}x" for character in characters]
    assert read(tokenizers["nfkc"], *texts).split("\n") == [joined(own.normalize(text)) for text in texts]


@settings(max_examples=40)
@given(character=LETTERS.filter(lambda c: unicodedata.ucd_3_2_0.category(c) != "Cn"))
@example(character=KEPT_BY_NMT)
def test_nfkc_of_lower_case_is_composed_again(tokenizers: dict[str, SubwordTokenizer], character: str) -> None:
    text = read(tokenizers["nfkc"], f"x{character}x")
    lower = "".join(map(str.lower, text))
    lower = lower if character == KEPT_BY_NMT else unicodedata.normalize("NFKC", lower)
    assert read(tokenizers["nfkc, lower case"], f"x{character}x") == joined(lower)


def test_what_a_language_writes_comes_out(tokenizers: dict[str, SubwordTokenizer]) -> None:
    for text in WRITTEN:
        assert read(tokenizers["nfc"], text) == read(tokenizers["identity"], text) == text
        assert read(tokenizers["nfc, lower case"], text) == text.lower()
    for name in ("nfkc", "nfkc, lower case"):
        assert read(tokenizers[name], "ｶﾞ ｶ\u3099 ﾊﾟ") == "ガ ガ パ"  # composed
    assert read(tokenizers["nfkc, lower case"], "a\u200db") == "a\u200db"


def test_rules_replace_by_what_no_rule_changes() -> None:
    for code in range(LAST + 1, 0x110000):  # nothing above the last changes
        character = chr(code)
        assert unicodedata.normalize("NFKC", character) == character == character.lower()
    for lowercase in (False, True):
        lines = [line.split("\t") for line in normalization_rules("nfc", lowercase).splitlines()]
        rules = dict(lines)
        assert len(rules) == len(lines)
        assert not rules.keys() & {new for new in rules.values() if new}
