"""Spans of plain text, and of text with markup, that stay as they are."""

from __future__ import annotations

import itertools
import re
import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from word_by_word import backwards, by_words, placed

from keras_nmt.errors import UserError
from keras_nmt.serving import Client
from keras_nmt.text import sentences
from keras_nmt.text.kept_text import KeptText
from keras_nmt.text.sentences import sentence_splitter

BOTH = ["placeholders", "urls"]


def letters(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("line", "text", "translated"),
    [
        ("Hello %1$s, a dog runs.", "Hello, a dog runs.", "HELLO %1$s, A DOG RUNS."),
        ("see https://a.org/b and {name}", "see and", "SEE https://a.org/b AND {name}"),
        ("{n} dogs & <cats>", "dogs & <cats>", "{n} DOGS & <CATS>"),
        ("({n}) dogs", "() dogs", "({n}) DOGS"),
        ("to{n}dogs, %s%s", "to dogs,", "TO{n}DOGS, %s%s"),
        ("  {n}  dogs ", "dogs", "  {n}  DOGS "),
        ("{n}", "", "{n}"),
        ("  a dog", "a dog", "A DOG"),
        ("Hello {first} {last}, to {city} {zip}.", "Hello, to.", "HELLO {first} {last}, TO {city} {zip}."),
        ("100 %ig, 5 %s", "100 %ig, 5", "100 %IG, 5 %s"),
        ("a &amp; b", "a &amp; b", "A &AMP; B"),
    ],
)
def test_spans_of_plain_text_stay_with_the_spaces_around(line, text, translated):
    assert placed(line, None, keep=BOTH) == (text, translated)


def test_addresses_are_found_in_linear_time():
    start = time.process_time()
    KeptText(["urls"]).spans("a." * 2**16)
    assert time.process_time() - start < 4, "the time must not grow with the square of the length"


def test_spans_follow_their_words_and_stay_in_markup():
    assert placed("the {colour} dog runs", None, backwards, BOTH)[1] == "RUNS DOG {colour} THE"
    document = "<p>Hi <b>{name}</b>, see http://x?a=1&amp;b=2 &amp; {n} dogs</p><code>{n} a</code>"
    expected = "<p>HI <b>{name}</b>, SEE http://x?a=1&amp;b=2 &amp; {n} DOGS</p><code>{n} a</code>"
    assert placed(document, keep=BOTH) == ("Hi , see & dogs", expected)
    assert placed("a&eacute; b", keep=["a&"]) == ("b", "a&eacute; B"), "references are not cut"


@settings(max_examples=200)
@given(st.randoms(use_true_random=False))
def test_any_text_keeps_its_spans(random: Random):
    words = ["a", "dog,", "(cat)", "{n}", "%s", "http://a.b/c", "w{x}w", "{a}{b}", ".", "é"]
    gaps = ["", " ", " ", "  ", "\xa0", "\u202f\t"]
    line = "".join(random.choice(words) + random.choice(gaps) for _ in range(random.randint(0, 8)))
    places = KeptText(BOTH).spans(line)
    spans = [line[start:stop] for start, stop in places]
    same, moved = (placed(line, None, order, BOTH)[1] for order in (range, backwards))
    for found in (same, moved):
        rest = [line, found]
        for span in sorted(spans, key=len, reverse=True):
            assert span in rest[1]
            rest = [text.replace(span, "", 1) for text in rest]
        assert sorted(letters(rest[0]).upper()) == sorted(letters(rest[1]).upper())
    edges = [0, *(place for span in places for place in span), len(line)]
    texts = [line[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    # Where a span stands inside of a word, as in "w{x}w" and "a{n}.a", it is put beside the word.
    inside = any(re.search(r"\S$", a) and re.match(r"[^\w\s]+\w", b) for a, b in itertools.pairwise(texts))
    if spans and "w{x}w" not in line and not inside and all(text.strip() for text in texts[1:-1]):
        # The words of texts have the translation's spaces between them, and spans the line's around them.
        texts = [re.sub(r"(?<=\S)\s+(?=\S)", " ", text).upper() for text in texts]
        assert same == "".join(text + span for text, span in zip(texts, [*spans, ""], strict=True))


@pytest.fixture
def client(monkeypatch):
    """A client whose server translates word by word."""
    translate, align = by_words()
    monkeypatch.setattr(Client, "_translations", lambda client, _, inputs, count=None: translate(inputs["text"]))
    monkeypatch.setattr(Client, "align", lambda client, *texts: align(*texts))
    return Client("http://localhost:1")


def test_a_client_keeps_spans(client):
    found = client.translate(["Hello %s, a dog.", "a {n}"], keep=["placeholders"])
    assert [x.text for x in found] == ["HELLO %s, A DOG.", "A {n}"]


def test_a_client_splits_texts_with_markup_by_the_rules_of_the_language_of_each(client, monkeypatch):
    asked = []
    monkeypatch.setattr(
        sentences, "sentence_splitter", lambda language: asked.append(language) or sentence_splitter("en")
    )
    for languages in (("de", "en"), (["de", "fr"], ["en"] * 2), ()):
        found = client.translate(["<p>A dog. <b>A</b> cat.</p>"] * 2, *languages, markup="html")
        assert [x.text for x in found] == ["<p>A DOG. <b>A</b> CAT.</p>"] * 2
    assert asked == ["de", "de", "fr", "en"]


def test_a_model_keeps_spans(translator, eager):
    translator = translator.with_options(max_length=8)
    lines = ["the small {name} sat", "a mouse", "", "{n}", "zürich"]
    found = translator.translate(lines, keep=["placeholders"])
    plain = translator.translate(["the small sat", *lines[1:]])
    assert [x.text for x in found][1:3] == [x.text for x in plain][1:3]
    assert found[3].text == "{n}"
    assert found[0].text.count("{name}") == 1
    assert found[0].text.replace("{name}", "").split() == plain[0].text.split()
    assert found[0].score == pytest.approx(plain[0].score, abs=1e-3)
    (split,) = translator.translate(["the cat. the {n} mouse."], keep=["placeholders"], split_sentences="en")
    assert split.text.count("{n}") == 1
    with pytest.raises(UserError, match=r"`prefixes` cannot be used with `keep`. Received: keep=\['urls'\]"):
        translator.translate(["a"], prefixes=[""], keep=["urls"])
    with pytest.raises(UserError, match="`keep` must be a list of patterns. Received: keep='urls'"):
        translator.translate(["a"], keep="urls")
