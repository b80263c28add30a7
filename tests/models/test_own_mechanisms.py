"""Mechanisms of the user's own in every place that takes them: configuration, search, XLA, directories, warm start."""

import json
from fnmatch import fnmatchcase

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from model_checks import check_saved_equals_loaded
from own_mechanisms import EVERYWHERE, OWN, Learnt, Mixing, Previous, Sine, Squashed
from transformer_layers import make_decoder, make_encoder

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.layers import Composition, LayerSpec, Roles
from keras_nmt.layers._keras_private import all_layers
from keras_nmt.models import AttentionBridgeModel, ModelDirectory, Transformer
from keras_nmt.testing import SMALL as TINY
from keras_nmt.testing import check_layer, check_mechanism, make_batch, randomise

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


@pytest.mark.slow
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


MISSING = [  # the first two each day
    ("roles", {"call": _at_later_tokens}, "must not see later tokens: .* position 1"),
    ("roles", {"step": lambda self, x, t, cache: (x, x)}, "steps must give the logits of the whole sequence: "),
    ("roles", {"call": _at_padding}, "padding must change nothing: logits of sentence 0 alone"),
    ("norm", {"call": lambda self, x: x / 0}, r"finite logits \[B, T, V\]: some are not finite"),
    (
        "roles",
        {"empty_cache": _float32, "add": lambda self, x, y: x + ops.cast(y, x.dtype)},
        "half precision .*mixed_float16: a step changes the dtypes of caches",
    ),
    ("norm", {"build": _with_unused_weight}, "every weight of the mechanism must have a gradient: .*/unused"),
    ("norm", {"call": _python}, "XLA must compute the same: "),
    ("norm", {"call": lambda self, x: x.nothing}, "finite logits .*: AttributeError: "),
]


def _changed(place, **changed):
    """A mechanism of this place whose layer has other methods."""
    own = OWN[place][0][place]
    layer = type("Changed", ((own.kind if isinstance(own, Composition) else own).layer,), changed)
    return {place: LayerSpec(keras.saving.register_keras_serializable(package="own")(layer))}


@pytest.mark.parametrize(
    ("place", "changed", "message"),
    [pytest.param(*x, id=str(i), marks=[pytest.mark.slow] * (i >= 2)) for i, x in enumerate(MISSING)],
)
def test_each_property_that_is_missing_is_named(place, changed, message):
    with pytest.raises(AssertionError, match=rf"With {place}=LayerSpec\(Changed\), .*{message}"):
        check_mechanism(**_changed(place, **changed), num_encoder_layers=1, num_decoder_layers=1)


@keras.saving.register_keras_serializable(package="own")
class OfThreeLayers(keras.layers.Layer):
    """Adds the state two below, which is there after the third layer and no later one."""

    residual = True

    def node_after(self, number):
        return number - 3 if number >= 3 else None

    def aggregate(self, node, representations, previous=None):
        return representations[-3]


@pytest.mark.slow
def test_a_composition_that_fits_one_depth_and_a_layer_that_cannot_be_made_are_named():
    with pytest.raises(AssertionError, match="stacks of other depths must compute: .*list index out of range"):
        check_mechanism(layer_composition=LayerSpec(OfThreeLayers))
    with pytest.raises(AssertionError, match="the model cannot be made: ValueError: .*`empty_cache` and `step`"):
        check_mechanism(roles=LayerSpec(OfThreeLayers))


@pytest.fixture
def directory(model, tmp_path):
    directory = ModelDirectory(tmp_path)
    for name in SUBWORDS.values():
        (tmp_path / name).touch()
    directory.save_config(model, subwords=SUBWORDS)
    directory.save_weights(model)
    return directory


def test_a_model_directory_keeps_names_and_arguments(model, directory):
    config = directory.read().model_config
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


def test_names_that_are_not_registered_ask_for_the_import_and_other_forms_are_errors(directory):
    import keras_hub  # noqa: F401  registers its layers, which are refused all the same

    for name in ("their>Sine", "os>system", "keras_hub>TransformerEncoder", "keras.src.layers>Lambda"):
        _edit(directory, feed_forward=name)
        with pytest.raises(UserError, match=rf"config\.json contains a layer.*--import FILE.*Received: '{name}'$"):
            directory.load_model()
    call = {"module": "os", "class_name": "system", "config": "ls"}
    for value in (
        {"module": "os", "class_name": "own>Sine", "config": {}},  # by which Keras would import
        *({"class_name": "own>Sine", "config": config} for config in ({"frequency": call}, {"depth": 3}, 3)),
        {"class_name": "own>Sine", "config": {"frequency": [[{"class_name": "own>Sine"}]]}},
        {"class_name": 3},
        {"class_name": "keras_nmt>Transformer", "config": {}},
        "own>",
        5,
    ):
        _edit(directory, feed_forward=value)
        with pytest.raises(UserError, match="Received: "):
            directory.load_model()


@pytest.mark.slow
def test_a_multilingual_model_has_and_saves_them(tmp_path):
    own = {name: value for name, value in EVERYWHERE.items() if not name.startswith("shortcut")}
    own |= {"num_heads": 2, "intermediate_dim": 12, "positions": LayerSpec(Learnt, length=9)}
    options = {"encoder": "transformer", "decoder": "transformer", "hidden_dim": 8, "bridge_hidden_dim": 6}
    model = randomise(AttentionBridgeModel({"de": 20, "fr": 23}, transformer=own, **options))
    assert sum(weight.path.endswith("positions/table") for weight in model.weights) == 1
    check_saved_equals_loaded(model, ("de", "fr"), tmp_path)


def test_gates_of_own_shortcuts_are_returned():
    options, _ = OWN["shortcuts"]
    decoder = make_decoder(1, 2, 8, 12, shortcut=options["shortcuts"].kind)
    x, memory = (np.random.default_rng(0).normal(size=(2, n, 8)).astype("float32") for n in (4, 5))
    _, gates = decoder(x, memory, return_gates=True)
    assert [gate.shape for gate in gates[0]["self"]] == [(2, 4, 8), (2, 4, 8)]


# Layers whose authors have chosen every default.


@keras.saving.register_keras_serializable(package="own")
class Opinionated(Mixing):
    def __init__(self, num_representations, rank=7, start="mine", residual=True, intermediate_dim=9, **kwargs):
        super().__init__(num_representations, **kwargs)  # `units` is a size of the model
        self.given = rank, start, residual, intermediate_dim
        self.residual = residual


@keras.saving.register_keras_serializable(package="own")
class OpinionatedRoles(Previous):
    def __init__(self, causal=None, num_roles=7, units=9, exclusive="mine", dropout=0.75, dropout_on="mine", **kwargs):
        super().__init__(causal, **kwargs)
        self.given = num_roles, units, exclusive, dropout, dropout_on


@keras.saving.register_keras_serializable(package="own")
class OpinionatedFeedForward(Sine):
    def __init__(self, intermediate_dim, hidden_dim, dropout=0.75, **kwargs):
        super().__init__(intermediate_dim, hidden_dim, **kwargs)
        self.given = dropout


def _given(**options):
    """What the own layers of a model were given, by name."""
    kinds = {**dict.fromkeys(("layer_composition", "head_composition"), Opinionated), "roles": OpinionatedRoles}
    kinds |= {"feed_forward": OpinionatedFeedForward}
    model = Transformer(**{**SMALL, **{name: LayerSpec(layer) for name, layer in kinds.items()}, **options})
    layers = [layer for layer in all_layers(model) if hasattr(layer, "given")]
    assert len(layers) == 2 + 6 + 2 + 4  # on both sides
    return {layer.name: layer.given for layer in layers}


def test_the_defaults_of_own_layers_are_kept_unless_options_are_set():
    assert _given() == {
        "layer_composition": (7, "mine", True, 9),
        "head_composition": (7, "mine", True, 9),
        **dict.fromkeys(("source_roles", "target_roles"), (7, 9, "mine", 0.75, "mine")),
        "feed_forward": 0.75,
    }
    composed = {"kind": LayerSpec(Opinionated), "rank": 3, "start": "identity"}
    roles = {"num_roles": 3, "units": 4, "exclusive": True, "dropout": 0.25, "dropout_on": "vector"}
    assert _given(
        layer_composition=Composition(**composed, residual=True),
        head_composition=Composition(**composed, residual=True, intermediate_dim=3),
        roles=Roles(LayerSpec(OpinionatedRoles), **roles),
        activation_dropout=0.25,
    ) == {
        "layer_composition": (3, "identity", True, 9),
        "head_composition": (3, "identity", True, 3),
        "source_roles": (3, 4, False, 0.25, "vector"),
        "target_roles": (3, 4, True, 0.25, "vector"),
        "feed_forward": 0.25,
    }


def test_a_default_of_a_size_that_is_not_the_models_is_an_error():
    @keras.saving.register_keras_serializable(package="own")
    class SizedMixing(Mixing):
        def __init__(self, num_representations=2, **kwargs):
            super().__init__(num_representations, **kwargs)

    @keras.saving.register_keras_serializable(package="own")
    class SizedSine(Sine):
        def __init__(self, intermediate_dim, hidden_dim=64, **kwargs):
            super().__init__(intermediate_dim, hidden_dim, **kwargs)

    mixed = {"layer_composition": LayerSpec(SizedMixing)}
    Transformer(**SMALL, **mixed)
    with pytest.raises(ValueError, match=r"remove its default.*default 2, in the model 3$"):
        Transformer(**TINY, **mixed)
    with pytest.raises(ValueError, match=r"remove its default.*default 64, in the model 8$"):
        Transformer(**SMALL, feed_forward=LayerSpec(SizedSine))


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


def test_wrong_mechanisms_are_named():
    for options, message in (
        ({"roles": LayerSpec(Squashed)}, "must have `empty_cache` and `step`"),
        ({"shortcuts": LayerSpec(Squashed)}, "A layer of `Shortcuts` must have `has_gates`"),
        ({"decoder_self_attention": LayerSpec(Squashed)}, "must have `empty_cache` and `step`"),
        ({"roles": {"kind": LayerSpec(Previous), "units": 3}}, r"`units` has no effect on `Roles\(LayerSpec\(Previous"),
        ({"feed_forward": LayerSpec(Sine), "activation_dropout": 0.1}, "no effect without a `feed_forward`"),
        ({"layer_composition": {"kind": LayerSpec(Mixing), "rank": 3}}, "`rank` has no effect on `Composition"),
        ({"head_composition": Composition(LayerSpec(Mixing), output_projection=False)}, "a composition of width 8"),
        ({"layer_composition": LayerSpec(Mixing), "num_encoder_layers": 1}, "at least two layers"),
        ({"layer_composition": Mixing(3)}, "or a `LayerSpec`"),
        ({"norm": LayerSpec(type("Local", (keras.layers.Layer,), {}))}, "register_keras_serializable"),
        ({"positions": "own>Nothing"}, "--import FILE"),
    ):
        with pytest.raises(ValueError, match=message):
            Transformer(**{**TINY, **options})


def _last(x):
    return x[-1] if isinstance(x, list) else x


def test_a_mechanism_that_returns_another_shape_is_named():
    wide, several = lambda x: ops.concatenate([_last(x)] * 2, -1), lambda x: (_last(x),) * 2
    message = r"Changed, the layer '\w+', must return a tensor \[.*Received: (shape|tuple)"
    for place, returned in (
        ("layer_composition", wide),
        ("head_composition", lambda x: _last(x)[..., 0, 0]),
        ("feed_forward", several),
        ("norm", lambda x: x[..., 0, 0]),
        ("positions", wide),
        ("roles", several),
    ):
        changed = _changed(place, call=lambda self, x, *more, returned=returned, **options: returned(x))
        with pytest.raises(AssertionError, match=message):
            check_mechanism(**changed)


def test_checks_that_need_tensorflow_say_so(monkeypatch):
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    with pytest.raises(UserError, match="^`check_mechanism` needs TensorFlow: .*Received: jax"):
        check_mechanism(roles=LayerSpec(Previous))
    with pytest.raises(UserError, match="^`check_layer` with `thorough=True` needs TensorFlow: .*Received: jax"):
        check_layer(Mixing, {})


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
