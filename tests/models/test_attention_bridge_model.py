"""The multilingual model with an attention bridge: steps, parameters, pairs, dtypes and new languages."""

from __future__ import annotations

import itertools
import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from multilingual import (
    CLOSE,
    CROSS,
    MECHANISMS,
    TRANSFORMER,
    batch,
    check_padding_and_batching,
    check_rows_of_padding,
    check_saved_equals_loaded,
    name,
    part_of,
    randomise,
    stepwise,
)
from one_in import one_in

from keras_nmt.ids import BOS, PAD
from keras_nmt.models import AttentionBridgeModel

LANGUAGES = {"de": 17, "fr": 13}
TINY = {"hidden_dim": 8, "bridge_heads": 3, "bridge_hidden_dim": 6}
ENCODER = {"encoder": "transformer", "num_encoder_layers": 1, "transformer": TRANSFORMER}
DECODER = {"decoder": "transformer", "num_decoder_layers": 1, "transformer": TRANSFORMER}
BOTH = {**ENCODER, **DECODER}
KINDS = [{}, ENCODER, DECODER, BOTH]
NO_BRIDGE = {"bridge_heads": None}
DOT = {"attention_score": "dot", "num_encoder_layers": 1}
CONCAT = {"attention_score": "concat", "bridge_heads": None, "num_encoder_layers": 1, "num_decoder_layers": 1}
NO_FEEDING = {"input_feeding": False, "dropout_in_loop": True, "tie_output": True, "bridge_bias": False}
ROLES = {**TRANSFORMER, "roles": {"kind": "softmax", "num_roles": 3}}
SHARED = {"shared_attention": True, "bridge_heads": None}  # the idea of Firat et al.
WITH_ROLES = {**ENCODER, "transformer": ROLES, "attention_score": "concat", "bridge_heads": None}
WITH_MECHANISMS = {**BOTH, "transformer": MECHANISMS, "num_encoder_layers": 2, "num_decoder_layers": 2}
WITH_CROSS = {**BOTH, "transformer": CROSS}
# Recurrent and Transformer encoders and decoders, with and without a bridge, in pairs; then further options.
VARIANTS = [
    {},
    {**ENCODER, **NO_BRIDGE},
    {**DECODER, **NO_BRIDGE},
    BOTH,
    DOT,
    CONCAT,
    NO_FEEDING,
    WITH_CROSS,
    {"shared_attention": True, "attention_score": "concat"},
    SHARED,
    WITH_ROLES,
    WITH_MECHANISMS,
    {**WITH_CROSS, **NO_BRIDGE},
]
_models: dict[str, AttentionBridgeModel] = {}


def _model(options=None):
    """Returns a cached model, which tests must not change."""
    key = json.dumps(options or {})
    if key not in _models:
        _models[key] = randomise(AttentionBridgeModel(LANGUAGES, **{**TINY, **(options or {})}))
    return _models[key]


def _fresh(languages=LANGUAGES, **options):
    return randomise(AttentionBridgeModel(languages, **{**TINY, **options}))


@pytest.mark.parametrize("options", one_in(2, VARIANTS, name))
def test_stepwise_equals_full(options):
    pair = _model(options).pair("de", "fr")
    source, target = batch(pair)
    logits = pair([source, target])
    assert (logits.shape, logits.dtype) == ((3, 4, LANGUAGES["fr"]), tf.float32)
    np.testing.assert_allclose(stepwise(pair, source, target), logits, **CLOSE)


@pytest.mark.parametrize("options", [{}, {**WITH_CROSS, **NO_BRIDGE}], ids=name)
def test_compiled_stepwise_equals_full(options):
    pair = _model(options).pair("de", "fr")
    source, target = batch(pair)
    np.testing.assert_allclose(stepwise(pair, source, target, jit_compile=True), pair([source, target]), **CLOSE)


@pytest.mark.parametrize("options", one_in(3, VARIANTS, name))
def test_padding_and_batching_are_invisible(options):
    check_padding_and_batching(_model(options).pair("de", "fr"))


@pytest.mark.parametrize("options", VARIANTS[:4], ids=name)
def test_rows_of_padding_are_finite_and_change_nothing(options):
    check_rows_of_padding(_model(options).pair("fr", "de"))


# --- weights ---------------------------------------------------------------------------------------------------------


def _parameters(
    sizes, d, heads, dw, encoders=2, decoders=2, score="general", feeding=True, tied=False, bias=True, shared=False
):
    """The parameters of a recurrent model by the paper's equations: four gates per LSTM, two LSTMs per BiLSTM."""
    encoder = encoders * 2 * 4 * (d // 2) * (d + d // 2 + 1)
    decoder = decoders * 4 * d * (d + d + 1) + (4 * d * d if feeding else 0)
    attention = {"dot": 0, "general": d * d, "concat": 2 * d * d + d}[score]
    attention *= 1 if shared else len(sizes)
    bridge = 0 if heads is None else d * dw + dw * heads + (dw + heads if bias else 0)
    language = encoder + decoder + 2 * d * d
    return sum((1 if tied else 2) * size * d + language for size in sizes) + attention + bridge


@pytest.mark.parametrize(("heads", "of_bridge"), [(10, 535_562), (50, 576_562)])
def test_has_the_papers_number_of_parameters(heads, of_bridge):
    model = AttentionBridgeModel({"de": 50}, bridge_heads=heads)
    assert model.bridge.count_params() == of_bridge
    assert model.count_params() == _parameters([50], 512, heads, 1024)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, {}),
        (DOT, {"score": "dot", "encoders": 1}),
        (CONCAT, {"score": "concat", "heads": None, "encoders": 1, "decoders": 1}),
        (NO_FEEDING, {"feeding": False, "tied": True, "bias": False}),
        (SHARED, {"heads": None, "shared": True}),
    ],
    ids=str,
)
def test_has_the_number_of_parameters_of_the_equations(options, arguments):
    assert _model(options).count_params() == _parameters(
        LANGUAGES.values(), **{"d": 8, "heads": 3, "dw": 6} | arguments
    )


@pytest.mark.parametrize("options", VARIANTS, ids=name)
def test_the_model_has_each_weight_once_under_a_unique_name(options):
    model = _model(options)
    paths = [w.path for w in model.weights]
    assert len(set(paths)) == len(paths) == len({id(w) for w in model.weights})
    parts = {f"{language}_{part}" for language in LANGUAGES for part in ("embedding", "encoder", "decoder")}
    assert parts <= {part_of(w) for w in model.weights}
    for pair in itertools.product(LANGUAGES, repeat=2):
        assert {id(w) for w in model.pair(*pair).weights} <= {id(w) for w in model.weights}


@pytest.mark.parametrize("options", [*KINDS, NO_BRIDGE, SHARED], ids=name)
def test_a_pair_trains_all_weights_of_its_languages(options):
    pair = _model(options).pair("de", "fr")
    parts = {part_of(w) for w in pair.trainable_weights}
    bridge = set() if options.get("bridge_heads", 3) is None else {"bridge"}
    attention = {"shared_attention"} if options.get("shared_attention") else set()
    assert parts == {"de_embedding", "de_encoder", "fr_embedding", "fr_decoder"} | bridge | attention
    source, target = batch(pair)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(pair([source, target], training=True) ** 2)
    for weight, gradient in zip(
        pair.trainable_weights,
        tape.gradient(loss, [w.value for w in pair.trainable_weights]),
        strict=True,
    ):
        idle = weight.path in ("de_embedding/table/reverse_embeddings", "bridge/scores/bias")  # cancelled by softmax
        assert idle or np.abs(np.asarray(tf.convert_to_tensor(gradient))).max() > 0, weight.path


def test_pairs_share_the_bridge_and_the_weights_of_their_languages():
    model = _fresh(num_encoder_layers=1, num_decoder_layers=1)
    pairs = list(itertools.product(LANGUAGES, repeat=2))
    inputs = {pair: batch(model.pair(*pair)) for pair in pairs}

    def logits():
        return {pair: model.pair(*pair)(inputs[pair]).numpy() for pair in pairs}

    def changed(part):
        before = logits()
        for weight in model.weights:
            if part_of(weight) == part:
                weight.assign(weight + 0.5)
        after = logits()
        return {pair for pair in pairs if not np.allclose(before[pair], after[pair], atol=1e-5)}

    assert changed("bridge") == set(pairs)
    assert changed("fr_decoder") == {("de", "fr"), ("fr", "fr")}
    assert changed("de_encoder") == {("de", "de"), ("de", "fr")}
    assert changed("de_embedding") == set(pairs) - {("fr", "fr")}  # one table for both sides


def test_models_of_pairs_and_their_parts_are_made_once():
    model = _model()
    assert model.pair("de", "fr") is model.pair("de", "fr")
    assert model.encoder_for("de", "fr") is model.encoder_for("de", "de") is model.pair("de", "fr").encoder
    assert model.decoder_for("fr") is model.decoder_for("fr")
    assert model.bridge_outputs("de") is model.bridge_outputs("de")
    pair = model.pair("de", "fr")
    assert (pair.source_vocabulary_size, pair.target_vocabulary_size, pair.name) == (17, 13, "de_fr")
    assert (model.languages, model.vocabulary_sizes) == (("de", "fr"), LANGUAGES)


# --- the bridge and the initial states of decoders -------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, BOTH], ids=name)
def test_shapes_in_decoding_do_not_depend_on_the_source_length(options):
    model = _model(options)

    def shapes(length):
        ids = np.full((2, length), 5, "int32")
        memory = model.encoder_for("de", "fr")(ids)
        constants, caches = model.pair("de", "fr").prepare(memory, 2, 7)
        return tf.nest.map_structure(lambda x: tuple(x.shape), [memory, constants, caches])

    assert shapes(10) == shapes(100)
    memory = model.encoder_for("de", "fr")(np.array([[5, 6, 3], [0, 0, 0]], "int32"))
    assert memory["states"].shape == (2, 3, 8)
    np.testing.assert_array_equal(memory["mask"], np.ones((2, 3), bool))  # padding ends at the bridge


@pytest.mark.parametrize("options", KINDS, ids=name)
def test_bridge_outputs_equal_the_decoders_memory(options):
    model = _model(options)
    source, _ = batch(model.pair("de", "fr"))
    outputs = model.bridge_outputs("de")(source)
    sentence, attention = outputs["sentence"].numpy(), outputs["attention"].numpy()
    np.testing.assert_array_equal(sentence, model.encoder_for("de", "fr")(source)["states"])
    np.testing.assert_allclose(outputs["mean"], sentence.mean(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(attention.sum(-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(attention.transpose(0, 2, 1)[source == PAD], 0)


@pytest.mark.parametrize("states", ["lexical", "non_lexical"])
def test_over_a_bridge_shortcuts_on_cross_attention_read_attended_embeddings(states):
    transformer = {**CROSS, "shortcuts": {**CROSS["shortcuts"], "source": states}}
    options = {**BOTH, "num_encoder_layers": 2, "transformer": transformer}
    model, without = _fresh(**options), _fresh(**options, bridge_heads=None)
    given = {weight.path: weight.numpy() for weight in model.weights}
    for weight in without.weights:
        weight.assign(given[weight.path])
    source, target = batch(model.pair("de", "fr"))
    lexical = without.encoder_for("de", "fr")(source)["shortcut_states"].numpy()  # E, or states
    attention = model.bridge_outputs("de")(source)["attention"].numpy()  # A
    memory = dict(model.encoder_for("de", "fr")(source))
    np.testing.assert_allclose(memory["shortcut_states"], attention @ lexical, rtol=1e-5, atol=1e-5)
    # The decoder reads these states.
    logits = model.decoder_for("fr").logits(target, memory)
    memory["shortcut_states"] = ops.zeros_like(memory["shortcut_states"])
    assert np.abs(model.decoder_for("fr").logits(target, memory) - logits).max() > 1e-3


def test_recurrent_decoders_start_from_the_mean_of_m():
    for options in KINDS[:2]:
        model = _model(options)
        pair = model.pair("de", "fr")
        source, _ = batch(pair)
        _, caches = pair.prepare(pair.encoder(source), 2, 4)
        mean = model.bridge_outputs("de")(source)["mean"].numpy()
        assert len(caches["states"]) == 4  # h and c of two layers
        for x in caches["states"]:
            np.testing.assert_allclose(x, np.repeat(mean[:, None], 2, 1), rtol=1e-5, atol=1e-6)


def test_without_a_bridge_recurrent_decoders_start_from_the_encoders_last_states():
    model = _model(NO_BRIDGE)
    pair = model.pair("de", "fr")
    source, _ = batch(pair)
    _, caches = pair.prepare(pair.encoder(source), 1, 4)
    states, final = model.de_encoder(model.de_embedding(source), mask=source != PAD, return_state=True)
    for cache, x in zip(caches["states"], tf.nest.flatten(final), strict=True):
        np.testing.assert_allclose(cache[:, 0], x, rtol=1e-5, atol=1e-6)
    memory = pair.encoder(source)
    np.testing.assert_allclose(memory["states"], states, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(memory["mask"], source != PAD)


def test_transformers_scale_embeddings_and_recurrent_networks_do_not():
    ids = np.array([[5, 6, 3]])
    for options, scale in zip(KINDS, (1, 8**0.5, 8**0.5, 8**0.5), strict=True):
        embedding = _model(options).de_embedding
        np.testing.assert_allclose(embedding(ids), scale * embedding.table.embeddings.numpy()[ids], rtol=1e-6)


def test_without_a_bridge_recurrent_decoders_start_from_a_transformers_mean_state():
    pair = _model({**ENCODER, **NO_BRIDGE}).pair("de", "fr")
    source, _ = batch(pair)
    memory = pair.encoder(source)
    _, caches = pair.prepare(memory, 1, 4)
    for row, length in enumerate((source != PAD).sum(1)):
        mean = memory["states"].numpy()[row, :length].mean(0)
        for x in caches["states"]:
            np.testing.assert_allclose(x[row, 0], mean, rtol=1e-4, atol=1e-6)


def test_a_sentence_of_one_token_with_fifty_heads():
    model = _fresh(bridge_heads=50)
    pair, one = model.pair("de", "fr"), np.array([[3]], "int32")
    outputs = model.bridge_outputs("de")(one)
    np.testing.assert_allclose(outputs["attention"], np.ones((1, 50, 1)), rtol=1e-6)
    target = np.array([[BOS, 5, 6]], "int32")
    logits = pair([one, target])
    assert np.isfinite(logits).all()
    np.testing.assert_allclose(pair([np.pad(one, ((0, 0), (0, 3))), target]), logits, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(stepwise(pair, one, target), logits, **CLOSE)


@pytest.mark.parametrize("penalty", ["squared", "root"])
def test_penalties_of_sentences_are_added_to_the_training_loss(penalty):
    model = _fresh({"de": 17}, penalty=penalty, penalty_weight=0.5, dropout=0.0)
    pair = model.pair("de", "de")
    source, target = (np.pad(x, ((0, 2), (0, 0))) for x in batch(pair))  # with two filler rows
    attention = model.bridge_outputs("de")(source)["attention"].numpy()
    squared = ((attention @ attention.transpose(0, 2, 1) - np.eye(3)) ** 2).sum((1, 2))[:3]
    pair([source, target], training=True)
    expected = 0.5 * (squared if penalty == "squared" else np.sqrt(squared)).mean()
    np.testing.assert_allclose(np.sum(pair.losses), expected, rtol=1e-4)
    pair([source, target])
    assert np.sum(pair.losses) == 0


def test_without_a_bridge_there_is_no_penalty():
    pair = _model(NO_BRIDGE).pair("de", "fr")
    pair(batch(pair), training=True)
    assert not pair.losses


def test_a_pair_cannot_be_saved_separately(tmp_path):
    with pytest.raises(ValueError, match="save that model instead. Received: de-fr of AttentionBridge"):
        _model().pair("de", "fr").save(tmp_path / "pair.keras")


# --- saving, other dtypes, additional languages-----------------------------------------------------------------------


@pytest.mark.parametrize("options", [WITH_MECHANISMS, SHARED], ids=name)
def test_saved_equals_loaded(options, tmp_path):
    check_saved_equals_loaded(_model(options), ("de", "fr"), tmp_path)


def test_a_model_saved_by_keras_equals_the_loaded_model(tmp_path):
    model = _fresh({"pt-BR": 17, "zh_Hant": 13})
    inputs = batch(model.pair("pt-BR", "zh_Hant"))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.pair("pt-BR", "zh_Hant")(inputs), model.pair("pt-BR", "zh_Hant")(inputs))


def test_pairs_are_not_saved_or_counted_twice(tmp_path):
    model = AttentionBridgeModel({"de": 300, "fr": 300}, hidden_dim=64, bridge_heads=3)
    parameters = model.count_params()
    for pair in itertools.product(model.languages, repeat=2):
        model.pair(*pair)
        model.bridge_outputs(pair[0])
    assert model.count_params() == parameters
    model.save_weights(tmp_path / "w.weights.h5")
    assert (tmp_path / "w.weights.h5").stat().st_size < 1.3 * 4 * parameters


@pytest.mark.parametrize(("options", "dtype"), [({}, "mixed_bfloat16"), (NO_BRIDGE, "mixed_float16")])
def test_half_precision_is_near_float32(options, dtype):
    model, half = _model(options), _model(options).with_dtype(dtype)
    assert half.get_config() == {**model.get_config(), "dtype": dtype}
    assert {w.dtype for w in half.trainable_weights} == {"float32"}
    pair, half_pair = model.pair("de", "fr"), half.pair("de", "fr")
    inputs = batch(pair)
    logits = half_pair(inputs)
    assert logits.dtype == tf.float32
    tolerance = 0.3 if dtype == "mixed_bfloat16" else 0.05
    np.testing.assert_allclose(logits, pair(inputs), atol=tolerance)
    np.testing.assert_allclose(stepwise(half_pair, *inputs), logits, atol=tolerance)
    again = half_pair.with_dtype("float32")
    np.testing.assert_array_equal(again(inputs), pair(inputs))


def test_recurrent_steps_are_float32_under_half_precision():
    pair = _model().with_dtype("mixed_bfloat16").pair("de", "fr")
    source, target = batch(pair)
    constants, caches = pair.prepare(pair.encoder(source), 1, 4)
    start = caches["states"][0]
    assert not np.array_equal(start, tf.cast(tf.cast(start, "bfloat16"), "float32"))  # the mean of M, not rounded
    assert {x.dtype for x in tf.nest.flatten(caches)} == {tf.float32}
    fine = tf.nest.map_structure(lambda x: x + 1e-4, caches)
    one, two = (
        pair.decoder_step(tf.constant(target[:, :1]), tf.constant(0), constants, x)[1]["states"][1]
        for x in (caches, fine)
    )
    difference = np.abs(one - two)  # of c, which would be lost by rounding
    assert difference.max() < 3e-4
    assert (difference > 1e-6).mean() > 0.9


@pytest.mark.parametrize(("options", "freeze"), [({}, False), (WITH_ROLES, True), (SHARED, True)], ids=str)
def test_a_language_is_added_to_a_trained_model(options, freeze):
    model = _model(options)
    before = [w.numpy() for w in model.weights]
    larger = model.with_language("cs", 11, freeze=freeze)
    assert larger.languages == ("de", "fr", "cs")
    assert model.languages == ("de", "fr")
    for pair in itertools.product(model.languages, repeat=2):
        inputs = batch(model.pair(*pair))
        np.testing.assert_array_equal(larger.pair(*pair)(inputs), model.pair(*pair)(inputs))
    new = {"cs_embedding", "cs_encoder", "cs_decoder"}
    if "transformer" in options:
        new |= {"cs_source_roles"}
    trained = {part_of(w) for w in larger.trainable_weights}
    assert trained == (new if freeze else {part_of(w) for w in larger.weights})
    assert bool({part_of(w) for w in larger.pair("de", "fr").trainable_weights}) != freeze
    # An update changes the pair's weights that are not frozen, and no weight of the original model.
    pair = larger.pair("cs", "de")
    inputs = batch(pair)
    old = {w.path: w.numpy() for w in larger.weights}
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(pair(inputs, training=True) ** 2)
    for weight, gradient in zip(
        pair.trainable_weights, tape.gradient(loss, [w.value for w in pair.trainable_weights]), strict=True
    ):
        if gradient is not None:  # no logits of the source language are computed
            weight.assign(weight - tf.convert_to_tensor(gradient))
    moved = {part_of(w) for w in larger.weights if not np.array_equal(old[w.path], w)}
    assert "cs_encoder" in moved
    assert moved - new == (set() if freeze else {"bridge", "de_embedding", "de_decoder"})
    for one, other in zip(before, model.weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_new_language_uses_the_shared_attention():
    larger = _model(SHARED).with_language("cs", 11)
    assert {id(side.stack.attention) for side in map(larger.decoder_for, larger.languages)} == {
        id(larger.shared_attention)
    }


def test_two_languages_can_be_added_also_in_another_dtype():
    larger = _model().with_language("cs", 11).with_language("en", 12)
    assert {part_of(w) for w in larger.trainable_weights} == {"en_embedding", "en_encoder", "en_decoder"}
    half = larger.with_dtype("mixed_bfloat16")
    for one, other in zip(larger.weights, half.weights, strict=True):
        assert one.path == other.path
        np.testing.assert_array_equal(one, other)


def test_dropout_applies_to_embeddings_and_stacks_of_both_sides():
    model = _fresh({"de": 17}, dropout=0.5)  # one language: each stack is called once
    pair, stacks = model.pair("de", "de"), (model.de_encoder, model.de_decoder)
    first = keras.Model(pair.inputs, [keras.tree.flatten(stack.input)[0] for stack in stacks])
    inputs = batch(pair)
    for plain, dropped in zip(first(inputs), first(inputs, training=True), strict=True):
        plain, dropped = np.asarray(plain), np.asarray(dropped)
        assert 0.3 < (dropped != 0).mean() < 0.7
        np.testing.assert_allclose(dropped[dropped != 0], 2 * plain[dropped != 0], rtol=1e-5)
    assert {stack.dropout for stack in stacks} == {0.5}
    both = AttentionBridgeModel({"de": 17}, **{**TINY, **BOTH}, dropout=0.5)
    assert {stack.layers[0].residual_dropout.rate for stack in (both.de_encoder, both.de_decoder)} == {0.5}


def test_the_uniform_start_covers_all_weights_and_no_more():
    keras.utils.set_random_seed(1)
    model = AttentionBridgeModel(LANGUAGES, uniform_start=0.1, **TINY)
    for weight in model.trainable_weights:
        values = ops.convert_to_numpy(weight)
        assert np.abs(values).max() <= 0.1, weight.path
        assert np.abs(values).max() > 0.05 or values.size < 8, weight.path
    assert AttentionBridgeModel.from_config(model.get_config()).get_config()["uniform_start"] == 0.1
    with pytest.raises(ValueError, match="`uniform_start` must be above 0 and finite. Received: uniform_start=0"):
        AttentionBridgeModel(LANGUAGES, uniform_start=0, **TINY)
