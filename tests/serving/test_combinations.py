"""Mechanisms combine: forty Transformers drawn by seed over all options, each through its whole life."""

from __future__ import annotations

import random

import keras
import numpy as np
import pytest
import tensorflow as tf
from one_in import these

from keras_nmt.ids import BEGIN, END, PAD
from keras_nmt.models._transformer_options import TransformerOptions
from keras_nmt.serving import export

NUMBER = 40
OPTIONS = {
    "shortcuts": (None, "plain", "fusion"),
    "shortcut_source": ("lexical", "non_lexical"),
    "shortcut_sites": (("self",), ("cross",), ("self", "cross")),
    "shortcut_sides": (("encoder",), ("decoder",), ("encoder", "decoder")),
    "layer_composition": (None, "linear", "hierarchical", "low_rank", "extended"),
    "head_composition": (None, "linear", "hierarchical", "low_rank", "extended"),
    "composition_rank": (None, 5),
    "head_intermediate_dim": (None, 6),
    "output_projection": (True, False),
    "roles": (None, "dense", "softmax", "one_hot", "contextualized"),
    "num_roles": (2, 3, 6),
    "role_context": ("lstm", "cnn"),
    "role_units": (None, 5),
    "role_residual": (True, False),
    "role_low_rank": (True, False),
    "role_straight_through": (True, False),
    "role_exclusive": (True, False),
    "norm": ("pre", "post"),
    "tie_embeddings": (True, False),
    "target_vocabulary_size": (None, 100),
    # With four heads or three layers, hierarchical aggregation has a node that is fed with another.
    "num_heads": (2, 4),
    "num_encoder_layers": (2, 3),
    "num_decoder_layers": (2, 3),
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
        # What does not go together is an error, tested elsewhere.
        if "cross" in options["shortcut_sites"]:
            options["shortcut_sides"] = ("encoder", "decoder") if i % 2 else ("decoder",)
        if options["head_composition"] not in ("low_rank", "extended"):
            options["output_projection"] = True
        options["role_straight_through"] &= options["roles"] == "one_hot"
        options["role_low_rank"] &= options["roles"] != "contextualized"
        yield options


DRAWN = list(_draw())
# Without what has no effect in a combination, and with a rank of layers and of heads.
COMBINATIONS = [TransformerOptions.converted(options) for options in DRAWN]
# The usual run tries a few that have every value of every option between them, because most of the time goes into
# tracing. The nightly run tries and exports all.
USUALLY = (15, 19, 22, 26, 27, 28)


def _name(options):
    names = ("shortcuts", "layer_composition", "head_composition", "roles", "role_context", "norm")
    return "-".join(str(options.get(name)) for name in names)


def _ids(tokenizer, sentence):
    return tokenizer.tokenize(sentence[None]).to_list()[0]


@pytest.fixture
def make_combination(make_model):
    # Less noise than elsewhere: products of products of large numbers lose digits, however they are computed.
    return lambda options: make_model(noise=0.15, hidden_dim=16, intermediate_dim=12, dropout=0.1, **options)


@pytest.mark.parametrize("options", these(USUALLY, COMBINATIONS, _name))
def test_a_combination_decodes_saves_loads_and_trains(options, make_combination, tmp_path):
    model = make_combination(options)
    source = np.array([[7, 9, 30, 41, END], [50, 8, END, PAD, PAD], [60, END, PAD, PAD, PAD]], "int32")
    target = np.array([[BEGIN, 5, 11, 17, 9], [BEGIN, 8, 8, 20, 31], [BEGIN, 70, 6, 5, 44]], "int32")
    other = np.array([[BEGIN, 60, 7, 7, 12], [BEGIN, 8, 33, 4, 90], [BEGIN, 21, 80, 41, 6]], "int32")

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

    # So is a sentence of one token.
    padded = model([np.array([[END, PAD, PAD]]), target[:1]])[:, :1]
    np.testing.assert_allclose(model([np.array([[END]]), target[:1, :1]]), padded, **rounding)

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
def test_a_combination_exports(options, make_combination, source_tokenizer, target_tokenizer, tmp_path):
    model = make_combination(options)
    joint = options["target_vocabulary_size"] is None
    tokenizers = {"source": source_tokenizer, "target": source_tokenizer if joint else target_tokenizer}

    # The export computes what the model computes, with XLA and without.
    search = {"beam_size": 2, "length_buckets": (12,), "batch_buckets": (2,), "max_length": 6}
    served = tf.saved_model.load(str(export(tmp_path / "export", model, tokenizers, **search)))
    sentences = tf.constant(["seven cats sleep", "a mouse"])
    plain, compiled = (served.signatures[f"serving_default{twin}"](text=sentences) for twin in ("", "_xla"))
    assert plain["translation"].numpy().tolist() == compiled["translation"].numpy().tolist()
    np.testing.assert_allclose(plain["score"], compiled["score"], rtol=1e-4, atol=1e-4)
    target_text = tf.constant(["katze", "die katze"])
    scored = served.signatures["score"](source=sentences, target=target_text)["log_probability"]
    for i in range(2):  # alone and without padding, against the model's logits
        source_ids = _ids(tokenizers["source"], sentences[i]) + [END]
        target_ids = _ids(tokenizers["target"], target_text[i])
        log_probabilities = tf.nn.log_softmax(model([np.array([source_ids]), np.array([[BEGIN, *target_ids]])]))[0]
        expected = sum(log_probabilities[t, token] for t, token in enumerate([*target_ids, END]))
        np.testing.assert_allclose(scored[i], expected, rtol=1e-4, atol=1e-4)


def test_every_value_of_every_option_is_drawn():
    for name, values in OPTIONS.items():
        assert {options[name] for options in DRAWN} == set(values), name
        assert {DRAWN[place][name] for place in USUALLY} == set(values), name
    assert len({str(options) for options in COMBINATIONS}) == NUMBER
