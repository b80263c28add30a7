"""Errors of all analyses: a model lacks the mechanism, or one string is given for a list of lines."""

from __future__ import annotations

import pytest

from keras_nmt.analysis import (
    GoldAlignment,
    alignment_error_rate,
    by_frequency,
    composition,
    gates,
    hidden_states,
    lengths,
    lexical,
    roles,
    sentence_vectors,
)
from keras_nmt.errors import UserError


def test_one_string_is_no_list_of_lines(plain):
    text, texts = "the old cat", ["the old cat"] * 11
    gold = [GoldAlignment(frozenset({(0, 0)}), frozenset())] * 11
    for analyse in (
        lambda: hidden_states(plain, texts, text),
        lambda: sentence_vectors(plain, text),
        lambda: lexical(plain, texts, test_source=text),
        lambda: by_frequency(plain, text),
        lambda: roles(plain, texts, references=text),
        lambda: lengths(texts, text, texts),
        lambda: alignment_error_rate(plain, texts, text, gold),
    ):
        with pytest.raises(UserError, match="must be a list of strings, not one string. Received: .*='the old cat'"):
            analyse()


def test_models_without_the_mechanism_say_so(plain, bridged, lines):
    for analyse, message in ((gates, "no shortcuts with gates"), (composition, "no composition"), (roles, "no roles")):
        with pytest.raises(UserError, match=message):
            analyse(plain, lines)
    gold = [GoldAlignment(frozenset({(0, 0)}), frozenset())]
    with pytest.raises(UserError, match="attend"):
        alignment_error_rate(bridged, ["a"], ["a"], gold, source_language="en", target_language="de")
