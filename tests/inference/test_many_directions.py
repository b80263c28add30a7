"""A translator of a model of several directions."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from one_in import these
from small import MANY

from keras_nmt.errors import UserError
from keras_nmt.ids import EOS
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.models.language_label_model import FIRST_LABEL

LINES = ["the small cat sat", "", "three red dogs and four blue birds ran from the old house", "a mouse", "zürich"]
SOURCES = ["de", "fr", "zh-Hans", "de", "fr", "zh-Hans", "de", "de", "fr", "de"]
TARGETS = ["fr", "fr", "de", "fr", "de", "de", "fr", "zh-Hans", "de", "fr"]  # more rows of de-fr than a batch bucket


KINDS = ("recurrent", "label", "transformer", "without_bridge")


@pytest.fixture(scope="module")
def bridge_translator(make_multilingual):
    return Translator(*make_multilingual("recurrent"), **MANY)


@pytest.fixture(scope="module", params=these((0, 1), KINDS, str))
def translator(request, make_multilingual, bridge_translator):
    if request.param == "recurrent":
        return bridge_translator
    return Translator(*make_multilingual(request.param), **MANY)


def test_a_label_in_a_text_does_not_choose_the_language(make_multilingual, source_tokenizer):
    model, tokenizers = make_multilingual("label")
    labels = model.labels(model.languages)
    texts = [f"the {label} cat" for label in (*labels, *(f"＜{label[1:-1]}＞" for label in labels))]
    ids = tokenizers["de"].tokenize(texts)
    assert not set(ids.flat_values.numpy()) & {FIRST_LABEL + i for i in range(len(labels))}
    translator = Translator(model, tokenizers, **MANY)
    # As any other text of these unknown letters.
    found, like = (
        translator.translate([text], "de", "fr")[0] for text in (texts[0], "the <2xx> cat".replace("x", "☃"))
    )
    assert (found.text, found.truncated) == (like.text, like.truncated)
    with pytest.raises(UserError, match="train the subwords with the labels as `control_symbols`. Received: subwords "):
        Translator(model, source_tokenizer)


def check_traces(translator, compiled):
    """One encoder per language, and one search per set of subwords and decoder weights, each traced once."""
    graph = translator.graph
    assert len(graph._encoders) == len(graph.languages)
    assert len(graph._searches) == (len(graph.languages) if translator.model.encodes_by == "source" else 1)
    functions = [encoder._encode[compiled] for encoder in graph._encoders]
    for search in graph._searches:
        assert len(search._searches) <= 2  # plain and compiled
        functions.append(search._searches[(compiled,)])
    assert all(function.traced.experimental_get_tracing_count() == 1 for function in functions)


@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_a_mixed_batch_equals_each_pair_alone(translator):
    languages = {"source_language": tf.constant(SOURCES), "target_language": tf.constant(TARGETS)}
    found = translator.graph.answer("translate", {"text": tf.constant(LINES * 2), **languages}, False)
    texts = {"source": tf.constant(LINES * 2), "target": tf.constant(LINES[::-1] * 2)}
    scored = translator.graph.answer("score", {**texts, **languages}, False)
    in_python = translator.translate(LINES * 2, SOURCES, TARGETS)
    assert [x.text for x in in_python] == [text.decode() for text in found["translation"].numpy()]
    np.testing.assert_allclose([x.score for x in in_python], found["score"], rtol=1e-4, atol=1e-4)
    truncated = [x.truncated for x in in_python]
    assert truncated == found["truncated"].numpy().tolist()
    assert {True, False} == set(truncated)

    pairs = list(zip(SOURCES, TARGETS, strict=True))
    assert len({x.text for x in in_python}) > 4  # the model tells sentences and languages apart
    for source, target in [("de", "fr"), ("fr", "de")]:
        alone = Translator(
            translator.model.pair(source, target),
            {"source": translator.tokenizers[source], "target": translator.tokenizers[target]},
            **MANY,
        )
        rows = [row for row, pair in enumerate(pairs) if pair == (source, target)]
        lines, others = [(LINES * 2)[row] for row in rows], [(LINES[::-1] * 2)[row] for row in rows]
        expected = alone.translate(lines)
        assert [in_python[row].text for row in rows] == [x.text for x in expected]
        np.testing.assert_allclose([in_python[row].score for row in rows], [x.score for x in expected], atol=1e-4)
        log_probabilities = alone.score(lines, others)
        np.testing.assert_allclose(scored["log_probability"].numpy()[rows], log_probabilities, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(
            translator.score(lines, others, source, target), log_probabilities, rtol=1e-4, atol=1e-4
        )

    check_traces(translator, compiled=False)


@pytest.mark.nightly
def test_xla_changes_nothing(make_multilingual):  # recurrent parts: in the tests of exports
    translator = Translator(*make_multilingual("transformer", ("de", "fr")), **MANY)
    names = ("text", "source_language", "target_language")
    values = (LINES[:4], ["de", "fr", "fr", "de"], ["fr", "fr", "de", "fr"])
    inputs = dict(zip(names, map(tf.constant, values), strict=True))
    plain, compiled = (translator.graph.answer("translate", inputs, compiled) for compiled in (False, True))
    assert plain["translation"].numpy().tolist() == compiled["translation"].numpy().tolist()
    np.testing.assert_allclose(compiled["score"], plain["score"], rtol=1e-4, atol=1e-4)
    check_traces(translator, compiled=True)


def test_the_order_of_lines_changes_nothing(bridge_translator):
    expected = bridge_translator.translate(LINES * 2, SOURCES, TARGETS)
    order = np.random.default_rng(3).permutation(len(SOURCES))
    names, values = ("text", "source_language", "target_language"), (LINES * 2, SOURCES, TARGETS)
    inputs = {name: tf.constant([x[i] for i in order]) for name, x in zip(names, values, strict=True)}
    shuffled = bridge_translator.graph.answer("translate", inputs, False)
    assert [text.decode() for text in shuffled["translation"].numpy()] == [expected[i].text for i in order]
    np.testing.assert_allclose(shuffled["score"], [expected[i].score for i in order], rtol=1e-4, atol=1e-4)


def test_no_lines_give_no_translations(bridge_translator):
    none = tf.zeros([0], tf.string)
    languages = {"source_language": none, "target_language": none}
    found = bridge_translator.graph.answer("translate", {"text": none, **languages}, False)
    assert {name: x.shape.as_list() for name, x in found.items()} == {
        "translation": [0],
        "score": [0],
        "cut_off": [0],
        "truncated": [0],
    }
    assert bridge_translator.graph.answer("embed", {"text": none, **languages}, False)["sentence"].shape == (0, 3, 8)
    assert bridge_translator.translate([], "de", "fr") == []
    assert bridge_translator.score([], [], "de", "fr") == []
    mean, sentence = bridge_translator.embed([], "de")
    assert mean.shape == (0, 8)
    assert sentence.shape == (0, 3, 8)


def test_embeddings_are_the_vectors_of_the_bridge(bridge_translator):
    lines, languages = ["rote katze", "a mouse", "die katze", "the small cat"], ["fr", "de", "fr", "de"]
    mean, sentence = bridge_translator.embed(lines, languages)
    for i, (line, language) in enumerate(zip(lines, languages, strict=True)):
        ids = bridge_translator.tokenizers[language].tokenize([line]).to_list()[0]
        expected = bridge_translator.model.bridge_outputs(language)(np.array([[*ids, EOS]]))
        np.testing.assert_allclose(sentence[i], expected["sentence"][0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(mean[i], expected["mean"][0], rtol=1e-4, atol=1e-5)
    inputs = {"text": lines, **dict.fromkeys(("source_language", "target_language"), languages)}
    found = bridge_translator.graph.answer("embed", {name: tf.constant(x) for name, x in inputs.items()}, False)
    np.testing.assert_allclose(found["mean"], mean, atol=1e-5)
    with pytest.warns(UserWarning, match="1 sentence.*were truncated"):
        bridge_translator.embed([LINES[2]], "de")


def test_the_memory_of_a_bridge_does_not_grow_with_the_source(bridge_translator):
    encoder = bridge_translator.graph._encoders[0]
    short, long = (encoder(tf.fill([2, length], 7), False) for length in (2, 20))
    assert [x.shape for x in short] == [x.shape for x in long]


def test_new_weights_are_used(bridge_translator):
    before, weights = bridge_translator.translate(LINES, "de", "fr"), bridge_translator.model.get_weights()
    bridge_translator.model.set_weights([-weight for weight in weights])
    assert bridge_translator.translate(LINES, "de", "fr") != before
    bridge_translator.model.set_weights(weights)
    check_traces(bridge_translator, compiled=False)


def test_a_model_directory_brings_its_subwords_and_search_settings(make_multilingual, tmp_path):
    model, tokenizers = make_multilingual("recurrent")
    directory = ModelDirectory(tmp_path)
    search = {**MANY, "beam_size": 3}
    for language, tokenizer in tokenizers.items():
        tokenizer.save(tmp_path / f"subwords.{language}.model")
    directory.save_config(model, subwords={x: f"subwords.{x}.model" for x in tokenizers}, search=search)
    directory.save_weights(model)
    found = Translator.from_directory(tmp_path, num_hypotheses=2)
    assert (found.options.beam_size, found.num_hypotheses, found.length_buckets) == (3, 2, (8,))
    assert {x: tokenizer.proto for x, tokenizer in found.tokenizers.items()} == {
        x: tokenizer.proto for x, tokenizer in tokenizers.items()
    }
    assert found.tokenizers["de"] is found.tokenizers["zh-Hans"]  # kept, and exported, once
    for one, other in zip(found.model.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_unknown_languages(bridge_translator):
    with pytest.raises(UserError, match=r"source language.*de, fr, zh-Hans\. Received: 'cs'"):
        bridge_translator.translate(LINES, "cs", "de")
    with pytest.raises(UserError, match=r"target language.*de, fr, zh-Hans\. Received: ''"):
        bridge_translator.score(["a"], ["b"], ["de"], [""])
    with pytest.raises(UserError, match=r"Received: 'DE'"):
        bridge_translator.embed(["a"], "DE")
    with pytest.raises(UserError, match=r"languages de, fr, zh-Hans: name a source.*Received: target=None"):
        bridge_translator.translate(["a"], "de")
    texts = tf.constant(["a", "b"])
    languages = {"source_language": tf.constant(["de", "cs"]), "target_language": tf.constant(["de", "de"])}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)Unknown language\. The model has de, fr, zh.*cs"):
        bridge_translator.graph.answer("translate", {"text": texts, **languages}, False)


def test_arguments_that_do_not_fit_are_refused(
    make_multilingual, bridge_translator, source_tokenizer, target_tokenizer
):
    model, tokenizers = make_multilingual("recurrent")
    with pytest.raises(UserError, match=r"Each of de, fr, zh-Hans must have a subword model\. Received: de$"):
        Translator(model, {"de": source_tokenizer})
    with pytest.raises(UserError, match=r"fr subword model.*of 100 subwords.*Received: 120"):
        Translator(model, {**tokenizers, "fr": source_tokenizer})
    with pytest.raises(UserError, match=r"2 languages, 1 lines"):
        bridge_translator.translate(["a"], ["de", "fr"], "de")
    with pytest.raises(UserError, match=r"not one string"):
        bridge_translator.translate("a", "de", "fr")
    with pytest.raises(UserError, match=r"Received: 1 sources, 2 targets"):
        bridge_translator.score(["a"], ["b", "c"], "de", "fr")
    without, tokenizers = make_multilingual("without_bridge")
    with pytest.raises(UserError, match=r"model with an attention bridge.*Received"):
        Translator(without, tokenizers).embed(["a"], "de")
    texts = tf.constant(["a", "b"])
    languages = {"source_language": tf.constant(["de"]), "target_language": tf.constant(["de"])}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inputs differ in number"):
        bridge_translator.graph.answer("translate", {"text": texts, **languages}, False)
