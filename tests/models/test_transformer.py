"""The Transformer with every mechanism: steps equal the full pass, saved equals loaded, sizes, names."""

import functools
import json

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf
from model_checks import check_invariants
from one_in import these
from own_mechanisms import Previous

from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.layers import Composition, LayerSpec, Roles, Shortcuts
from keras_nmt.layers._keras_private import without_values
from keras_nmt.models import Transformer, count_parameters
from keras_nmt.testing import SMALL as TINY
from keras_nmt.testing import check_mechanism, make_batch, randomise

V = TINY["source_vocabulary_size"]
SITES = {"sites": ("self", "cross")}
EVERYWHERE = {"shortcuts": {"kind": "fusion", "source": "non_lexical", **SITES}}
TREE = {"kind": "hierarchical", "residual": True}
TREES = {"layer_composition": TREE, "head_composition": TREE}
ROLES = {kind: {"kind": kind, "num_roles": 3} for kind in ("softmax", "contextualized", "one_hot")}
# Rotary positions, RMS norms, gated feed-forward networks and groups of keys and values.
MODERN = {"norm": "rms", "feed_forward": "swiglu", "positions": "rotary", "num_key_value_heads": 2, "num_heads": 4}
SSRU = {"decoder_self_attention": "ssru"}
TIED = {"tied_layers": ["encoder", "decoder"]}
CHEAP = {
    **SSRU,
    **TIED,
    **EVERYWHERE,
    "layer_composition": "extended",
    "head_composition": "low_rank",
    "roles": "softmax",
}
VARIANTS = [  # the first five each day: every mechanism
    CHEAP,
    {"target_vocabulary_size": 17, "tie_embeddings": False, "norm": "post", **TREES},
    {"shortcuts": {"kind": "ungated", **SITES}, "layer_composition": "bilinear", "head_composition": "bilinear"},
    {**EVERYWHERE, "layer_composition": "linear", "head_composition": "low_rank", "roles": ROLES["one_hot"]},
    {**MODERN, "shortcuts": {"kind": "plain", **SITES}, "head_composition": "extended", "roles": ROLES["softmax"]},
    {},
    {**MODERN, **EVERYWHERE, "layer_composition": "extended", "roles": ROLES["contextualized"]},
    {**MODERN, "shortcuts": "ungated", "layer_composition": "hierarchical", "head_composition": "hierarchical"},
    {**MODERN, "shortcuts": "plain", "layer_composition": "linear", "norm_position": "post"},
    {**MODERN, "layer_composition": "linear", "head_composition": "low_rank", "roles": ROLES["one_hot"]},
    {**MODERN, "layer_composition": "low_rank", "num_key_value_heads": 1, "feed_forward": "gelu"},
    {"norm": "released", "tie_embeddings": False, "shortcuts": "plain"},
]
TWO_LAYERS = {"num_encoder_layers": 2, "num_decoder_layers": 2}
CONTRACT = [  # every mechanism
    {**CHEAP, "num_encoder_layers": 3, "num_decoder_layers": 3},
    {
        **MODERN,
        "shortcuts": "plain",
        "layer_composition": "linear",
        "roles": {"kind": "contextualized", "context": "cnn"},
    },
    EVERYWHERE,
    {"norm": "post", "layer_composition": "hierarchical", "head_composition": "hierarchical", "roles": "one_hot"},
    {**MODERN, "head_composition": "low_rank"},
    {**TIED, "norm": "post", "layer_composition": "hierarchical"},
    {**SSRU, "norm": "released", "shortcuts": {"kind": "plain", "sides": "encoder"}},
    {"decoder_self_attention": LayerSpec(Previous), "positions": "rotary", "norm": "rms"},
    # An encoder and a decoder of different depths. Composition of heads exceeds the tolerance of float16 at this depth.
    {**CHEAP, "layer_composition": "hierarchical", "head_composition": None, "num_encoder_layers": 5},
]


def _make(scale=0.2, **options):
    # Hierarchical composition of three layers has a node that is fed with another. Without it, two layers suffice.
    layers = {} if TREE in options.values() else TWO_LAYERS
    return randomise(Transformer(**{**TINY, **layers, **options}), scale)


@pytest.mark.parametrize("options", these(range(5), VARIANTS, str))
def test_steps_equal_the_full_pass_and_padding_is_invisible(options):
    model = _make(**options)
    check_invariants(model)
    again = without_values(lambda: Transformer.from_config(model.get_config()))
    assert again.get_config() == model.get_config()


@pytest.mark.parametrize(
    "options",
    [pytest.param(x, marks=pytest.mark.slow if i < 2 else pytest.mark.nightly) for i, x in enumerate(CONTRACT)],
    ids=str,
)
def test_every_mechanism_keeps_the_contract(options):
    """Also files, XLA, half precision and gradients."""
    check_mechanism(**{**TWO_LAYERS, **options})


def test_a_source_of_its_end_alone_is_not_its_padding():
    """Also where the encoder does not see ends."""
    model = _make(source_end=False, num_decoder_layers=1)
    sources = np.array([[EOS, PAD, PAD, PAD], [5, 6, 7, EOS]], "int32")
    target = np.array([[BOS, 9], [BOS, 9]], "int32")
    full, alone = model([sources, target])[0], model([sources[:1, :1], target[:1]])[0]
    np.testing.assert_allclose(full, alone, rtol=1e-5, atol=1e-5)
    seen = model([np.array([[5, 6, 7]]), target[1:]])
    np.testing.assert_allclose(model([sources[1:], target[1:]]), seen, rtol=1e-5, atol=1e-5)


def test_positions_matter_and_rotary_ones_only_by_their_distances_in_the_encoder():
    encoder = Transformer(23, hidden_dim=8, intermediate_dim=12, num_decoder_layers=1, **MODERN).get_layer("encoder")
    x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
    mask = np.array([[False, False, True, True, True]])
    shifted = np.asarray(encoder(x, padding_mask=mask))[:, 2:]
    np.testing.assert_allclose(shifted, encoder(x[:, 2:]), rtol=1e-4, atol=1e-5)
    assert not np.allclose(np.asarray(encoder(x[:, ::-1].copy()))[:, ::-1], encoder(x), atol=1e-3)


# --- parameters ------------------------------------------------------------------------------------------------------

D = 512


@functools.cache
def _post(preset):
    return count_parameters(preset=preset, source_vocabulary_size=500, norm="post")


def _added(preset="transformer_base", **options):
    """Parameters that options add to a plain model under post-LN, which has no norms to add."""
    return count_parameters(**{"preset": preset, "source_vocabulary_size": 500, "norm": "post", **options}) - _post(
        preset
    )


# Vocabulary 41,138, all embeddings tied; the numbers for base and fusion agree with the paper's (in thousands).
@pytest.mark.parametrize(
    ("preset", "options", "parameters"),
    [
        ("transformer_base", {}, 65_166_336),
        ("transformer_base", {"shortcuts": "plain"}, 71_470_080),
        ("transformer_base", {"shortcuts": "fusion"}, 84_052_992),
        pytest.param("transformer_big", {}, 218_413_056, marks=pytest.mark.slow),
        pytest.param("transformer_big", {"shortcuts": "fusion"}, 293_935_104, marks=pytest.mark.slow),
        ("transformer_base", {"shortcuts": {"kind": "fusion", "sites": ("cross",)}}, 65_166_336 + 9_443_328),
        # d = 192, f = 512: six encoder layers of 345,536, two decoder layers with an SSRU of 419,840, two norms.
        ("transformer_student", {}, 6 * 345_536 + 2 * 419_840 + 4 * 192 + 41_138 * 192),
    ],
)
def test_parameter_counts(preset, options, parameters):
    assert count_parameters(preset=preset, source_vocabulary_size=41_138, **options) == parameters


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({"head_composition": Composition("low_rank", rank=32)}, 884_736),
        # Norms of the composed states, and final norms.
        ({"layer_composition": "extended", "norm": "pre"}, 2 * (2 * (6 * D + 1) * D + D * D) + 2 * 6 * 2 * D + 4 * D),
        (SSRU, -6 * (2 * D * D - D)),  # W and W_f, and a bias, in place of four matrices
        ({"num_key_value_heads": 2, "shortcuts": "plain"}, -30 * 2 * 512 * (512 - 128) + 12 * (2 * 512**2 + 2 * 128)),
        *(
            pytest.param(*x, marks=pytest.mark.slow)
            for x in (
                # The pooling's P is d x d, too: without W_O, 18 such matrices are saved.
                ({"head_composition": Composition("extended", output_projection=False)}, 14_174_208 - 18 * D**2),
                ({"head_composition": "hierarchical"}, 13_565_952 + 18 * 4 * (1024 + 64 + 2 * 64)),  # of four nodes
                (
                    {"head_composition": Composition("hierarchical", intermediate_dim=256)},
                    18 * (15 * 64 * 256 + 64 * D - D * D + 4 * (256 + 64 + 2 * 64)),
                ),
                ({"layer_composition": "linear"}, 3_145_728),
                ({"layer_composition": "hierarchical"}, 23_090_176),
                ({"layer_composition": "low_rank"}, 2 * (2 * 6 * D * D + D * D)),
                # 12 feed-forward networks of inner width 2048, 32 norms (5 per pair of layers, 2 last).
                ({"feed_forward": "swiglu", "positions": "rotary", "norm": "pre"}, 12 * (D * 2048 - 2048 - D) + 4 * D),
                ({"feed_forward": "gelu", "norm": "rms"}, (2 - 5 * 6) * D),
                ({"tied_layers": "encoder"}, -5 * (4 * D * D + 2 * D * 2048 + D + 2048 + 2 * 2 * D)),
                ({"num_key_value_heads": 2}, -18 * 2 * 512 * (512 - 2 * 64)),
            )
        ),
    ],
    ids=str,
)
def test_parameters_of_options(options, parameters):
    assert _added(**options) == parameters


@pytest.mark.parametrize(
    ("options", "hr", "extra"),  # the replacement of hr d^2, and s
    [
        ({"kind": "softmax"}, 32, lambda d, hr: hr * d**2 + hr**2),
        ({"kind": "dense", "low_rank": True}, 32, lambda d, hr: 2 * d**2 + hr * d),
        pytest.param({"kind": "contextualized"}, 16, lambda d, hr: hr * d, marks=pytest.mark.slow),
        pytest.param({"kind": "dense"}, 16, lambda d, hr: hr * d**2, marks=pytest.mark.slow),
        pytest.param({"kind": "one_hot"}, 16, lambda d, hr: hr * d**2 + hr**2, marks=pytest.mark.slow),
    ],
)
def test_parameters_of_roles(options, hr, extra):
    d = 256
    source = extra(d, hr) + 8 * hr * (d + hr + 1) + hr * (2 * hr + 1)
    target = extra(d, hr) + 4 * hr * (d + hr + 1) + hr * (hr + 1)
    if options == {"kind": "softmax"}:
        assert (source, target) == (2_174_240, 2_136_224)
    assert _added("transformer_small", roles=Roles(num_roles=hr, **options)) == source + target


def test_tying():
    def tables(**options):
        model = without_values(lambda: Transformer(**{**TINY, **options}))
        return sorted(tuple(w.shape) for w in model.trainable_weights if {V, 17} & set(w.shape))

    assert tables() == [(V, 8)]
    assert tables(target_vocabulary_size=17) == [(17, 8), (V, 8)]
    assert tables(tie_embeddings=False) == [(8, V), (V, 8), (V, 8)]
    assert tables(target_vocabulary_size=17, tie_embeddings=False) == [(8, 17), (17, 8), (V, 8)]


# --- where options apply ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "training"), [("softmax", True), pytest.param("contextualized", False, marks=pytest.mark.slow)]
)
def test_roles_stand_between_embeddings_and_positions(roles, training):
    """The inputs of encoder and decoder, in order: lookup, scale, dropout, roles, positions."""
    model = _make(roles=Roles(roles, num_roles=3, dropout=0.0), dropout=0.5)
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
    model = _make(shortcuts=Shortcuts("plain", source_of_shortcuts, sites="cross", sides="decoder"))
    source, _ = make_batch(model)
    d, positions = 8, np.arange(source.shape[1])[:, None]
    angles = positions / 10000 ** (2 * (np.arange(d) // 2) / d)
    encoding = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))
    (table,) = (w for w in model.weights if w.path.endswith("table/embeddings"))
    lexical = table.numpy()[source] * np.sqrt(d) + encoding  # E, Vaswani et al., 2017, section 3.4 and 3.5
    if source_of_shortcuts == "non_lexical":
        encoder = model.get_layer("encoder")
        lexical = encoder(lexical.astype("float32"), padding_mask=source != PAD, return_states=True)[1][
            1
        ]  # H_{L-1}, L = 2
    np.testing.assert_allclose(model.encoder(source)["shortcut_states"], lexical, rtol=1e-4, atol=1e-5)


def test_dropout_rates_ranks_and_options_of_roles_reach_their_layers():
    roles = {"context": "cnn", "units": 5, "residual": False, "straight_through": True, "dropout_on": "vector"}
    model = Transformer(
        **TINY,
        layer_composition=Composition("low_rank", 3),
        head_composition=Composition("low_rank", 5),
        roles=Roles("one_hot", num_roles=3, **roles, exclusive=True),
        dropout=0.1,
        attention_dropout=0.2,
        activation_dropout=0.3,
    )
    assert model.get_layer("encoder").composition.rank == 3
    for layer in [*model.get_layer("encoder").layers, *model.get_layer("decoder").layers]:
        attentions = [layer.self_attention, getattr(layer, "cross_attention", layer.self_attention)]
        assert {attention.weight_dropout.rate for attention in attentions} == {0.2}
        assert {attention.composition.rank for attention in attentions} == {5}
        assert (layer.residual_dropout.rate, layer.feed_forward.inner_dropout.rate) == (0.1, 0.3)
    same = {"assignment": "one_hot", "context": "cnn", "units": 5, "residual": False, "low_rank": False}
    same |= {"straight_through": True, "dropout": 0.1}
    for side, on_target in (("source", False), ("target", True)):
        config = model.get_layer(f"{side}_roles").get_config()
        assert config.items() >= {**same, "causal": on_target, "exclusive": on_target}.items()


def test_without_roles_dropout_applies_to_embeddings_with_positions():
    model = _make(dropout=0.5)
    entering = [keras.tree.flatten(model.get_layer(name).input)[0] for name in ("encoder", "decoder")]
    first, batch = keras.Model(model.inputs, entering), make_batch(model)
    for plain, dropped in zip(first(batch), first(batch, training=True), strict=True):
        plain, dropped = np.asarray(plain), np.asarray(dropped)
        assert 0.3 < (dropped != 0).mean() < 0.7
        np.testing.assert_allclose(dropped[dropped != 0], 2 * plain[dropped != 0], rtol=1e-5)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
@pytest.mark.parametrize("part", ["layer", "head"])
def test_compositions_are_on_their_sides_only(part, side):
    options = {f"{one}_composition": {"kind": "extended", "start": "identity"} for one in ("layer", "head")}
    options["head_composition"]["rank"] = 9
    options[f"{part}_composition"]["sides"] = [side]
    model = without_values(lambda: Transformer(**TINY, **options))
    paths = [weight.path for weight in model.weights if f"{part}_composition" in weight.path]
    assert {path.split("/")[0] for path in paths} == {side}
    config = json.loads(json.dumps(model.get_config()))
    assert config[f"{part}_composition"] == options[f"{part}_composition"]
    again = without_values(lambda: Transformer.from_config(config))
    assert [weight.path for weight in again.weights] == [weight.path for weight in model.weights]


def test_a_side_without_compositions_has_any_number_of_layers_and_needs_none_of_their_options():
    composition = Composition("hierarchical", residual=True, sides="encoder")
    composed, plain = (
        without_values(lambda more=more: Transformer(**{**TINY, "num_decoder_layers": 1}, **more))
        for more in ({"layer_composition": composition}, {})
    )
    assert len(composed.get_layer("decoder").weights) == len(plain.get_layer("decoder").weights)


@pytest.mark.parametrize("sites", ["self", "cross", ("self", "cross")])
def test_shortcuts_are_at_their_sites_and_sides_only(sites):
    for sides in ("encoder", "decoder", ("encoder", "decoder")):
        if "cross" in sites and sides == "encoder":
            continue
        shortcuts = Shortcuts("fusion", sites=sites, sides=sides)
        sizes = {**TINY, "num_encoder_layers": 1, "num_decoder_layers": 2}
        model = without_values(lambda sizes=sizes, shortcuts=shortcuts: Transformer(**sizes, shortcuts=shortcuts))
        encoder, decoder = model.get_layer("encoder"), model.get_layer("decoder")
        for attentions, is_there in (
            ([layer.self_attention for layer in encoder.layers], "self" in sites and "encoder" in sides),
            ([layer.self_attention for layer in decoder.layers], "self" in sites and "decoder" in sides),
            ([layer.cross_attention for layer in decoder.layers], "cross" in sites),
        ):
            kinds = {getattr(attention.key_value, "kind", None) for attention in attentions}
            assert kinds == {"fusion" if is_there else None}


# --- cheap decoders ------------------------------------------------------------------------------------------------


def _step_operators(model, source, max_length):
    """The types and output shapes of all operators of a decoding step, and the shapes of its caches."""
    constants, caches = model.prepare(model.encoder(source), 2, max_length)
    step = tf.function(model.decoder_step, autograph=False)
    graph = step.get_concrete_function(tf.constant([[2, 2]]), tf.constant(0), constants, caches).graph
    operators = [(op.type, [tuple(output.shape) for output in op.outputs]) for op in graph.get_operations()]
    return operators, [tuple(cache.shape) for cache in keras.tree.flatten(caches)]


def test_a_step_costs_the_same_at_every_position():
    """The position is an input of one graph without loops and branches, whatever the number of positions."""
    sizes, source = {**TINY, "num_encoder_layers": 1, "num_decoder_layers": 2}, np.array([[5, 6, EOS]])
    model, plain = Transformer(**sizes, **SSRU), Transformer(**sizes)
    operators, shapes = _step_operators(model, source, 20)
    assert shapes == [(1, 2, 8)] * 2  # the state of each layer: [B, K, d]
    assert not [kind for kind, _ in operators if "While" in kind or "If" in kind or "Case" in kind]
    for max_length in (200, None):
        assert _step_operators(model, source, max_length) == (operators, shapes)
    assert _step_operators(plain, source, 200) != _step_operators(plain, source, 20)


def test_tied_layers_compute_what_equal_layers_compute():
    tied = randomise(Transformer(**TINY, **TIED, layer_composition="extended", name="transformer"))
    untied = Transformer(**TINY, layer_composition="extended", name="transformer")
    values = {weight.path: weight for weight in tied.weights}
    for weight in untied.weights:
        weight.assign(values[weight.path.replace("/layer_2/", "/layer_1/").replace("/layer_3/", "/layer_1/")])
    batch = make_batch(tied)
    expected = untied(batch)
    np.testing.assert_allclose(tied(batch), expected, rtol=1e-5, atol=1e-5)


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
