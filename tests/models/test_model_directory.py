"""Model directories: a saved model equals the loaded model, and any damage is an error of one line."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.model_config import FORMAT, LIMITS
from keras_nmt.models import AttentionBridgeModel, ModelDirectory, Transformer


@pytest.fixture(scope="module")
def model():
    """A model that no test changes."""
    return Transformer.from_preset(
        "transformer_tiny", source_vocabulary_size=30, shortcuts="plain", num_encoder_layers=1
    )


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    directory = ModelDirectory(tmp_path_factory.mktemp("saved"))
    (directory.path / "subwords.model").write_bytes(b"")
    directory.save_config(
        model, subwords={"source": "subwords.model", "target": "subwords.model"}, search={"beam_size": 5}
    )
    directory.save_weights(model)
    return directory.path


@pytest.fixture
def directory(saved, tmp_path):
    """A copy of the saved model, which tests may change."""
    return ModelDirectory(shutil.copytree(saved, tmp_path / "model"))


def test_saved_equals_loaded(model, directory):
    loaded = directory.load_model()
    batch = np.array([[5, 6, 3]]), np.array([[2, 7]])
    np.testing.assert_array_equal(loaded(batch), model(batch))
    assert loaded.get_config() == model.get_config()
    assert directory.load_config()["search"] == {"beam_size": 5}
    assert set(directory.subword_paths().values()) == {directory.path / "subwords.model"}


def test_weights_of_bfloat16_are_loaded_in_any_dtype(model, directory):
    half = Transformer.from_config({**model.get_config(), "dtype": "bfloat16"})
    half.set_weights(model.get_weights())
    directory.save_config(half, subwords={"source": "subwords.model", "target": "subwords.model"})
    directory.save_weights(half)
    for dtype in (None, "float32"):
        loaded = directory.load_model(dtype=dtype)
        assert {weight.dtype for weight in loaded.weights} == {dtype or "bfloat16"}
        for weight, expected in zip(loaded.get_weights(), half.get_weights(), strict=True):
            np.testing.assert_array_equal(weight.astype("float32"), expected.astype("float32"))
    whole = directory.weights_path.read_bytes()
    directory.weights_path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="Received: [0-9,]* bytes for [0-9,]* bytes of weights"):
        directory.load_model()


def test_another_dtype_has_the_same_weights(model, directory):
    loaded = directory.load_model(dtype="mixed_bfloat16")
    assert loaded.get_config()["dtype"] == "mixed_bfloat16"
    for one, other in zip(loaded.trainable_weights, model.trainable_weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_partial_files_are_left(model, directory, monkeypatch):
    before = directory.weights_path.read_bytes()

    def fail(path, *_, **__):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(model, "save_weights", fail)
    with pytest.raises(OSError, match="No space"):
        directory.save_weights(model)
    assert directory.weights_path.read_bytes() == before
    assert sorted(path.name for path in directory.path.iterdir()) == [
        "config.json",
        "model.weights.h5",
        "subwords.model",
    ]


def _edit(directory, **changes):
    config = {**json.loads(directory.config_path.read_text()), **changes}
    del config["sha256"]
    write_json(directory.config_path, with_digest(config))


def test_damage_is_an_error_of_one_line(directory, tmp_path):
    with pytest.raises(UserError, match="must contain config.json"):
        ModelDirectory(tmp_path / "nowhere").load_model()

    for otherwise in ({}, {"model": None}, {"search": {"diversity": 3}}):
        _edit(directory, format=99, **otherwise)
        with pytest.raises(UserError, match="upgrade keras_nmt. Received: format=99"):
            directory.load_model()
    _edit(directory, format=1)
    with pytest.raises(UserError, match=r"only format 2: train the model again, .* Received: format=1"):
        directory.load_model()
    _edit(directory, format=FORMAT, search={}, model={"class": "os.system", "config": {}})
    with pytest.raises(UserError, match=r"import the module that registers the class. Received: class='os.system'"):
        directory.load_model()
    config = {"source_vocabulary_size": 30, "layers_of_gold": 3}
    _edit(directory, model={"class": "Transformer", "config": config})
    with pytest.raises(UserError, match="does not describe a model of this version"):
        directory.load_model()
    for subwords in ({}, {"source": "subwords.model"}, "subwords.model"):
        _edit(directory, subwords=subwords)
        with pytest.raises(UserError, match=r"config\.json is damaged"):
            directory.load_model()
    _edit(directory, subwords={"source": "subwords.model", "target": "subwords.model"})
    _edit(directory, subwords={"source": "subwords.model", "target": "subwords.model", "more": 5})
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        directory.load_config()
    _edit(directory, subwords={"source": "subwords.model", "target": "subwords.model"})
    policy = {"class_name": "DTypePolicy", "config": {"name": "float32"}}
    _edit(directory, model={"class": "Transformer", "config": {"source_vocabulary_size": 30, "dtype": policy}})
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        directory.load_model()
    for search in (
        5,
        [1],
        {"beam_size": "many"},
        {"length_penalty": None},
        {"depth": 3},
        {"beam_size": True},
        {"length_buckets": ["8"]},
    ):
        _edit(directory, search=search)
        with pytest.raises(UserError, match=r"config\.json is damaged"):
            directory.load_config()
    _edit(directory, search={}, model={"class": ["Transformer"], "config": {}})
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        directory.load_model()
    directory.config_path.write_text('{"format": 2}')
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        directory.load_model()


def test_missing_truncated_and_foreign_weights_are_named(directory):
    whole = directory.weights_path.read_bytes()
    directory.weights_path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="does not match config.json or is damaged"):
        directory.load_model()
    other = Transformer.from_preset("transformer_tiny", source_vocabulary_size=31, num_encoder_layers=1)
    directory.save_weights(other)
    with pytest.raises(UserError, match="does not match config.json or is damaged"):
        directory.load_model()
    # More variables than the model has: a deeper model, and a model with a mechanism.
    config = directory.load_config()["model"]["config"]
    for more in (
        {"num_encoder_layers": config["num_encoder_layers"] + 1},
        {"roles": {"kind": "softmax", "num_roles": 2}},
    ):
        directory.save_weights(Transformer.from_config({**config, **more}))
        with pytest.raises(UserError, match=r"belong to another model, .* Received: \d+ variables in .*, \d+ in the"):
            directory.load_model()
    whole = Transformer.from_config(config)
    whole.compile("adam")
    whole.save(directory.path / "whole.keras")
    given = directory.load_model(weights=directory.path / "whole.keras").get_weights()
    for weight, expected in zip(given, whole.get_weights(), strict=True):
        np.testing.assert_array_equal(weight, expected)
    for ending in (".keras", ".h5", ".txt"):
        path = directory.path / f"other{ending}"
        path.write_bytes(b"no weights at all")
        with pytest.raises(UserError, match="does not match config.json or is damaged"):
            directory.load_model(weights=path)
    directory.weights_path.unlink()
    with pytest.raises(UserError, match="no weights yet"):
        directory.load_model()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from([10**7, 2**40]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_value_in_a_configuration_is_a_model_or_an_error_of_one_line(data, model, directory):
    whole = directory.load_config()
    place = data.draw(st.sampled_from(["model", "search", "subwords", "format"]))
    value = data.draw(JSON)
    if place == "model" and data.draw(st.integers(0, 9)):
        value = {"class": "Transformer", "config": {**model.get_config()}}
        value["config"][data.draw(st.sampled_from(sorted(value["config"])))] = data.draw(JSON)
    before = directory.config_path.read_text()
    write_json(directory.config_path, with_digest({**whole, place: value}))
    message = "Received: "
    try:
        directory.load_model()
    except UserError as error:
        message = str(error)
    finally:
        directory.config_path.write_text(before)
    assert "Received: " in message
    assert "\n" not in message
    assert len(message) < 1000


@pytest.mark.parametrize("name", LIMITS)
def test_sizes_above_their_limits_are_rejected(name, directory):
    config, value = directory.load_config(), LIMITS[name] + 1
    wrapped = {"languages": {"de": value}, "length_buckets": [8, value], "batch_buckets": [value]}.get(name, value)
    for changed in (
        {"model": {"class": "Transformer", "config": {**config["model"]["config"], name: wrapped}}},
        {"model": {"class": "AttentionBridgeModel", "config": {"languages": {}, "transformer": {name: wrapped}}}},
        {"search": {name: wrapped}},
    ):
        if ("search" in changed) == (name in config["model"]["config"]):
            continue
        _edit(directory, **{**config, **changed})
        with pytest.raises(UserError, match=rf"`{name}` must be at most {LIMITS[name]:,}|is damaged.*{name}"):
            directory.load_model()


def test_a_model_larger_than_its_weights_file_is_not_made(directory):
    config = directory.load_config()["model"]["config"]
    huge = {**config, "source_vocabulary_size": 10**7, "hidden_dim": 65_536, "intermediate_dim": 65_536}
    _edit(directory, model={"class": "Transformer", "config": huge})  # terabytes
    with pytest.raises(UserError, match=r"does not match config.json .*Received: [\d,]+ bytes for [\d,]{17,} bytes"):
        directory.load_model()


@keras.saving.register_keras_serializable(package="elsewhere")
class Foreign(Transformer):
    """A model of another package."""

    def __init__(self, source_vocabulary_size, colour="red", **kwargs):
        super().__init__(source_vocabulary_size, **kwargs)
        self.colour = colour

    def get_config(self):
        return {**super().get_config(), "colour": self.colour}


def test_models_of_any_registered_class_are_saved_and_loaded(directory):
    made = Foreign(30, "blue", num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    subwords = directory.load_config()["subwords"]
    directory.save_config(made, subwords=subwords)
    directory.save_weights(made)
    assert directory.load_config()["model"]["class"] == "elsewhere>Foreign"
    loaded = directory.load_model()
    assert type(loaded) is Foreign
    assert loaded.colour == "blue"
    np.testing.assert_array_equal(loaded.get_weights()[0], made.get_weights()[0])
    for name in ("elsewhere>Missing", "Foreign", "AttentionBridge", "keras.Model", "elsewhere>"):
        _edit(directory, model={"class": name, "config": made.get_config()})
        with pytest.raises(UserError, match=f"import the module that registers the class. Received: class='{name}'"):
            directory.load_model()

    class Unknown(Transformer):
        pass

    unknown = Unknown.from_config(Transformer.from_preset("transformer_tiny", source_vocabulary_size=9).get_config())
    pair = AttentionBridgeModel({"de": 9}, hidden_dim=8, bridge_heads=1, bridge_hidden_dim=2).pair("de", "de")
    for other in (unknown, pair):
        with pytest.raises(UserError, match=f"registered class .* Received: model={type(other).__name__}"):
            directory.save_config(other, subwords=subwords)


@pytest.mark.parametrize("search", [{"beam": 4}, {"beam_size": "many"}, {"sample": True}])
def test_wrong_settings_of_search_are_not_written(directory, search):
    before = directory.config_path.read_bytes()
    with pytest.raises(UserError, match="Search settings must be .* Received: "):
        directory.save_config(directory.load_model(), subwords=directory.load_config()["subwords"], search=search)
    assert directory.config_path.read_bytes() == before


def test_names_in_an_untrusted_folder_stay_inside_the_folder(directory):
    digests = {"passwd": "", "subwords.model": ""}
    _edit(directory, subwords={"source": "../../etc/passwd", "target": "subwords.model"}, subwords_sha256=digests)
    with pytest.raises(UserError, match="subword model is missing"):
        directory.subword_paths()


class _Payload:
    """An object that runs code when it is unpickled."""

    def __init__(self, proof):
        self.proof = proof

    def __reduce__(self):
        return Path.touch, (self.proof,)


def test_no_code_in_an_untrusted_folder_is_run(directory, tmp_path):
    proof = tmp_path / "proof"
    payload = pickle.dumps(_Payload(proof))
    pickle.loads(payload)
    assert proof.exists()  # unpickling runs the code
    proof.unlink()

    weights = directory.weights_path.read_bytes()
    directory.weights_path.write_bytes(payload)
    with pytest.raises(UserError, match="is damaged"):
        directory.load_model()
    directory.weights_path.write_bytes(weights)
    (directory.path / "subwords.model").write_bytes(payload)
    directory.save_config(directory.load_model(), subwords=directory.load_config()["subwords"])
    with pytest.raises(UserError, match="Not a SentencePiece model"):
        SubwordTokenizer(directory.subword_paths()["source"])

    config = directory.load_config()["model"]["config"]
    function = {"module": "os", "class_name": "function", "config": "system", "registered_name": "system"}
    call = {"module": "subprocess", "class_name": "Popen", "config": {"args": ["touch", str(proof)]}}
    layer = {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "x", "function": "os.system"}}
    functional = {"name": "x", "layers": [layer], "input_layers": [["x", 0, 0]], "output_layers": [["x", 0, 0]]}
    for changed, told in (
        *(({"dtype": dtype}, r"config\.json is damaged") for dtype in (function, call, layer)),
        (functional, "does not describe a model of this version"),
    ):
        _edit(directory, model={"class": "Transformer", "config": {**config, **changed}})
        with pytest.raises(UserError, match=told):
            directory.load_model()
    assert not proof.exists()
