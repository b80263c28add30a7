"""Models of several directions; and the table of options by models in docs/translation.md, walked."""

from __future__ import annotations

import functools
import html
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from small import MANY, FavourUnknown, nightly, noisy, save_model, slow, texts_of

from keras_nmt.decoding import length_penalty
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.models import Ensemble
from keras_nmt.models.language_label_model import FIRST_LABEL

pytestmark = pytest.mark.usefixtures("eager")

OPTIONS: dict[str, Any] = {"beam_size": 3, "length_buckets": (24,), "batch_buckets": (2,), "max_length": 7}
LINES = ["the small cat sat", "a mouse", "", "seven cats sleep", "zürich"]
PREFIXES = ["a", "", "a", "cat", "a"]
MODELS = [  # and their columns of the table
    ("label", "`LanguageLabelModel`"),
    slow("recurrent", "`AttentionBridgeModel`"),
    nightly("transformer_model", "`Transformer`"),
    nightly("transformer", "`AttentionBridgeModel`"),
    nightly("without_bridge", "without a bridge"),
]
each_model = pytest.mark.parametrize(("kind", "column"), MODELS)


def read_table() -> dict[str, dict[str, str]]:
    """The cells of the table of options by models: by the first word of the row, and by column."""
    text = (Path(__file__).parents[2] / "docs" / "translation.md").read_text(encoding="utf-8")
    section = text.split("## Options by models\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\|.*\|$", section, re.MULTILINE)
    header, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return {row[0].split(",")[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


TABLE = read_table()


class Case(NamedTuple):
    """A model with the languages of `LINES`, which are arguments of a translator's methods."""

    model: Any
    tokenizers: dict[str, Any]
    languages: list[list[str]]

    def translator(self, **options: Any) -> Translator:
        return Translator(self.model, self.tokenizers, **{**OPTIONS, "num_hypotheses": 3, **options})

    def rows(self, texts):
        """Of each text the model of its direction, and the tokenizers of its source and target."""
        for i, text in enumerate(texts):
            source, target = (names[i] for names in self.languages) if self.languages else ("source", "target")
            yield text, self.model.pair(source, target), self.tokenizers[source], self.tokenizers[target]


@pytest.fixture(scope="module")
def make_case(make_model, make_multilingual, tokenizers):
    @functools.cache
    def make(kind: str) -> Case:
        if kind == "transformer_model":
            return Case(make_model(target_vocabulary_size=100, hidden_dim=8), tokenizers, [])
        languages = [["de", "fr", "de", "de", "fr"], ["fr", "de", "fr", "fr", "de"]]
        return Case(*make_multilingual(kind, ("de", "fr")), languages)

    return make


@pytest.fixture
def case(kind, make_case) -> Case:
    return make_case(kind)


def can(option: str, column: str) -> bool:
    return not TABLE[option][column].startswith("no")


def in_graph(translator: Translator, case: Case, **inputs: Any) -> list[list[str]]:
    """The translations of the graph that an export holds."""
    languages = dict(zip(("source_language", "target_language"), case.languages, strict=False))
    given = {name: tf.constant(x) for name, x in {**inputs, **languages}.items()}
    found = translator.graph.traced(translator.graph.translate, given, False)["translation"].numpy()
    rows = [[text.decode() for text in row] for row in found.reshape(len(LINES), -1)]
    # A search gives the translation of an empty text as often as there are others.
    return rows if translator.options.sample else [list(dict.fromkeys(row)) for row in rows]


def ids_of(tokenizer, text) -> list[int]:
    return tokenizer.tokenize([text]).numpy()[0].tolist()


@each_model
@pytest.mark.parametrize(
    ("options", "inputs"),
    [
        ({"length_penalty": 2.0}, {"prefixes": PREFIXES}),
        nightly({"beam_size": 1, "num_hypotheses": 1}, {}),
        slow({"sample": True, "num_hypotheses": 2, "top_k": 20}, {"seeds": [3, 1, 4, 1, 5]}),
        nightly({"coverage_penalty": 1.5}, {}),
    ],
    ids=["beam", "greedy", "samples", "coverage"],
)
def test_a_search_equals_each_direction_alone_the_graph_and_an_ensemble(case, column, options, inputs):
    translator = case.translator(**options)
    if "coverage_penalty" in options and not can("alignments", column):
        return
    found = translator.translate(LINES, *case.languages, **inputs)
    of_graph = {{"prefixes": "prefix", "seeds": "seed"}[name]: value for name, value in inputs.items()}
    assert in_graph(translator, case, text=LINES, **of_graph) == texts_of(found)
    for language in ("de", "fr") if case.languages else ():
        rows = [row for row, source in enumerate(case.languages[0]) if source == language]
        target = case.languages[1][rows[0]]
        subwords = {"source": case.tokenizers[language], "target": case.tokenizers[target]}
        alone = Translator(case.model.pair(language, target), subwords, **vars(translator.options))
        of_rows = {name: [values[row] for row in rows] for name, values in inputs.items()}
        expected = alone.translate([LINES[row] for row in rows], **of_rows)
        assert texts_of(expected) == [texts_of(found)[row] for row in rows]
        np.testing.assert_allclose([x.score for x in expected], [found[row].score for row in rows], atol=1e-4)
    for line, texts, prefix in zip(LINES, texts_of(found), inputs.get("prefixes", [""] * len(LINES)), strict=True):
        assert len(set(texts)) == (translator.num_hypotheses if line else 1)
        assert all(text.startswith(prefix) for text in texts if line)
    if "seeds" in inputs:
        others = [seed + 1 for seed in inputs["seeds"]]
        assert texts_of(translator.translate(LINES, *case.languages, seeds=others)) != texts_of(found)
    if "coverage_penalty" in options:
        plain = translator.with_options(coverage_penalty=0.0).translate(LINES, *case.languages)
        assert [x.score for x in found] != [x.score for x in plain]
    twice = Translator(Ensemble([case.model] * 2), case.tokenizers, **vars(translator.options))
    assert twice.directions == case.model.directions
    assert texts_of(twice.translate(LINES, *case.languages, **inputs)) == texts_of(found)


@each_model
def test_alignments(case, column):
    lines = ["sat the small cat", "zürich mouse cat", "", "seven cats sleep", "cat seven the mouse"]
    targets = ["cat", "mouse", "", "cats sleep", "a"]
    one, twice = case.translator(), Translator(Ensemble([case.model] * 2), case.tokenizers)
    if not can("alignments", column):
        return
    alignments = one.align(lines, targets, *case.languages)
    assert twice.align(lines, targets, *case.languages) == alignments
    for pairs, row, target in zip(alignments, case.rows(lines), targets, strict=True):
        text, model, source_tokenizer, target_tokenizer = row
        assert {word for _, word in pairs} == set(range(len(target.split()) if text else 0))
        if text and len(target.split()) == 1:  # its subwords, aligned by hand
            source, subwords = ids_of(source_tokenizer, text), ids_of(target_tokenizer, target)
            attention = model.attention(model.encoder(np.array([[*source, EOS]])), np.array([[BOS, *subwords]]))
            looked_at = np.argmax(attention[0, : len(subwords), : len(source)], -1)
            (words,) = words_of_subwords(source_tokenizer, [text])
            assert {word for word, _ in pairs} == {words[position] for position in looked_at}
    # A random model looks at few positions: of these lines, not always at the first one.
    assert any(word for pairs in alignments for word, _ in pairs)


@each_model
@pytest.mark.slow
def test_scores_of_words_and_alternatives(case, column):
    translator = case.translator()
    found = translator.translate(LINES, *case.languages, word_scores=True)
    assert texts_of(found) == texts_of(translator.translate(LINES, *case.languages))
    for translation in found:
        for x in translation.hypotheses if translation.score else ():
            total = sum(piece.log_probability for piece in x.pieces)
            penalty = float(length_penalty(len(x.pieces), translator.options.length_penalty))
            assert total / penalty == pytest.approx(x.score, abs=2e-3)
            assert " ".join(word.text for word in x.words).split() == x.text.split()
    rows = translator.alternatives(LINES, PREFIXES, *case.languages, count=3)
    for row, prefix, line in zip(rows, PREFIXES, LINES, strict=True):
        assert len(row) == (3 if line else 0)
        assert [x.probability for x in row] == sorted((x.probability for x in row), reverse=True)
        assert all(x.hypothesis.text.startswith(prefix) for x in row)


@pytest.mark.slow
@each_model
def test_unknown_subwords(case, column):
    options = {"processors": [FavourUnknown()], "unknown": "replace", "num_hypotheses": 2, "max_length": 4}
    if not can("unknown subwords replaced by the source", column):
        return
    lines = ["☃", "☃ ☃", "", "☃ cat", "☃☃"]  # whichever subword is attended to
    written = texts_of(case.translator(**{**options, "unknown": "write"}).translate(lines, *case.languages))
    translator = case.translator(**options)
    found = texts_of(translator.translate(lines, *case.languages))
    for line, before, after in zip(lines, written, found, strict=True):
        assert "⁇" in before[0] or not line
        assert "⁇" not in after[0]
        assert any(copy in after[0] for copy in ("☃", "cat") if copy in line) or not line
    rows = in_graph(translator, case, text=lines)
    assert [[x for x in row if x] for row in rows] == [[x for x in row if x] for row in found]
    forbidden = case.translator(**{**options, "unknown": "forbid"})
    for translation in forbidden.translate(lines, *case.languages, word_scores=True):
        assert all(piece.text != "<unk>" for x in translation.hypotheses for piece in x.pieces)


@each_model
def test_markup(case, column):
    if can("markup", column):
        languages = [names[:1] for names in case.languages]
        (found,) = case.translator().translate(["the <b>small</b> cat"], *languages, markup="html")
        (plain,) = case.translator().translate(["the small cat"], *languages)
        for one, other in zip(found.hypotheses, plain.hypotheses, strict=True):
            assert html.unescape(re.sub("</?b>", "", one.text)) == other.text
            assert re.findall("</?b>", one.text) == ["<b>", "</b>"]


@pytest.mark.slow
@each_model
def test_scores_and_ensembles(case, column):
    targets = ["a cat", "mouse", "a", "", "cats"]
    models = [case.model, noisy(case.model.with_dtype("float32"), 0)]
    translator = Translator(Ensemble(models), case.tokenizers, **OPTIONS)
    hypotheses = translator.score(LINES, targets, *case.languages, word_scores=True)
    scores = [x.score for x in hypotheses]
    languages = dict(zip(("source_language", "target_language"), case.languages, strict=False))
    given = {name: tf.constant(x) for name, x in {"source": LINES, "target": targets, **languages}.items()}
    found = translator.graph.traced(translator.graph.score, given, False)["log_probability"]
    np.testing.assert_allclose(found, scores, atol=1e-4)
    for row, (text, _, source_tokenizer, target_tokenizer) in enumerate(case.rows(LINES)):
        ids = [*ids_of(target_tokenizer, targets[row]), EOS]
        direction = [names[row] for names in case.languages] or ["source", "target"]
        inputs = [np.array([[*ids_of(source_tokenizer, text), EOS]]), np.array([[BOS, *ids[:-1]]])]
        probabilities = np.mean([tf.nn.softmax(model.pair(*direction)(inputs))[0] for model in models], 0)
        expected = np.log(probabilities[np.arange(len(ids)), ids])
        assert scores[row] == pytest.approx(expected.sum(), abs=1e-3)
        np.testing.assert_allclose([x.log_probability for x in hypotheses[row].pieces], expected, atol=1e-3)


@pytest.mark.parametrize(("kind", "column"), [("recurrent", "`AttentionBridgeModel`")])
def test_what_needs_attention_to_words_is_refused_for_vectors_of_a_bridge(case, column):
    assert not any(can(x, column) for x in ("markup", "alignments", "unknown subwords replaced by the source"))
    for called, told in (
        (lambda: case.translator(coverage_penalty=1.5).translate(["a"], "de", "fr"), "`coverage_penalty` needs"),
        (lambda: case.translator(unknown="replace"), 'unknown="replace" needs'),
        (lambda: case.translator().translate(["<b>a</b>"], "de", "fr", markup="html"), "attends to the vectors"),
        (lambda: case.translator().align(["a"], ["b"], "de", "fr"), "attends to the vectors"),
    ):
        with pytest.raises(UserError, match=told):
            called()


# Models of several directions.
SEVERAL = ["the small cat sat", "", "three red dogs and four blue birds ran from the old house", "a mouse", "zürich"]
DIRECTIONS = ["de", "fr", "zh-Hans", "de", "fr"], ["fr", "fr", "de", "zh-Hans", "de"]


@pytest.fixture(scope="module")
def bridge_translator(make_multilingual):
    return Translator(*make_multilingual("recurrent"), **MANY)


def test_a_label_in_a_text_does_not_choose_the_language(make_multilingual, source_tokenizer):
    model, tokenizers = make_multilingual("label")
    labels = model.labels(model.languages)
    texts = [f"the {label} cat" for label in (*labels, *(f"＜{label[1:-1]}＞" for label in labels))]
    ids = tokenizers["de"].tokenize(texts)
    assert not set(ids.flat_values.numpy()) & {FIRST_LABEL + i for i in range(len(labels))}
    translator = Translator(model, tokenizers, **MANY)
    like = "the <2xx> cat".replace("x", "☃")  # any other text of these unknown letters
    found, like = (translator.translate([text], "de", "fr")[0] for text in (texts[0], like))
    assert (found.text, found.truncated) == (like.text, like.truncated)
    with pytest.raises(UserError, match="train the subwords with the labels as `control_symbols`. Received: subwords "):
        Translator(model, source_tokenizer)


def test_no_lines_give_no_translations(bridge_translator):
    none = dict.fromkeys(("text", "source_language", "target_language"), tf.zeros([0], tf.string))
    found = bridge_translator.graph.traced(bridge_translator.graph.translate, none, False)
    assert all(x.shape.as_list() == [0] for x in found.values())
    assert bridge_translator.graph.traced(bridge_translator.graph.embed, none, False)["sentence"].shape == (0, 3, 8)
    assert bridge_translator.translate([], "de", "fr") == bridge_translator.score([], [], "de", "fr") == []
    assert [x.shape for x in bridge_translator.embed([], "de")] == [(0, 8), (0, 3, 8)]


def test_embeddings_are_the_vectors_of_the_bridge(bridge_translator):
    lines, languages = ["rote katze", "a mouse", "die katze", "the small cat"], ["fr", "de", "fr", "de"]
    mean, sentence = bridge_translator.embed(lines, languages)
    for i, (line, language) in enumerate(zip(lines, languages, strict=True)):
        ids = bridge_translator.tokenizers[language].tokenize([line]).to_list()[0]
        expected = bridge_translator.model.bridge_outputs(language)(np.array([[*ids, EOS]]))
        np.testing.assert_allclose(sentence[i], expected["sentence"][0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(mean[i], expected["mean"][0], rtol=1e-4, atol=1e-5)
    inputs = {"text": lines, **dict.fromkeys(("source_language", "target_language"), languages)}
    found = bridge_translator.graph.traced(
        bridge_translator.graph.embed, {name: tf.constant(x) for name, x in inputs.items()}, False
    )
    np.testing.assert_allclose(found["mean"], mean, atol=1e-5)
    with pytest.warns(UserWarning, match="1 sentence.*were truncated"):
        bridge_translator.embed([SEVERAL[2]], "de")


@pytest.mark.slow
def test_there_is_one_encoder_and_one_search_per_language_each_traced_once(bridge_translator):
    tf.config.run_functions_eagerly(False)
    found = bridge_translator.translate(SEVERAL, *DIRECTIONS)
    assert bridge_translator.translate(SEVERAL[::-1], *(x[::-1] for x in DIRECTIONS))[::-1] == found
    graph = bridge_translator.graph
    assert len(graph._encoders) == len(graph._searches) == len(graph.languages)
    functions = [encoder._encode[False] for encoder in graph._encoders]
    functions += [search._searches[(False,)] for search in graph._searches]
    assert all(called.traced.experimental_get_tracing_count() == 1 for called in functions)


def test_a_model_directory_brings_its_subwords_and_search_settings(make_multilingual, tmp_path):
    model, tokenizers = make_multilingual("recurrent")
    folder = save_model(tmp_path, model, tokenizers, **{**MANY, "beam_size": 3})
    found = Translator.from_directory(folder, num_hypotheses=2)
    assert (found.options.beam_size, found.num_hypotheses, found.length_buckets) == (3, 2, (8,))
    assert all(found.tokenizers[x].proto == tokenizer.proto for x, tokenizer in tokenizers.items())
    assert found.tokenizers["de"] is found.tokenizers["zh-Hans"]  # kept, and exported, once
    assert all(map(np.array_equal, found.model.get_weights(), model.get_weights()))


def test_arguments_that_do_not_fit_are_refused(make_multilingual, bridge_translator, source_tokenizer):
    model, tokenizers = make_multilingual("recurrent")
    without, _ = make_multilingual("without_bridge")

    def refused(told, function, *arguments):
        with pytest.raises(UserError, match=told):
            function(*arguments)

    translate, score, embed = bridge_translator.translate, bridge_translator.score, bridge_translator.embed
    refused(r"source language.*de, fr, zh-Hans\. Received: 'cs'", translate, SEVERAL, "cs", "de")
    refused(r"target language.*Received: ''", score, ["a"], ["b"], ["de"], [""])
    refused("Received: 'DE'", embed, ["a"], "DE")
    refused("languages de, fr, zh-Hans: name a source.*Received: target=None", translate, ["a"], "de")
    refused(r"2 language\(s\), 1 line\(s\)", translate, ["a"], ["de", "fr"], "de")
    refused("Each of de, fr, zh-Hans must have a subword model", Translator, model, {"de": source_tokenizer})
    wrong = {**tokenizers, "fr": source_tokenizer}
    refused("fr subword model.*of 100 subwords.*Received: 120", Translator, model, wrong)
    refused("model with an attention bridge.*Received", Translator(without, tokenizers).embed, ["a"], "de")
    for sources, told in (
        (["de", "cs"], r"(?s)Unknown language\. The model has de, fr, zh.*cs"),
        (["de"], "in number"),
    ):
        inputs = {"text": ["a", "b"], "source_language": sources, "target_language": ["de"] * len(sources)}
        with pytest.raises(tf.errors.InvalidArgumentError, match=told):
            bridge_translator.graph.traced(
                bridge_translator.graph.translate, {name: tf.constant(x) for name, x in inputs.items()}, False
            )
