"""Model directories: a saved model equals the loaded model, and any damage is an error of one line."""

import json
import pickle
import shutil
import zipfile
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
from keras_nmt.files.search_options import TABLE
from keras_nmt.models import AttentionBridgeModel, ModelDirectory, Transformer

SUBWORDS = dict.fromkeys(("source", "target"), "subwords.model")


@pytest.fixture(scope="module")
def model():
    """A model that no test changes."""
    sizes = {"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "num_encoder_layers": 1, "num_decoder_layers": 1}
    return Transformer(source_vocabulary_size=30, shortcuts="plain", **sizes)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    directory = ModelDirectory(tmp_path_factory.mktemp("saved"))
    (directory.path / "subwords.model").write_bytes(b"")
    directory.save_config(model, subwords=SUBWORDS, search={"beam_size": 5})
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
    assert directory.read().search == {"beam_size": 5}
    assert set(directory.read().subword_paths().values()) == {directory.path / "subwords.model"}
    half = directory.load_model(dtype="mixed_bfloat16")
    assert half.get_config()["dtype"] == "mixed_bfloat16"
    for one, other in zip(half.trainable_weights, model.trainable_weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_weights_of_bfloat16_are_loaded_in_any_dtype(model, directory):
    half = Transformer.from_config({**model.get_config(), "dtype": "bfloat16"})
    half.set_weights(model.get_weights())
    directory.save_config(half, subwords=SUBWORDS)
    directory.save_weights(half)
    for dtype in (None, "float32"):
        loaded = directory.load_model(dtype=dtype)
        assert {weight.dtype for weight in loaded.weights} == {dtype or "bfloat16"}
        for weight, expected in zip(loaded.get_weights(), half.get_weights(), strict=True):
            np.testing.assert_array_equal(weight.astype("float32"), expected.astype("float32"))


def test_no_partial_files_are_left(model, directory, monkeypatch):
    before = directory.weights_path.read_bytes()

    def fail(path, *_, **__):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(model, "save_weights", fail)
    with pytest.raises(OSError, match="No space"):
        directory.save_weights(model)
    assert directory.weights_path.read_bytes() == before
    assert {path.name for path in directory.path.iterdir()} == {"config.json", "model.weights.h5", "subwords.model"}


def _edit(directory, **changes):
    config = {**json.loads(directory.config_path.read_text()), **changes}
    del config["sha256"]
    write_json(directory.config_path, with_digest(config))


def test_damage_is_an_error_of_one_line(directory, tmp_path):
    for nothing in (tmp_path / "nowhere", directory.config_path, directory.config_path / "deeper"):
        with pytest.raises(UserError, match="must contain config.json"):
            ModelDirectory(nothing).load_model()
    model = directory.read().config["model"]
    config = {"source_vocabulary_size": 30}
    policy = {"class_name": "DTypePolicy", "config": {"name": "float32"}}
    damaged = r"config\.json is damaged"
    for changed, message in (
        ({"format": 99, "model": None, "search": {"diversity": 3}}, "upgrade keras_nmt. Received: format=99"),
        ({"format": 1}, r"only format 2: train the model again, .* Received: format=1"),
        ({"model": {"class": "os.system", "config": {}}}, "that registers the class. Received: class='os.system'"),
        ({"model": {"class": "Transformer", "config": {**config, "gold": 3}}}, "not describe a model of this version"),
        ({"model": {"class": "Transformer", "config": {**config, "dtype": policy}}}, damaged),
        ({"model": {"class": ["Transformer"], "config": {}}}, damaged),
        *(({"subwords": x}, damaged) for x in ({}, {"source": "subwords.model"}, "a.model", {**SUBWORDS, "more": 5})),
        *(({"search": x}, damaged) for x in (5, {"beam_size": "many"}, {"depth": 3}, {"beam_size": True})),
        ({"search": {"length_buckets": ["8"]}}, damaged),
    ):
        _edit(directory, **{"format": FORMAT, "model": model, "subwords": SUBWORDS, "search": {}, **changed})
        with pytest.raises(UserError, match=message):
            directory.load_model()
    directory.config_path.write_text('{"format": 2}')
    with pytest.raises(UserError, match=damaged):
        directory.load_model()


def test_missing_truncated_and_foreign_weights_are_named(model, directory):
    whole, config = directory.weights_path.read_bytes(), model.get_config()
    directory.weights_path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="does not match config.json or is damaged"):
        directory.load_model()
    # More variables than the model has: a deeper model, and a model with a mechanism.
    for changed, message in (
        ({"source_vocabulary_size": 31}, "does not match config.json or is damaged"),
        ({"num_encoder_layers": 2}, r"belong to another model, .* Received: \d+ variables in .*, \d+ in the"),
        ({"roles": {"kind": "softmax", "num_roles": 2}}, "belong to another model"),
    ):
        directory.save_weights(Transformer.from_config({**config, **changed}))
        with pytest.raises(UserError, match=message):
            directory.load_model()
    whole = Transformer.from_config(config)
    whole.compile("adam")
    whole.save(directory.path / "whole.keras")
    given = directory.load_model(weights=directory.path / "whole.keras").get_weights()
    for weight, expected in zip(given, whole.get_weights(), strict=True):
        np.testing.assert_array_equal(weight, expected)
    for ending in (".keras", ".h5", ".weights.h5", ".txt"):
        path = directory.path / f"other{ending}"
        path.write_bytes(b"no weights at all")
        with pytest.raises(UserError, match=rf"must hold weights, as HDF5 .*, \*\.keras. Received: .*other{ending}$"):
            directory.load_model(weights=path)
    with zipfile.ZipFile(directory.path / "other.keras", "w") as archive:
        archive.writestr("other", bytes(10**5))
    with pytest.raises(UserError, match="does not match config.json or is damaged"):
        directory.load_model(weights=directory.path / "other.keras")
    directory.weights_path.unlink()
    with pytest.raises(UserError, match="no weights yet: .* a checkpoint by --weights"):
        directory.load_model()
    (directory.path / "adapter.weights.h5").touch()
    with pytest.raises(UserError, match="only an adapter: .*--adapter. Received: .*adapter.weights.h5$"):
        directory.load_model()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from([10**7, 2**40]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@given(data=st.data())
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_any_value_in_a_configuration_is_a_model_or_an_error_of_one_line(data, model, directory):
    whole = directory.read().config
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


def test_sizes_above_their_limits_are_rejected(directory):
    config = directory.read().config
    arguments = config["model"]["config"]
    for name in LIMITS:
        value = {"de": LIMITS[name] + 1} if name == "languages" else LIMITS[name] + 1
        for kind, options in (
            ("Transformer", {**arguments, name: value}),
            ("AttentionBridgeModel", {"languages": {}, "transformer": {name: value}}),
        ):
            _edit(directory, **{**config, "model": {"class": kind, "config": options}})
            with pytest.raises(UserError, match=rf"`{name}` must be at most {LIMITS[name]:,}|is damaged"):
                directory.load_model()
    for name in TABLE:
        value = [8, 10**9] if name.endswith("buckets") else 10**9
        _edit(directory, **{**config, "search": {name: value}})
        with pytest.raises(UserError, match=f"is damaged.*{name}"):
            directory.load_model()


def test_a_model_larger_than_its_weights_file_is_not_made(directory):
    config = directory.read().model_config
    huge = {**config, "source_vocabulary_size": 10**7, "hidden_dim": 65_536, "intermediate_dim": 65_536}
    _edit(directory, model={"class": "Transformer", "config": huge})  # terabytes
    with pytest.raises(UserError, match=r"does not match config.json .*: [\d,]+ numbers for a model of [\d,]{15,}"):
        directory.load_model()


@keras.saving.register_keras_serializable(package="elsewhere")
class Foreign(Transformer):
    """A model of another package."""


def test_models_of_any_registered_class_are_saved_and_loaded(directory):
    made = Foreign(30, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    directory.save_config(made, subwords=SUBWORDS)
    directory.save_weights(made)
    assert directory.read().model_class == "elsewhere>Foreign"
    loaded = directory.load_model()
    assert type(loaded) is Foreign
    np.testing.assert_array_equal(loaded.get_weights()[0], made.get_weights()[0])
    for name in ("elsewhere>Missing", "Foreign", "keras.Model"):
        _edit(directory, model={"class": name, "config": made.get_config()})
        with pytest.raises(UserError, match=f"import the module that registers the class. Received: class='{name}'"):
            directory.load_model()

    class Unknown(Transformer):
        pass

    unknown = Unknown(9, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    pair = AttentionBridgeModel({"de": 9}, hidden_dim=8, bridge_heads=1, bridge_hidden_dim=2).pair("de", "de")
    for other in (unknown, pair):
        with pytest.raises(UserError, match=f"registered class .* Received: model={type(other).__name__}"):
            directory.save_config(other, subwords=SUBWORDS)


def test_wrong_settings_of_search_are_not_written(model, directory):
    before = directory.config_path.read_bytes()
    for search, told in (({"beam": 4}, "Search settings must be"), ({"beam_size": "many"}, "`beam_size` must be")):
        with pytest.raises(UserError, match=f"{told} .* Received: "):
            directory.save_config(model, subwords=SUBWORDS, search=search)
    assert directory.config_path.read_bytes() == before


def test_names_in_an_untrusted_folder_stay_inside_the_folder(directory):
    digests = {"passwd": "", "subwords.model": ""}
    _edit(directory, subwords={**SUBWORDS, "source": "../../etc/passwd"}, subwords_sha256=digests)
    with pytest.raises(UserError, match="subword model is missing"):
        directory.read().subword_paths()


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
    with pytest.raises(UserError, match="must hold weights, as HDF5"):
        directory.load_model()
    directory.weights_path.write_bytes(weights)
    (directory.path / "subwords.model").write_bytes(payload)
    directory.save_config(directory.load_model(), subwords=SUBWORDS)
    with pytest.raises(UserError, match="Not a SentencePiece model"):
        SubwordTokenizer(directory.read().subword_paths()["source"])

    config = directory.read().model_config
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
