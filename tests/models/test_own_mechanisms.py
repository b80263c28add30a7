"""Mechanisms of the user's own in every place that takes them: configuration, search, XLA, directories, warm start."""

from __future__ import annotations

import inspect
import json
from fnmatch import fnmatchcase

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from own_mechanisms import EVERYWHERE, OWN, Learnt, Mixing, Previous, Sine, Squashed, Summed
from tiny import TINY, make_batch, randomise
from transformer_layers import make_decoder, make_encoder

from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.layers import Composition, LayerSpec, LinearCombination, Roles
from keras_nmt.layers._keras_private import all_layers
from keras_nmt.models import AttentionBridgeModel, ModelDirectory, Transformer
from keras_nmt.testing import check_mechanism
from keras_nmt.training import warm_start

SMALL = {**TINY, "num_encoder_layers": 2, "num_decoder_layers": 2}
SUBWORDS = {"source": "subwords.model", "target": "subwords.model"}


@pytest.fixture(scope="module")
def model():
    return randomise(Transformer(**SMALL, **EVERYWHERE))


# Models with half of the options each: two kinds of positions exclude each other.
HALVES = [
    ("layer_composition", "roles", "norm", "positions"),
    ("head_composition", "shortcuts", "feed_forward", "positions in attention"),
]


@pytest.mark.parametrize("half", HALVES, ids=" ".join)
def test_mechanisms_keep_the_properties_of_a_model(half):
    options = {name: value for place in half for name, value in OWN[place][0].items()}
    check_mechanism(**options, num_encoder_layers=2, num_decoder_layers=2)
    paths = [weight.path for weight in Transformer(**SMALL, **options).weights]
    for place in half:
        assert any(fnmatchcase(path, f"*{OWN[place][1]}") for path in paths)


def _with_unused_weight(self, shape):
    Squashed.build(self, shape)
    self.add_weight(shape=(3,), name="unused")


def _python(self, inputs):
    return tf.ensure_shape(tf.numpy_function(lambda x: x, [inputs], inputs.dtype), inputs.shape)


def _at_later_tokens(self, inputs, mask=None):
    return inputs + ops.pad(inputs, ((0, 0), (0, 1), (0, 0)))[:, 1:] * self.s


def _at_padding(self, inputs, mask=None):
    outputs = Previous.call(self, inputs)
    return outputs if self.causal else outputs + ops.mean(inputs, 1, keepdims=True)


def _float32(self, batch_size, beam_size):
    return ops.zeros((batch_size, beam_size, self.s.shape[0]), "float32")


def _as_inputs(self, inputs, other):
    return inputs + ops.cast(other, inputs.dtype)


def _drawn(self, **kwargs):
    keras.layers.Layer.__init__(self, **kwargs)
    self.scale = keras.random.uniform(())


def _with_unnamed_layer(self, shape):
    Squashed.build(self, shape)
    self.inner = keras.layers.Dense(shape[-1])
    self.inner.build(shape)


@pytest.mark.parametrize(
    ("place", "changed", "message"),
    [
        ("roles", {"call": _at_later_tokens}, "must not see later tokens: .* position 1"),
        ("roles", {"step": lambda self, x, t, cache: (x, x)}, "steps must give the logits of the whole sequence: "),
        ("roles", {"call": _at_padding}, "padding must change nothing: logits of sentence 0 alone"),
        (
            "roles",
            {"empty_cache": _float32, "add": lambda self, x, y: x + ops.cast(y, x.dtype)},
            "half precision .*mixed_float16: a step changes the dtypes of caches",
        ),
        ("norm", {"build": _with_unused_weight}, "every weight of the mechanism must have a gradient: .*/unused"),
        ("norm", {"build": _with_unnamed_layer}, "configuration .*: give the layer a name"),
        ("norm", {"call": _python}, "XLA must compute the same: "),
        ("norm", {"__init__": _drawn, "call": lambda self, x: self.scale * x}, "configuration .*outputs differ"),
        ("norm", {"call": lambda self, x: x / 0}, r"finite logits \[B, T, V\]: some are not finite"),
        ("norm", {"call": lambda self, x: x.nothing}, "finite logits .*: AttributeError: "),
    ],
    ids=range(10),
)
def test_each_property_that_is_missing_is_named(place, changed, message):
    layer = type("Changed", (OWN[place][0][place].layer,), changed)
    mechanism = LayerSpec(keras.saving.register_keras_serializable(package="own")(layer))
    with pytest.raises(AssertionError, match=rf"With {place}=LayerSpec\(Changed\), .*{message}"):
        check_mechanism(**{place: mechanism}, num_encoder_layers=1, num_decoder_layers=1)


@pytest.fixture
def directory(model, tmp_path):
    directory = ModelDirectory(tmp_path)
    for name in SUBWORDS.values():
        (tmp_path / name).touch()
    directory.save_config(model, subwords=SUBWORDS)
    directory.save_weights(model)
    return directory


def test_a_model_directory_keeps_names_and_arguments(model, directory):
    config = directory.load_config()["model"]["config"]
    assert config["feed_forward"] == {"class_name": "own>Sine", "config": {"frequency": 0.5}}
    assert "module" not in directory.config_path.read_text()
    loaded = directory.load_model()
    batch = make_batch(model)
    np.testing.assert_array_equal(loaded(batch), model(batch))


def _edit(directory, **changes):
    config = json.loads(directory.config_path.read_text())
    config["model"]["config"] |= changes
    del config["sha256"]
    write_json(directory.config_path, with_digest(config))


def test_names_that_are_not_registered_ask_for_the_import(directory):
    import keras_hub  # noqa: F401  registers its layers, which are refused all the same

    for name in ("their>Sine", "os>system", "keras_hub>TransformerEncoder", "keras.src.layers>Lambda"):
        _edit(directory, feed_forward=name)
        with pytest.raises(UserError, match=rf"config\.json contains a layer.*--import FILE.*Received: '{name}'$"):
            directory.load_model()


@pytest.mark.parametrize(
    "value",
    [
        {"module": "os", "class_name": "own>Sine", "config": {}},  # by which Keras would import
        {"class_name": "own>Sine", "config": {"frequency": {"module": "os", "class_name": "system", "config": "ls"}}},
        {"class_name": "own>Sine", "config": {"frequency": [[{"class_name": "own>Sine"}]]}},
        {"class_name": "own>Sine", "config": {"name": "mine"}},
        {"class_name": "own>Sine", "config": {"depth": 3}},
        {"class_name": "own>Sine", "config": 3},
        {"class_name": 3},
        {"class_name": "keras_nmt>Transformer", "config": {}},
        {},
        "own>",
        5,
        ["own>Sine"],
    ],
)
def test_other_forms_are_errors_of_one_line(directory, value):
    _edit(directory, feed_forward=value)
    with pytest.raises(UserError, match="Received: "):
        directory.load_model()


def test_training_starts_from_a_plain_model():
    plain = Transformer(**SMALL)
    options = {name: EVERYWHERE[name] for name in ("layer_composition", "roles")}
    model = Transformer(**SMALL, **options)
    with pytest.raises(UserError, match="missing"):
        warm_start(model, plain)
    result = warm_start(model, plain, allow_missing=["*/layer_composition*", "*_roles/*"])
    assert len(result.taken) == len(plain.weights)
    assert {path.rsplit("/", 2)[-2] for path in result.new} >= {"layer_composition", "source_roles", "target_roles"}
    assert not result.unused


def test_a_multilingual_model_has_and_saves_them(tmp_path):
    sizes = {"num_heads": 2, "intermediate_dim": 12}
    options = {"encoder": "transformer", "decoder": "transformer", "hidden_dim": 8, "bridge_hidden_dim": 6}
    own = {name: value for name, value in EVERYWHERE.items() if not name.startswith("shortcut")}
    own["positions"] = LayerSpec(Learnt, length=9)
    model = AttentionBridgeModel({"de": 20, "fr": 23}, transformer={**sizes, **own}, **options)
    randomise(model)
    assert sum(weight.path.endswith("positions/table") for weight in model.weights) == 1
    directory = ModelDirectory(tmp_path)
    (tmp_path / "subwords.model").touch()
    directory.save_config(model, subwords=dict.fromkeys(("de", "fr"), "subwords.model"))
    directory.save_weights(model)
    loaded = directory.load_model()
    assert loaded.get_config() == json.loads(json.dumps(model.get_config()))
    for batch in (np.array([[5, 6, 3]]), np.array([[2, 7, 9, 9]])), (np.array([[5, 3]]), np.array([[2, 22]])):
        np.testing.assert_array_equal(loaded.pair("de", "fr")(batch), model.pair("de", "fr")(batch))


def test_settings_of_a_run_take_them_as_objects_and_as_json(tmp_path):
    files = {part: f"{part}.{{language}}" for part in ("train", "dev")}
    run = {"directory": str(tmp_path), "languages": ["de", "en"], "pairs": ["de-en"], **files, "max_updates": 1}
    model = {"feed_forward": LayerSpec(Sine, frequency=2), "roles": LayerSpec(Previous)}
    objects = ExperimentConfig.from_settings(run, {"model": model})
    settings = objects.settings()
    assert settings["model"]["feed_forward"] == {"class_name": "own>Sine", "config": {"frequency": 2}}
    again = ExperimentConfig.from_settings(json.loads(json.dumps(settings)))
    sizes = {"source": 50, "target": 50}
    assert again.make_model(sizes).count_params() == objects.make_model(sizes).count_params()


def test_gates_of_own_shortcuts_are_returned():
    options, _ = OWN["shortcuts"]
    decoder = make_decoder(1, 2, 8, 12, shortcut=options["shortcuts"].kind)
    x, memory = (np.random.default_rng(0).normal(size=(2, n, 8)).astype("float32") for n in (4, 5))
    _, gates = decoder(x, memory, return_gates=True)
    assert [gate.shape for gate in gates[0]["self"]] == [(2, 4, 8), (2, 4, 8)]


@keras.saving.register_keras_serializable(package="own")
class Opinionated(Mixing):
    """A composition whose author has chosen every default."""

    def __init__(
        self, num_representations, rank=7, start="mine", residual=True, intermediate_dim=9, **kwargs
    ):  # `units` is a size of the model
        super().__init__(num_representations, **kwargs)
        self.given = rank, start, residual, intermediate_dim
        self.residual = residual


@keras.saving.register_keras_serializable(package="own")
class OpinionatedRoles(Previous):
    def __init__(
        self,
        causal=None,
        num_roles=7,
        context="mine",
        units=9,
        exclusive="mine",
        dropout=0.75,
        residual="mine",
        low_rank="mine",
        straight_through="mine",
        dropout_on="mine",
        **kwargs,
    ):
        super().__init__(causal, **kwargs)
        more = exclusive, dropout, residual, low_rank, straight_through, dropout_on
        self.given = (num_roles, context, units, *more)


@keras.saving.register_keras_serializable(package="own")
class OpinionatedFeedForward(Sine):
    def __init__(self, intermediate_dim, hidden_dim, dropout=0.75, **kwargs):
        super().__init__(intermediate_dim, hidden_dim, **kwargs)
        self.given = dropout


OPINIONATED = {
    "layer_composition": LayerSpec(Opinionated),
    "head_composition": LayerSpec(Opinionated),
    "roles": LayerSpec(OpinionatedRoles),
    "feed_forward": LayerSpec(OpinionatedFeedForward),
}


def _given(**options):
    """What the own layers of a model were given, by name."""
    model = Transformer(**{**SMALL, **OPINIONATED, **options})
    layers = [layer for layer in all_layers(model) if hasattr(layer, "given")]
    assert len(layers) == 2 + 6 + 2 + 4  # on both sides
    return {layer.name: layer.given for layer in layers}


def test_the_defaults_of_own_layers_are_kept():
    assert _given() == {
        "layer_composition": (7, "mine", True, 9),
        "head_composition": (7, "mine", True, 9),
        **dict.fromkeys(("source_roles", "target_roles"), (7, "mine", 9, "mine", 0.75, *("mine",) * 4)),
        "feed_forward": 0.75,
    }


def test_options_that_are_set_take_precedence_over_the_defaults_of_own_layers():
    composed = {"kind": LayerSpec(Opinionated), "rank": 3, "start": "identity"}
    roles = {"context": "cnn", "units": 4, "low_rank": True, "straight_through": True, "exclusive": True}
    given = _given(
        layer_composition=Composition(**composed, residual=True),
        head_composition=Composition(**composed, residual=True, intermediate_dim=3),
        roles=Roles(LayerSpec(OpinionatedRoles), num_roles=3, **roles, dropout=0.25, dropout_on="vector"),
        activation_dropout=0.25,
    )
    assert given == {
        "layer_composition": (3, "identity", True, 9),
        "head_composition": (3, "identity", True, 3),
        "source_roles": (3, "cnn", 4, False, 0.25, "mine", True, True, "vector"),
        "target_roles": (3, "cnn", 4, True, 0.25, "mine", True, True, "vector"),
        "feed_forward": 0.25,
    }


@pytest.mark.parametrize(
    ("place", "base", "size", "value"),
    [
        ("layer_composition", Mixing, "num_representations", 2),
        ("layer_composition", Mixing, "units", 8),
        ("head_composition", Mixing, "units", 8),
        ("shortcuts", Summed, "hidden_dim", 8),
        ("feed_forward", Sine, "hidden_dim", 8),
        ("feed_forward", Sine, "intermediate_dim", 12),
    ],
)
def test_a_default_of_a_size_that_is_not_the_models_is_an_error(place, base, size, value):
    @keras.saving.register_keras_serializable(package="own", name="Sized")
    class Sized(base):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)

    def parameter(name, default=inspect.Parameter.empty, kind=inspect.Parameter.KEYWORD_ONLY):
        return inspect.Parameter(name, kind, default=default)

    sizes = {"num_representations", "hidden_dim", "intermediate_dim"} & set(inspect.signature(base.__init__).parameters)
    more = [parameter(name) for name in sizes - {size}] + [parameter("kwargs", kind=inspect.Parameter.VAR_KEYWORD)]
    first = parameter("self", kind=inspect.Parameter.POSITIONAL_ONLY)
    for default in (64, value) if size in sizes else (64,):
        Sized.__init__.__signature__ = inspect.Signature([first, parameter(size, default), *more])
        if default == value:
            Transformer(**{**SMALL, place: LayerSpec(Sized)})
        else:
            with pytest.raises(ValueError, match=rf"remove its default.*default 64, in the model {value}$"):
                Transformer(**{**SMALL, place: LayerSpec(Sized)})


@keras.saving.register_keras_serializable(package="own")
class Gated(keras.layers.Layer):
    """A tree that adds a share of layer 1 to layer 3, as its author's default says."""

    def __init__(self, num_representations, residual=True, **kwargs):
        super().__init__(**kwargs)
        self.residual = residual

    def build(self, shapes):
        self.gate = self.add_weight(shape=(shapes[0][-1],), initializer="zeros", name="gate")

    def call(self, representations):
        return self.aggregate(0, representations)

    def node_after(self, number):
        return 0 if number == 3 else None

    def aggregate(self, node, representations, previous=None):
        return ops.cast(self.gate, self.compute_dtype) * representations[0]


def test_a_tree_adds_to_the_state_as_its_author_says():
    states = np.random.default_rng(0).normal(size=(2, 4, 8)).astype("float32")
    plain = make_encoder(3, 2, 8, 12)
    for mechanism, is_added in ((LayerSpec(Gated), True), (LayerSpec(Gated, residual=False), False)):
        encoder = make_encoder(3, 2, 8, 12, layer_composition=mechanism)
        output = encoder(states)
        plain(states)
        weights = {weight.path.split("/", 1)[1]: weight for weight in encoder.weights}
        for weight in plain.weights:
            weight.assign(weights[weight.path.split("/", 1)[1]])
        assert np.allclose(output, plain(states), atol=1e-6) == is_added  # the gate is 0 at first


@keras.saving.register_keras_serializable(package="own")
class WithoutStep(keras.layers.Layer):
    """Roles that search could not compute."""

    def call(self, inputs, mask=None):
        return inputs


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"roles": LayerSpec(WithoutStep)}, "must have `step` and `empty_cache`"),
        ({"roles": {"kind": LayerSpec(Previous), "units": 3}}, r"`units` has no effect on `Roles\(LayerSpec\(Previous"),
        ({"feed_forward": LayerSpec(Sine), "activation_dropout": 0.1}, "no effect without a `feed_forward`"),
        ({"layer_composition": {"kind": LayerSpec(Mixing), "rank": 3}}, "`rank` has no effect on `Composition"),
        ({"layer_composition": {"kind": LayerSpec(Mixing), "residual": True}}, "`residual` has no effect on"),
        ({"head_composition": Composition(LayerSpec(Mixing), output_projection=False)}, "a composition of width 8"),
        ({"layer_composition": LayerSpec(Mixing), "num_encoder_layers": 1}, "at least two layers"),
        ({"layer_composition": Mixing(3)}, "or a `LayerSpec`"),
        ({"norm": LayerSpec(type("Local", (keras.layers.Layer,), {}))}, "register_keras_serializable"),
        ({"positions": "own>Nothing"}, "--import FILE"),
    ],
)
def test_wrong_mechanisms_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Transformer(**{**TINY, **options})


def _last(x):
    return x[-1] if isinstance(x, list) else x


@pytest.mark.parametrize(
    "returned",
    [lambda x: ops.concatenate([_last(x)] * 2, -1), lambda x: (_last(x),) * 2, lambda x: _last(x)[..., 0, 0]],
    ids=["wide", "tuple", "rank"],
)
@pytest.mark.parametrize(
    "place", ["layer_composition", "head_composition", "feed_forward", "norm", "positions", "roles"]
)
def test_a_mechanism_that_returns_another_shape_is_named(place, returned):
    own = OWN[place][0][place]
    layer = type(
        "Changed",
        ((own.kind if isinstance(own, Composition) else own).layer,),
        {"call": lambda self, x, *more, **options: returned(x)},
    )
    mechanism = LayerSpec(keras.saving.register_keras_serializable(package="own")(layer))
    with pytest.raises(
        AssertionError, match=r"Changed, the layer '\w+', must return a tensor \[.*Received: (shape|tuple)"
    ):
        check_mechanism(**{place: mechanism})


def test_what_stands_in_the_way_of_a_layer_is_named():
    @keras.saving.register_keras_serializable(package="own")
    class Needy(keras.layers.Layer):
        def __init__(self, needed, **options):
            super().__init__(**options)

    with pytest.raises(TypeError, match="Needy cannot be made as '.*' of a model: .*'needed'"):
        Transformer(**TINY, feed_forward=LayerSpec(Needy))
    with pytest.raises(ValueError, match="No layer of this name.*the nearest is `own>Needy`. Received: 'own>Needi'"):
        LayerSpec.from_config("own>Needi")
    with pytest.raises(ValueError, match="Give the mechanism to check"):
        check_mechanism()


def test_names_are_shorthand_for_mechanisms():
    batch = make_batch(Transformer(**TINY))
    models = [
        Transformer(**TINY, layer_composition=Composition(kind, start="identity"), name="transformer")
        for kind in ("linear", LayerSpec(LinearCombination))
    ]
    assert [w.path for w in models[0].weights] == [w.path for w in models[1].weights]
    models[1].set_weights(models[0].get_weights())
    np.testing.assert_array_equal(models[1](batch), models[0](batch))
