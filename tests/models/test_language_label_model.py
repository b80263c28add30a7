"""The multilingual model with language labels: steps, labels and saving."""

import itertools

import numpy as np
import pytest
from model_checks import CROSS, TRANSFORMER, batch, check_invariants, check_saved_equals_loaded, shared_model

from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel

LANGUAGES, V = ["de", "fr", "en"], 19
SIZES = {"hidden_dim": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}
BOTH = {"encoder": "transformer", "decoder": "transformer"}
BOTH_SIDES = {**BOTH, "transformer": {**CROSS, "embedding_norm": True}, "label_sides": "both"}
DAILY = [{}, BOTH_SIDES]
LATER = [
    {"encoder": "transformer", "transformer": {**TRANSFORMER, "roles": "softmax"}},
    {"decoder": "transformer", "transformer": TRANSFORMER, "tie_output": True},
    {"attention_score": "concat", "input_feeding": False},
    {**BOTH, "transformer": CROSS},
    {**BOTH, "transformer": {**TRANSFORMER, "decoder_self_attention": "ssru"}},
    {"label_sides": "both"},
]
VARIANTS = [pytest.param(options, id=str(options)) for options in DAILY]
VARIANTS += [pytest.param(options, id=str(options), marks=pytest.mark.slow) for options in LATER]


def _model(options=None):
    return shared_model(LanguageLabelModel, languages=LANGUAGES, vocabulary_size=V, **SIZES, **(options or {}))


def _without_labels(model, options):
    """Returns a model of one language without a bridge that has the same weights, and gets the labels as inputs."""
    arguments = {key: value for key, value in options.items() if key != "label_sides"}
    plain = AttentionBridgeModel({"all": V}, **SIZES, bridge_heads=None, **arguments)
    for weight in plain.weights:
        (same,) = (w for w in model.weights if w.path == weight.path.removeprefix("all_"))
        weight.assign(same.numpy())
    assert plain.count_params() == model.count_params()
    return plain


@pytest.mark.parametrize("options", VARIANTS)
def test_steps_equal_the_full_pass_and_padding_is_invisible(options):
    pair = _model(options).pair("de", "fr")
    check_invariants(pair)
    mask = pair.encoder(np.array([[5, 3, 0], [0, 0, 0]], "int32"))["mask"]  # a row of padding gets no label
    np.testing.assert_array_equal(mask, [[True, True, True, False], [False] * 4])


@pytest.mark.parametrize("options", [x for x in VARIANTS if "label_sides" not in x.values[0]])
def test_a_label_of_the_target_language_comes_first(options):
    model = _model(options)
    plain = _without_labels(model, options)
    source, target = batch(model.pair("de", "fr"))
    for place, language in enumerate(LANGUAGES):
        labelled = np.pad(source, ((0, 0), (1, 0)), constant_values=4 + place)
        expected = plain.pair("all", "all")([labelled, target])
        np.testing.assert_allclose(model.pair("de", language)([source, target]), expected, rtol=1e-5, atol=1e-5)
        memory, one = model.encoder_for("fr", language)(source), plain.encoder_for("all", "all")(labelled)
        np.testing.assert_allclose(memory["states"], one["states"], rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(memory["mask"], one["mask"])


@pytest.mark.parametrize("options", [x for x in VARIANTS if "label_sides" in x.values[0]])
def test_labels_on_both_sides_are_inputs_that_nothing_predicts(options):
    model = _model(options)
    plain = _without_labels(model, options)
    source, target = batch(model.pair("de", "fr"))
    for (i, of_source), (j, of_target) in ((0, "de"), (1, "fr")), ((2, "en"), (2, "en")), ((1, "fr"), (0, "de")):
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


def test_everything_except_the_label_is_shared():
    model = _model()
    inputs = batch(model.pair("de", "fr"))
    np.testing.assert_array_equal(model.pair("de", "fr")(inputs), model.pair("en", "fr")(inputs))
    assert model.pair("de", "fr").num_labels == model.num_labels > 0
    assert not np.allclose(model.pair("de", "fr")(inputs), model.pair("de", "en")(inputs))
    assert model.encoder_for("de", "fr") is model.encoder_for("en", "fr")
    assert model.decoder_for("fr") is model.decoder_for("en")
    for pair in itertools.product(LANGUAGES, repeat=2):
        assert {id(w) for w in model.pair(*pair).weights} == {id(w) for w in model.weights}
    mapped = LanguageLabelModel(dict.fromkeys(LANGUAGES, V), **SIZES)
    assert mapped.get_config() == model.get_config() | {"name": mapped.name}
    assert mapped.count_params() == LanguageLabelModel(["de"], **SIZES, vocabulary_size=V).count_params()
    assert LanguageLabelModel.labels(LANGUAGES) == ["<2de>", "<2fr>", "<2en>"]


@pytest.mark.parametrize("options", [{}, pytest.param(BOTH_SIDES, marks=pytest.mark.slow)], ids=str)
def test_saved_equals_loaded(options, tmp_path):
    check_saved_equals_loaded(_model(options), ("de", "fr"), tmp_path)
