"""`--import`: files of layers of the user's own, and their errors."""

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
    for name, content, message in (
        ("missing.py", None, "this does not exist"),
        ("text", "hello", "is not a file with a name in .py"),
        ("wrong.py", "import keras\n\nkeras.layers.Sofa()\n", f"line 3 of {tmp_path / 'wrong.py'}"),
        ("syntax.py", "def class\n", "SyntaxError"),
    ):
        if content is not None:
            (tmp_path / name).write_text(content)
        assert message in error_line("translate", directory.path, "--import", tmp_path / name, "--input", __file__)


def test_a_folder_alone_asks_for_the_file(directory, error_line):
    config = json.loads(directory.config_path.read_text())
    config["model"]["config"]["feed_forward"]["class_name"] = "somewhere>Sine"
    del config["sha256"]
    write_json(directory.config_path, with_digest(config))
    error = error_line("translate", directory.path, "--input", __file__)
    assert "--import FILE" in error
    assert error.endswith("Received: 'somewhere>Sine'\n")


def test_settings_with_unknown_layers_ask_for_the_file(tmp_path, error_line):
    files = [tmp_path / name for name in ("train.de", "train.en")]
    for path in files:
        path.write_text("a b\n")
    model = ["--set", 'model={"layer_composition": "somewhere>Mixing"}', "--max-updates", 1]
    error = error_line("train", "--directory", tmp_path / "run", "--train", *files, "--dev", *files, *model)
    assert "--import FILE" in error
    assert not (tmp_path / "run").exists()
