"""The signature `tokens` of exports, and markup by a server, against the translator."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from grpc_server import ServerOfBothApis
from small import LINES, MANY, ONE_SHAPE

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.serving import Client, export

PREFIXES = ["die kleine katze", "", "drei", "sieben v", "", "die", "ka"]
DIRECTIONS = ["de", "fr", "fr", "de", "fr", "zh-Hans", "de"], ["fr", "de"] * 3 + ["fr"]
SIGNATURES = ["align", "tokens"]

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def exported(model, tokenizers, make_multilingual, made_once):
    def make(folder):
        export(folder / "one", model, tokenizers, **ONE_SHAPE, signatures=SIGNATURES)
        export(folder / "many", *make_multilingual("label"), **MANY, directions=[], signatures=SIGNATURES)

    return made_once("exports with tokens and align", make)


@pytest.fixture(scope="module")
def cases(exported, translator, make_multilingual):
    """Servers, their models' names, translators, and arguments of languages."""
    many = Translator(*make_multilingual("label"), **MANY)
    with contextlib.ExitStack() as stack:
        yield [
            (stack.enter_context(ServerOfBothApis(exported / name, port=0, xla=False)), name, reference, languages)
            for name, reference, languages in (("one", translator, ()), ("many", many, DIRECTIONS))
        ]


def test_a_client_gives_the_translators_word_scores_by_rest_and_by_grpc(cases):
    for server, name, reference, languages in cases:
        of_two = reference.with_options(beam_size=2, num_hypotheses=2)
        expected = of_two.translate(LINES, *languages, prefixes=PREFIXES, word_scores=True)
        for url in (server.rest_url, server.grpc_url):
            with Client(url, name, batch_size=3) as client:
                options = {"prefixes": PREFIXES, "beam_size": 2, "num_hypotheses": 2, "word_scores": True}
                found = client.translate(LINES, *languages, **options)
                for one, other in zip(found, expected, strict=True):
                    for x, y in zip(one.hypotheses, other.hypotheses, strict=True):
                        assert (x.text, [piece.text for piece in x.pieces]) == (
                            y.text,
                            [piece.text for piece in y.pieces],
                        )
                        values = [[piece.log_probability for piece in z.pieces] for z in (x, y)]
                        np.testing.assert_allclose(*values, atol=1e-3)
                (best,) = client.translate(LINES[:1], *([names[0]] for names in languages), word_scores=True)
                assert best.hypotheses[0].words
                assert client.translate([], word_scores=True) == []
                with pytest.raises(UserError, match="no signature `search`.*--signature search"):
                    client.translate(["a"], *([names[0]] for names in languages), prefixes=["a"])


def test_a_client_gives_the_translators_markup(cases):
    lines = ["the <b>small</b> cat <i>sat</i>", "", "<p>a mouse</p>", "seven <b>cats</b>", "zürich", "a", "the"]
    for server, name, reference, languages in cases:
        expected = [x.text for x in reference.translate(lines, *languages, markup="html")]
        with Client(server.rest_url, name, batch_size=3) as client:
            assert [x.text for x in client.translate(lines, *languages, markup="html")] == expected
            if languages:
                read_once = [iter([language] * len(lines)) for language in languages]
                assert [x.text for x in client.translate(lines, *read_once, markup="html")] == expected
            with pytest.raises(UserError, match="`prefixes` cannot be used for lines with markup"):
                client.translate(["a"], prefixes=[""], markup="html")
            with pytest.raises(UserError, match="must be html or xml. Received: markup='rtf'"):
                client.translate(["a"], markup="rtf")


def test_a_client_gives_the_translators_word_scores_of_constrained_translations(cases):
    phrases = {"constraints": [["die"], [], [], [], [], ["katze|die"], []], "avoid": [["vier"]] * 7}
    for server, name, reference, languages in cases:
        of_two = reference.with_options(beam_size=2, num_hypotheses=2)
        expected = of_two.translate(LINES, *languages, **phrases, word_scores=True)
        for url in (server.rest_url, server.grpc_url):
            with Client(url, name, batch_size=3) as client:
                options = {"beam_size": 2, "num_hypotheses": 2, "word_scores": True}
                found = client.translate(LINES, *languages, **phrases, **options)
            for one, other in zip(found, expected, strict=True):
                for x, y in zip(one.hypotheses, other.hypotheses, strict=True):
                    texts = [[piece.text for piece in z.pieces] for z in (x, y)]
                    assert (x.text, x.met, texts[0]) == (y.text, y.met, texts[1])
                    values = [[piece.log_probability for piece in z.pieces] for z in (x, y)]
                    np.testing.assert_allclose(*values, atol=1e-3)
            assert found[0].hypotheses[0].met == (True,)


def test_lines_with_markup_have_phrases_to_avoid_and_no_constraints(cases):
    server, name, reference, _ = cases[0]
    texts = [line for line in LINES if line.strip()]
    lines = [f"<p>{text}</p>" for text in texts]
    avoid = [["schlafen", "die", "drei", "vier", "vögel", "katze"]] * len(lines)
    found = reference.translate(lines, avoid=avoid, markup="html")
    of_texts = reference.translate(texts, avoid=avoid)
    assert [x.text for x in found] == [f"<p>{x.text}</p>" for x in of_texts]
    assert found != reference.translate(lines, markup="html")
    lines = lines[:2]
    with Client(server.rest_url, name) as client:
        for translate in (reference.translate, client.translate):
            with pytest.raises(UserError, match="`constraints` cannot be used for lines with markup"):
                translate(lines, constraints=[["die"], []], markup="html")
            with pytest.raises(UserError, match="`avoid` must have a list for each line. Received: 2 lines, 1 lists"):
                translate(lines, avoid=[[]], markup="html")
        assert client.translate(["a"], markup="html", avoid=[[]], word_scores=True)
