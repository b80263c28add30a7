"""`--import`: files of layers of the user's own, and their errors."""

import inspect

import keras

from keras_nmt.cli.app import app, inspect_app
from keras_nmt.cli.run_app import import_tensorflow

# These read files of a model directory, or an export, or write a model of the package's own layers.
WITHOUT_MODEL = ("average", "import_", "info", "report", "serve")


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


def test_errors_name_the_file_and_the_line(untrained, tmp_path, error_line):
    for name, content, message in (
        ("missing.py", None, "this does not exist"),
        ("text", "hello", "is not a file with a name in .py"),
        ("wrong.py", "import keras\n\nkeras.layers.Sofa()\n", f"line 3 of {tmp_path / 'wrong.py'}"),
        ("syntax.py", "def class\n", "SyntaxError"),
    ):
        if content is not None:
            (tmp_path / name).write_text(content)
        assert message in error_line("translate", untrained, "--import", tmp_path / name, "--input", __file__)


def test_settings_with_unknown_layers_ask_for_the_file(tmp_path, error_line):
    files = [tmp_path / name for name in ("train.de", "train.en")]
    for path in files:
        path.write_text("a b\n")
    model = ["--set", 'model={"layer_composition": "somewhere>Mixing"}', "--max-updates", 1]
    error = error_line("train", "--directory", tmp_path / "run", "--train", *files, "--dev", *files, *model)
    assert "--import FILE" in error
    assert not (tmp_path / "run").exists()
