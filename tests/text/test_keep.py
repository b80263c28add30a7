"""Spans of plain text, and of text with markup, that stay as they are."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.serving import Client
from keras_nmt.text.kept_text import KeptText
from keras_nmt.text.markup import translate_marked
from keras_nmt.text.translation import Translation

BOTH = ["placeholders", "urls"]


def backwards(count: int) -> range:
    return range(count)[::-1]


def letters(text: str) -> str:
    return "".join(text.split())


def placed(line: str, keep: list[str], markup: str | None = None, order=range) -> tuple[str, str]:
    """What the model reads of a line, and the line translated word by word."""
    read = []

    def translate(texts, source, target):
        read.extend(texts)
        rows = [text.split() for text in texts]
        found = [" ".join(words[i].upper() for i in order(len(words))) for words in rows]
        return [Translation.of([text], [-1.0], [False], truncated=False) for text in found]

    def align(texts, targets, source, target):
        return [[(i, j) for j, i in enumerate(order(len(text.split())))] for text in texts]

    (answer,) = translate_marked([line], markup, None, None, translate, align, KeptText(keep))
    return "|".join(" ".join(text.split()) for text in read), answer.text


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
        ("a &amp; b", "a &amp; b", "A &AMP; B"),
    ],
)
def test_spans_of_plain_text_stay_with_the_spaces_around(line, text, translated):
    assert placed(line, BOTH) == (text, translated)


def test_spans_follow_their_words_and_stay_in_markup():
    assert placed("the {colour} dog runs", BOTH, order=backwards)[1] == "RUNS DOG {colour} THE"
    document = "<p>Hi <b>{name}</b>, see http://x?a=1&amp;b=2 &amp; {n} dogs</p><code>{n} a</code>"
    expected = "<p>HI <b>{name}</b>, SEE http://x?a=1&amp;b=2 &amp; {n} DOGS</p><code>{n} a</code>"
    assert placed(document, BOTH, "html") == ("Hi , see & dogs", expected)
    assert placed("a&eacute; b", ["a&"], "html") == ("b", "a&eacute; B"), "references are not cut"


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_any_text_keeps_its_spans(random: Random):
    words = ["a", "dog,", "(cat)", "{n}", "%s", "http://a.b/c", "w{x}w", "{a}{b}", ".", "é"]
    line = "".join(random.choice(words) + random.choice(["", " ", " ", "  "]) for _ in range(random.randint(0, 8)))
    kept = KeptText(BOTH)
    spans = [line[start:stop] for start, stop in kept.spans(line)]
    same, moved = (placed(line, BOTH, order=order)[1] for order in (range, backwards))
    for found in (same, moved):
        rest = [line, found]
        for span in sorted(spans, key=len, reverse=True):
            assert span in rest[1]
            rest = [text.replace(span, "", 1) for text in rest]
        assert sorted(letters(rest[0]).upper()) == sorted(letters(rest[1]).upper())
    if spans and "w{x}w" not in line:
        assert letters(same).upper() == letters(line).upper()


def test_a_client_keeps_spans(monkeypatch):
    def translations(client, signature, inputs, count=None):
        return [Translation.of([text.upper()], [-1.0], [False], truncated=False) for text in inputs["text"]]

    def align(client, texts, targets, source=None, target=None):
        return [[(i, i) for i in range(len(text.split()))] for text in texts]

    monkeypatch.setattr(Client, "_translations", translations)
    monkeypatch.setattr(Client, "align", align)
    found = Client("http://localhost:1").translate(["Hello %s, a dog.", "a {n}"], keep=["placeholders"])
    assert [x.text for x in found] == ["HELLO %s, A DOG.", "A {n}"]


def test_a_model_keeps_spans(translator):
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
