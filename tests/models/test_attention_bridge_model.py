"""The multilingual model with an attention bridge: steps, parameters, pairs, dtypes and new languages."""

import itertools
import math

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from model_checks import CROSS, TRANSFORMER, batch, check_invariants, check_saved_equals_loaded, part_of, shared_model

from keras_nmt.ids import PAD
from keras_nmt.layers._keras_private import without_values
from keras_nmt.models import AttentionBridgeModel
from keras_nmt.testing import randomise

LANGUAGES = {"de": 17, "fr": 13}
TINY = {"hidden_dim": 8, "num_encoder_layers": 1, "num_decoder_layers": 1, "bridge_heads": 3, "bridge_hidden_dim": 6}
DEEP = {"num_encoder_layers": 2, "num_decoder_layers": 2}
ENCODER = {"encoder": "transformer", "transformer": TRANSFORMER}
DECODER = {"decoder": "transformer", "transformer": TRANSFORMER}
BOTH = {**ENCODER, **DECODER}
NO_BRIDGE = {"bridge_heads": None}
DOT = {"attention_score": "dot", "num_decoder_layers": 2}
CONCAT = {"attention_score": "concat", "bridge_heads": None}
NO_FEEDING = {"input_feeding": False, "dropout_in_loop": True, "tie_output": True, "bridge_bias": False, **DEEP}
ROLES = {**TRANSFORMER, "roles": {"kind": "softmax", "num_roles": 3}}
SHARED = {"shared_attention": True, "bridge_heads": None}  # the idea of Firat et al.
WITH_ROLES = {**ENCODER, "transformer": ROLES, "attention_score": "concat", "bridge_heads": None}
MECHANISMS = {
    **TRANSFORMER,
    "shortcuts": "fusion",
    "layer_composition": {"kind": "extended", "rank": 4},
    "head_composition": {"kind": "extended", "rank": 4},
    "roles": {"kind": "contextualized", "num_roles": 3},
}
WITH_MECHANISMS = {**BOTH, "transformer": MECHANISMS, **DEEP}
WITH_CROSS = {**BOTH, "transformer": CROSS}
CHEAP = {**BOTH, "transformer": {**TRANSFORMER, "decoder_self_attention": "ssru", "tied_layers": ["decoder"]}, **DEEP}


def _variants(*daily, slow=(), nightly=()):
    """Parameters by the runs that have them."""
    runs = ((daily, []), (slow, [pytest.mark.slow]), (nightly, [pytest.mark.nightly]))
    return [pytest.param(options, id=str(options), marks=marks) for variants, marks in runs for options in variants]


def _model(options=None):
    return shared_model(AttentionBridgeModel, languages=LANGUAGES, **{**TINY, **(options or {})})


def _fresh(languages=LANGUAGES, **options):
    return randomise(AttentionBridgeModel(languages, **{**TINY, **options}))


@pytest.mark.parametrize(
    "options",
    _variants(
        *(DEEP, WITH_CROSS),
        slow=[{**DECODER, **NO_BRIDGE}, CONCAT, CHEAP, SHARED, WITH_ROLES, {**WITH_CROSS, **NO_BRIDGE}],
        nightly=[BOTH, DOT, NO_FEEDING, {"shared_attention": True, "attention_score": "concat"}, WITH_MECHANISMS],
    ),
)
def test_steps_equal_the_full_pass_padding_is_invisible_and_weights_have_unique_names(options):
    model = _model(options)
    check_invariants(model.pair("de", "fr"))
    paths = [w.path for w in model.weights]
    assert len(set(paths)) == len(paths) == len({id(w) for w in model.weights})
    parts = {f"{language}_{part}" for language in LANGUAGES for part in ("embedding", "encoder", "decoder")}
    assert parts <= {part_of(w) for w in model.weights}
    for pair in itertools.product(LANGUAGES, repeat=2):
        assert {id(w) for w in model.pair(*pair).weights} <= {id(w) for w in model.weights}


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


def _count(layer):
    return sum(math.prod(weight.shape) for weight in layer.trainable_weights)


def test_has_the_number_of_parameters_of_the_paper_and_of_the_equations():
    for heads, of_bridge in ((10, 535_562), (50, 576_562)):
        model = without_values(lambda heads=heads: AttentionBridgeModel({"de": 50}, bridge_heads=heads))
        assert _count(model.bridge) == of_bridge
        assert _count(model) == _parameters([50], 512, heads, 1024)
    for options, arguments in (
        ({}, {}),
        (DOT, {"score": "dot", "decoders": 2}),
        (CONCAT, {"score": "concat", "heads": None}),
        (NO_FEEDING, {"feeding": False, "tied": True, "bias": False, "encoders": 2, "decoders": 2}),
        (SHARED, {"heads": None, "shared": True}),
    ):
        model = without_values(lambda options=options: AttentionBridgeModel(LANGUAGES, **{**TINY, **options}))
        assert _count(model) == _parameters(
            LANGUAGES.values(), **{"d": 8, "heads": 3, "dw": 6, "encoders": 1, "decoders": 1} | arguments
        )


@pytest.mark.parametrize("options", _variants({}, slow=[BOTH, ENCODER, DECODER, NO_BRIDGE, SHARED]))
def test_a_pair_trains_all_weights_of_its_languages(options):
    pair = _model(options).pair("de", "fr")
    parts = {part_of(w) for w in pair.trainable_weights}
    bridge = set() if options.get("bridge_heads", 3) is None else {"bridge"}
    attention = {"shared_attention"} if options.get("shared_attention") else set()
    assert parts == {"de_embedding", "de_encoder", "fr_embedding", "fr_decoder"} | bridge | attention
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(pair(batch(pair), training=True) ** 2)
    gradients = tape.gradient(loss, [w.value for w in pair.trainable_weights])
    for weight, gradient in zip(pair.trainable_weights, gradients, strict=True):
        idle = weight.path in ("de_embedding/table/reverse_embeddings", "bridge/scores/bias")  # cancelled by softmax
        assert idle or np.abs(np.asarray(tf.convert_to_tensor(gradient))).max() > 0, weight.path
    assert bool(pair.losses) == bool(bridge), "the penalty is the bridge's"


def test_pairs_share_the_bridge_and_the_weights_of_their_languages():
    model = _fresh()
    pairs = list(itertools.product(LANGUAGES, repeat=2))
    inputs = {pair: batch(model.pair(*pair)) for pair in pairs}

    def logits():
        return {pair: model.pair(*pair)(inputs[pair]).numpy() for pair in pairs}

    found = [logits()]

    def changed(part):
        for weight in model.weights:
            if part_of(weight) == part:
                weight.assign(weight + 0.5)
        found.append(logits())
        return {pair for pair in pairs if not np.allclose(found[-2][pair], found[-1][pair], atol=1e-5)}

    assert changed("bridge") == set(pairs)
    assert changed("fr_decoder") == {("de", "fr"), ("fr", "fr")}
    assert changed("de_encoder") == {("de", "de"), ("de", "fr")}
    assert changed("de_embedding") == set(pairs) - {("fr", "fr")}  # one table for both sides


def test_models_of_pairs_and_their_parts_are_made_once_and_saved_as_a_whole(tmp_path):
    model = AttentionBridgeModel({"de": 300, "fr": 310}, hidden_dim=64, bridge_heads=3)
    parameters = model.count_params()
    assert model.pair("de", "fr") is model.pair("de", "fr")
    assert model.encoder_for("de", "fr") is model.encoder_for("de", "de") is model.pair("de", "fr").encoder
    assert model.decoder_for("fr") is model.decoder_for("fr")
    assert model.bridge_outputs("de") is model.bridge_outputs("de")
    pair = model.pair("de", "fr")
    assert (pair.source_vocabulary_size, pair.target_vocabulary_size, pair.name) == (300, 310, "de_fr")
    assert (model.languages, model.vocabulary_sizes) == (("de", "fr"), {"de": 300, "fr": 310})
    assert model.count_params() == parameters
    model.save_weights(tmp_path / "w.weights.h5")
    assert (tmp_path / "w.weights.h5").stat().st_size < 1.3 * 4 * parameters
    with pytest.raises(ValueError, match="save that model instead. Received: de-fr of AttentionBridge"):
        pair.save(tmp_path / "pair.keras")


# --- the bridge and the initial states of decoders -------------------------------------------------------------------


@pytest.mark.parametrize("options", _variants({}, slow=[WITH_CROSS, ENCODER, DECODER]))
def test_the_bridges_outputs_are_the_decoders_memory_whose_shape_does_not_depend_on_the_source(options):
    model = _model(options)

    def shapes(length):
        ids = np.full((2, length), 5, "int32")
        memory = model.encoder_for("de", "fr")(ids)
        constants, caches = model.pair("de", "fr").prepare(memory, 2, 7)
        return tf.nest.map_structure(lambda x: tuple(x.shape), [memory, constants, caches])

    assert shapes(10) == shapes(100)
    source, _ = batch(model.pair("de", "fr"))
    memory = model.encoder_for("de", "fr")(source)
    np.testing.assert_array_equal(memory["mask"], np.ones((2, 3), bool))  # padding ends at the bridge
    outputs = model.bridge_outputs("de")(source)
    sentence, attention = outputs["sentence"].numpy(), outputs["attention"].numpy()
    np.testing.assert_array_equal(sentence, memory["states"])
    np.testing.assert_allclose(outputs["mean"], sentence.mean(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(attention.sum(-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(attention.transpose(0, 2, 1)[source == PAD], 0)


@pytest.mark.parametrize("states", ["lexical", pytest.param("non_lexical", marks=pytest.mark.slow)])
def test_over_a_bridge_shortcuts_on_cross_attention_read_attended_embeddings(states):
    transformer = {**CROSS, "shortcuts": {**CROSS["shortcuts"], "source": states}}
    options = {**BOTH, **DEEP, "transformer": transformer}
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


def test_recurrent_decoders_start_from_the_mean_of_m_or_of_the_encoders_states():
    model, recurrent, transformer = _model(DEEP), _model({**NO_BRIDGE, **DEEP}), _model({**ENCODER, **NO_BRIDGE})
    source, _ = batch(model.pair("de", "fr"))

    def start(model, beam_size=1):
        pair = model.pair("de", "fr")
        memory = pair.encoder(source)
        return memory, pair.prepare(memory, beam_size, 4)[1]["states"]

    _, caches = start(model, 2)
    mean = model.bridge_outputs("de")(source)["mean"].numpy()
    assert len(caches) == 4  # h and c of two layers
    for x in caches:
        np.testing.assert_allclose(x, np.repeat(mean[:, None], 2, 1), rtol=1e-5, atol=1e-6)

    memory, caches = start(recurrent)  # from its last states
    states, final = recurrent.de_encoder(recurrent.de_embedding(source), mask=source != PAD, return_state=True)
    for cache, x in zip(caches, tf.nest.flatten(final), strict=True):
        np.testing.assert_allclose(cache[:, 0], x, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(memory["states"], states, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(memory["mask"], source != PAD)

    memory, caches = start(transformer)
    for row, length in enumerate((source != PAD).sum(1)):
        for x in caches:
            np.testing.assert_allclose(x[row, 0], memory["states"][row, :length].numpy().mean(0), rtol=1e-4, atol=1e-6)


def test_transformers_scale_embeddings_and_recurrent_networks_do_not():
    ids = np.array([[5, 6, 3]])
    for options, scale in (({}, 1), ({**DECODER, **NO_BRIDGE}, 8**0.5), (WITH_CROSS, 8**0.5)):
        embedding = _model(options).de_embedding
        np.testing.assert_allclose(embedding(ids), scale * embedding.table.embeddings.numpy()[ids], rtol=1e-6)


@pytest.mark.parametrize("penalty", ["squared", "root"])
def test_penalties_of_sentences_are_added_to_the_training_loss(penalty):
    model = _fresh({"de": 17}, penalty=penalty, penalty_weight=0.5, dropout=0.0)
    pair = model.pair("de", "de")
    source, target = (np.pad(x, ((0, 2), (0, 0))) for x in batch(pair))  # with two filler rows
    attention = model.bridge_outputs("de")(source)["attention"].numpy()
    squared = ((attention @ attention.transpose(0, 2, 1) - np.eye(3)) ** 2).sum((1, 2))[:2]
    pair([source, target], training=True)
    expected = 0.5 * (squared if penalty == "squared" else np.sqrt(squared)).mean()
    np.testing.assert_allclose(np.sum(pair.losses), expected, rtol=1e-4)
    pair([source, target])
    assert np.sum(pair.losses) == 0


# --- saving, other dtypes, additional languages-----------------------------------------------------------------------


@pytest.mark.parametrize("options", _variants(SHARED, slow=[WITH_MECHANISMS]))
def test_saved_equals_loaded(options, tmp_path):
    check_saved_equals_loaded(_model(options), ("de", "fr"), tmp_path)


@pytest.mark.slow
def test_a_model_saved_by_keras_equals_the_loaded_model(tmp_path):
    model = _fresh({"pt-BR": 17, "zh_Hant": 13})
    inputs = batch(model.pair("pt-BR", "zh_Hant"))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.pair("pt-BR", "zh_Hant")(inputs), model.pair("pt-BR", "zh_Hant")(inputs))


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


@pytest.mark.parametrize(
    ("options", "freeze"),
    [(SHARED, True), *(pytest.param(*x, marks=pytest.mark.slow) for x in (({}, False), (WITH_ROLES, True)))],
    ids=str,
)
def test_a_language_is_added_to_a_trained_model(options, freeze):
    model = _model(options)
    before = [w.numpy() for w in model.weights]
    larger = model.with_language("cs", 11, freeze=freeze)
    assert larger.languages == ("de", "fr", "cs")
    assert model.languages == ("de", "fr")
    for pair in itertools.product(model.languages, repeat=2):
        inputs = batch(model.pair(*pair))
        np.testing.assert_array_equal(larger.pair(*pair)(inputs), model.pair(*pair)(inputs))
    if options == SHARED:
        attentions = {id(larger.decoder_for(language).stack.attention) for language in larger.languages}
        assert attentions == {id(larger.shared_attention)}
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
    both = without_values(lambda: AttentionBridgeModel({"de": 17}, **{**TINY, **BOTH}, dropout=0.5))
    assert {stack.layers[0].residual_dropout.rate for stack in (both.de_encoder, both.de_decoder)} == {0.5}


def test_the_uniform_start_covers_all_weights_and_no_more():
    model = AttentionBridgeModel(LANGUAGES, uniform_start=0.1, **TINY)
    for weight in model.trainable_weights:
        values = ops.convert_to_numpy(weight)
        assert np.abs(values).max() <= 0.1, weight.path
        assert np.abs(values).max() > 0.05 or values.size < 8, weight.path
    assert AttentionBridgeModel.from_config(model.get_config()).get_config()["uniform_start"] == 0.1
