"""The multilingual model with language labels: steps, labels, saving and errors."""

from __future__ import annotations

import itertools
import json

import keras
import numpy as np
import pytest
from multilingual import (
    CLOSE,
    CROSS,
    TRANSFORMER,
    batch,
    check_padding_and_batching,
    check_rows_of_padding,
    check_saved_equals_loaded,
    name,
    randomise,
    stepwise,
)
from one_in import one_in, these

from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel

LANGUAGES, V = ["de", "fr", "en"], 19
BOTH = {"encoder": "transformer", "decoder": "transformer", "num_encoder_layers": 1, "num_decoder_layers": 1}
VARIANTS = [
    {},
    {"encoder": "transformer", "num_encoder_layers": 1, "transformer": {**TRANSFORMER, "roles": "softmax"}},
    {"decoder": "transformer", "num_decoder_layers": 1, "transformer": TRANSFORMER, "tie_output": True},
    {**BOTH, "transformer": CROSS},
    {"attention_score": "concat", "input_feeding": False, "num_encoder_layers": 1, "num_decoder_layers": 1},
]
BOTH_SIDES = [
    {**BOTH, "transformer": {**CROSS, "embedding_norm": True}, "label_sides": "both"},
    {"label_sides": "both"},
]
_models: dict[str, LanguageLabelModel] = {}


def _model(options=None):
    """Returns a cached model, which tests must not change."""
    key = json.dumps(options or {})
    if key not in _models:
        _models[key] = randomise(LanguageLabelModel(LANGUAGES, hidden_dim=8, vocabulary_size=V, **(options or {})))
    return _models[key]


def _without_labels(model, options):
    """Returns a model of one language without a bridge that has the same weights, and gets the labels as inputs."""
    arguments = {key: value for key, value in options.items() if key != "label_sides"}
    plain = AttentionBridgeModel({"all": V}, hidden_dim=8, bridge_heads=None, **arguments)
    for weight in plain.weights:
        (same,) = (w for w in model.weights if w.path == weight.path.removeprefix("all_"))
        weight.assign(same.numpy())
    return plain


@pytest.mark.parametrize("options", [*VARIANTS, *BOTH_SIDES], ids=name)
def test_stepwise_equals_full(options):
    pair = _model(options).pair("de", "fr")
    source, target = batch(pair)
    logits = pair([source, target])
    assert logits.shape == (3, 4, V)
    np.testing.assert_allclose(stepwise(pair, source, target), logits, **CLOSE)


@pytest.mark.parametrize("options", one_in(2, [*VARIANTS, *BOTH_SIDES], name))
def test_padding_and_batching_are_invisible(options):
    check_padding_and_batching(_model(options).pair("de", "fr"))


@pytest.mark.parametrize("options", VARIANTS[::2], ids=name)
def test_a_label_of_the_target_language_comes_first(options):
    model = _model(options)
    plain = _without_labels(model, options)
    assert plain.count_params() == model.count_params()
    source, target = batch(model.pair("de", "fr"))
    for place, language in enumerate(LANGUAGES):
        labelled = np.pad(source, ((0, 0), (1, 0)), constant_values=4 + place)
        expected = plain.pair("all", "all")([labelled, target])
        np.testing.assert_allclose(model.pair("de", language)([source, target]), expected, rtol=1e-5, atol=1e-5)
        memory, one = model.encoder_for("fr", language)(source), plain.encoder_for("all", "all")(labelled)
        np.testing.assert_allclose(memory["states"], one["states"], rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(memory["mask"], one["mask"])


@pytest.mark.parametrize("options", these([0], BOTH_SIDES, name))
def test_labels_on_both_sides_are_inputs_that_nothing_predicts(options):
    model = _model(options)
    plain = _without_labels(model, options)
    source, target = batch(model.pair("de", "fr"))
    for (i, of_source), (j, of_target) in itertools.product(enumerate(LANGUAGES), repeat=2):
        sources = np.pad(source, ((0, 0), (1, 0)), constant_values=4 + i)
        targets = np.insert(target, 1, 4 + j, axis=1)
        expected = plain.pair("all", "all")([sources, targets])[:, 1:]
        pair = model.pair(of_source, of_target)
        np.testing.assert_allclose(pair([source, target]), expected, rtol=1e-5, atol=1e-5)
        memory = pair.encoder(source)
        alike = plain.encoder_for("all", "all")(sources)
        attention = plain.pair("all", "all").attention(alike, targets)[:, 1:, 1:]
        np.testing.assert_allclose(pair.attention(memory, target), attention, rtol=1e-5, atol=1e-5)
    assert model.encoder_for("de", "fr") is model.encoder_for("de", "en")
    assert model.decoder_for("fr") is model.pair("de", "fr").decoder_for("target")
    assert {id(w) for w in model.pair("de", "fr").weights} == {id(w) for w in model.weights}


@pytest.mark.parametrize("options", VARIANTS[:4], ids=name)
def test_rows_of_padding_get_no_label_and_change_nothing(options):
    pair = _model(options).pair("de", "fr")
    check_rows_of_padding(pair)
    mask = pair.encoder(np.array([[5, 3, 0], [0, 0, 0]], "int32"))["mask"]
    np.testing.assert_array_equal(mask, [[True, True, True, False], [False] * 4])


def test_everything_except_the_label_is_shared():
    model = _model()
    inputs = batch(model.pair("de", "fr"))
    np.testing.assert_array_equal(model.pair("de", "fr")(inputs), model.pair("en", "fr")(inputs))
    assert not np.allclose(model.pair("de", "fr")(inputs), model.pair("de", "en")(inputs))
    assert model.encoder_for("de", "fr") is model.encoder_for("en", "fr")
    assert model.decoder_for("fr") is model.decoder_for("en")
    for pair in itertools.product(LANGUAGES, repeat=2):
        assert {id(w) for w in model.pair(*pair).weights} == {id(w) for w in model.weights}
    assert model.count_params() == LanguageLabelModel(["de"], hidden_dim=8, vocabulary_size=V).count_params()


@pytest.mark.parametrize("options", [*VARIANTS[:2], *BOTH_SIDES[:1]], ids=name)
def test_saved_equals_loaded(options, tmp_path):
    check_saved_equals_loaded(_model(options), ("de", "fr"), tmp_path)


def test_a_model_saved_by_keras_equals_the_loaded_model(tmp_path):
    model = _model()
    inputs = batch(model.pair("de", "fr"))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.pair("de", "fr")(inputs), model.pair("de", "fr")(inputs))


def test_half_precision_is_near_float32():
    model = _model()
    half, pair = model.with_dtype("mixed_bfloat16").pair("de", "fr"), model.pair("de", "fr")
    inputs = batch(pair)
    np.testing.assert_allclose(half(inputs), pair(inputs), atol=0.3)
    np.testing.assert_array_equal(half.with_dtype("float32")(inputs), pair(inputs))


def test_languages_are_a_mapping_or_a_list():
    model = LanguageLabelModel(dict.fromkeys(LANGUAGES, V), hidden_dim=8)
    assert model.get_config() == _model().get_config() | {"name": model.name}
    assert LanguageLabelModel.labels(LANGUAGES) == ["<2de>", "<2fr>", "<2en>"]


@pytest.mark.parametrize(
    "options",
    [
        {"languages": [], "vocabulary_size": V},
        {"languages": {}},
        {"languages": LANGUAGES, "vocabulary_size": None},
        {"languages": {"de": 20, "fr": 21}},
        {"languages": {"de": 20, "fr": 20}, "vocabulary_size": 21},
        {"languages": LANGUAGES, "vocabulary_size": 7},  # no room for text
        {"languages": LANGUAGES, "vocabulary_size": "20"},
        {"languages": "de", "vocabulary_size": V},
        {"languages": ["de", "de"], "vocabulary_size": V},
        {"num_encoder_layers": 1},
        {"label_sides": "target"},
        {"encoder": "gru"},
        {"transformer": TRANSFORMER},
        {"decoder": "transformer", "transformer": CROSS},
        {"encoder": "transformer", "transformer": CROSS},
    ],
    ids=str,
)
def test_wrong_arguments_are_named(options):
    with pytest.raises(ValueError, match="Received: "):
        LanguageLabelModel(**{"languages": dict.fromkeys(LANGUAGES, V), "hidden_dim": 8, **options})


def test_unknown_arguments_are_named():
    with pytest.raises(TypeError, match="no such arguments. Received: penalty"):
        LanguageLabelModel(LANGUAGES, vocabulary_size=V, penalty="root")
    with pytest.raises(TypeError, match="bridge_heads"):
        LanguageLabelModel(LANGUAGES, vocabulary_size=V, bridge_heads=3)


def test_languages_cannot_be_added_and_unknown_languages_are_named():
    with pytest.raises(ValueError, match="joint.*Received: language='cs'"):
        _model().with_language("cs", V)
    with pytest.raises(ValueError, match="one of de, fr, en. Received: 'cs'"):
        _model().pair("de", "cs")
