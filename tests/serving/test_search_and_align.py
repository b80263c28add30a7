"""The signatures `search`, `align` and `tokens` of exports, and the client's methods for them."""

import numpy as np
import pytest
import tensorflow as tf
from grpc_server import ServerOfBothApis
from small import LINES, MANY, ONE_SHAPE

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.serving import Client, export

PREFIXES = ["die kleine katze", "", "drei", "sieben v", "", "die", "ka"]
CONSTRAINTS = [["kleine katze|drei", "hunde"], *[[""] * 2] * 4, ["garten", ""], ["drei", "drei"]]
AVOID = [["vögel"], ["drei"], [""], ["katze|die"], [""], [""], [""]]
TARGETS = ["die kleine katze", "", "drei rote hunde " * 9, "vier", "die", "  saß  \u3000vögel", "drei"]
SIZES = [1, 1, 2, 3, 2, 2, 1]
LANGUAGES = ["de", "fr", "fr", "de", "fr", "zh-Hans", "de"], ["fr", "de"] * 3 + ["fr"]
SIGNATURES = ["search", "align", "tokens"]


@pytest.fixture(scope="module")
def exported(model, tokenizers, made_once):
    def make(folder):
        export(folder / "model", model, tokenizers, **ONE_SHAPE, signatures=SIGNATURES)

    return made_once("export with all signatures", make) / "model" / "1"


@pytest.fixture(
    scope="module",
    params=[pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=pytest.mark.nightly)],
    ids=["one direction", "many"],
)
def case(request, exported, translator, make_multilingual, made_once):
    """A server, a translator with the same answers, and arguments of languages."""
    languages, path = (), exported.parent
    if request.param:

        def make(folder):
            export(folder / "model", *make_multilingual("label"), **MANY, directions=[], signatures=SIGNATURES)

        path = made_once("export of directions with all signatures", make) / "model"
        languages, translator = LANGUAGES, Translator(*make_multilingual("label"), **MANY)
    with ServerOfBothApis(path) as server:
        yield server, translator, languages


@pytest.fixture(scope="module")
def signatures(exported):
    return tf.saved_model.load(str(exported)).signatures


@pytest.fixture(scope="module")
def by_beam_size(translator):
    return {size: translator.with_options(beam_size=size, num_hypotheses=size) for size in (1, 2, 3)}


def _entries(translation, count=3):
    """The hypotheses as an export gives them: those of an empty text are as many as of others."""
    return (translation.hypotheses * count)[:count]


@pytest.mark.slow
def test_a_session_without_keras_nmt_gives_the_translators_answers(exported, translator, by_beam_size, ask_session):
    asked = {"text": LINES, "prefix": PREFIXES, "beam_size": [0] * 7, "max_length": [0] * 7}
    asked |= {"constraints": [[""]] * 7, "avoid": [[""]] * 7}
    constrained = {**asked, "constraints": CONSTRAINTS, "avoid": AVOID}
    pairs = {"source": LINES, "target": TARGETS}
    requests = [("search_xla", asked), ("align_xla", pairs), ("search_xla", constrained)]
    requests += [("search", {name: [] for name in asked}), ("align", {name: [] for name in pairs})]
    requests.append(("search", {**asked, "beam_size": SIZES}))
    requests.append(("search", {**asked, "constraints": [*[[""]] * 2, ["☃"], *[[""]] * 4]}))
    compiled, alignment, met, nothing, no_pairs, of_sizes, unknown = ask_session(exported, requests)
    expected = by_beam_size[3].translate(LINES, prefixes=PREFIXES, constraints=CONSTRAINTS, avoid=AVOID)
    assert met["translation"] == [[x.text for x in _entries(row)] for row in expected]
    for row, translation in zip(met["met"], expected, strict=True):
        for digits, x in zip(row, _entries(translation), strict=True):
            assert digits[: len(x.met)] == "".join("01"[is_met] for is_met in x.met)
    assert unknown["translation"] == compiled["translation"]  # the phrase is left out
    assert unknown["met"][2][0] == "0"
    expected = by_beam_size[3].translate(LINES, prefixes=PREFIXES)
    assert compiled["translation"] == [[x.text for x in _entries(row)] for row in expected]
    scores = [[x.score for x in _entries(row)] for row in expected]
    np.testing.assert_allclose(compiled["score"], scores, rtol=1e-4, atol=1e-4)
    assert compiled["truncated"] == [row.truncated for row in expected]
    for i, size in enumerate(SIZES):
        (expected,) = by_beam_size[size].translate(LINES[i : i + 1], prefixes=PREFIXES[i : i + 1])
        assert of_sizes["translation"][i] == [x.text for x in _entries(expected, size)] + [""] * (3 - size)
        np.testing.assert_allclose(of_sizes["score"][i][:size], [x.score for x in _entries(expected, size)], 1e-4, 1e-4)
    rows = zip(alignment["alignment"], alignment["source_word"], alignment["target_word"], strict=True)
    found = [sorted({(s[i], word) for i, word in zip(a, t, strict=True) if i >= 0}) for a, s, t in rows]
    assert found == translator.align(LINES, TARGETS)
    assert alignment["truncated"] == [False, False, True, False, False, False, False]
    assert nothing["translation"] == no_pairs["alignment"] == []


def _check_same(found, expected):
    """Compares texts, scores, constraints that are met, and the subwords with their log-probabilities, if any."""
    for row, other in zip(found, expected, strict=True):
        assert row.truncated == other.truncated
        for x, y in zip(row.hypotheses, other.hypotheses, strict=True):
            assert (x.text, x.met) == (y.text, y.met)
            np.testing.assert_allclose(x.score, y.score, 1e-4, 1e-4)
            assert [piece.text for piece in x.pieces] == [piece.text for piece in y.pieces]
            values = [[piece.log_probability for piece in z.pieces] for z in (x, y)]
            np.testing.assert_allclose(*values, atol=1e-3)


def test_a_client_gives_the_translators_answers_by_rest_and_by_grpc(case):
    server, reference, languages = case
    of_two = reference.with_options(beam_size=2, num_hypotheses=2)
    size, begun = {"beam_size": 2, "num_hypotheses": 2}, {"prefixes": PREFIXES}
    phrases = {"constraints": [["die"], ["die"], ["☃"], [], [], ["katze|die|☃"], []], "avoid": [["drei"]] * 7}
    begun |= {"max_lengths": [3, None, 5, 2, None, 9, 1]}
    asked = ({}, begun, {**begun, **phrases}, {**begun, "word_scores": True}, {**phrases, "word_scores": True})
    expected = [of_two.translate(LINES, *languages, **options) for options in asked]
    assert expected[-1][0].hypotheses[0].met == (True,)
    plain = reference.with_options(num_hypotheses=2).translate(LINES, *languages)
    scored = reference.score(LINES, TARGETS, *languages, word_scores=True)
    aligned = reference.align(LINES, TARGETS, *languages)
    for url in (server.rest_url, server.grpc_url):
        with Client(url, "model", batch_size=3) as client:
            for options, translations in zip(asked, expected, strict=True):
                _check_same(client.translate(LINES, *languages, **options, **size), translations)
            _check_same(client.translate(LINES, *languages, num_hypotheses=2), plain)
            _check_same(client.translate(LINES, *languages), reference.translate(LINES, *languages))
            with pytest.warns(UserWarning, match=r"The server truncated [13] pair\(s\)"):
                assert client.align(LINES, TARGETS, *languages) == aligned
            with pytest.warns(UserWarning, match=r"The server truncated \d pair\(s\)"):
                found = client.score(LINES, TARGETS, *languages, word_scores=True)
            for x, y in zip(found, scored, strict=True):
                assert (x.text, [word.text for word in x.words]) == (y.text, [word.text for word in y.words])
                assert [piece.text for piece in x.pieces] == [piece.text for piece in y.pieces]
                values = [[z.score, *(piece.log_probability for piece in z.pieces)] for z in (x, y)]
                np.testing.assert_allclose(*values, 1e-4, 1e-4)
            with pytest.warns(UserWarning, match=r"The server truncated \d pair\(s\)"):
                sums = client.score(LINES, TARGETS, *languages)
            assert sums == pytest.approx([x.score for x in found], abs=1e-4)
            first = [names[0] for names in languages]
            (best,) = client.translate(LINES[:1], *first, word_scores=True)
            assert best.hypotheses[0].words
            with pytest.raises(UserError, match=r"INVALID_ARGUMENT: A beam size .* Received: \[4\], model"):
                client.translate(["a"], *first, beam_size=4)
            if not languages:
                phrases = [["katze"] * 12, ["|".join(["katze drei hunde die"] * 110)]]  # too many only together
                found = client.translate(["a cat"] * 2, constraints=phrases)
                expected_of_many = reference.translate(["a cat"] * 2, constraints=phrases)
                assert [x.text for x in found] == [x.text for x in expected_of_many]


def test_a_client_gives_the_translators_markup(case):
    server, reference, languages = case
    lines = ["the <b>small</b> cat <i>sat</i>", "", "<p>a mouse</p>", "seven <b>cats</b>", "zürich", "a", "the"]
    expected = [x.text for x in reference.translate(lines, *languages, markup="html")]
    with Client(server.rest_url, "model", batch_size=3) as client:
        assert [x.text for x in client.translate(lines, *languages, markup="html")] == expected
        read_once = [iter(names) for names in languages]
        assert [x.text for x in client.translate(lines, *read_once, markup="html")] == expected
        avoid = [["rote", "die", "drei", "vier", "hunde", "katze"]] * len(lines)
        found, without = (x.translate(lines, *languages, avoid=avoid, markup="html") for x in (client, reference))
        assert [x.text for x in found] == [x.text for x in without]
        assert languages or "rote" in " ".join(expected)  # what is avoided
        assert not any("rote" in x.text.split() for x in found)
        for translate in (reference.translate, client.translate):
            with pytest.raises(UserError, match="`prefixes` cannot be used for lines with markup"):
                translate(lines, *languages, markup="html", prefixes=[""] * 7)


def test_wrong_signatures_are_refused(model, tokenizers, written, tmp_path):
    for options, told in (
        (
            {"signatures": ["search", "sing"]},
            r"no such `signatures` \(--signature NAME, once for each\); .*Received: sing",
        ),
        ({"jit_compile": True}, "with XLA and without: leave out `jit_compile`. Received: jit_compile=True"),
    ):
        with pytest.raises(UserError, match=told):
            export(tmp_path, model, tokenizers, **options)
    assert not list(tmp_path.iterdir())
    export(tmp_path, model, tokenizers, signatures="align", sample=True, top_k=5)
    ((translator, sampler, names, directions),) = written
    assert (names, directions, sampler.options.top_k, translator.options.sample) == (["align"], [], 5, False)


@pytest.mark.slow
def test_signatures_are_chosen(make_multilingual, signatures, tmp_path):
    names = {"serving_default", "score", *SIGNATURES}
    assert set(signatures) == names | {f"{name}_xla" for name in names}
    assert {name: x.dtype for name, x in signatures["align"].structured_outputs.items() if x.shape.rank == 2} == (
        dict.fromkeys(("alignment", "source_word", "target_word"), tf.int32)
    )
    assert list(signatures["search"].structured_outputs["translation"].shape) == [None, 3]
    with pytest.raises(UserError, match="`align` needs attention to words. Received: "):
        export(tmp_path, *make_multilingual("recurrent"), **MANY, directions=[], signatures=["align"])
    assert not list(tmp_path.glob("[0-9]*"))
