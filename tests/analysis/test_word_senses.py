"""Ambiguous words: translations in the right sense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_nmt.analysis import SenseItem, compare, read_senses, senses
from keras_nmt.errors import UserError

KINDS = {"right": "Das Ufer!", "wrong": "die bank", "both": "Ufer, Bank", "neither": "Uferweg"}


@given(st.lists(st.tuples(st.sampled_from([*KINDS]), st.sampled_from(["ted", "books"])), min_size=1, max_size=30))
def test_shares_agree_with_counts(drawn):
    items = [SenseItem("the bank", ("ufer", "Böschung"), ("Bank",), category) for _, category in drawn]
    found = senses([KINDS[kind] for kind, _ in drawn], items).values
    for category in ("all", "ted", "books"):
        kinds = [kind for kind, of in drawn if category in ("all", of)]
        decided = [kind for kind in kinds if kind != "neither"]
        if kinds:
            assert found["right sense", category] == kinds.count("right") / len(kinds)
        if decided:
            assert found["right among decided", category] == pytest.approx(decided.count("right") / len(decided))
        else:
            assert ("right among decided", category) not in found


def test_items_without_wrong_translations_are_not_decided():
    items = [SenseItem("the bank", ("ufer",), ("bank",)), SenseItem("the bank", ("ufer",))]
    found = senses([KINDS["wrong"], KINDS["right"]], items).values
    assert (found["right sense", "all"], found["right among decided", "all"]) == (0.5, 0)


def test_words_and_translations_are_split_alike():
    for word, translation in (
        ("white board", "Ein White  Board."),
        ("caf\u00e9", "Das CAFE\u0301!"),
        ("cafe\u0301", "Das Caf\u00e9!"),
        ("1990-er", "die 1990-er Jahre"),
        ("U.S.", "in the u.s."),
        ("km/h", "30 km/h,"),
    ):
        items = [SenseItem("x", (word, ""), (f"{word}s",))] * 3
        found = senses([translation, translation.replace(" ", " x"), ""], items)
        assert found.samples["right sense", "all"].tolist() == [True, False, False]


def test_two_systems_are_compared_by_item():
    items = [SenseItem("the bank", ("ufer",), ("bank",))] * 12
    found = compare({name: senses([KINDS[name]] * 12, items) for name in ("right", "wrong")})
    assert found.p_values["wrong"]["right sense", "all"] == pytest.approx(2 * 0.5**12)


def test_both_formats_are_read(tmp_path):
    (tmp_path / "en-de.key.txt").write_text("7\tted\tbank\tufer böschung\tbank\n")
    (tmp_path / "en-de.text.txt").write_text("On the bank .\n")
    (tmp_path / "table.txt").write_text("hat | hut | a hat . | ein hut . | 1.jpg\n")
    assert read_senses(tmp_path / "en-de.key.txt") == [
        SenseItem("On the bank .", ("ufer", "böschung"), ("bank",), "ted")
    ]
    assert read_senses(tmp_path / "table.txt") == [SenseItem("a hat .", ("hut",))]


def test_bad_input_is_one_line(tmp_path):
    (tmp_path / "en-de.key.txt").write_text("7\tted\tbank\n")
    (tmp_path / "en-de.text.txt").write_text("On the bank .\n")
    (tmp_path / "table.txt").write_text("hat | hut | a hat . | ein hut .\nhat\n")
    with pytest.raises(UserError, match=r"line 1, must be .* Received: '7"):
        read_senses(tmp_path / "en-de.key.txt")
    with pytest.raises(UserError, match=r"line 2, must be .* Received: 'hat'"):
        read_senses(tmp_path / "table.txt")
    with pytest.raises(UserError, match="There are no items to translate"):
        senses([], [])
    with pytest.raises(UserError, match="Received: 1 and 2"):
        senses(["a", "b"], [SenseItem("a", ("b",))])
