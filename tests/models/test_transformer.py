"""The Transformer with every mechanism: search equals teacher forcing, saved equals loaded, sizes, names."""

from __future__ import annotations

import functools
import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from one_in import one_in, these
from pairwise import pairwise
from tiny import TINY, V, make_batch, randomise, stepwise

from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.layers import Composition, Roles, Shortcuts, TransformerEncoder
from keras_nmt.models import Transformer, count_parameters
from keras_nmt.testing import check_compiled

# Every kind, source, site and side of the shortcut, in pairs, with the other options of a plain Transformer.
DRAWN = pairwise(
    {
        "kind": ["plain", "fusion"],
        "source": ["lexical", "non_lexical"],
        "sites": [("self", "cross"), ("self",), ("cross",)],
        "sides": [("encoder", "decoder"), ("encoder",), ("decoder",)],
        "norm": ["pre", "post", "released"],
        "tie_embeddings": [True, False],
        "target_vocabulary_size": [V, 17],
    },
    lambda options: "decoder" in options["sides"] or "cross" not in options["sites"],
)
OF_SHORTCUTS = ("kind", "source", "sites", "sides")
SHORTCUTS = [
    {
        "shortcuts": {name: options[name] for name in OF_SHORTCUTS},
        **{name: value for name, value in options.items() if name not in OF_SHORTCUTS},
    }
    for options in DRAWN
]
EVERYWHERE = {"shortcuts": {"kind": "fusion", "source": "non_lexical", "sites": ("self", "cross")}}
TREE = {"kind": "hierarchical", "residual": True}
ADDED = {"layer_composition": TREE, "head_composition": TREE}
SMALL = {"layer_composition": "bilinear", "head_composition": "bilinear"}
UNGATED = {"shortcuts": {"kind": "ungated", "sites": ("self", "cross")}}
PLAIN = {"target_vocabulary_size": 17, "tie_embeddings": False, "norm": "post"}
VARIANTS = [{}, PLAIN, ADDED, SMALL, UNGATED, *SHORTCUTS]
# Every mechanism, for slow tests.
COMPILED = [
    EVERYWHERE,
    {"shortcuts": "fusion", "layer_composition": "extended", "head_composition": "extended", "roles": "softmax"},
    {"norm": "post", "layer_composition": "hierarchical", "head_composition": "hierarchical", "roles": "one_hot"},
    {
        "layer_composition": "linear",
        "head_composition": "low_rank",
        "roles": {"kind": "contextualized", "context": "cnn"},
    },
]


def _name(options):
    values = [x for option in options.values() for x in (option.values() if isinstance(option, dict) else [option])]
    return "-".join("+".join(v) if isinstance(v, tuple) else str(v) for v in values) or "plain transformer"


# The five variants without pairs of options, and every second pair of options; test_combinations.py has more of them.
@pytest.mark.parametrize("options", these([0, 1, 2, 3, 4, *range(5, len(VARIANTS), 2)], VARIANTS, _name))
def test_stepwise_equals_full(options):
    model = _model(json.dumps(options))
    source, target = make_batch(model)
    np.testing.assert_allclose(stepwise(model, source, target), model([source, target]), rtol=1e-4, atol=1e-4)


# Without those that test_combinations.py has in the usual run, also with caches that grow.
@pytest.mark.parametrize("options", these([0, 2, 3, 4], VARIANTS, _name))
def test_stepwise_with_caches_that_grow_equals_full(options):
    model = _model(json.dumps(options))
    source, target = make_batch(model)
    found = stepwise(model, source, target, grows=True)
    np.testing.assert_allclose(found, model([source, target]), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("options", these([1], COMPILED, _name))
def test_compiled_stepwise_equals_full(options):
    two_layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
    model = randomise(Transformer(**{**TINY, **two_layers, **options}), scale=0.1)
    batch = make_batch(model)
    check_compiled(model, batch, np.asarray(model(batch)))


@pytest.mark.parametrize("options", one_in(8, VARIANTS, _name))
@given(more_source=st.integers(0, 5), more_target=st.integers(0, 4), row=st.integers(0, 2))
@settings(max_examples=3, deadline=None)
def test_padding_and_batching_are_invisible(options, more_source, more_target, row):
    model = _model(json.dumps(options))
    source, target = make_batch(model)
    length = int((source[row] != PAD).sum())
    alone_source = np.pad(source[row : row + 1, :length], ((0, 0), (0, more_source)))
    alone_target = np.pad(target[row : row + 1], ((0, 0), (0, more_target)))
    full = model([source, target])[row]
    alone = model([alone_source, alone_target])[0, : target.shape[1]]
    np.testing.assert_allclose(alone, full, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(stepwise(model, alone_source, target[row : row + 1])[0], full, rtol=1e-4, atol=1e-4)


_models: dict[str, Transformer] = {}


def _model(options):
    if options not in _models:
        # Hierarchical composition of three layers has a node that is fed with another. Without it, two layers suffice.
        two_layers = {} if "layer_composition" in options else {"num_encoder_layers": 2, "num_decoder_layers": 2}
        _models[options] = randomise(Transformer(**{**TINY, **two_layers, **json.loads(options)}))
    return _models[options]


def test_rows_of_padding_are_finite_and_change_nothing():
    model = _model(json.dumps(EVERYWHERE))
    source, target = make_batch(model)
    with_empty = model([np.pad(source, ((0, 1), (0, 0))), np.pad(target, ((0, 1), (0, 0)))])
    assert np.isfinite(with_empty).all()
    np.testing.assert_allclose(with_empty[:3], model([source, target]), rtol=1e-5, atol=1e-5)


def test_a_source_of_its_end_alone_is_not_its_padding():
    """Also where the encoder does not see ends."""
    model = _model(json.dumps({"source_end": False}))
    sources = np.array([[EOS, PAD, PAD, PAD], [5, 6, 7, EOS]], "int32")
    target = np.array([[BOS, 9], [BOS, 9]], "int32")
    full, alone = model([sources, target])[0], model([sources[:1, :1], target[:1]])[0]
    np.testing.assert_allclose(full, alone, rtol=1e-5, atol=1e-5)
    seen = model([np.array([[5, 6, 7]]), target[1:]])
    np.testing.assert_allclose(model([sources[1:], target[1:]]), seen, rtol=1e-5, atol=1e-5)


# test_model_directory.py saves and loads a plain Transformer each day.
@pytest.mark.parametrize("options", these([1], [{}, {**EVERYWHERE, "target_vocabulary_size": 17}], _name))
def test_saved_equals_loaded(options, tmp_path):
    model = randomise(Transformer(**TINY, **options))
    batch = make_batch(model)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(batch), model(batch))
    again = Transformer.from_config(json.loads(json.dumps(model.get_config())))
    model.save_weights(tmp_path / "w.weights.h5")
    again.load_weights(tmp_path / "w.weights.h5")
    np.testing.assert_array_equal(stepwise(again, *batch), stepwise(model, *batch))


def test_search_models_do_not_count_or_save_weights_twice(tmp_path):
    model = Transformer(**{**TINY, "hidden_dim": 64, "intermediate_dim": 256})
    assert len({id(w) for w in model.weights}) == len(model.weights)
    model.save_weights(tmp_path / "w.weights.h5")
    assert (tmp_path / "w.weights.h5").stat().st_size < 1.3 * 4 * model.count_params()


# Vocabulary 41,138, all embeddings tied; the numbers for base and fusion agree with the paper's (in thousands).
@pytest.mark.parametrize(
    ("preset", "options", "parameters"),
    [
        ("transformer_base", {}, 65_166_336),
        ("transformer_base", {"shortcuts": "plain"}, 71_470_080),
        ("transformer_base", {"shortcuts": "fusion"}, 84_052_992),
        ("transformer_big", {}, 218_413_056),
        ("transformer_big", {"shortcuts": "fusion"}, 293_935_104),
        ("transformer_base", {"shortcuts": {"kind": "plain", "sites": ("cross",)}}, 65_166_336 + 3_151_872),
        ("transformer_base", {"shortcuts": {"kind": "fusion", "sites": ("cross",)}}, 65_166_336 + 9_443_328),
    ],
)
def test_parameter_counts(preset, options, parameters):
    assert count_parameters(preset=preset, source_vocabulary_size=41_138, **options) == parameters


def _added(preset="transformer_base", **options):
    """Parameters that options add to a plain model under post-LN, which has no norms to add."""
    return _count(preset, **options) - _count(preset)


@functools.cache
def _count(preset, **options):
    return count_parameters(preset=preset, source_vocabulary_size=500, norm="post", **options)


D = 512


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({"head_composition": "extended"}, 14_174_208),
        ({"head_composition": Composition("low_rank", rank=32)}, 884_736),
        # The pooling's P is d x d, too: without W_O, 18 such matrices are saved.
        ({"head_composition": Composition("extended", output_projection=False)}, 14_174_208 - 18 * D**2),
        # 13,565,952 without the biases and LayerNorms of four nodes.
        ({"head_composition": "hierarchical"}, 13_565_952 + 18 * 4 * (1024 + 64 + 2 * 64)),
        (
            {"head_composition": Composition("hierarchical", intermediate_dim=256)},
            18 * (15 * 64 * 256 + 64 * D - D * D + 4 * (256 + 64 + 2 * 64)),
        ),
        ({"layer_composition": "linear"}, 3_145_728),
        ({"layer_composition": "hierarchical"}, 23_090_176),
        ({"layer_composition": "low_rank"}, 2 * (2 * 6 * D * D + D * D)),
        ({"layer_composition": "extended"}, 2 * (2 * (6 * D + 1) * D + D * D)),
    ],
)
def test_parameters_of_composition(options, parameters):
    assert _added(**options) == parameters


@pytest.mark.parametrize("hr", [16, 32])
@pytest.mark.parametrize(
    ("options", "extra"),  # the replacement of hr d^2, and s
    [
        ({"kind": "dense"}, lambda d, hr: hr * d**2),
        ({"kind": "softmax"}, lambda d, hr: hr * d**2 + hr**2),
        ({"kind": "one_hot"}, lambda d, hr: hr * d**2 + hr**2),
        ({"kind": "dense", "low_rank": True}, lambda d, hr: 2 * d**2 + hr * d),
        ({"kind": "contextualized"}, lambda d, hr: hr * d),
    ],
)
def test_parameters_of_roles(options, extra, hr):
    d = 256
    source = extra(d, hr) + 8 * hr * (d + hr + 1) + hr * (2 * hr + 1)
    target = extra(d, hr) + 4 * hr * (d + hr + 1) + hr * (hr + 1)
    if hr == 32 and options == {"kind": "softmax"}:
        assert (source, target) == (2_174_240, 2_136_224)
    assert _added("transformer_small", roles=Roles(num_roles=hr, **options)) == source + target


def test_pre_norm_adds_a_norm_to_each_composed_layer():
    options = {"source_vocabulary_size": 500, "layer_composition": "extended"}
    post = count_parameters(**options, norm="post")
    norms = 2 * 6 * 2 * D + 2 * 2 * D  # norms of the composed states, and final norms
    assert count_parameters(**options) == post + norms


@pytest.mark.parametrize(("roles", "training"), [("softmax", True), ("contextualized", False)])
def test_roles_stand_between_embeddings_and_positions(roles, training):
    """The inputs of encoder and decoder, in order: lookup, scale, dropout, roles, positions."""
    model = randomise(Transformer(**TINY, roles=Roles(roles, num_roles=3, dropout=0.0), dropout=0.5))
    batch = make_batch(model)
    table, positions = model.get_layer("embedding").table.embeddings.numpy(), model.get_layer("positions")
    masks = {"source": batch[0] != PAD, "target": None}
    for ids, (side, mask), stack in zip(batch, masks.items(), ("encoder", "decoder"), strict=True):
        role_layer = model.get_layer(f"{side}_roles")
        entering = [keras.tree.flatten(layer.input)[0] for layer in (role_layer, model.get_layer(stack))]
        dropped, states = keras.Model(model.inputs, entering)(batch, training=training)
        embeddings = table[ids] * np.sqrt(8)
        if training:  # values that dropout keeps are doubled
            kept = np.asarray(dropped) != 0
            assert 0.2 < kept.mean() < 0.8
            embeddings = np.where(kept, 2 * embeddings, 0)
        np.testing.assert_allclose(dropped, embeddings, rtol=1e-5)
        expected = positions(role_layer(embeddings, mask=mask))
        np.testing.assert_allclose(states, expected, rtol=1e-4, atol=1e-5)
        assert not np.allclose(states, positions(embeddings), atol=1e-2)


@pytest.mark.parametrize("source_of_shortcuts", ["lexical", "non_lexical"])
def test_shortcuts_on_cross_attention_read_embeddings_or_the_states_below_the_last(source_of_shortcuts):
    shortcuts = Shortcuts("plain", source_of_shortcuts, sites="cross", sides="decoder")
    model = randomise(Transformer(**TINY, shortcuts=shortcuts))
    source, _ = make_batch(model)
    d, positions = 8, np.arange(source.shape[1])[:, None]
    angles = positions / 10000 ** (2 * (np.arange(d) // 2) / d)
    encoding = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))
    (table,) = (w for w in model.weights if w.path.endswith("table/embeddings"))
    lexical = table.numpy()[source] * np.sqrt(d) + encoding  # E, Vaswani et al., 2017, section 3.4 and 3.5
    if source_of_shortcuts == "non_lexical":
        stack = next(x for x in model._flatten_layers() if isinstance(x, TransformerEncoder))
        lexical = stack(lexical.astype("float32"), mask=source != PAD, return_states=True)[1][2]  # H_{L-1}, L = 3
    np.testing.assert_allclose(model.encoder(source)["shortcut_states"], lexical, rtol=1e-4, atol=1e-5)


def test_tying():
    def tables(**options):
        model = Transformer(**{**TINY, **options})
        return sorted(tuple(w.shape) for w in model.trainable_weights if {V, 17} & set(w.shape))

    assert tables() == [(V, 8)]
    assert tables(target_vocabulary_size=17) == [(17, 8), (V, 8)]
    assert tables(tie_embeddings=False) == [(8, V), (V, 8), (V, 8)]
    assert tables(target_vocabulary_size=17, tie_embeddings=False) == [(8, 17), (17, 8), (V, 8)]


def test_projections_have_no_biases_and_post_norm_stacks_no_final_norm():
    pre, post = Transformer(**TINY), Transformer(**TINY, norm="post")
    for model in (pre, post):
        biases = {w.path for w in model.trainable_weights if w.path.endswith("bias")}
        assert all("feed_forward" in path for path in biases)
    assert sum("final_norm" in w.path for w in pre.trainable_weights) == 4
    assert not any("final_norm" in w.path for w in post.trainable_weights)


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        (COMPILED[1], "mixed_float16"),
        pytest.param(COMPILED[0], "mixed_bfloat16", marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_half_precision_is_near_float32(options, dtype):
    model = randomise(Transformer(**TINY, **options))
    half = Transformer(**TINY, **options, dtype=dtype)
    half.set_weights(model.get_weights())
    source, target = make_batch(model)
    assert all(w.dtype == "float32" for w in half.trainable_weights)
    logits = half([source, target])
    assert logits.dtype == tf.float32
    expected = model([source, target])
    # Single logits may differ by several roundings of a large state, so the root mean square is compared.
    error = np.sqrt(np.mean(np.square(logits - expected)) / np.mean(np.square(expected)))
    assert error < (0.06 if dtype == "mixed_bfloat16" else 0.012)
    assert np.isfinite(stepwise(half, source, target)).all()


def test_the_model_trains_with_keras_fit():
    model = Transformer(**{**TINY, "num_encoder_layers": 1, "num_decoder_layers": 1}, shortcuts="plain")
    source, target = make_batch(model, rows=16)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD))
    history = model.fit([source, target], np.roll(target, -1, 1), epochs=3, verbose=0).history["loss"]
    assert history[-1] < history[0]


def test_ranks_of_layers_and_heads_are_two():
    compositions = {"layer_composition": Composition("low_rank", 3), "head_composition": Composition("low_rank", 5)}
    model = Transformer(**TINY, **compositions)
    encoder = model.get_layer("encoder")
    assert encoder.composition.rank == 3
    assert encoder.layers[0].self_attention.composition.rank == 5


def test_each_dropout_rate_reaches_its_layers():
    model = Transformer(**TINY, dropout=0.1, attention_dropout=0.2, activation_dropout=0.3)
    for layer in [*model.get_layer("encoder").layers, *model.get_layer("decoder").layers]:
        attentions = [layer.self_attention, getattr(layer, "cross_attention", layer.self_attention)]
        assert {attention.weight_dropout.rate for attention in attentions} == {0.2}
        assert (layer.residual_dropout.rate, layer.feed_forward.inner_dropout.rate) == (0.1, 0.3)


def test_without_roles_dropout_applies_to_embeddings_with_positions():
    model = randomise(Transformer(**TINY, dropout=0.5))
    entering = [keras.tree.flatten(model.get_layer(name).input)[0] for name in ("encoder", "decoder")]
    first, batch = keras.Model(model.inputs, entering), make_batch(model)
    for plain, dropped in zip(first(batch), first(batch, training=True), strict=True):
        plain, dropped = np.asarray(plain), np.asarray(dropped)
        assert 0.3 < (dropped != 0).mean() < 0.7
        np.testing.assert_allclose(dropped[dropped != 0], 2 * plain[dropped != 0], rtol=1e-5)


def test_options_of_roles_reach_their_layers():
    options = {"context": "cnn", "units": 5, "residual": False, "straight_through": True, "dropout_on": "vector"}
    model = Transformer(**TINY, roles=Roles("one_hot", num_roles=3, **options, exclusive=True), dropout=0.2)
    same = {"assignment": "one_hot", "context": "cnn", "units": 5, "residual": False, "low_rank": False}
    same |= {"straight_through": True, "dropout": 0.2}
    for side, on_target in (("source", False), ("target", True)):
        config = model.get_layer(f"{side}_roles").get_config()
        assert config.items() >= {**same, "causal": on_target, "exclusive": on_target}.items()


@pytest.mark.parametrize("side", ["encoder", "decoder"])
@pytest.mark.parametrize("part", ["layer", "head"])
def test_compositions_are_on_their_sides_only(part, side):
    options = {f"{one}_composition": {"kind": "extended", "start": "identity"} for one in ("layer", "head")}
    options["head_composition"]["rank"] = 9
    options[f"{part}_composition"]["sides"] = [side]
    model, source_and_target = randomise(Transformer(**TINY, **options)), make_batch(Transformer(**TINY))
    paths = [weight.path for weight in model.weights if f"{part}_composition" in weight.path]
    assert {path.split("/")[0] for path in paths} == {side}
    assert json.loads(json.dumps(model.get_config()))[f"{part}_composition"] == options[f"{part}_composition"]
    again = Transformer.from_config(json.loads(json.dumps(model.get_config())))
    again.set_weights(model.get_weights())
    expected = model(source_and_target)
    np.testing.assert_array_equal(again(source_and_target), expected)
    np.testing.assert_allclose(stepwise(model, *source_and_target), expected, rtol=1e-4, atol=1e-4)


def test_a_side_without_compositions_has_any_number_of_layers_and_needs_none_of_their_options():
    composition = Composition("hierarchical", residual=True, sides="encoder")
    model = Transformer(**{**TINY, "num_decoder_layers": 1}, layer_composition=composition)
    plain = Transformer(**{**TINY, "num_decoder_layers": 1})
    assert len(model.get_layer("decoder").weights) == len(plain.get_layer("decoder").weights)


@pytest.mark.parametrize("options", SHORTCUTS, ids=_name)
def test_shortcuts_are_at_their_sites_and_sides_only(options):
    model = _model(json.dumps(options))
    kind, _, sites, sides = options["shortcuts"].values()
    encoder, decoder = model.get_layer("encoder"), model.get_layer("decoder")
    for attentions, is_there in (
        ([layer.self_attention for layer in encoder.layers], "self" in sites and "encoder" in sides),
        ([layer.self_attention for layer in decoder.layers], "self" in sites and "decoder" in sides),
        ([layer.cross_attention for layer in decoder.layers], "cross" in sites),
    ):
        assert {getattr(attention.key_value, "kind", None) for attention in attentions} == {kind if is_there else None}
