"""Constraints that a glossary finds."""

from __future__ import annotations

import unicodedata

import pytest

from keras_nmt.errors import UserError
from keras_nmt.inference import Glossary


@pytest.mark.parametrize(
    ("words", "line", "is_found"),
    [
        ("cat", "the cat's", True),
        ("cat", "cats", False),
        ("राम", "राम आया", True),
        ("राम", "रामायण", False),  # a vowel sign follows
        ("cafe", unicodedata.normalize("NFD", "café"), False),  # an accent follows
        ("می", "می\u200cروم", False),  # a joiner follows
        ("old  house", "an old\thouse", True),
        ("机器翻译", "我们研究机器翻译系统。", True),
        ("自動翻訳", "これは自動翻訳です", True),
        ("แมว", "ฉันมีแมวหนึ่งตัว", True),
        ("มา", "ฉันม้า", False),
        ("ตา", "ตาํ", False),  # a mark follows
        ("GPU", "使用GPU加速", True),
        ("GPU", "使用GPUs加速", False),
        ("café", unicodedata.normalize("NFD", "un café noir"), True),
        (unicodedata.normalize("NFD", "café"), "un café noir", True),
        ("か", unicodedata.normalize("NFD", "が"), False),
    ],
)
def test_entries_are_whole_words_of_any_script(words, line, is_found):
    assert Glossary({words: "X"}).constraints([line]) == [["X"] if is_found else []]


@pytest.mark.parametrize("entry", [{" ": "zzz"}, {"cat": " "}, {"": ""}])
def test_an_entry_has_words_and_a_phrase(entry):
    with pytest.raises(UserError, match="An entry must have words and a phrase. Received: "):
        Glossary({"dog": "Hund", **entry})
