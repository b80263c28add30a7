"""Ensembles: the mean of several models' probabilities; the attention of every kind of model."""

from __future__ import annotations

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.layers import Roles, Shortcuts
from keras_nmt.models import AttentionBridgeModel, Ensemble, LanguageLabelModel, Transformer
from keras_nmt.testing import randomise, stepwise

V = 19
ONE_LAYER = {"hidden_dim": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}
SOURCE = np.array([[5, 6, 7, EOS], [8, EOS, PAD, PAD]], "int32")
BRIDGE = {**ONE_LAYER, "bridge_heads": 2, "bridge_hidden_dim": 4}
TARGET = np.array([[BOS, 9, 10], [BOS, 11, 4]], "int32")


loud = functools.partial(randomise, scale=0.3)  # models differ


@pytest.fixture(scope="module")
def models():
    """Models of three kinds; two have the same name and the same names of layers."""
    shared = {**ONE_LAYER, "source_vocabulary_size": V, "num_heads": 2, "intermediate_dim": 8, "name": "model"}
    return [
        loud(Transformer(**shared, shortcuts="fusion")),
        loud(Transformer(**{**shared, "hidden_dim": 12}, roles=Roles("dense", num_roles=4))),
        loud(AttentionBridgeModel({"de": V, "fr": V}, **BRIDGE)).pair("de", "fr"),
    ]


def probabilities(logits) -> np.ndarray:
    return keras.ops.convert_to_numpy(keras.ops.softmax(logits)).astype("float64")


def test_probabilities_are_the_mean_at_once_and_step_by_step(models):
    ensemble = Ensemble(models)
    expected = np.mean([probabilities(model([SOURCE, TARGET])) for model in models], axis=0)
    found = ensemble([SOURCE, TARGET])
    np.testing.assert_allclose(np.exp(found), expected, atol=1e-6)
    np.testing.assert_allclose(probabilities(found), expected, atol=1e-6)
    np.testing.assert_allclose(probabilities(stepwise(ensemble, SOURCE, TARGET)), expected, atol=1e-5)
    same = Ensemble(models[:1] * 2)  # of equal models
    np.testing.assert_allclose(
        probabilities(same([SOURCE, TARGET])), probabilities(models[0]([SOURCE, TARGET])), atol=1e-6
    )
    # The ensemble shares the models' weights.
    assert ensemble.count_params() == sum(model.count_params() for model in models)
    np.testing.assert_allclose(
        np.exp(same.with_dtype("float32")([SOURCE, TARGET])), np.exp(same([SOURCE, TARGET])), atol=1e-6
    )


@pytest.mark.slow
def test_an_ensemble_of_multilingual_models_has_all_directions(models):
    bridges = [loud(AttentionBridgeModel({"de": V, "fr": V}, **{**BRIDGE, "bridge_heads": k})) for k in (2, 3)]
    ensemble = Ensemble(bridges)
    assert ensemble.directions == bridges[0].directions
    assert ensemble.vocabulary_sizes == {"de": V, "fr": V}
    assert ensemble.pair("fr", "de") is ensemble.pair("fr", "de")
    expected = np.mean([probabilities(model.pair("fr", "de")([SOURCE, TARGET])) for model in bridges], axis=0)
    np.testing.assert_allclose(np.exp(ensemble.pair("fr", "de")([SOURCE, TARGET])), expected, atol=1e-6)
    logits = ensemble.decoder_for("de").logits(TARGET, ensemble.encoder_for("fr", "de")(SOURCE))
    np.testing.assert_allclose(np.exp(logits), expected, atol=1e-6)
    assert ensemble.count_params() == sum(model.count_params() for model in bridges)
    with pytest.raises(TypeError, match="Call the model of a direction"):
        ensemble([SOURCE, TARGET])
    labels = LanguageLabelModel({"de": V, "fr": V}, **ONE_LAYER)
    with pytest.raises(ValueError, match="an ensemble for one direction.*Received: LanguageLabelModel, AttentionBri"):
        Ensemble([labels, bridges[0]])
    assert Ensemble([labels.pair("de", "fr"), models[0]]).directions == (("source", "target"),)


def test_an_ensemble_of_models_with_one_language():
    ensemble = Ensemble([AttentionBridgeModel({"de": V}, **BRIDGE) for _ in range(2)])
    assert ensemble.directions == (("de", "de"),)
    assert ensemble.source_vocabulary_size == ensemble.target_vocabulary_size == V
    assert ensemble([SOURCE, TARGET]).shape == (*TARGET.shape, V)


@pytest.mark.slow
def test_the_head_that_aligns_and_positions_of_memory_and_target_are_those_of_the_members(models):
    assert Ensemble(models[:2]).positions_before_source == 0
    assert Ensemble(models).positions_before_source is None  # a bridge
    transformer = {"encoder": "transformer", "decoder": "transformer", "label_sides": "both"}
    head = {"num_heads": 2, "alignment_head": 2}
    labels = LanguageLabelModel({"de": V, "fr": V}, transformer=head, **transformer, **ONE_LAYER)
    one = Transformer(V, intermediate_dim=8, **head, **ONE_LAYER)
    both = Ensemble([labels, labels])
    assert both.positions_before_target == labels.positions_before_target == 1
    members = [one, labels, Ensemble([models[0], one]), both, models[0]]
    assert [model.alignment_head for model in members] == [2, 2, 2, 2, None]


def test_vocabularies_must_be_the_same(models):
    with pytest.raises(ValueError, match=r"same languages and vocabularies.*'source': 19.*'source': 20"):
        Ensemble([models[0], Transformer(V + 1, **ONE_LAYER, num_heads=2)])
    with pytest.raises(ValueError, match=r"Received: vocabulary sizes \[\]"):
        Ensemble([])


# --- attention of target positions to source positions ----------------------------------------------------------------


def attention(model, layer=None, source=SOURCE, target=TARGET) -> np.ndarray:
    return model.attention(model.encoder(source), target, layer).numpy()


@pytest.fixture(scope="module")
def transformer():
    options = {**ONE_LAYER, "num_decoder_layers": 3, "num_heads": 2, "intermediate_dim": 8}
    return Transformer(source_vocabulary_size=V, **options, shortcuts=Shortcuts("fusion", sites=("self", "cross")))


@pytest.mark.parametrize("layer", [None, 1, 3])
def test_a_transformers_attention_is_the_mean_over_heads_of_a_layer(transformer, layer, monkeypatch):
    attended = []
    decoder_layer = transformer.get_layer("decoder").layers[(layer or 2) - 1]  # by default the last layer but one
    attend = decoder_layer.cross_attention.attend

    def record(*arguments, **options):
        attended.append(attend(*arguments, **options)[1].numpy())
        return attend(*arguments, **options)

    monkeypatch.setattr(decoder_layer.cross_attention, "attend", record)
    found = attention(transformer, layer)
    assert len(attended) == 1
    np.testing.assert_allclose(found, attended[0].mean(1), atol=1e-6)  # [B, H, T, S]
    np.testing.assert_allclose(found.sum(-1), 1.0, atol=1e-5)
    assert (found[1, :, 2:] == 0).all(), "padding is not attended to"
    with pytest.raises(ValueError, match=r"layers 1 to 3. Received: layer=4"):
        attention(transformer, 4)


@pytest.mark.slow
def test_attention_of_pairs_and_ensembles(transformer, models):
    recurrent = AttentionBridgeModel({"de": V, "fr": V}, **ONE_LAYER, bridge_heads=None).pair("de", "fr")
    label = LanguageLabelModel(["de", "fr"], vocabulary_size=V, **ONE_LAYER).pair("de", "fr")
    for model in (recurrent, label):
        found = attention(model)
        assert found.shape == (2, 3, 4), "positions of the source alone"
        assert (found[1, :, 2:] == 0).all()
        assert (found.sum(-1) < 1 + 1e-5).all()
    # The label's position is left out, and no other position.
    memory = label.encoder(SOURCE)
    whole = label._search.step.side.attention(tf.constant(TARGET), memory)
    np.testing.assert_allclose(attention(label), whole[:, :, 1:], atol=1e-6)
    both = attention(Ensemble([transformer, recurrent]))
    np.testing.assert_allclose(both, (attention(transformer) + attention(recurrent)) / 2, atol=1e-6)
    with pytest.raises(ValueError, match="vectors of the attention bridge"):
        attention(models[2])
