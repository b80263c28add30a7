"""Transformers with an SSRU in place of the decoder's self-attention, tied layers, and deep encoders."""

from __future__ import annotations

import itertools

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf
from multilingual import check_padding_and_batching, check_saved_equals_loaded
from one_in import these
from own_mechanisms import Previous
from table_decoder import beam_search, hypotheses
from tiny import TINY, V, make_batch, randomise, stepwise

from keras_nmt.ids import BOS, EOS
from keras_nmt.layers import LayerSpec, MultiHeadAttention, Shortcuts
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, Transformer, count_parameters
from keras_nmt.testing import check_mechanism

SSRU = {"decoder_self_attention": "ssru"}
TIED = {"tied_layers": ["encoder", "decoder"]}
SITES = {"sites": ("self", "cross")}
EVERYTHING = {
    **SSRU,
    **TIED,
    "shortcuts": {"kind": "fusion", "source": "non_lexical", **SITES},
    "layer_composition": "extended",
    "head_composition": "low_rank",
    "roles": "softmax",
}
VARIANTS = {
    "ssru": {**SSRU, "num_decoder_layers": 1},
    "everything": EVERYTHING,
    "tied": {**TIED, "norm": "post", "layer_composition": "hierarchical"},
    "released": {**SSRU, "norm": "released", "shortcuts": {"kind": "plain", "sides": "encoder"}},
    "own": {"decoder_self_attention": LayerSpec(Previous), "positions": "rotary", "norm": "rms"},
    # Encoders and decoders of different depths.
    "deep encoder": {
        "num_encoder_layers": 5,
        "num_decoder_layers": 2,
        **EVERYTHING,
        "layer_composition": "hierarchical",
        "head_composition": None,  # at this depth it exceeds the tolerance of float16, also with attention and untied
    },
    "deep decoder": {
        "num_encoder_layers": 2,
        "num_decoder_layers": 3,
        "shortcuts": "fusion",
        "layer_composition": "linear",
    },
}


@pytest.mark.parametrize("name", these([1], list(VARIANTS), str))
def test_variants_keep_the_contract(name):
    check_mechanism(**VARIANTS[name])


# --- SSRU ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_length", [4, None])  # caches of fixed shapes, and caches that grow
def test_beam_search_equals_exhaustive_search(max_length):
    model = randomise(Transformer(**{**TINY, "source_vocabulary_size": 6}, **SSRU), scale=0.8)
    source = np.array([[5, 1, 4, EOS]])
    memory = model.encoder(source)
    scores = {}  # of every hypothesis, by teacher forcing
    for length in range(4):
        tokens = np.array([[*prefix, EOS] for prefix in itertools.product((1, 4, 5), repeat=length)])  # [N, length + 1]
        inputs = np.pad(tokens[:, :-1], ((0, 0), (1, 0)), constant_values=BOS)
        logits = tf.nn.log_softmax(model([np.repeat(source, len(tokens), 0), inputs]))
        sums = tf.reduce_sum(tf.gather(logits, tokens, batch_dims=2), axis=1).numpy()
        scores |= dict(zip(map(tuple, tokens.tolist()), sums, strict=True))
    assert len(scores) == 1 + 3 + 9 + 27
    for beam_size in (27, 3):  # all open prefixes, and a beam whose hypotheses move
        options = {"batch_size": 1, "beam_size": beam_size, "max_length": 4, "length_penalty": 0.0, "min_length": 0}
        found = hypotheses(beam_search(model.decoder_step, *model.prepare(memory, beam_size, max_length), **options), 0)
        expected = [scores[tuple(hypothesis.tokens)] for hypothesis in found]
        np.testing.assert_allclose([hypothesis.score for hypothesis in found], expected, rtol=1e-4, atol=1e-4)
        if beam_size == 27:
            np.testing.assert_allclose(expected, sorted(scores.values(), reverse=True)[:27], rtol=1e-6)


def _step_operators(model, source, max_length):
    """The types and output shapes of all operators of a decoding step, and the shapes of its caches."""
    constants, caches = model.prepare(model.encoder(source), 2, max_length)
    step = tf.function(model.decoder_step, autograph=False)
    graph = step.get_concrete_function(tf.constant([[2, 2]]), tf.constant(0), constants, caches).graph
    operators = [(op.type, [tuple(output.shape) for output in op.outputs]) for op in graph.get_operations()]
    return operators, [tuple(cache.shape) for cache in keras.tree.flatten(caches)]


def test_a_step_costs_the_same_at_every_position():
    """The position is an input of one graph without loops and branches, whatever the number of positions."""
    model, plain, source = Transformer(**TINY, **SSRU), Transformer(**TINY), np.array([[5, 6, EOS]])
    operators, shapes = _step_operators(model, source, 20)
    assert shapes == [(1, 2, 8)] * 3  # the state of each layer: [B, K, d]
    assert not [kind for kind, _ in operators if "While" in kind or "If" in kind or "Case" in kind]
    for max_length in (200, None):
        assert _step_operators(model, source, max_length) == (operators, shapes)
    assert _step_operators(plain, source, 200) != _step_operators(plain, source, 20)


def test_the_decoder_has_no_self_attention_and_the_encoder_has():
    model = Transformer(**TINY, **SSRU)
    assert {type(layer.self_attention) for layer in model.get_layer("encoder").layers} == {MultiHeadAttention}
    for layer in model.get_layer("decoder").layers:
        assert [w.path.split("/", 3)[-1] for w in layer.self_attention.weights] == ["kernel", "gate_bias"]
        assert isinstance(layer.cross_attention, MultiHeadAttention)


@pytest.mark.parametrize(
    "shortcuts",
    [Shortcuts("plain", sides="encoder"), Shortcuts("plain", sites="cross"), Shortcuts("plain", **SITES)],
    ids=str,
)
def test_shortcuts_are_where_there_is_attention(shortcuts):
    model = Transformer(**TINY, **SSRU, shortcuts=shortcuts)
    paths = {w.path.split("/", 3)[0] + "/" + w.path.split("/", 3)[2] for w in model.weights if "gate_bias" in w.path}
    expected = {"decoder/self_attention"}  # the gates of the SSRU
    expected |= {"encoder/self_attention"} if shortcuts.are_at("self", "encoder") else set()
    expected |= {"decoder/cross_attention"} if shortcuts.are_at("cross", "decoder") else set()
    assert paths == expected


@keras.saving.register_keras_serializable(package="own")
class AttentionWithoutStep(keras.layers.Layer):
    """A layer that search could not run."""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder_self_attention": "lstm"}, "`decoder_self_attention` must be one of 'attention', 'ssru'"),
        ({"decoder_self_attention": LayerSpec(AttentionWithoutStep)}, "must have `step` and `empty_cache`"),
        ({**SSRU, "shortcuts": "plain"}, "on cross-attention only: .*sites=\\('self',\\).*'ssru'$"),
        ({**SSRU, "shortcuts": {"kind": "plain", **SITES, "sides": "decoder"}}, "sides=\\('decoder',\\)"),
        ({"tied_layers": ["decoder", "both"]}, "`tied_layers` must be one or more of 'encoder', 'decoder'. Received"),
        ({"tied_layers": 3}, "`tied_layers` must be one or more"),
        ({**TIED, "num_decoder_layers": 1}, "leave 'decoder' out of `tied_layers`.* Received: num_decoder_layers=1"),
    ],
)
def test_what_has_no_effect_is_an_error_of_one_line(options, message):
    with pytest.raises(ValueError, match=f"^.*{message}.*$"):
        Transformer(**{**TINY, **options})


# --- tied layers -----------------------------------------------------------------------------------------------------


def test_tied_layers_compute_what_equal_layers_compute():
    tied = randomise(Transformer(**TINY, **TIED, layer_composition="extended", name="transformer"))
    untied = Transformer(**TINY, layer_composition="extended", name="transformer")
    values = {weight.path: weight for weight in tied.weights}
    for weight in untied.weights:
        weight.assign(values[weight.path.replace("/layer_2/", "/layer_1/").replace("/layer_3/", "/layer_1/")])
    batch = make_batch(tied)
    expected = untied(batch)
    np.testing.assert_allclose(tied(batch), expected, rtol=1e-5, atol=1e-5)
    for grows in (False, True):
        np.testing.assert_allclose(stepwise(tied, *batch, grows=grows), expected, rtol=1e-4, atol=1e-4)


def test_tied_weights_are_stored_once_and_caches_are_of_each_depth(tmp_path):
    model = Transformer(**TINY, tied_layers="decoder")
    assert model.get_config()["tied_layers"] == ["decoder"]
    model.save_weights(tmp_path / "tied.weights.h5")
    stored = []
    with h5py.File(tmp_path / "tied.weights.h5") as file:
        file.visititems(lambda name, item: stored.append(item.size) if isinstance(item, h5py.Dataset) else None)
    assert (len(stored), sum(stored)) == (len(model.weights), model.count_params())
    constants, caches = model.prepare(model.encoder(np.array([[5, EOS]])), 2, 4)
    assert (len(constants["layers"]), len(caches["layers"]["not_reordered"])) == (1, 3)


# --- parameters ------------------------------------------------------------------------------------------------------

D, F = 512, 2048
ATTENTION, FEED, NORM = 4 * D * D, 2 * D * F + D + F, 2 * D
LAYERS = {"encoder": ATTENTION + FEED + 2 * NORM, "decoder": 2 * ATTENTION + FEED + 3 * NORM}
BASE = 6 * LAYERS["encoder"] + 6 * LAYERS["decoder"] + 2 * NORM
SAVED = 2 * D * D - D  # W and W_f, and a bias, in place of four matrices


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({}, BASE),
        (SSRU, BASE - 6 * SAVED),
        ({"num_encoder_layers": 12, "num_decoder_layers": 1}, BASE + 6 * LAYERS["encoder"] - 5 * LAYERS["decoder"]),
        ({"tied_layers": "encoder"}, BASE - 5 * LAYERS["encoder"]),
        ({**SSRU, **TIED}, sum(LAYERS.values()) + 2 * NORM - SAVED),
    ],
    ids=str,
)
def test_parameters(options, parameters):
    assert count_parameters(source_vocabulary_size=500, **options) == parameters + 500 * D


def test_the_student_is_smaller_than_the_small_transformer():
    d, f = 192, 512
    feed, norm = 2 * d * f + d + f, 2 * d
    encoder, decoder = 4 * d * d + feed + 2 * norm, 2 * d * d + d + 4 * d * d + feed + 3 * norm
    expected = 6 * encoder + 2 * decoder + 2 * norm + 8000 * d
    student, small = (
        count_parameters(preset=f"transformer_{name}", source_vocabulary_size=8000) for name in ("student", "small")
    )
    assert student == expected < 0.75 * small


# --- many languages --------------------------------------------------------------------------------------------------

MANY = {"encoder": "transformer", "decoder": "transformer", "hidden_dim": 8}


@pytest.mark.parametrize("kind", ["bridge", "label"])
def test_multilingual_models_have_them(kind, tmp_path):
    sizes = {**MANY, "transformer": {"num_heads": 2, "intermediate_dim": 12, **SSRU, **TIED}}
    if kind == "bridge":
        model = AttentionBridgeModel({"de": V, "fr": V}, bridge_heads=3, bridge_hidden_dim=6, **sizes)
    else:
        model = LanguageLabelModel(["de", "fr"], vocabulary_size=V, **sizes)
    randomise(model)
    check_padding_and_batching(model.pair("de", "fr"))
    check_saved_equals_loaded(model, ("de", "fr"), tmp_path)
    assert not [weight.path for weight in model.weights if "decoder/layer_2" in weight.path or "query" in weight.name]


@pytest.mark.parametrize("options", [SSRU, {"tied_layers": ["decoder"]}], ids=str)
def test_a_recurrent_decoder_of_many_languages_has_none(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"^`{name}` has no effect without decoder='transformer'. Received: {name}="):
        AttentionBridgeModel({"de": V}, **{**MANY, "decoder": "recurrent"}, transformer=options)
