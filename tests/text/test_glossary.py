"""Glossaries: which words are entries, and the phrases that translations must have for them."""

import unicodedata
import warnings

import pytest

from keras_nmt.errors import UserError
from keras_nmt.text import Glossary, Translation
from keras_nmt.text.glossary import mark_avoided


def test_entries_of_a_glossary_are_whole_words_of_any_script():
    for words, line, is_found in (
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
        ("Haustür, alte E-Mail", "Haus\xadtür,\u2007alte E\u2011Mail", True),
        ("Haus\xadtür", "Haustür", True),
        *(("l’acqua", f"bevo l{one}acqua", True) for one in "'‘ʼ＇"),
        ("acqua", "bevo lʼacqua", True),
        ("か", unicodedata.normalize("NFD", "が"), False),
    ):
        assert Glossary({words: "X"}).constraints([line]) == [["X"] if is_found else []]
    for entry in ({" ": "zzz"}, {"cat": " "}, {"cat": " | "}, {"": ""}, {"\u0301": "a"}):
        with pytest.raises(UserError, match="An entry must have words and a phrase. Received: "):
            Glossary({"dog": "Hund", **entry})


def phrases(entries, line, **options):
    return Glossary(entries, **options).constraints([line])[0]


def test_each_occurrence_counts_and_of_overlapping_entries_the_longest():
    entries = {"old house": "Altbau", "house": "Haus", "house of cards": "Kartenhaus", "cards": "Karten", "old": "alt"}
    for line, expected in (
        ("an old house and a new house", ["Altbau", "Haus"]),
        ("a house, a house, a house", ["Haus"] * 3),
        ("the house of cards", ["Kartenhaus"]),
        ("the old cards", ["alt", "Karten"]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert phrases(entries, line) == expected
    glossary = Glossary(entries)
    with pytest.warns(UserWarning, match="'house of cards' counts, 'old house' does not"):
        assert glossary.constraints(["the old house of cards"]) == [["alt", "Kartenhaus"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is told once
        assert glossary.constraints(["an old house of cards"]) == [["alt", "Kartenhaus"]]


def test_columns_of_spreadsheets_may_be_in_quotation_marks(tmp_path):
    path = tmp_path / "terms.tsv"
    text = '\ufeff"rock, paper"\t"Stein, ""Papier"""\r\n5" disk\tDiskette\n"a" or "b"\t"A" oder "B"\n'
    path.write_text(text + '"yes"\t"""Ja"""\n')
    lines = ["so rock, paper", 'a 5" disk', 'so "a" or "b"', "a or b", "say yes"]
    phrases = [['Stein, "Papier"'], ["Diskette"], ['"A" oder "B"'], [], ['"Ja"']]
    assert Glossary.read(path).constraints(lines) == phrases
    path.write_text('a cat\t""\n')
    with pytest.raises(UserError, match="words of the source, tab, phrase"):
        Glossary.read(path)


def test_what_a_line_requires_already_is_not_required_once_more():
    glossary = Glossary({"house": "Haus", "home": "Haus"})
    assert glossary.add_to([["Haus", "alt"], []], ["a house, a home", "home"]) == [["Haus", "alt", "Haus"], ["Haus"]]
    assert glossary.add_to(None, ["none"]) == [[]]
    glossary = Glossary({"train": "bahn |Zug", "rail": "Bahn", "line": "alte Bahn"})
    for given, line, further in (
        (["Bahn|"], "a rail", []),
        (["|", " Zug | bahn"], "a train", []),
        (["bahn"], "Train", []),  # where "Bahn" is allowed, too
        (["bahn|Tram"], "a train", ["bahn |Zug"]),
        (["Zug"], "a train, a train", ["bahn |Zug"]),
        (["alte  Bahn"], "a line", []),
    ):
        assert glossary.add_to([given], [line]) == [[*given, *further]]


def test_a_phrase_may_have_a_capital_at_the_beginning_of_a_sentence():
    entries = {"save": "sichern|iSave", "Save": "sichern|iSave", "hund": "Hund"}
    capital = "sichern|Sichern|iSave"
    for line, expected in (
        ("Save it", [capital]),
        ("(“save it”)", [capital]),
        ("please save", ["sichern|iSave"]),
        ("It runs. Save it and save", [capital, capital]),  # equal, so that two occurrences meet them
        ("hund", ["Hund"]),
    ):
        assert phrases(entries, line) == expected


def test_case_is_that_of_unicode():
    for words, line, is_found in (
        ("Straße", "DIE STRASSE.", True),
        ("STRASSE", "die Straße", True),
        ("ΣΊΣΥΦΟΣ", "ο σίσυφος", True),
        ("s", "ß", False),  # half a letter
        ("ss", "ß", True),
        ("ﬁn", "FIN de FIN", True),
    ):
        assert bool(phrases({words: "X"}, line, ignore_case=True)) == is_found
        assert not phrases({words: "X"}, line)
    assert phrases({"ße": "x", "a": "y"}, "ßE A", ignore_case=True) == ["x|X", "y"]


def test_what_is_avoided_is_told_with_any_apostrophe():
    for phrase in ("l'acqua", "l’acqua", "acqua"):
        found = [Translation.of([f"bevo l{one}acqua"], [-1], [False], False) for one in "'’‘ʼ＇"]
        marked = mark_avoided([*found, Translation.of(["bevo"], [-1], [False], False)], [[phrase]] * 6)
        assert [x.hypotheses[0].avoided for x in marked] == [(False,)] * 5 + [(True,)]
