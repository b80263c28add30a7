"""Tags of a text in its translation: documents and alignments drawn at random, and a model."""

from __future__ import annotations

import html
import itertools
import re
import time
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from word_by_word import answers, backwards, by_words, marked

from keras_nmt.errors import UserError
from keras_nmt.text._parts import _Parser, split_document
from keras_nmt.text.front import translate_lines
from keras_nmt.text.lines import make_request
from keras_nmt.text.markup import ends_inside
from keras_nmt.text.sentences import Parts, compose
from keras_nmt.text.translation import split_words, with_plain_spaces

WORDS = ["cat", "Hund,", "(très)", "100", "😀", "שלום", "a.b", "—", "don't", "x\u0301y", "&amp;", "&#233;", "猫が"]
WORDS.append("&lt;b&gt;")
ATTRIBUTES = ["", ' class="a  b"', " title='&amp; > \"'", ' xml:lang="de" href="http://x/?a=1&amp;b=2"']
SINGLE = ["<x/>", "<img src='a>b' />", "<!-- <b> -->", "<?pi a?>"]
TAG = re.compile(r"""<!--.*?-->|<\?.*?\?>|</?[^\s<>/!?](?:"[^"]*"|'[^']*'|[^<>"'])*>""", re.DOTALL)
# Parts of documents that are not well formed.
SYNTAX = "<b>|</b>|<I a='>'>|</I>|<p>|</p >|<p/>|<br>|<u translate=no>|</u>|<script>|</script>|<code>|</code>| |"
SYNTAX += "< b|<a hr|<|&|&am|&foo;|&#0;|</|<!-|<![if|<!DOCTYPE a>|<![CDATA[c]]>|]]>|\n"
PIECES = [*WORDS, *SYNTAX.split("|")]


def draw_document(random: Random, depth: int = 0) -> str:
    """A well-formed part of a document."""
    written = ""
    for _ in range(random.randint(0, 4)):
        kind = random.random()
        if kind < 0.45 or depth > 3:
            written += random.choice(WORDS)
        elif kind < 0.55:
            written += random.choice(SINGLE)
        else:
            name = random.choice(["b", "Iä", "a-b"])
            written += f'<{name} n=""' + f"{random.choice(ATTRIBUTES)}>{draw_document(random, depth + 1)}</{name}>"
        written += random.choice(["", " ", "  ", "\t"])
    return written


def draw_translation(random: Random, text: str) -> tuple[str, list[tuple[int, int]]]:
    """A target text, and pairs of words of both."""
    target = "".join(random.choice(WORDS) + random.choice([" ", "  ", "\t"]) for _ in range(random.randint(0, 6)))
    target = html.unescape(random.choice([target, target.strip()]))
    sources, targets = len(split_words(text)), len(split_words(target))
    pairs = {(random.randrange(sources), j) for j in range(targets) for _ in range(random.randint(0, 2)) if sources}
    return target, sorted(pairs)


def drawn_translation(document: str, kind: str, random: Random) -> tuple[str, list[str], list[str]]:
    """A document with drawn translations in it; its texts; their translations."""
    drawn: dict[str, tuple[str, list[tuple[int, int]]]] = {}

    def translate(texts):
        drawn.update((text, draw_translation(random, text) if text else ("", [])) for text in texts)
        return answers(*(drawn[text][0] for text in texts))

    def align(texts, targets, source, target):
        pairs = {with_plain_spaces(text): pairs for text, (_, pairs) in drawn.items()}
        return [pairs[text] for text in texts]

    (found,) = marked([document], kind, translate, align)
    return found.text, list(drawn), [target for target, _ in drawn.values()]


def letters(texts) -> str:
    """All letters of texts, without spaces."""
    return "".join("".join(texts).split())


def apart(target: str, written: str) -> list[str]:
    """The words of a target text, with a further end where the text as it is written has a tag, "\\0", in a word."""
    left, words = iter(written), []
    for word in target.split():
        parts = [""]
        for letter in word:
            while (other := next(left)) != letter:
                assert other.isspace() or other == "\0"
                parts += [""] * (other == "\0")
            parts[-1] += letter
        words += [part for part in parts if part]
    return words


@settings(max_examples=400)
@given(st.randoms(use_true_random=False))
def test_documents_stay_well_formed_and_keep_tags_and_text(random):
    """Against the parser of `xml.etree`."""
    numbers = itertools.count()
    document = re.sub(' n=""', lambda _: f' n="{next(numbers)}"', draw_document(random))
    found, texts, targets = drawn_translation(document, "xml", random)
    before, after = (ET.fromstring(f"<r xmlns:xml2='x'>{text}</r>") for text in (document, found))
    assert Counter(TAG.findall(document)) == Counter(TAG.findall(found))
    assert letters(before.itertext()) == letters(texts)
    if texts == [""]:
        assert found == document
    else:
        assert letters(after.itertext()) == letters(targets)
        assert html.unescape(TAG.sub(" ", found)).split() == apart(targets[0], html.unescape(TAG.sub("\0", found)))
    parents = [
        {child.get("n"): parent.get("n") for parent in root.iter() for child in parent if child.get("n")}
        for root in (before, after)
    ]
    assert parents[0] == parents[1], "elements stay in their elements"


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_any_text_keeps_its_tags(random):
    """Also of a document that is not well formed."""
    document = "".join(random.choice(PIECES) for _ in range(random.randint(0, 12)))
    kind = random.choice(["html", "xml"])
    assert "".join(part.raw for part in split_document(document, kind)) == document
    found, _, targets = drawn_translation(document, kind, random)
    kept = re.compile(r"<code|<script|<u |<!\[CDATA|&foo;")  # spaces may be put around these
    if not kept.search(document):
        tags = [
            Counter(part.raw for part in _Parser(kind).parts(x) if part.kind in ("start", "end", "empty"))
            for x in (document, found)
        ]
        assert tags[0] == tags[1]
        text = "".join(html.unescape(part.raw) for part in _Parser(kind).parts(found) if part.kind == "text")
        assert all(letters(target) in letters(text) for target in targets)


def placed(document, kind="html", order=range):
    return marked([document], kind, *by_words(order, split_words))[0].text


@settings(max_examples=200)
@given(st.randoms(use_true_random=False))
def test_a_translation_word_by_word_has_the_tags_where_the_text_has_them(random):
    def draw(depth):
        parts = []
        for _ in range(random.randint(1, 3)):
            if depth and random.random() < 0.6:
                parts.append(f"<b n='{random.randrange(99)}'>{draw(depth - 1)}</b>{random.choice(['', ',', '.'])}")
            else:
                parts.append(random.choice(["cat", "(dog)", "«red»,", "don't"]) + random.choice(["", "", "<x/>"]))
        return " ".join(parts)

    document = draw(3)
    expected = re.sub(r"(?<=>)[^<]+|^[^<]+", lambda match: match[0].upper(), document)
    assert placed(document, "xml") == expected


def test_tags_follow_their_words():
    for document, expected in {
        "the <b>red</b> cat sleeps": "SLEEPS CAT <b>RED</b> THE",
        "the <b>very <i>red</i></b> cat": "CAT <b><i>RED</i> VERY</b> THE",
        "<b>red</b> <i>cat</i>": "<i>CAT</i> <b>RED</b>",
        "<p>one <a href='?a&amp;b'>two</a></p> <p>three</p>": "<p><a href='?a&amp;b'>TWO</a> ONE</p> <p>THREE</p>",
        "un<b>real</b> cat": "CAT <b>UNREAL</b>",
        "red </b>cat dog <b>eel": "EEL DOG </b><b>CAT RED",  # an end tag before a start tag stays before it
        "use <code>rm <b>x</b></code> now": "NOW <code>rm <b>x</b></code> USE",
        'a <i translate="no">b c</i> d': 'D <i translate="no">b c</i> A',
    }.items():
        assert placed(document, order=backwards) == expected
    # Words of others between the words of an element: the part with most of its words.
    pairs = [(0, 0), (1, 1), (2, 2), (2, 3), (0, 4)]
    found = answers("a b c d a2")
    for text, target in {
        "<b>ne</b> mange pas": "<b>a</b> b c d a2",
        "<b>ne mange</b> pas": "<b>a b</b> c d a2",
    }.items():
        (placed_in,) = marked([text], "html", lambda *_: found, lambda *_: [pairs])
        assert placed_in.text == target


def test_odd_documents():
    for document, expected in {
        "": "",
        "  ": "  ",
        "<p></p><br/>": "<p></p><br/>",
        "<b><b>x</b> y</b>": "<b><b>X</b> Y</b>",
        "<b>red <i>cat": "<b>RED <i>CAT",
        "red</b> cat": "RED</b> CAT",
        "a &lt;b&gt; &amp; &eacute; &copy; &unknown; b": "A &lt;B&gt; &amp; É &copy; &unknown; B",
        "1 < 2 & 3 > 2": "1 &lt; 2 &amp; 3 &gt; 2",
        "I 😀 <b>ok 👍🏽</b>": "I 😀 <b>OK 👍🏽</b>",
        "<b dir=rtl>שלום</b> עולם": "<b dir=rtl>שלום</b> עולם",
        "two<br>lines<!-- c -->": "TWO<br>LINES<!-- c -->",
        "<ul><li>one<li>two</ul>": "<ul><li>ONE<li>TWO</ul>",
        "<i TRANSLATE=NO>x</i> y": "<i TRANSLATE=NO>x</i> Y",
        "<script>if (a < b) c()</script><td>&nbsp;</td>": "<script>if (a < b) c()</script><td>&nbsp;</td>",
        '<B>x</b > <a href="A">y</a>': '<B>X</b > <a href="A">Y</a>',
        "Click <button>OK</button> now": "CLICK <button>OK</button> NOW",
        "a <script>x()</script> b <textarea> x </textarea>": "A <script>x()</script> B <textarea> x </textarea>",
        "<p> one </p>\n<p>&#32;two</p> ": "<p> ONE </p>\n<p>&#32;TWO</p> ",
        "two&nbsp;words": "TWO&nbsp;WORDS",
    }.items():
        assert placed(document) == expected


def test_words_beside_tags_end_at_spaces_of_any_kind():
    """A model that reads a no-break space as a space, and splits into sentences, which may share a word in `align`."""
    asked = []

    def translate(texts):
        split = [re.split(r"(?<=\.)([ \xa0]+)", text) for text in texts]
        rows = [answers(*(re.sub(r"\s", " ", x.upper()) for x in parts[::2])) for parts in split]
        return [
            compose(["", *parts[1::2], ""], Parts(row, [], False), parts[::2])
            for parts, row in zip(split, rows, strict=True)
        ]

    def align(texts, targets, source, target):
        asked.extend(texts)
        return [[(i, i) for i in range(len(split_words(text)))] for text in texts]

    for document, expected in {
        "<b>Price:</b>&nbsp;5 <i>dogs</i>": "<b>PRICE:</b> 5 <i>DOGS</i>",
        "A&nbsp;<b>dog</b>\u2007runs.&nbsp;One&nbsp;<i>man</i> ran.": "A <b>DOG</b> RUNS.&nbsp;ONE <i>MAN</i> RAN.",
    }.items():
        (found,) = marked([document], "html", translate, align)
        assert found.text == expected
    assert asked == ["Price: 5 dogs", "A dog runs.", "One man ran."]


@pytest.mark.parametrize("space", ["\xa0", "\u3000", "\u202f", " ", "\xa0 "])
@pytest.mark.parametrize(
    ("line", "markup", "keep"),
    [
        ("A dog <b>runs</b>.{}Now <b>it</b> sleeps.", "xml", None),
        ("A <b>dog runs.</b>{}<i>Now</i> it sleeps.", "xml", None),
        ("A dog %s.{}Now it %s sleeps.", None, ["placeholders"]),
        ("A dog runs.{}%s now sleeps.", None, ["placeholders"]),
    ],
)
def test_sentences_with_any_space_between_have_their_tags(line, markup, keep, space):
    translate, align = by_words()
    request = make_request([line.format(space)])
    (found,) = translate_lines(
        lambda request: translate(request.lines), align, request, markup=markup, keep=keep, split_sentences="en"
    )
    assert found.text.lower() == line.format(space).lower()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("雨。<b>晴。</b>", "雨。 <b>晴。</b>"),
        ("<b>雨</b>。晴！雪。", "<b>雨</b>。 晴！ 雪。"),
        ("雨。「晴」。雪<a>风</a>。", "雨。 「晴」。 雪<a>风</a>。"),
        ("雨。<br/>晴<i>雪</i>。风。", "雨。<br/>晴<i>雪</i>。 风。"),
    ],
)
def test_sentences_without_a_space_between_have_their_tags(line, expected):
    translate, align = by_words()
    (found,) = translate_lines(
        lambda request: translate(request.lines), align, make_request([line]), markup="html", split_sentences="zh"
    )
    assert found.text == expected


def test_a_long_document_takes_little_time_and_a_deep_one_is_refused():
    many = " ".join(f"<b n='{i}'>w{i}</b>" for i in range(1000))
    assert placed(many) == many.replace("w", "W")
    with pytest.raises(UserError, match="at most 199 nested elements. Received: <b>") as raised:
        placed("<b>" * 3000 + "x" + "</b>" * 3000)
    assert "\n" not in str(raised.value)
    assert placed("<b>" * 199 + "x" + "</b>" * 199) == "<b>" * 199 + "X" + "</b>" * 199
    for short in ("<i>a</i><code>", '<br translate="no">x'):
        start = time.process_time()
        assert ends_inside(short * 3_000, "html") == short.endswith("<code>")
        assert time.process_time() - start < 4, "the time must not grow with the square of the length"
    start = time.process_time()
    placed("see <code>x</code> <code>y</code>, " * 4_000)
    assert time.process_time() - start < 4, "the time must not grow with the square of the length"
    for unfinished in ("<a ", '<a b="', "<!--"):
        with pytest.raises(UserError, match="at most 200 of the letter <. Received: <"):
            placed(unfinished * 2000)
        assert placed(unfinished + "red cat").endswith("RED CAT")
    xliff = "<?xml version='1.0'?>\n<x:xliff xmlns:x='y'>\n<source>a</source>"
    roots = ("tmx version='1.4'", "TS", "martif type='TBX'", "tbx type='TBX-Core'")
    wrapped = "<envelope>\n<tmx version='1.4'>"
    for file, markup in (
        (xliff, "html"),
        (xliff, "xml"),
        (wrapped, "xml"),
        *((f"<!DOCTYPE x>\n<{root}>", "xml") for root in roots),
    ):
        with pytest.raises(
            UserError, match="several languages between its tags: .* Received: <(x:xliff|tmx|TS|martif|tbx)"
        ):
            placed(file, markup)
    assert placed("<p><ts>red</ts> cat <TS>red</TS></p>", "xml") == "<p><ts>RED</ts> CAT <TS>RED</TS></p>"
    with pytest.raises(UserError, match="`markup` must be html or xml. Received: markup='latex'"):
        placed("x", "latex")


def test_words_behind_a_tag_without_an_end_are_translated_by_every_version_of_python(monkeypatch):
    """Newer parsers leave such a tag out when they are closed, with the words behind it."""
    monkeypatch.setattr(HTMLParser, "close", lambda parser: None)
    for unfinished in ("<a ", '<a b="', "<!--", "</", "x <"):
        assert placed(f"{unfinished}red cat").endswith("RED CAT")
    assert placed("<script>red <b cat") == "<script>red <b cat"


def test_a_part_without_a_translation_is_counted():
    by_hand = lambda texts: answers(*(x.replace("b", "") for x in texts)), lambda texts, *_: [[] for _ in texts]
    found = marked(["<p>a</p><p>b</p>", "<i>b</i>", "<p>a</p>"], "html", *by_hand)
    assert [x.is_empty for x in found] == [True, True, False]


def test_a_model_translates_documents(translator, eager):
    sleepers = "<p>a mouse</p><p>seven cats <a href='x'>sleep</a></p>"
    documents = ["the <b>small</b> cat <i>sat</i>", "", sleepers, "zürich"]
    translator = translator.with_options(max_length=6)
    found = translator.translate(documents, markup="html", word_scores=True)
    texts = ["the small cat sat", "a mouse", "seven cats sleep", "zürich"]
    plain = translator.translate(texts, word_scores=True)
    expected = [plain[0].text, "", plain[1].text + plain[2].text, plain[3].text]
    assert [html.unescape(TAG.sub("", x.text)) for x in found] == expected
    assert found[2].score == pytest.approx(plain[1].score + plain[2].score, abs=1e-3)
    assert len(found[2].hypotheses[0].pieces) == len(plain[1].hypotheses[0].pieces + plain[2].hypotheses[0].pieces)
    for document, x in zip(documents, found, strict=True):
        assert Counter(TAG.findall(document)) == Counter(TAG.findall(x.text))
    # The words around which the element is are those that `align` gives.
    aligned = {j for i, j in translator.align([texts[0]], [plain[0].text])[0] if i == 1}
    inside = split_words(html.unescape(found[0].text.split("<b>")[1].split("</b>")[0]))
    words = split_words(plain[0].text)
    assert (
        not aligned or set(inside) & {words[j] for j in aligned} or set(inside) <= {word.strip(".,") for word in words}
    )
    some = translator.with_options(num_hypotheses=3)
    several, *empty = some.translate([*documents[:2], "<hr>"], markup="html")
    assert len({x.text for x in several.hypotheses}) == 3
    assert [[x.text for x in found.hypotheses] for found in empty] == [[""], ["<hr>"]]
    assert not any(found.is_empty for found in empty)
    with pytest.raises(UserError, match="`prefixes` cannot be used for lines with markup. Received: markup='html'"):
        translator.translate(["a"], prefixes=[""], markup="html")
