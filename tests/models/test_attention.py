"""The attention of target positions to source positions, for every kind of model."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.layers import Shortcuts
from keras_nmt.models import AttentionBridgeModel, Ensemble, LanguageLabelModel, Transformer

V = 19
SOURCE = np.array([[8, 6, 7, EOS], [8, EOS, PAD, PAD]], "int32")
TARGET = np.array([[BOS, 9, 10], [BOS, 11, 4]], "int32")
SIZES = {"hidden_dim": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}


def attention(model, layer=None, source=SOURCE, target=TARGET) -> np.ndarray:
    return model.attention(model.encoder(source), target, layer).numpy()


@pytest.fixture(scope="module")
def transformer():
    options = {**SIZES, "num_decoder_layers": 3, "num_heads": 2, "intermediate_dim": 8}
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


def test_unknown_layers_are_rejected(transformer):
    for layer in (0, 4):
        with pytest.raises(ValueError, match=rf"layers 1 to 3. Received: layer={layer}"):
            attention(transformer, layer)


def test_attention_of_pairs_and_ensembles(transformer):
    recurrent = AttentionBridgeModel({"de": V, "fr": V}, **SIZES, bridge_heads=None).pair("de", "fr")
    label = LanguageLabelModel(["de", "fr"], vocabulary_size=V, **SIZES).pair("de", "fr")
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

    bridge = AttentionBridgeModel({"de": V}, **SIZES, bridge_heads=2, bridge_hidden_dim=4).pair("de", "de")
    with pytest.raises(ValueError, match="vectors of the attention bridge"):
        attention(bridge)
