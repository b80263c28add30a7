"""Ensembles: the mean of several models' probabilities, at once, step by step and in search."""

from __future__ import annotations

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.decoding import beam_search
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.layers import Roles
from keras_nmt.models import AttentionBridgeModel, Ensemble, LanguageLabelModel, Transformer

V = 19
SOURCE = np.array([[5, 6, 7, EOS], [8, EOS, PAD, PAD]], "int32")
TARGET = np.array([[BOS, 9, 10], [BOS, 11, 4]], "int32")


def loud(model):
    """Sets weights that are large enough for models to differ."""
    rng = np.random.default_rng(model.count_params())
    model.set_weights([weight + rng.normal(0, 0.3, weight.shape) for weight in model.get_weights()])
    return model


@pytest.fixture(scope="module")
def models():
    """Models of three kinds; two have the same name and the same names of layers."""
    shared = {"source_vocabulary_size": V, "num_encoder_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    return [
        loud(Transformer(**shared, hidden_dim=8, intermediate_dim=8, shortcuts="fusion", name="model")),
        loud(Transformer(**shared, hidden_dim=12, intermediate_dim=8, roles=Roles("dense", num_roles=4), name="model")),
        loud(
            AttentionBridgeModel(
                {"de": V, "fr": V},
                num_encoder_layers=1,
                num_decoder_layers=1,
                hidden_dim=6,
                bridge_heads=2,
                bridge_hidden_dim=4,
            )
        ).pair("de", "fr"),
    ]


def test_positions_of_memory_and_target_are_those_of_the_members(models):
    assert Ensemble(models[:2]).positions_before_source == 0
    assert Ensemble(models).positions_before_source is None  # a bridge
    options = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 6, "label_sides": "both"}
    labels = LanguageLabelModel(["de", "fr"], vocabulary_size=V, **options)
    assert Ensemble([labels]).positions_before_target == labels.positions_before_target == 1


def probabilities(logits) -> np.ndarray:
    return keras.ops.convert_to_numpy(keras.ops.softmax(logits)).astype("float64")


def stepwise(model, beam_size: int = 2) -> np.ndarray:
    """Probabilities `[B, T, V]` of decoder steps over `TARGET`."""
    constants, caches = model.prepare(model.encoder(SOURCE), beam_size, TARGET.shape[1])
    steps = []
    for position in range(TARGET.shape[1]):
        tokens = np.repeat(TARGET[:, position : position + 1], beam_size, 1)
        logits, caches = model.decoder_step(tf.constant(tokens), tf.constant(position), constants, caches)
        steps.append(probabilities(logits)[:, -1])
    return np.stack(steps, 1)


def test_probabilities_are_the_mean_at_once_and_step_by_step(models):
    ensemble = Ensemble(models)
    expected = np.mean([probabilities(model([SOURCE, TARGET])) for model in models], axis=0)
    found = ensemble([SOURCE, TARGET])
    np.testing.assert_allclose(np.exp(found), expected, atol=1e-6)
    np.testing.assert_allclose(probabilities(found), expected, atol=1e-6)
    np.testing.assert_allclose(stepwise(ensemble), expected, atol=1e-5)
    # The ensemble shares the models' weights.
    assert ensemble.count_params() == sum(model.count_params() for model in models)
    np.testing.assert_allclose(np.exp(ensemble.with_dtype("float32")([SOURCE, TARGET])), expected, atol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_an_ensemble_of_equal_models_equals_the_model(models, count):
    ensemble = Ensemble(models[:1] * count)
    np.testing.assert_allclose(
        probabilities(ensemble([SOURCE, TARGET])), probabilities(models[0]([SOURCE, TARGET])), atol=1e-6
    )
    np.testing.assert_allclose(stepwise(ensemble), stepwise(models[0]), atol=1e-6)


def test_search_with_an_ensemble_equals_search_with_a_model(models):
    ensemble = Ensemble(models[:2])

    @tf.function(autograph=False)
    def search(source):
        constants, caches = ensemble.prepare(ensemble.encoder(source), 3, 6)
        return beam_search(
            ensemble.decoder_step, constants, caches, batch_size=2, beam_size=3, max_length=6, length_penalty=0.0
        )

    result = search(tf.constant(SOURCE))
    for row, source in enumerate(SOURCE):
        for tokens, score in zip(result.tokens[row].numpy(), result.scores[row].numpy(), strict=True):
            kept = tokens[tokens != PAD]
            target_input = np.array([[BOS, *kept[:-1]]])
            rows = [probabilities(model([source[None], target_input]))[0] for model in models[:2]]
            expected = np.log(np.mean(rows, axis=0))[np.arange(len(kept)), kept].sum()
            assert score == pytest.approx(expected, abs=1e-4)


def test_an_ensemble_of_multilingual_models_has_all_directions():
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 6}
    bridges = [
        loud(AttentionBridgeModel({"de": V, "fr": V - 2}, bridge_heads=k, bridge_hidden_dim=4, **sizes)) for k in (2, 3)
    ]
    ensemble = Ensemble(bridges)
    assert ensemble.directions == bridges[0].directions
    assert ensemble.vocabulary_sizes == {"de": V, "fr": V - 2}
    assert ensemble.pair("fr", "de") is ensemble.pair("fr", "de")
    for direction in (("de", "fr"), ("fr", "fr")):
        expected = np.mean([probabilities(model.pair(*direction)([SOURCE, TARGET])) for model in bridges], axis=0)
        np.testing.assert_allclose(np.exp(ensemble.pair(*direction)([SOURCE, TARGET])), expected, atol=1e-6)
        memory = ensemble.encoder_for(*direction)(SOURCE)
        logits = ensemble.decoder_for(direction[1]).logits(TARGET, memory)
        np.testing.assert_allclose(np.exp(logits), expected, atol=1e-6)
    assert ensemble.count_params() == sum(model.count_params() for model in bridges)
    with pytest.raises(TypeError, match="Call the model of a direction"):
        ensemble([SOURCE, TARGET])
    labels = LanguageLabelModel({"de": V, "fr": V}, **sizes)
    bridge = AttentionBridgeModel({"de": V, "fr": V}, bridge_heads=2, bridge_hidden_dim=4, **sizes)
    with pytest.raises(ValueError, match="an ensemble for one direction.*Received: LanguageLabelModel, AttentionBri"):
        Ensemble([labels, bridge])
    assert Ensemble([labels.pair("de", "fr"), bridge.pair("de", "fr")]).directions == (("source", "target"),)


def test_all_kinds_of_models_say_which_head_aligns():
    head, sizes = {"num_heads": 2, "alignment_head": 2}, {"num_encoder_layers": 1, "num_decoder_layers": 1}
    labels = LanguageLabelModel(
        {"de": V, "fr": V}, encoder="transformer", decoder="transformer", hidden_dim=8, transformer=head, **sizes
    )
    one = Transformer(V, hidden_dim=8, intermediate_dim=8, **head, **sizes)
    none = Transformer(V, hidden_dim=8, intermediate_dim=8, num_heads=2, **sizes)
    models = [one, labels, labels.pair("fr", "de"), Ensemble([none, one]), Ensemble([labels, labels]), none]
    assert [model.alignment_head for model in models] == [2, 2, 2, 2, 2, None]
    assert Ensemble([labels, labels]).pair("fr", "de").alignment_head == 2


def test_vocabularies_must_be_the_same(models):
    other = Transformer.from_preset("transformer_tiny", source_vocabulary_size=V + 1)
    with pytest.raises(ValueError, match=r"same languages and vocabularies.*'source': 19.*'source': 20"):
        Ensemble([models[0], other])
    with pytest.raises(ValueError, match=r"Received: vocabulary sizes \[\]"):
        Ensemble([])
