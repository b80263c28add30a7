"""A trained model of CTranslate2 by its kept results: every option of the search, plain, compiled and exported."""

from __future__ import annotations

import json
import os
from pathlib import Path

import ctranslate2
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.formats import import_model
from keras_nmt.inference import Shortlist, Translator
from keras_nmt.inference.load import load
from keras_nmt.serving import export

FOLDER = Path(
    os.environ.get(
        "KERAS_NMT_TRANSLITERATION",
        Path(__file__).parents[3] / "shared" / "data" / "models" / "aren-transliteration",
    )
)
CASES = json.loads((FOLDER / "cases.json").read_text("utf-8")) if FOLDER.is_dir() else {"translate": [], "score": []}
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"The transliteration model is not at {FOLDER}")

# One shape, so that XLA compiles once for each set of options. CTranslate2's default beam and length penalty.
SEARCH = {"beam_size": 2, "length_penalty": 1.0, "length_buckets": [16], "batch_buckets": [2]}


def joined(tokens):
    """The text of a kept sequence of tokens, which are characters."""
    return tokens.replace(" ", "")


def sources(cases):
    return [joined(case["source"]) for case in cases]


def prefixes(cases):
    return [joined(case.get("options", {}).get("prefix", "")) for case in cases]


def by_options():
    """The kept translations in groups that one translator makes: its options, and the cases."""
    groups: dict[str, tuple[dict, list]] = {}
    for case in CASES["translate"]:
        options = {key: value for key, value in case.get("options", {}).items() if key != "note"}
        for beam_size in options.pop("beam_sizes", [2]):
            group = {**options, "beam_size": beam_size}
            groups.setdefault(json.dumps(group, sort_keys=True), (group, []))[1].append(case)
    return list(groups.values())


GROUPS = by_options()
each_group = pytest.mark.parametrize("group", GROUPS, ids=lambda group: json.dumps(group[0]))
plain_and_compiled = pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["plain", "compiled"]
)


@pytest.fixture(scope="module")
def loaded(made_once):
    return load(made_once("transliteration", lambda folder: import_model(FOLDER, folder / "model")) / "model")


@pytest.fixture(scope="module")
def translator(loaded):
    return Translator(loaded.model, loaded.tokenizers, **SEARCH)


@pytest.fixture(scope="module")
def theirs():
    return ctranslate2.Translator(str(FOLDER), intra_threads=1)


@pytest.fixture(scope="module")
def ours(loaded):
    """Turns kept options into those of a translator."""

    def find(given):
        options = dict(given)
        if "suppress_sequences" in options:
            options["suppress_sequences"] = list(map(joined, options["suppress_sequences"]))
        if candidates := options.pop("candidates", None):
            target, rows = loaded.tokenizers["target"], loaded.tokenizers["source"].vocabulary_size
            ids = target.tokenize(tf.constant([joined(candidates)])).flat_values.numpy()
            others = np.setdiff1d(np.arange(target.vocabulary_size), ids)
            options["shortlist"] = Shortlist(
                candidates=np.tile(ids.astype("int32"), (rows, 1)),
                probabilities=np.full((rows, len(ids)), 1 / len(ids), "float32"),
                frequent=np.concatenate([ids, others]).astype("int32"),
                subwords=(loaded.tokenizers["source"].digest, target.digest),
            )
            # With the reserved ids, and the subwords of the prefix, which are always among the candidates.
            options["shortlist_size"] = 4 + len(set(candidates.split()) | set(options.get("prefix", "").split()))
        options.pop("prefix", None)
        return options

    return find


def check(case, text):
    options = case.get("options", {})
    if "target" in case:
        assert text == joined(case["target"])
    assert text.startswith(joined(options.get("prefix", "")))
    assert options.get("min_length", 1) <= len(text) <= options.get("max_length", 16)
    if "candidates" in options:
        assert set(text) <= set(options["candidates"] + options.get("prefix", ""))
    if "repetition_penalty" in options:
        assert len(set(text)) == len(text)


@plain_and_compiled
@each_group
def test_a_translator_gives_the_kept_translations(group, compiled, translator, ours):
    options, cases = group
    found = translator.with_options(**ours(options), jit_compile=compiled).translate(
        sources(cases), prefixes=prefixes(cases)
    )
    for case, translation in zip(cases, found, strict=True):
        check(case, translation.text)


@plain_and_compiled
def test_a_translator_gives_the_kept_scores(compiled, translator):
    other, cases = translator.with_options(jit_compile=compiled), CASES["score"]
    expected = [case["log_probs"] for case in cases]
    scores = other.score(sources(cases), [joined(case["target"]) for case in cases])
    np.testing.assert_allclose(scores, list(map(sum, expected)), atol=1e-4)
    # They are also what the search finds for these sources.
    found = other.translate(sources(cases), word_scores=True)
    for case, translation, values in zip(cases, found, expected, strict=True):
        assert translation.text == joined(case["target"])
        pieces = translation.hypotheses[0].pieces
        np.testing.assert_allclose([piece.log_probability for piece in pieces], values, atol=1e-4)
        np.testing.assert_allclose(translation.score, sum(values) * 6 / (5 + len(values)), atol=1e-4)


@pytest.mark.nightly
@pytest.mark.parametrize("group", GROUPS)
def test_an_export_gives_the_kept_translations_and_scores(group, loaded, ours, tmp_path):
    options, cases = group
    search = {**SEARCH, **ours(options)}
    written = export(tmp_path, loaded.model, loaded.tokenizers, **search, signatures=["search"])
    signatures = tf.saved_model.load(str(written)).signatures
    for suffix in ("", "_xla"):
        found = signatures[f"search{suffix}"](
            text=tf.constant(sources(cases)),
            prefix=tf.constant(prefixes(cases)),
            beam_size=tf.zeros([len(cases)], tf.int32),
            constraints=tf.fill([len(cases), 1], ""),
            avoid=tf.fill([len(cases), 1], ""),
        )
        for case, text in zip(cases, found["translation"].numpy()[:, 0], strict=True):
            check(case, text.decode())
        given = CASES["score"]
        found = signatures[f"score{suffix}"](
            source=tf.constant(sources(given)), target=tf.constant([joined(case["target"]) for case in given])
        )
        np.testing.assert_allclose(found["log_probability"], [sum(case["log_probs"]) for case in given], atol=1e-4)


NAMES = [
    "\u0622\u062a\u0632\u0645\u0648\u0646",
    "\u0622\u062a\u0634\u064a\u0633\u0648\u0646",
    "\u0645\u062d\u0645\u062f",
    "\u0633\u0627\u0644\u0645\u0627\u0646",
]
OPTIONS = [  # ours, and CTranslate2's
    ({"repetition_penalty": 1.5}, {"repetition_penalty": 1.5}),
    ({"no_repeat_ngram_size": 1}, {"no_repeat_ngram_size": 1}),
    ({"suppress_sequences": ["o", "a t", "m a"]}, {"suppress_sequences": [["o"], ["a", "t"], ["m", "a"]]}),
    ({"min_length": 9}, {"min_decoding_length": 9}),
    ({"max_length": 3}, {"max_decoding_length": 3}),
    ({"prefix": "s a"}, {"target_prefix": [["s", "a"]] * len(NAMES)}),
    ({"prefix": "s a", "prefix_bias_beta": 0.6}, {"target_prefix": [["s", "a"]] * len(NAMES), "prefix_bias_beta": 0.6}),
    ({"sample": True, "top_k": 1}, {"sampling_topk": 1}),
    ({"beam_size": 3, "num_hypotheses": 3}, {"beam_size": 3, "num_hypotheses": 3}),
]


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("options", "their_options"), OPTIONS, ids=str)
def test_each_option_gives_what_ctranslate2_gives(options, their_options, compiled, translator, theirs, ours):
    prefix = joined(options.get("prefix", ""))
    options = {"beam_size": 1, "length_penalty": 0.0, **ours(options)}
    options.pop("prefix", None)
    found = translator.with_options(**options, jit_compile=compiled).translate(NAMES, prefixes=[prefix] * len(NAMES))
    search = {"beam_size": 1, "length_penalty": 0, "max_decoding_length": 42, "return_scores": True, **their_options}
    results = theirs.translate_batch(list(map(list, NAMES)), **search)
    # Where tokens are forbidden or forced, CTranslate2's probabilities are among the rest; ours are the model's.
    is_forced = not options.keys().isdisjoint({"no_repeat_ngram_size", "suppress_sequences", "min_length"}) or (
        prefix and "prefix_bias_beta" not in options
    )
    for name, translation, result in zip(NAMES, found, results, strict=True):
        scores = result.scores
        if is_forced:
            scores = [sum(theirs.score_batch([list(name)], result.hypotheses)[0].log_probs)]
        assert [x.text for x in translation.hypotheses] == ["".join(tokens) for tokens in result.hypotheses]
        np.testing.assert_allclose([x.score for x in translation.hypotheses], scores, atol=1e-4)


def test_alternatives_are_those_of_ctranslate2(translator, theirs):
    (found,) = translator.with_options(beam_size=1).alternatives(NAMES[:1], ["at"], count=4)
    (result,) = theirs.translate_batch(
        [list(NAMES[0])], target_prefix=[["a", "t"]], return_alternatives=True, num_hypotheses=4, beam_size=1
    )
    assert [x.hypothesis.text for x in found] == ["".join(tokens) for tokens in result.hypotheses]
