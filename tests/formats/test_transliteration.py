"""A trained model of CTranslate2: its kept scores, and each option of the search beside CTranslate2 itself."""

import json
import os
from pathlib import Path

import ctranslate2
import numpy as np
import pytest

from keras_nmt.formats import import_model
from keras_nmt.inference import Translator

MODELS = Path(__file__).parents[3] / "shared" / "data" / "models"
FOLDER = Path(os.environ.get("KERAS_NMT_TRANSLITERATION", MODELS / "aren-transliteration"))
is_there = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"The transliteration model is not at {FOLDER}")
pytestmark = [pytest.mark.nightly, is_there]

# CTranslate2's default beam and length penalty. One shape, so that XLA compiles once for each set of options.
SEARCH = {"beam_size": 2, "length_penalty": 1.0, "length_buckets": [16], "batch_buckets": [2]}
plain_and_compiled = pytest.mark.parametrize("compiled", [False, True])


@pytest.fixture(scope="module")
def translator(made_once):
    folder = made_once("transliteration", lambda folder: import_model(FOLDER, folder / "model")) / "model"
    return Translator.from_directory(folder, **SEARCH)


@pytest.fixture(scope="module")
def theirs():
    return ctranslate2.Translator(str(FOLDER), intra_threads=1)


@plain_and_compiled
def test_a_translator_gives_the_kept_scores_and_translations(compiled, translator):
    cases = json.loads((FOLDER / "cases.json").read_text("utf-8"))["score"]
    sources, targets = ([case[side].replace(" ", "") for case in cases] for side in ("source", "target"))
    expected = [case["log_probs"] for case in cases]
    other = translator.with_options(jit_compile=compiled)
    np.testing.assert_allclose(other.score(sources, targets), list(map(sum, expected)), atol=1e-4)
    # They are also what the search finds for these sources.
    found = other.translate(sources, word_scores=True)
    assert [translation.text for translation in found] == targets
    for translation, values in zip(found, expected, strict=True):
        pieces = translation.hypotheses[0].pieces
        np.testing.assert_allclose([piece.log_probability for piece in pieces], values, atol=1e-4)
        np.testing.assert_allclose(translation.score, sum(values) * 6 / (5 + len(values)), atol=1e-4)


NAMES = ["\u0622\u062a\u0632\u0645\u0648\u0646", "\u0645\u062d\u0645\u062f", "\u0633\u0627\u0644\u0645\u0627\u0646"]
OPTIONS = [  # ours, and CTranslate2's
    ({"repetition_penalty": 1.5}, {"repetition_penalty": 1.5}),
    ({"no_repeat_ngram_size": 1}, {"no_repeat_ngram_size": 1}),
    ({"suppress_sequences": ["o", "at", "ma"]}, {"suppress_sequences": [["o"], ["a", "t"], ["m", "a"]]}),
    ({"min_length": 9}, {"min_decoding_length": 9}),
    ({"max_length": 3}, {"max_decoding_length": 3}),
    ({"prefix": "sa"}, {"target_prefix": [["s", "a"]] * len(NAMES)}),
    ({"prefix": "sa", "prefix_bias_beta": 0.6}, {"target_prefix": [["s", "a"]] * len(NAMES), "prefix_bias_beta": 0.6}),
    ({"sample": True, "top_k": 1}, {"sampling_topk": 1}),
    (
        {"beam_size": 3, "num_hypotheses": 3, "length_penalty": 1.3, "length_penalty_form": "power", "patience": 2.0},
        {"beam_size": 3, "num_hypotheses": 3, "length_penalty": 1.3, "patience": 2.0},
    ),
    ({"beam_size": 4, "length_penalty_form": "power", "patience": 1.0}, {"beam_size": 4}),
]


@plain_and_compiled
@pytest.mark.parametrize(("options", "their_options"), OPTIONS, ids=str)
def test_each_option_gives_what_ctranslate2_gives(options, their_options, compiled, translator, theirs):
    options = {"beam_size": 1, "length_penalty": 0.0, **options}
    prefix = options.pop("prefix", "")
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
