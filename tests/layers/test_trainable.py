"""Layers that are frozen, built before, or shared, and weights that start independently."""

import every_layer
import keras
import numpy as np
import pytest
from keras import tree
from transformer_layers import make_decoder, make_encoder

from keras_nmt.layers import AttentionBridge, Dropout, RotaryEncoding, TransformerEncoder


def test_a_frozen_layer_stays_frozen_when_it_is_made_again():
    generator = np.random.default_rng(0)
    cases = every_layer._cases(lambda *shape: generator.normal(size=shape).astype("float32"))
    del cases["dropout"]  # it has nothing to train
    for name, case in cases.items():
        case.layer(**tree.map_structure(every_layer._symbolic, case.arguments))
        assert any(weight.trainable for weight in case.layer.weights), name
        case.layer.trainable = False
        again = type(case.layer).from_config(case.layer.get_config())
        again(**tree.map_structure(every_layer._symbolic, case.arguments))
        assert len(again.weights) == len(case.layer.weights)
        assert [weight.path for weight in again.weights if weight.trainable] == [], name


def test_a_layer_that_is_given_twice_is_refused():
    (layer,) = make_encoder(1, 2, 8, 12).layers
    with pytest.raises(ValueError, match="given once: to apply layers again, set `num_layers`"):
        TransformerEncoder([layer, layer])


def test_one_layer_of_a_frozen_stack_trains_and_still_does_when_it_is_loaded(tmp_path):
    inputs, encoder = keras.Input((4, 8)), make_encoder(2, 2, 8, 12)
    model = keras.Model(inputs, encoder(inputs))
    encoder.trainable = False
    encoder.layers[1].trainable = True
    paths = [weight.path for weight in model.weights if weight.trainable]
    assert paths
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert [weight.path for weight in loaded.weights if weight.trainable] == paths


def test_parts_of_another_dtype_are_named(random):
    (layer,) = make_encoder(1, 2, 8, 12).layers
    parts = {name: getattr(layer, name) for name in layer.PARTS}
    for made, given in ((type(layer), parts), (TransformerEncoder, {"layers": [layer]})):
        with pytest.raises(ValueError, match="must be made with the .* `dtype`. Received: .*float32.*dtype=bfloat16"):
            made(**given, dtype="mixed_bfloat16")(random(2, 4, 8))


def test_matrices_of_a_bridge_start_independently(random):
    bridge = AttentionBridge(16, 16)
    bridge(random(2, 4, 16))
    assert abs(np.corrcoef(np.ravel(bridge.inner.kernel), np.ravel(bridge.scores.kernel))[0, 1]) < 0.3


def _norm_of_both(encoder):
    encoder.layers[1].feed_forward_norm = encoder.layers[1].self_attention_norm


def _network_of_both(encoder):
    encoder.layers[1].feed_forward = encoder.layers[0].feed_forward


def _attention_of_both(encoder):
    encoder.layers[1].self_attention = encoder.layers[0].self_attention


def _keys_of_both(encoder):
    first, second = (layer.self_attention for layer in encoder.layers)
    second.key_value = first.key_value


def _final_norm_inside(encoder):
    encoder.final_norm = encoder.layers[1].feed_forward_norm


@pytest.mark.parametrize(
    ("share", "kind"),
    [
        (_norm_of_both, "LayerNormalization.* in TransformerEncoderLayer:"),
        (_network_of_both, "FeedForward.* in TransformerEncoder:"),
        (_attention_of_both, "MultiHeadAttention.* in TransformerEncoder:"),
        (_keys_of_both, "LexicalShortcut.* in TransformerEncoder:"),
        (_final_norm_inside, "LayerNormalization.* in TransformerEncoder:"),
    ],
)
def test_layers_with_weights_in_two_places_are_refused_before_they_are_saved(share, kind):
    """Keras would save them without a word, and could not load them."""
    encoder = make_encoder(2, 2, 8, 12, shortcut="plain")
    share(encoder)
    with pytest.raises(ValueError, match=rf"{kind} make a layer for each"):
        encoder(keras.Input((4, 8)))


def test_an_attention_of_a_decoder_layer_is_not_both():
    (layer,) = make_decoder(1, 2, 8, 12).layers
    layer.cross_attention = layer.self_attention
    with pytest.raises(ValueError, match=r"MultiHeadAttention.* in TransformerDecoderLayer: make a layer for each"):
        layer(keras.Input((4, 8)), keras.Input((3, 8)))


def test_layers_without_weights_may_be_shared(random, tmp_path):
    encoder, dropout, positions = make_encoder(2, 2, 8, 12), Dropout(0.1), RotaryEncoding()
    for layer in encoder.layers:
        layer.residual_dropout, layer.self_attention.positions = dropout, positions
    inputs, data = keras.Input((4, 8)), random(2, 4, 8)
    model = keras.Model(inputs, encoder(inputs))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(data, verbose=0), model.predict(data, verbose=0), rtol=1e-6)
