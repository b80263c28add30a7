"""Weights of another model as initial weights."""

import keras
import numpy as np
import pytest
from training_runs import make_copier

from keras_nmt.errors import UserError
from keras_nmt.layers import Composition, Roles
from keras_nmt.models import LanguageLabelModel, Transformer
from keras_nmt.training import make_strategy, warm_start

SIZES = {"source_vocabulary_size": 20, "num_encoder_layers": 2, "num_decoder_layers": 2}
SIZES |= {"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 12}
NEW = ["*/layer_composition*", "*/head_composition/*"]


def test_all_weights_of_an_equal_model_are_loaded():
    source = make_copier(seed=1)
    with make_strategy(2).scope():
        model = make_copier(seed=2)
        result = warm_start(model, source)
    assert len(result.taken) == len(model.weights)
    assert not result.new + result.misfit + result.unused
    for ours, theirs in zip(model.weights, source.weights, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_misfits_are_rejected_unless_allowed():
    source, model = make_copier(units=6), make_copier(units=8)
    before = model.get_weights()
    with pytest.raises(UserError, match="another shape"):
        warm_start(model, source)
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    with pytest.raises(UserError, match="list of patterns. Received: allow_missing='a/\\*'"):
        warm_start(model, source, allow_missing="a/*")
    result = warm_start(model, source, allow_missing=["*"])
    assert result.taken == ["output/bias"]
    assert "did not fit: hidden/kernel" in result.summary()


def test_new_and_unused_weights_are_rejected_unless_named():
    source, model = make_copier(seed=1), make_copier()
    deeper = keras.Model(model.inputs, keras.layers.Dense(3, name="extra")(model.output))
    with pytest.raises(UserError, match=r"missing.*extra/kernel"):
        warm_start(deeper, source)
    assert warm_start(deeper, source, allow_missing=["extra/*"]).new == ["extra/kernel", "extra/bias"]
    with pytest.raises(UserError, match=r"missing in this model.*extra/kernel"):
        warm_start(source, deeper)
    assert warm_start(source, deeper, ignore_extra=["extra/*"]).unused == ["extra/kernel", "extra/bias"]
    models = [keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, name=name)]) for name in "ab"]
    with pytest.raises(UserError, match="must have a weight of this model"):
        warm_start(*models, allow_missing=["*"], ignore_extra=["*"])


def test_arguments_with_which_the_weights_compute_something_else_are_said():
    sizes = {**SIZES, "num_encoder_layers": 1, "num_decoder_layers": 1}
    source = Transformer(**sizes, dropout=0.1, name="source")
    assert warm_start(Transformer(**sizes, dropout=0.3), source).other_arguments == []
    mechanisms = (Roles("softmax", num_roles=3, dropout=rate) for rate in (0.1, 0.2))
    models = [Transformer(**sizes, roles=roles, name="same") for roles in mechanisms]
    assert warm_start(*models).other_arguments == []
    result = warm_start(Transformer(**{**sizes, "num_heads": 4}, norm_epsilon=1e-3), source)
    assert len(result.taken) == len(source.weights)
    shown = "  other argument: num_heads=4, not 2\n  other argument: norm_epsilon=0.001, not 1e-06"
    assert sorted(result.summary().split("\n")[1:]) == sorted(shown.split("\n"))


def test_the_order_of_languages_with_labels_is_said():
    def make(*languages):
        sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8}
        return LanguageLabelModel(languages, vocabulary_size=20, **sizes)

    source = make("de", "fr", "en")
    assert warm_start(make("de", "fr"), source).other_arguments == []
    assert warm_start(make("fr", "de"), source).other_arguments == ["languages=fr, de, not de, fr, en"]


@pytest.mark.parametrize("norm", ["pre", pytest.param("post", marks=pytest.mark.slow)])
def test_composition_starts_from_a_plain_transformer(norm):
    plain = Transformer(**SIZES, norm=norm)
    kind = {"kind": "extended"} if norm == "pre" else {"kind": "hierarchical", "residual": True}
    composition = dict.fromkeys(("layer_composition", "head_composition"), Composition(**kind, start="identity"))
    model = Transformer(**SIZES, norm=norm, **composition)
    for allowed, message in (([], r"missing.*composition"), (NEW[:1], r"missing.*head_composition")):
        with pytest.raises(UserError, match=message):
            warm_start(model, plain, allow_missing=allowed)
    result = warm_start(model, plain, allow_missing=NEW)
    assert len(result.taken) == len(plain.weights)
    assert len(result.taken) + len(result.new) == len(model.weights)
    assert not result.misfit + result.unused
    ours = {weight.path: weight for weight in model.weights}
    for weight in plain.weights:
        np.testing.assert_array_equal(ours[weight.path], weight)
    # The composition changes nothing at first, except that pre-LN normalises the last layer twice.
    batch = [np.array([[5, 6, 7, 3]]), np.array([[2, 8, 9]])]
    np.testing.assert_allclose(model(batch), plain(batch), rtol=1e-4, atol=1e-4)


def test_replacements_of_a_weight_are_reported():
    plain = Transformer(**SIZES)
    model = Transformer(**SIZES, layer_composition="hierarchical", head_composition="hierarchical")
    allowed = [*NEW, "*_attention/output/kernel"]
    for missing, message in ((NEW, "another shape.*output/kernel"), (allowed, "missing in this model.*final_norm")):
        with pytest.raises(UserError, match=message):
            warm_start(model, plain, allow_missing=missing)
    result = warm_start(model, plain, allow_missing=allowed, ignore_extra=["*/final_norm/*"])
    assert (len(result.misfit), len(result.unused)) == (6, 4)
