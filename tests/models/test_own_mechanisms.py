"""Mechanisms of the user's own in every place that takes them: configuration, search, XLA, directories, warm start."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase

import keras
import numpy as np
import pytest
import tensorflow as tf
from own_mechanisms import EVERYWHERE, OWN, Learnt, Mixing, Previous, Sine
from tiny import TINY, make_batch, randomise, stepwise

from keras_nmt.errors import UserError
from keras_nmt.experiments import Experiment
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.layers import LinearCombination, Mechanism, TransformerDecoder, TransformerEncoder
from keras_nmt.models import AttentionBridgeModel, ModelDirectory, Transformer
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
def test_steps_equal_the_full_pass_and_the_configuration_makes_an_equal_model(half):
    model = randomise(Transformer(**{**SMALL, **{k: v for place in half for k, v in OWN[place][0].items()}}))
    source, target = make_batch(model)
    expected = np.asarray(model([source, target]))
    for grows in (False, True):
        found = stepwise(model, source, target, grows=grows)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=f"caches that grow: {grows}")

    config = json.loads(json.dumps(model.get_config()))
    again = Transformer.from_config(config)
    assert again.get_config() == config
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again([source, target]), expected)
    for place in half:  # each has an effect
        weight = next(w for w in model.trainable_weights if fnmatchcase(w.path, f"*{OWN[place][1]}"))
        old = weight.numpy()
        weight.assign(2 * old + np.linspace(0.5, 1, old.size).reshape(old.shape))
        assert not np.allclose(model([source, target]), expected, atol=1e-6), weight.path
        weight.assign(old)


def test_compiled_equals_plain(model):
    source, target = make_batch(model, rows=1)
    found = stepwise(model, source, target, jit_compile=True)
    np.testing.assert_allclose(found, model([source, target]), rtol=1e-4, atol=1e-4)


def test_half_precision_steps():
    model = randomise(Transformer(**SMALL, **EVERYWHERE, dtype="mixed_bfloat16"))
    source, target = make_batch(model)
    step = tf.function(model.decoder_step, autograph=False)
    constants, caches = model.prepare(model.encoder(source), 2, 3)
    logits, new_caches = step(tf.constant(np.repeat(target[:, :1], 2, 1)), tf.constant(0), constants, caches)
    assert np.isfinite(logits).all()
    tf.nest.map_structure(lambda old, new: np.testing.assert_equal(old.dtype.name, new.dtype.name), caches, new_caches)


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


def test_a_keras_file_keeps_mechanisms(model, tmp_path):
    model.save(tmp_path / "model.keras")
    batch = make_batch(model)
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(batch), model(batch))


def _edit(directory, **changes):
    config = json.loads(directory.config_path.read_text())
    config["model"]["config"] |= changes
    del config["sha256"]
    write_json(directory.config_path, with_digest(config))


def test_names_that_are_not_registered_ask_for_the_import(directory):
    for name in ("their>Sine", "os>system", "keras_hub>TransformerEncoder", "keras.src.layers>Lambda"):
        _edit(directory, feed_forward=name)
        with pytest.raises(UserError, match=rf"config\.json names a layer.*--import FILE.*Received: '{name}'$"):
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


def test_unchanged_configurations_are_as_before():
    later = {"norm_position", "feed_forward", "positions", "num_key_value_heads"}
    assert not later & set(Transformer(**TINY).get_config())
    assert not later & set(TransformerEncoder(1, 2, 8, 12).get_config())
    options = {"norm": "rms", "norm_position": "post", "feed_forward": "gelu", "positions": "rotary"}
    assert later <= set(Transformer(**TINY, **options, num_key_value_heads=1).get_config())


def test_training_starts_from_a_plain_model():
    plain = Transformer(**SMALL)
    options = {name: EVERYWHERE[name] for name in ("layer_composition", "roles")}
    model = Transformer(**SMALL, **options)
    with pytest.raises(UserError, match="missing"):
        warm_start(model, plain)
    result = warm_start(model, plain, allow_new=["*/layer_composition*", "*_roles/*"])
    assert len(result.taken) == len(plain.weights)
    assert {path.rsplit("/", 2)[-2] for path in result.new} >= {"layer_composition", "source_roles", "target_roles"}
    assert not result.unused


def test_a_multilingual_model_has_and_saves_them(tmp_path):
    sizes = {"num_heads": 2, "intermediate_dim": 12}
    options = {"encoder": "transformer", "decoder": "transformer", "hidden_dim": 8, "bridge_hidden_dim": 6}
    own = {name: value for name, value in EVERYWHERE.items() if not name.startswith("shortcut")}
    own["positions"] = Mechanism(Learnt, length=9)
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
    files = {f"{part}_{side}": f"{part}.{side}" for part in ("train", "dev") for side in ("source", "target")}
    run = {"directory": str(tmp_path), **files, "max_updates": 1}
    objects = Experiment(**run, model={"feed_forward": Mechanism(Sine, frequency=2), "roles": Mechanism(Previous)})
    settings = objects.settings()
    assert settings["model"]["feed_forward"] == {"class_name": "own>Sine", "config": {"frequency": 2}}
    again = Experiment.from_settings(json.loads(json.dumps(settings)))
    sizes = {"source": 50, "target": 50}
    assert again.make_model(sizes).count_params() == objects.make_model(sizes).count_params()


def test_gates_of_own_shortcuts_are_returned():
    options, _ = OWN["shortcuts"]
    decoder = TransformerDecoder(1, 2, 8, 12, shortcut=options["shortcuts"])
    x, memory = (np.random.default_rng(0).normal(size=(2, n, 8)).astype("float32") for n in (4, 5))
    _, gates = decoder(x, memory, return_gates=True)
    assert [gate.shape for gate in gates[0]["self"]] == [(2, 4, 8), (2, 4, 8)]


@keras.saving.register_keras_serializable(package="own")
class WithoutStep(keras.layers.Layer):
    """Roles that search could not compute."""

    def call(self, inputs, mask=None):
        return inputs


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"roles": Mechanism(WithoutStep)}, "needs the methods `step` and `empty_cache`"),
        ({"roles": Mechanism(Previous), "role_units": 3}, "no effect without `roles` that take `context_units`"),
        ({"feed_forward": Mechanism(Sine), "activation_dropout": 0.1}, "no effect without a `feed_forward`"),
        ({"layer_composition": Mechanism(Mixing), "layer_composition_rank": 3}, "no effect without"),
        ({"layer_composition": Mechanism(Mixing), "composition_residual": True}, "no effect without"),
        ({"head_composition": Mechanism(Mixing), "output_projection": False}, "a composition of width 8"),
        ({"layer_composition": Mechanism(Mixing), "num_encoder_layers": 1}, "two representations or more"),
        ({"layer_composition": Mixing(3)}, "or a `Mechanism`"),
        ({"norm": Mechanism(type("Local", (keras.layers.Layer,), {}))}, "register_keras_serializable"),
        ({"positions": "own>Nothing"}, "--import FILE"),
    ],
)
def test_wrong_mechanisms_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Transformer(**{**TINY, **options})


def test_names_are_shorthand_for_mechanisms():
    batch = make_batch(Transformer(**TINY))
    models = [
        Transformer(**TINY, layer_composition=composition, composition_start="identity", name="transformer")
        for composition in ("linear", Mechanism(LinearCombination))
    ]
    assert [w.path for w in models[0].weights] == [w.path for w in models[1].weights]
    models[1].set_weights(models[0].get_weights())
    np.testing.assert_array_equal(models[1](batch), models[0](batch))


def test_stacks_take_no_positions_of_embeddings():
    with pytest.raises(ValueError, match="are added to embeddings; a layer takes those of queries and keys"):
        TransformerEncoder(1, 2, 8, 12, positions=Mechanism(Learnt))
