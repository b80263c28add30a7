"""The signatures `search` and `align` of exports, and the client's methods for them, against the translator."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
import tensorflow as tf
from grpc_server import ServerOfBothApis
from hypothesis import given, settings
from hypothesis import strategies as st
from small import LINES, MANY, ONE_SHAPE

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.inference.translation import met_of_phrases
from keras_nmt.serving import Client, export

PREFIXES = ["die kleine katze", "", "drei", "sieben v", "", "die", "ka"]
CONSTRAINTS = [["kleine katze|drei", "hunde"], *[[""] * 2] * 4, ["garten", ""], ["drei", "vier"]]
AVOID = [["vögel"], ["drei"], [""], ["katze|die"], [""], [""], [""]]
TARGETS = ["die kleine katze", "", "drei rote hunde " * 9, "vier", "die", "  saß  \u3000vögel", "drei"]
SOURCES_OF_MANY, TARGETS_OF_MANY = ["de", "fr", "fr", "de", "fr", "zh-Hans", "de"], ["fr", "de"] * 3 + ["fr"]


@pytest.fixture(scope="module")
def exported(model, tokenizers, made_once):
    def make(folder):
        export(folder / "model", model, tokenizers, **ONE_SHAPE, signatures=["search", "align"])

    return made_once("export with search and align", make) / "model" / "1"


@pytest.fixture(scope="module")
def servers(exported, exported_label):
    """One server with XLA and one of several directions without."""
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(ServerOfBothApis(path.parent, port=0, xla=xla))
            for path, xla in ((exported, True), (exported_label, False))
        ]


@pytest.fixture(scope="module")
def many(make_multilingual):
    return Translator(*make_multilingual("label"), **MANY)


@pytest.fixture(scope="module")
def signatures(exported):
    return tf.saved_model.load(str(exported)).signatures


@pytest.fixture(scope="module")
def by_beam_size(translator):
    return {size: translator.with_options(beam_size=size, num_hypotheses=size) for size in (1, 2, 3)}


@pytest.fixture(scope="module")
def many_of_two(many):
    return many.with_options(beam_size=2, num_hypotheses=2)


def assert_same(found, expected):
    assert [[x.text for x in row.hypotheses] for row in found] == [[x.text for x in row.hypotheses] for row in expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose([x.score for x in one.hypotheses], [x.score for x in other.hypotheses], 1e-4, 1e-4)
        assert one.truncated == other.truncated


def test_a_session_without_keras_nmt_gives_the_translators_answers(exported, translator, by_beam_size, ask_session):
    asked = {"text": LINES, "prefix": PREFIXES, "beam_size": [0] * 7, "constraints": [[""]] * 7, "avoid": [[""]] * 7}
    constrained = {**asked, "constraints": CONSTRAINTS, "avoid": AVOID}
    pairs = {"source": LINES, "target": TARGETS}
    requests = [("search", asked), ("search_xla", asked), ("align", pairs), ("align_xla", pairs)]
    requests += [("search", {name: [] for name in asked}), ("align", {name: [] for name in pairs})]
    requests += [("search", constrained), ("search_xla", constrained)]
    requests.append(("search", {**asked, "beam_size": [4] * 7}))
    requests.append(("search", {**asked, "constraints": [[""], ["☃"], *[[""]] * 5]}))
    *answers, nothing, no_pairs, plain, compiled, refused, unknown = ask_session(exported, requests)
    expected = by_beam_size[3].translate(LINES, prefixes=PREFIXES, constraints=CONSTRAINTS, avoid=AVOID)
    for answer in (plain, compiled):
        assert answer["translation"] == [[x.text for x in row.hypotheses] for row in expected]
        rows = zip(answer["met"], CONSTRAINTS, strict=True)
        met = [[met_of_phrases(x, phrases) for x in row] for row, phrases in rows]
        assert met == [["".join("01"[x] for x in one.met) for one in row.hypotheses] for row in expected]
    assert "target language do not have. Received:" in unknown
    expected = by_beam_size[3].translate(LINES, prefixes=PREFIXES)
    for answer in answers[:2]:
        assert answer["translation"] == [[x.text for x in row.hypotheses] for row in expected]
        scores = [[x.score for x in row.hypotheses] for row in expected]
        np.testing.assert_allclose(answer["score"], scores, rtol=1e-4, atol=1e-4)
        assert answer["truncated"] == [row.truncated for row in expected]
    aligned = translator.align(LINES, TARGETS)
    for answer in answers[2:]:
        rows = zip(answer["alignment"], answer["source_word"], answer["target_word"], strict=True)
        found = [sorted({(s[i], word) for i, word in zip(a, t, strict=True) if i >= 0}) for a, s, t in rows]
        assert found == aligned
        assert answer["truncated"] == [False, False, True, False, False, False, False]
    assert nothing["translation"] == no_pairs["alignment"] == []
    assert "A beam size is from 1 to 3, or 0 for 3. Received:" in refused


@pytest.mark.nightly
@settings(max_examples=8, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(LINES), st.sampled_from(PREFIXES), st.integers(0, 3)), min_size=4, max_size=4
    ),  # of one size: compiled once
    compiled=st.booleans(),
)
def test_each_row_of_search_equals_a_translator_with_its_beam_size(signatures, by_beam_size, rows, compiled):
    texts, prefixes, sizes = map(list, zip(*rows, strict=True))
    answer = signatures["search_xla" if compiled else "search"](
        text=tf.constant(texts),
        prefix=tf.constant(prefixes),
        beam_size=tf.constant(sizes),
        constraints=tf.constant([["", ""]] * 4),
        avoid=tf.constant([[""]] * 4),
    )
    assert answer["translation"].shape == answer["score"].shape == (len(rows), 3)
    for i, (text, prefix, size) in enumerate(rows):
        size = size or 3
        (expected,) = by_beam_size[size].translate([text], prefixes=[prefix])
        found = [text.decode() for text in answer["translation"][i].numpy()]
        assert found == [x.text for x in expected.hypotheses] + [""] * (3 - size)
        np.testing.assert_allclose(answer["score"][i, :size], [x.score for x in expected.hypotheses], 1e-4, 1e-4)


@pytest.mark.nightly
def test_a_client_gives_the_translators_answers_by_rest_and_by_grpc(
    servers, translator, by_beam_size, many, many_of_two
):
    options = {"prefixes": PREFIXES, "beam_size": 2, "num_hypotheses": 2}
    for server, reference, of_two, languages in (
        (servers[0], translator, by_beam_size[2], ()),
        (servers[1], many, many_of_two, (SOURCES_OF_MANY, TARGETS_OF_MANY)),
    ):
        expected = of_two.translate(LINES, *languages, prefixes=PREFIXES)
        plain = reference.with_options(num_hypotheses=2).translate(LINES, *languages)
        aligned = reference.align(LINES, TARGETS, *languages)
        for url in (server.rest_url, server.grpc_url):
            with Client(url, "model", batch_size=3) as client:
                assert_same(client.translate(LINES, *languages, **options), expected)
                assert_same(client.translate(LINES, *languages, num_hypotheses=2), plain)
                phrases = {"constraints": [["die"], ["die"], [], [], [], ["katze|die"], []], "avoid": [["drei"]] * 7}
                found = client.translate(LINES, *languages, **phrases, **options)
                wanted = of_two.translate(LINES, *languages, prefixes=PREFIXES, **phrases)
                assert_same(found, wanted)
                assert [[x.met for x in row.hypotheses] for row in found] == [
                    [x.met for x in row.hypotheses] for row in wanted
                ]
                with pytest.warns(UserWarning, match=r"The server truncated [13] pair\(s\)"):
                    assert client.align(LINES, TARGETS, *languages) == aligned
                assert client.align([], []) == client.translate([], beam_size=1) == []


def test_impossible_requests_of_a_client_are_refused(servers, translator):
    for url in (servers[0].rest_url, servers[0].grpc_url):
        with Client(url, "model") as client:
            with pytest.raises(UserError, match=r"INVALID_ARGUMENT: A beam size .* Received: \[4\]\. Received: model"):
                client.translate(["a"], beam_size=4)
            with pytest.raises(UserError, match=r"gives at most 3 translation\(s\).* Received: num_hypotheses=4"):
                client.translate(["a"], num_hypotheses=4)
            with pytest.raises(UserError, match="at most `beam_size`. Received: num_hypotheses=3, beam_size=2"):
                client.translate(["a"], num_hypotheses=3, beam_size=2)
            for name in ("beam_size", "num_hypotheses"):
                with pytest.raises(UserError, match=f"`{name}` must be an integer of at least 1. Received: {name}=0"):
                    client.translate(["a"], **{name: 0})
            with pytest.raises(UserError, match="no signature `sample`: .*`--sample`. Received"):
                client.sample(["a"], seeds=1)
            phrases = [["katze"] * 12, ["|".join(["katze drei vögel die"] * 110)]]  # too many only together
            found = client.translate(["a cat"] * 2, constraints=phrases)
            assert [x.text for x in found] == [x.text for x in translator.translate(["a cat"] * 2, constraints=phrases)]
            with pytest.raises(UserError, match="a prefix for each line. Received: 1 lines, 2 prefixes"):
                client.translate(["a"], prefixes=["b", "c"])
            with pytest.raises(UserError, match="a target for each source"):
                client.align(["a"], [])


def test_an_export_without_the_signatures_is_named(exported_sampler, translator):
    """But its own number of hypotheses needs no `search`."""
    expected = translator.with_options(num_hypotheses=2).translate(LINES)
    with ServerOfBothApis(exported_sampler.parent, port=0) as server:
        for url in (server.rest_url, server.grpc_url):
            with Client(url, "sampler", batch_size=3) as client:
                assert_same(client.translate(LINES, num_hypotheses=2), expected)
                assert len(client.translate(["a"], num_hypotheses=1)[0].hypotheses) == 1
                for ask in (lambda x: x.translate(["a"], beam_size=2), lambda x: x.align(["a"], ["b"])):
                    with pytest.raises(UserError, match=r"no signature `(search|align)`: .*`--signature \1`. Received"):
                        ask(client)


def test_signatures_are_chosen_and_checked(model, tokenizers, make_multilingual, signatures, tmp_path):
    names = {"serving_default", "score", "search", "align"}
    assert set(signatures) == names | {f"{name}_xla" for name in names}
    outputs = {name: (x.dtype, x.shape.rank) for name, x in signatures["align"].structured_outputs.items()}
    positions = dict.fromkeys(("alignment", "source_word", "target_word"), (tf.int32, 2))
    assert outputs == {**positions, "truncated": (tf.bool, 1)}
    assert list(signatures["search"].structured_outputs["translation"].shape) == [None, 3]
    with pytest.raises(UserError, match="`signatures` must be some of search, align, tokens. Received: 'sing'"):
        export(tmp_path, model, tokenizers, signatures=["search", "sing"])
    with pytest.raises(UserError, match="`signatures` must be some of .* Received: None"):
        export(tmp_path, model, tokenizers, signatures=None)
    with pytest.raises(UserError, match="with XLA and without: leave out `jit_compile`. Received: jit_compile=True"):
        export(tmp_path, model, tokenizers, jit_compile=True)
    with pytest.raises(UserError, match="`align` needs attention to words. Received: "):
        export(tmp_path, *make_multilingual("recurrent"), **MANY, directions=[], signatures=["align"])
    assert not list(tmp_path.glob("[0-9]*"))


@pytest.mark.nightly
def test_translate_by_a_server_has_prefixes_n_best_and_alignments(
    servers, command, many, many_of_two, translator, by_beam_size, tmp_path
):
    begun, words = tmp_path / "begun", tmp_path / "words"
    begun.write_text("".join(f"{line}\n" for line in PREFIXES), encoding="utf-8")
    text = "".join(f"{line}\n" for line in LINES).encode()
    for server, reference, of_two, languages in (
        (servers[0], translator, by_beam_size[2], ()),
        (servers[1], many, many_of_two, ("fr", "de")),
    ):
        found = [x.text for row in of_two.translate(LINES, *languages, prefixes=PREFIXES) for x in row.hypotheses]
        best = [x.text for row in reference.translate(LINES, *languages) for x in row.hypotheses]
        options = ["--model", "model", "--alignments", str(words)]
        options += [x for pair in zip(("-s", "-t"), languages, strict=False) for x in pair]
        more = ["--prefixes", str(begun), "--n-best", "2", "--beam-size", "2"]
        for url, chosen, expected in ((server.rest_url, more, found), (server.grpc_url, [], best)):
            code, output, _ = command("--server", url, *options, *chosen, stdin=text)
            assert (code, output.splitlines()) == (0, expected)
            sources = [line for line in LINES for _ in range(len(expected) // len(LINES))]
            pairs = reference.align(sources, expected, *languages)
            shown = [" ".join(f"{i}-{j}" for i, j in row) for row in pairs]
            assert words.read_text().split("\n") == [*shown, ""]
