"""The arguments of the Transformer: errors, types, signatures and presets."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re

import numpy as np
import pytest
from tiny import TINY, V

from keras_nmt.errors import UserError
from keras_nmt.layers import Composition, LayerSpec, RoleInteraction, Roles, Shortcuts
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, LowRank, Transformer, add_adapter


@pytest.mark.parametrize(
    "options",
    [
        {"hidden_dim": 9},
        {"num_encoder_layers": 0},
        {"dropout": 1.5},
        {"norm": "batch"},
        {"norm": "rms", "norm_position": "middle"},
        {"norm": "post", "norm_position": "post"},
        {"positions": "learnt"},
        {"positions": "rotary", "hidden_dim": 6},
        {"feed_forward": "tanh"},
        {"num_key_value_heads": 3},
        {"shortcuts": "lexical"},
        {"shortcuts": {"kind": "plain", "source": "embeddings"}},
        {"shortcuts": {"kind": "plain", "sites": ()}},
        {"shortcuts": {"kind": "plain", "sites": ("self", "output")}},
        {"shortcuts": {"kind": "plain", "sides": ("both",)}},
        {"shortcuts": {"kind": "plain", "sites": ("cross",), "sides": ("encoder",)}},
        {"shortcuts": {"sites": ("cross",)}},
        {"shortcuts": {"kind": "plain", "site": ("cross",)}},
        {"shortcuts": {"kind": None}},
        {"shortcuts": 5},
        {"shortcuts": {"kind": ["plain"]}},
        {"source_vocabulary_size": 3},
        {"source_vocabulary_size": "8000"},
        {"layer_composition": "attention"},
        {"layer_composition": "linear", "num_decoder_layers": 1},
        {"layer_composition": {"kind": "extended", "rank": 0}},
        {"layer_composition": {"kind": "extended", "start": "zero"}},
        {"layer_composition": {"kind": "extended", "residual": "no"}},
        {"layer_composition": {"kind": "extended", "start": "identity", "rank": 7}},
        {"layer_composition": {"kind": "hierarchical", "start": "identity"}},
        {"layer_composition": {"kind": "extended", "output_projection": False}},
        {"head_composition": {"kind": "low_rank", "start": "identity"}},
        {"head_composition": {"kind": "extended", "start": "identity", "output_projection": False}},
        {"head_composition": {"kind": "hierarchical", "output_projection": False}},
        {"layer_composition": {"kind": "extended", "rank": (3 * 8) ** 2 + 1}},
        {"head_composition": "mean"},
        {"head_composition": "linear"},
        {"head_composition": "extended", "num_heads": 1},
        {"head_composition": {"kind": "hierarchical", "intermediate_dim": 0}},
        {"roles": "sparse"},
        {"roles": {"kind": "dense", "num_roles": 0}},
        {"roles": {"kind": "dense", "context": "bilstm"}},
        {"roles": {"kind": "dense", "straight_through": True}},
        {"roles": {"kind": "dense", "dropout": 1.0}},
        {"roles": {"kind": "softmax", "dropout_on": "vector"}},
        {"roles": {"kind": "one_hot", "dropout_on": "roles"}},
        {"roles": {"kind": "dense", "units": 0}},
        {"roles": {"kind": "dense", "low_rank": True, "residual": False}},
        {"attention_dropout": 1.5},
        *({"norm_epsilon": x} for x in (None, -1, True, "x")),
        {"num_heads": 2.0},
        {"num_heads": "2"},
        {"hidden_dim": 8.0},
        {"hidden_dim": None},
        {"intermediate_dim": 12.7},
        {"source_vocabulary_size": None},
        {"source_vocabulary_size": True},
    ],
)
def test_wrong_arguments_are_named(options):
    with pytest.raises(ValueError, match="Received: "):
        Transformer(**{**TINY, **options})


@pytest.mark.parametrize("model", [Transformer, AttentionBridgeModel, LanguageLabelModel])
def test_the_text_false_is_no_boolean(model):
    sizes = TINY if model is Transformer else {"languages": {"de": V}, "hidden_dim": 8}
    flags = [name for name, x in inspect.signature(model).parameters.items() if x.annotation == "bool"]
    assert flags
    for name in flags:
        with pytest.raises(ValueError, match=f"^`{name}` must be one of False, True. Received: {name}='False'$"):
            model(**sizes, **{name: "False"})


@pytest.mark.parametrize(
    ("mechanism", "kind", "arguments"),
    [
        (Composition, "linear", {"rank": 4}),
        (Composition, "hierarchical", {"rank": 4}),
        (Composition, "bilinear", {"rank": 4}),
        (Composition, "extended", {"intermediate_dim": 4}),
        (Roles, "contextualized", {"residual": False}),
        (Roles, "contextualized", {"low_rank": True}),
        (Roles, "contextualized", {"straight_through": True}),
        (Roles, "contextualized", {"dropout_on": "vector"}),
    ],
)
def test_an_argument_without_effect_is_an_error_that_names_it(mechanism, kind, arguments):
    ((name, value),) = arguments.items()
    message = rf"^`{name}` has no effect on `{mechanism.__name__}\('{kind}'\)`. Received: {name}={value!r}$"
    with pytest.raises(ValueError, match=message):
        mechanism(kind, **arguments)


def test_options_without_effect_name_what_is_missing():
    with pytest.raises(ValueError, match="`norm_position` has no effect without `norm='rms'` or a `LayerSpec`"):
        Transformer(**TINY, norm="post", norm_position="post")
    with pytest.raises(ValueError, match="`output_projection` has an effect on `head_composition` only"):
        Transformer(**TINY, layer_composition={"kind": "extended", "output_projection": False})


KINDS = [(mechanism, kind) for mechanism in (Shortcuts, Composition, Roles) for kind in mechanism.KINDS]


@pytest.mark.parametrize(("mechanism", "kind"), KINDS)
def test_a_name_an_object_and_their_json_are_one(mechanism, kind):
    expected = mechanism(kind)
    assert expected.get_config() == {"kind": kind}
    for form in (kind, expected, {"kind": kind}, json.loads(json.dumps(expected.get_config()))):
        assert mechanism.of(form) == expected
    assert mechanism.of(None) is None
    spec = expected.spec
    assert mechanism.of(spec) == mechanism.of(spec.get_config()) == mechanism(spec) == mechanism({**spec.get_config()})


@pytest.mark.parametrize(
    "changed",
    [
        Shortcuts("fusion", source="non_lexical", sites="cross", sides=["decoder"]),
        Composition("extended", rank=4, start="identity", residual=True, sides=["decoder"]),
        Composition("hierarchical", intermediate_dim=5, residual=True),
        Composition("low_rank", output_projection=False),
        Roles("one_hot", 4, "cnn", 3, False, straight_through=True, exclusive=True, dropout=0.5, dropout_on="vector"),
        Roles(LayerSpec(RoleInteraction, kernel_size=3), low_rank=True),
    ],
    ids=repr,
)
def test_objects_survive_json_and_say_what_they_change(changed):
    config = json.loads(json.dumps(changed.get_config()))
    again = type(changed).from_config(config)
    assert again == changed
    assert again.get_config() == config
    names = {argument.name for argument in type(changed).arguments()}
    assert set(config) <= names == {field.name for field in dataclasses.fields(changed)}


def test_numpy_sizes_become_plain_integers():
    sizes = {name: np.int64(value) for name, value in TINY.items() if isinstance(value, int)}
    configs = [Transformer(**{**TINY, **more}, name="same").get_config() for more in ({}, sizes)]
    assert json.dumps(configs[1]) == json.dumps(configs[0])


def test_unknown_arguments_are_named():
    with pytest.raises(TypeError, match="the nearest is `num_encoder_layers`, `tie_embeddings`. Received: num_"):
        Transformer(**TINY, num_encoder_layer=1, tie_embedding=False)
    with pytest.raises(TypeError, match="the nearest is `shortcuts`. Received: shortcut$"):
        Transformer(**TINY, shortcut="plain")
    with pytest.raises(ValueError, match="'fusion', 'ungated' or a `LayerSpec`, in JSON.* Received: kind"):
        Transformer(**TINY, shortcuts="none")


def test_the_signature_and_the_description_list_every_argument():
    names = set(inspect.signature(Transformer).parameters) - {"kwargs"}
    described = set(re.findall(r"^    (\w+): ", inspect.getdoc(Transformer).split("Raises:")[0], re.MULTILINE))
    assert set(Transformer(**TINY).get_config()) - {"name", "trainable", "dtype"} == names == described


def test_a_model_with_an_adapter_is_not_copied():
    model = Transformer(**TINY)
    add_adapter(model, LowRank(), base="")
    with pytest.raises(UserError, match="^The model has an adapter: .*Received: Transformer with LoRA$"):
        model.with_dtype("float32")


def test_unknown_preset_is_named():
    with pytest.raises(ValueError, match="transformer_base_half.*Received: preset='huge'"):
        Transformer.from_preset("huge", source_vocabulary_size=V)


def test_a_preset_takes_every_argument():
    model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=V, num_heads=8, norm="post", dropout=0.0)
    config = model.get_config()
    assert (config["num_heads"], config["norm"], config["dropout"], config["hidden_dim"]) == (8, "post", 0.0, 128)
