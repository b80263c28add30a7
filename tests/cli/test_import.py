"""`--import`: files of layers of the user's own, and their errors."""

from __future__ import annotations

import inspect
import json

import keras
import pytest
from own_mechanisms import OWN

from keras_nmt.cli.app import app, inspect_app
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.models import ModelDirectory, Transformer

# These read files of a model directory, or an export, or write a model of the package's own layers.
WITHOUT_MODEL = ("average", "import_", "info", "report", "serve")


@pytest.fixture
def directory(tmp_path):
    options, _ = OWN["feed_forward"]
    model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=30, **options)
    directory = ModelDirectory(tmp_path / "model")
    directory.path.mkdir()
    (directory.path / "subwords.model").touch()
    directory.save_config(model, subwords={"source": "subwords.model", "target": "subwords.model"})
    directory.save_weights(model)
    return directory


def test_every_command_that_loads_a_model_takes_files():
    commands = [command.callback for command in (*app.registered_commands, *inspect_app.registered_commands)]
    for command in commands:
        parameters = inspect.signature(command).parameters
        loads = {"directory", "directories", "list_file"} & set(parameters) and command.__name__ not in WITHOUT_MODEL
        assert ("import_" in parameters) == bool(loads), command.__name__


def test_a_file_runs_once_and_registers_its_layers(tmp_path):
    path = tmp_path / "some_layers.py"
    path.write_text(
        "import keras\n\n"
        "@keras.saving.register_keras_serializable(package='imported')\n"
        "class Layer(keras.layers.Layer):\n    pass\n"
    )
    import_tensorflow([path])
    registered = keras.saving.get_registered_object("imported>Layer")
    assert registered is not None
    import_tensorflow([path])
    assert keras.saving.get_registered_object("imported>Layer") is registered


def test_errors_name_the_file_and_the_line(directory, tmp_path, error_line):
    (tmp_path / "text").write_text("hello")
    for name, message in (("missing.py", "this does not exist"), ("text", "is not a file with a name in .py")):
        assert message in error_line("translate", directory.path, "--import", tmp_path / name, "--input", __file__)
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import keras\n\nkeras.layers.Sofa()\n")
    error = error_line("translate", directory.path, "--import", wrong, "--input", __file__)
    assert f"line 3 of {wrong}" in error
    assert "Sofa" in error
    wrong.write_text("def class\n")
    assert "SyntaxError" in error_line("translate", directory.path, "--import", wrong, "--input", __file__)


def test_a_folder_alone_asks_for_the_file(directory, error_line):
    config = json.loads(directory.config_path.read_text())
    config["model"]["config"]["feed_forward"]["class_name"] = "somewhere>Sine"
    del config["sha256"]
    write_json(directory.config_path, with_digest(config))
    for command in (["translate", "--input", __file__], ["score", "--source", __file__, "--target", __file__]):
        error = error_line(command[0], directory.path, *command[1:])
        assert "--import FILE" in error
        assert error.endswith("Received: 'somewhere>Sine'\n")


def test_settings_with_unknown_layers_ask_for_the_file(tmp_path, error_line):
    for name in ("train.de", "train.en"):
        (tmp_path / name).write_text("a b\n")
    files = [tmp_path / "train.de", tmp_path / "train.en"]
    model = '{"layer_composition": "somewhere>Mixing"}'
    error = error_line(
        "train", "--directory", tmp_path / "run", "--train", *files, "--dev", *files, "--set", f"model={model}",
        "--max-updates", 1,
    )  # fmt: skip
    assert "--import FILE" in error
    assert not (tmp_path / "run").exists()
