"""The arguments of all models: errors, types, signatures, presets, and mechanisms by name, as objects and as JSON."""

import inspect
import json

import numpy as np
import pytest

from keras_nmt.errors import UserError
from keras_nmt.layers import Composition, FeedForward, LayerSpec, Roles, Shortcuts
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, LowRank, Transformer, add_adapter, quantize
from keras_nmt.models.factory import MECHANISMS
from keras_nmt.testing import SMALL, make_batch

V = SMALL["source_vocabulary_size"]
BRIDGE = {"languages": {"de": 17, "fr": 13}, "hidden_dim": 8, "bridge_heads": 3, "bridge_hidden_dim": 6}
LABEL = {"languages": ["de", "fr"], "vocabulary_size": V, "hidden_dim": 8}
PART = {"num_heads": 2, "intermediate_dim": 12}  # of a multilingual model that is a Transformer
DECODER = {"decoder": "transformer", "num_decoder_layers": 1, "transformer": PART}
BOTH = {**DECODER, "encoder": "transformer", "num_encoder_layers": 1}
CROSS = {**PART, "shortcuts": {"kind": "plain", "sites": ["self", "cross"]}}  # needs both sides


def check_errors(model, sizes, wrong):
    for options in wrong:
        with pytest.raises(ValueError, match="Received: "):
            model(**{**sizes, **options})


def test_wrong_arguments_of_transformers_are_named():
    wrong = [
        {"hidden_dim": 9},
        {"num_heads": "2"},
        {"source_vocabulary_size": 3},
        {"source_vocabulary_size": True},
        {"num_encoder_layers": 0},
        {"dropout": 1.5},
        {"norm_epsilon": -1},
        {"norm": "batch"},
        {"positions": "learnt"},
        {"positions": "rotary", "hidden_dim": 6},
        {"feed_forward": "tanh"},
        {"num_key_value_heads": 3},
    ]
    shortcuts = ["lexical", 5, {"kind": None}, {"sites": ("cross",)}, {"kind": "plain", "site": ("cross",)}]
    more = [{"source": "embeddings"}, {"sites": ()}, {"sites": ("self", "output")}, {"sides": ("both",)}]
    shortcuts += [{"kind": "plain", **x} for x in (*more, {"sites": ("cross",), "sides": ("encoder",)})]
    layer = ["attention", {"kind": "hierarchical", "start": "identity"}]
    more = [{"rank": 0}, {"start": "zero"}, {"residual": "no"}, {"start": "identity", "rank": 7}]
    more += [{"rank": (3 * 8) ** 2 + 1}, {"output_projection": False}]
    layer += [{"kind": "extended", **x} for x in more]
    head = ["mean", "linear", {"kind": "low_rank", "start": "identity"}]
    head += [{"kind": "extended", "start": "identity", "output_projection": False}]
    head += [{"kind": "hierarchical", "output_projection": False}, {"kind": "hierarchical", "intermediate_dim": 0}]
    roles = ["sparse", {"kind": "softmax", "dropout_on": "vector"}, {"kind": "one_hot", "dropout_on": "roles"}]
    more = [{"num_roles": 0}, {"context": "bilstm"}, {"straight_through": True}, {"dropout": 1.0}, {"units": 0}]
    roles += [{"kind": "dense", **x} for x in (*more, {"low_rank": True, "residual": False})]
    places = {
        "decoder_self_attention": ["lstm"],
        "tied_layers": [["decoder", "both"]],
        "shortcuts": shortcuts,
        "layer_composition": layer,
        "head_composition": head,
        "roles": roles,
    }
    wrong += [{place: value} for place, values in places.items() for value in values]
    wrong += [
        {"layer_composition": "linear", "num_decoder_layers": 1},
        {"head_composition": "extended", "num_heads": 1},
    ]
    wrong += [
        {"decoder_self_attention": "ssru", "shortcuts": "plain"},
        {"tied_layers": "decoder", "num_decoder_layers": 1},
    ]
    check_errors(Transformer, SMALL, wrong)


def test_wrong_arguments_of_bridge_models_are_named():
    languages = [{}, {"de": 4}, {"de": "17"}, {"de": True}, {"de fr": 17}, {"1de": 17}, {5: 17}, ["de", "fr"]]
    parts = [{"hidden_dim": 8}, {"dropout": 0.2}, {"heads": 2}, {"num_heads": 3}, {**PART, "roles": "sparse"}]
    wrong = [
        *({"languages": x} for x in languages),
        *({**BOTH, "transformer": x} for x in parts),
        {"encoder": "gru"},
        {"num_decoder_layers": 1.5},
        {"hidden_dim": 7},
        {"dropout": 1.0},
        {"use_cudnn": True},
        {"uniform_start": float("inf")},
        {"uniform_start": 0},
        {"uniform_start": "0.1"},
        {"bridge_heads": 0},
        {"penalty_weight": -1.0},
        {"penalty": "cube"},
        {"attention_score": "cosine"},
        {"transformer": PART},
        {**DECODER, "transformer": "rotary"},
        # Without effect.
        {**DECODER, "dropout_in_loop": True},
        {**DECODER, "attention_score": "concat"},
        {**DECODER, "input_feeding": False},
        {**DECODER, "shared_attention": True},
        {"shared_attention": True, "attention_score": "dot"},
        {"bridge_heads": None, "num_encoder_layers": 1},
        {"bridge_heads": None, "penalty": "cube"},
        {"decoder": "transformer", "transformer": CROSS, "bridge_heads": None},
        {"encoder": "transformer", "transformer": CROSS, "bridge_heads": None},
        {"use_cudnn": "yes", **BOTH},
        {**BOTH, "transformer": {**PART, "alignment_layer": 1}},
    ]
    check_errors(AttentionBridgeModel, BRIDGE, wrong)


def test_wrong_arguments_of_label_models_are_named():
    wrong = [
        {"languages": []},
        {"languages": ["de", "de"]},
        {"languages": "de"},
        {"vocabulary_size": None},
        {"vocabulary_size": 6},  # no room for text
        {"languages": {"de": 20, "fr": 21}, "vocabulary_size": None},
        {"languages": {"de": 20, "fr": 20}, "vocabulary_size": 21},
        {"num_encoder_layers": 1},
        {"label_sides": "target"},
        {"transformer": PART},
        {"decoder": "transformer", "transformer": CROSS},
        {"encoder": "transformer", "transformer": CROSS},
    ]
    check_errors(LanguageLabelModel, LABEL, wrong)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_mechanism_of_a_recurrent_side_alone_is_an_error(side):
    other = {"encoder": "decoder", "decoder": "encoder"}[side]
    options = {**BRIDGE, other: "transformer"}
    kinds = {"shortcuts": "fusion", "layer_composition": "extended", "head_composition": "extended"}
    both = {name: {"kind": kind, "sides": [side, other]} for name, kind in kinds.items()}
    AttentionBridgeModel(**options, transformer={**PART, **both})
    settings = [{name: {"kind": kind, "sides": [side]}} for name, kind in kinds.items()]
    settings += [{"source_end": False}] if side == "encoder" else [{"alignment_head": 1}]
    settings += [{"decoder_self_attention": "ssru"}, {"tied_layers": ["decoder"]}] if side == "decoder" else []
    for setting in settings:
        with pytest.raises(ValueError, match=f"^`{next(iter(setting))}` has no effect without {side}='transformer'"):
            AttentionBridgeModel(**options, transformer={**PART, **setting})


@pytest.mark.parametrize(
    ("model", "sizes"), [(Transformer, SMALL), (AttentionBridgeModel, BRIDGE), (LanguageLabelModel, LABEL)]
)
def test_the_text_false_is_no_boolean(model, sizes):
    flags = [name for name, x in inspect.signature(model).parameters.items() if x.annotation == "bool"]
    assert flags
    for name in flags:
        with pytest.raises(ValueError, match=f"^`{name}` must be one of False, True. Received: {name}='False'$"):
            model(**sizes, **{name: "False"})


def test_an_argument_without_effect_is_an_error_that_names_it():
    for mechanism, kind, name, value in (
        (Composition, "linear", "rank", 4),
        (Composition, "extended", "intermediate_dim", 4),
        *((Roles, "contextualized", name, name != "residual") for name in ("residual", "low_rank", "straight_through")),
        (Roles, "contextualized", "dropout_on", "vector"),
    ):
        message = rf"^`{name}` has no effect on `{mechanism.__name__}\('{kind}'\)`. Received: {name}={value!r}$"
        with pytest.raises(ValueError, match=message):
            mechanism(kind, **{name: value})
    with pytest.raises(ValueError, match="`norm_position` has no effect without `norm='rms'` or a `LayerSpec`"):
        Transformer(**SMALL, norm="post", norm_position="post")
    with pytest.raises(ValueError, match="`output_projection` has an effect on `head_composition` only"):
        Transformer(**SMALL, layer_composition={"kind": "extended", "output_projection": False})


def test_unknown_arguments_and_presets_are_named():
    with pytest.raises(TypeError, match="the nearest is `num_encoder_layers`, `tie_embeddings`. Received: num_"):
        Transformer(**SMALL, num_encoder_layer=1, tie_embedding=False)
    with pytest.raises(TypeError, match="no such arguments. Received: bridge_head, norm"):
        AttentionBridgeModel(**BRIDGE, bridge_head=1, norm="pre")
    with pytest.raises(TypeError, match="no such arguments. Received: bridge_heads"):
        LanguageLabelModel(**LABEL, bridge_heads=3)
    with pytest.raises(ValueError, match="transformer_base_half.*Received: preset='huge'"):
        Transformer.from_preset("huge", source_vocabulary_size=V)
    for name, mechanism in MECHANISMS.items():
        message = rf"^`{name}` must be one of {', '.join(mechanism.KINDS)} or a `LayerSpec`.* Received: {name}='none'$"
        with pytest.raises(UserError, match=message):
            Transformer(**SMALL, **{name: "none"})
        with pytest.raises(ValueError, match=f"^`{name}` must have `kind`"):
            Transformer(**SMALL, **{name: {"sides": ["encoder"]}})


@pytest.mark.parametrize("mechanism", [Shortcuts, Composition, Roles])
def test_a_name_an_object_and_their_json_are_one(mechanism):
    assert mechanism.of("roles", None) is None
    for kind in mechanism.KINDS:
        expected = mechanism(kind)
        assert expected.get_config() == {"kind": kind}
        for form in (kind, expected, {"kind": kind}, json.loads(json.dumps(expected.get_config()))):
            assert mechanism.of("roles", form) == expected
        spec = expected.spec
        own = [mechanism.of("roles", spec.get_config()), mechanism(spec), mechanism({**spec.get_config()})]
        assert all(mechanism.of("roles", spec) == x for x in own)


@pytest.mark.parametrize(("model", "sizes"), [(Transformer, SMALL), (AttentionBridgeModel, BRIDGE)])
def test_numbers_of_numpy_become_those_of_python(model, sizes):
    arguments = {**sizes, "dropout": 0.5}
    numpy = {name: np.int64(value) for name, value in sizes.items() if isinstance(value, int)}
    numpy = {**arguments, **numpy, "dropout": np.float32(0.5)}
    if "languages" in sizes:
        own = {"uniform_start": 0.25, "penalty_weight": 0.5, "encoder": "transformer"}
        arguments |= {**own, "languages": {"de": 17}, "transformer": {"num_heads": 2}}
        numpy |= {**own, "uniform_start": np.float32(0.25), "penalty_weight": np.float16(0.5)}
        numpy |= {"languages": {"de": np.int32(17)}, "transformer": {"num_heads": np.int64(2)}}
    else:
        arguments |= {"norm_epsilon": 0.25, "roles": {"kind": "dense", "dropout": 0.5}}
        arguments |= {"feed_forward": LayerSpec(FeedForward, activation="gelu", dropout=0.5)}
        numpy |= {"norm_epsilon": np.float32(0.25), "roles": {"kind": "dense", "dropout": np.float32(0.5)}}
        numpy |= {"feed_forward": LayerSpec(FeedForward, activation="gelu", dropout=np.float32(0.5))}
    configs = [model(**given, name="same").get_config() for given in (arguments, numpy)]
    assert json.dumps(configs[1]) == json.dumps(configs[0])


def test_the_configuration_has_every_argument():
    names = set(inspect.signature(Transformer).parameters) - {"kwargs"}
    assert set(Transformer(**SMALL).get_config()) - {"name", "trainable", "dtype"} == names


def test_a_preset_takes_every_argument():
    model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=V, num_heads=8, norm="post", dropout=0.0)
    config = model.get_config()
    assert (config["num_heads"], config["norm"], config["dropout"], config["hidden_dim"]) == (8, "post", 0.0, 128)


def test_languages_that_a_model_lacks_or_has_are_named():
    model = AttentionBridgeModel(**BRIDGE)
    for call in (
        lambda: model.pair("de", "xx"),
        lambda: model.decoder_for("xx"),
    ):
        with pytest.raises(ValueError, match="one of de, fr. Received: language='xx'"):
            call()
    with pytest.raises(ValueError, match="already has the languages de, fr. Received: language='fr'"):
        model.with_language("fr", 20)
    for name, size in (("c s", 20), ("cs", 3)):
        with pytest.raises(ValueError, match="Received: "):
            model.with_language(name, size)
    with pytest.raises(TypeError, match=r"model.pair\(source, target\)"):
        model(make_batch(model.pair("de", "fr")))
    label = LanguageLabelModel(**LABEL)
    with pytest.raises(ValueError, match="joint.*Received: language='cs'"):
        label.with_language("cs", V)
    with pytest.raises(ValueError, match="one of de, fr. Received: language='cs'"):
        label.pair("de", "cs")


@pytest.mark.parametrize("change", [quantize, lambda model: add_adapter(model, LowRank(patterns=["*"]), base="")])
def test_models_whose_weights_have_changed_their_form_are_not_copied(change):
    model, many = Transformer(**SMALL), AttentionBridgeModel(**BRIDGE)
    change(model)
    change(many)
    for copy in (
        lambda: model.with_dtype("float32"),
        lambda: many.with_language("cs", 11),
        lambda: many.with_dtype("float32"),
        lambda: many.pair("de", "fr").with_dtype("float32"),
    ):
        with pytest.raises(UserError, match="The model (is quantised already|has an adapter): .*Received: "):
            copy()
