"""Mechanisms combine: forty Transformers drawn by seed over all options, each through its whole life."""

import dataclasses
import random

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference import Translator
from keras_nmt.layers import Composition, Roles, Shortcuts
from keras_nmt.serving import export

NUMBER = 40
SIDES = ("encoder", "decoder")
PAIRS = ["seven cats sleep", "a mouse"], ["katze", "die katze"]
OPTIONS = {
    "shortcuts": (None, "plain", "fusion"),
    "shortcuts.source": ("lexical", "non_lexical"),
    "shortcuts.sites": (("self",), ("cross",), ("self", "cross")),
    "shortcuts.sides": (("encoder",), ("decoder",), SIDES),
    "layer_composition": (None, "linear", "hierarchical", "low_rank", "extended"),
    "layer_composition.rank": (None, 5),
    "head_composition": (None, "hierarchical", "low_rank", "extended"),
    "head_composition.rank": (None, 5),
    "head_composition.intermediate_dim": (None, 6),
    "head_composition.output_projection": (True, False),
    "roles": (None, "dense", "softmax", "one_hot", "contextualized"),
    "roles.num_roles": (2, 3, 6),
    "roles.context": ("lstm", "cnn"),
    "roles.units": (None, 5),
    "roles.residual": (True, False),
    "roles.low_rank": (True, False),
    "roles.straight_through": (True, False),
    "roles.exclusive": (True, False),
    "norm": ("pre", "post"),
    "tie_embeddings": (True, False),
    "target_vocabulary_size": (None, 100),
    # With four heads or three layers, hierarchical aggregation has a node that is fed with another.
    "num_heads": (2, 4),
    "num_encoder_layers": (2, 3),
    "num_decoder_layers": (2, 3),
    "decoder_self_attention": ("attention", "ssru"),
    "tied_layers": ((), ("encoder",), ("decoder",), SIDES),
}
MECHANISMS = {
    "shortcuts": Shortcuts,
    "layer_composition": Composition,
    "head_composition": Composition,
    "roles": Roles,
}


def _draw():
    """Every option takes each of its values equally often; which come together is chance."""
    generator = random.Random(2026)
    columns = {}
    for name, values in OPTIONS.items():
        column = [values[i % len(values)] for i in range(NUMBER)]
        generator.shuffle(column)
        columns[name] = column
    for i in range(NUMBER):
        options = {name: column[i] for name, column in columns.items()}
        if "cross" in options["shortcuts.sites"]:
            options["shortcuts.sides"] = SIDES if i % 2 else ("decoder",)
        if options["decoder_self_attention"] == "ssru" and "self" in options["shortcuts.sites"]:  # of the encoder then
            options["shortcuts.sides"] = SIDES if "cross" in options["shortcuts.sites"] else ("encoder",)
        yield options


def _as_arguments(options):
    """The arguments of a model, without those of a mechanism that have no effect in a combination."""
    arguments = {name: value for name, value in options.items() if "." not in name}
    for name, mechanism in MECHANISMS.items():
        if options[name] is None:
            continue
        arguments[name] = mechanism(options[name])
        for inner in (inner for inner in options if inner.startswith(f"{name}.")):
            try:
                changed = {inner.split(".")[1]: options[inner]}
                arguments[name] = dataclasses.replace(arguments[name], **changed)
            except ValueError:  # what does not go together is an error, tested elsewhere
                continue
    return arguments


DRAWN = list(_draw())
COMBINATIONS = [_as_arguments(options) for options in DRAWN]
# .ci/run tries a few that have every value of every option between them; the nightly run tries and exports all.
USUALLY = (6, 14, 18, 27, 29, 37)


def _name(options):
    kinds = (getattr(options[name], "kind", None) for name in MECHANISMS)
    return "-".join(map(str, (*kinds, options["norm"])))


@pytest.fixture
def make_combination(make_model):
    # Less noise than elsewhere: products of products of large numbers lose digits, however they are computed.
    return lambda options: make_model(noise=0.15, hidden_dim=16, intermediate_dim=12, dropout=0.1, **options)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, id=_name(options), marks=pytest.mark.slow if i in USUALLY else pytest.mark.nightly)
        for i, options in enumerate(COMBINATIONS)
    ],
)
def test_a_combination_decodes_saves_loads_and_trains(options, make_combination, tmp_path):
    model = make_combination(options)
    source = np.array([[7, 9, 30, 41, EOS], [50, 8, EOS, PAD, PAD], [60, EOS, PAD, PAD, PAD]], "int32")
    target = np.array([[BOS, 5, 11, 17, 9], [BOS, 8, 8, 20, 31], [BOS, 70, 6, 5, 44]], "int32")
    other = np.array([[BOS, 60, 7, 7, 12], [BOS, 8, 33, 4, 90], [BOS, 21, 80, 41, 6]], "int32")

    # Stepwise equals full, for two hypotheses of a sentence that differ.
    logits = model([source, target]).numpy()
    expected = np.stack([logits, model([source, other])], 1)  # [B, K, T, V]
    rounding = {"rtol": 1e-4, "atol": 1e-4 * max(1.0, np.abs(expected).max())}  # sums round by their largest terms
    traced = tf.function(model.decoder_step, autograph=False)
    for step, max_length in ((traced, target.shape[1]), (model.decoder_step, None)):  # caches that stay, that grow
        constants, caches = model.prepare(model.encoder(source), 2, max_length)
        for position in range(target.shape[1]):
            tokens = np.stack([target[:, position], other[:, position]], 1)  # [B, K]
            stepwise, caches = step(tf.constant(tokens), tf.constant(position), constants, caches)
            np.testing.assert_allclose(stepwise, expected[:, :, position], **rounding)

    # Padding is invisible, a sentence of it finite.
    padded = model([np.pad(source, ((0, 1), (0, 3))), np.pad(target, ((0, 1), (0, 2)))])
    assert np.isfinite(padded).all()
    np.testing.assert_allclose(padded[:3, : target.shape[1]], logits, **rounding)
    padded = model([np.array([[EOS, PAD, PAD]]), target[:1]])[:, :1]
    np.testing.assert_allclose(model([np.array([[EOS]]), target[:1, :1]]), padded, **rounding)

    # Saved equals loaded.
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded([source, target]), logits)

    # An update, with dropout, reaches every weight and leaves a model that still computes.
    cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        loss = cross_entropy(np.roll(target, -1, 1), model([source, target], training=True))
    gradients = tape.gradient(loss, model.trainable_weights)
    assert np.isfinite(loss)
    for weight, gradient in zip(model.trainable_weights, gradients, strict=True):
        gradient = tf.convert_to_tensor(gradient)  # that of an embedding is sparse
        assert np.isfinite(gradient).all(), weight.path
        assert np.any(gradient), weight.path
    keras.optimizers.Adam(0.01).apply(gradients, model.trainable_weights)
    updated = model([source, target])
    assert np.isfinite(cross_entropy(np.roll(target, -1, 1), updated))
    assert not np.allclose(updated, logits, rtol=1e-2)


@pytest.mark.nightly
@pytest.mark.parametrize("options", COMBINATIONS, ids=_name)
def test_an_export_computes_what_the_model_computes_with_xla_and_without(
    options, make_combination, source_tokenizer, target_tokenizer, tmp_path
):
    model = make_combination(options)
    joint = options["target_vocabulary_size"] is None
    tokenizers = {"source": source_tokenizer, "target": source_tokenizer if joint else target_tokenizer}
    search = {"beam_size": 2, "length_buckets": (12,), "batch_buckets": (2,), "max_length": 6}
    signatures = tf.saved_model.load(str(export(tmp_path / "export", model, tokenizers, **search))).signatures
    translator, texts, targets = Translator(model, tokenizers, **search), *PAIRS
    expected, log_probabilities = translator.translate(texts), translator.score(texts, targets)
    for twin in ("", "_xla"):
        found = signatures[f"serving_default{twin}"](text=tf.constant(texts))
        assert found["translation"].numpy().tolist() == [translation.text.encode() for translation in expected]
        np.testing.assert_allclose(found["score"], [translation.score for translation in expected], 1e-4, 1e-4)
        scored = signatures[f"score{twin}"](source=tf.constant(texts), target=tf.constant(targets))
        np.testing.assert_allclose(scored["log_probability"], log_probabilities, 1e-4, 1e-4)
