"""`keras-nmt train --callbacks MODULE:FACTORY`."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from keras_nmt.cli.options import make_callbacks
from keras_nmt.errors import UserError

RECORDER = '''
import json
import keras

class Recorder(keras.callbacks.Callback):
    """A stand-in for a tracker of experiments."""

    def __init__(self, settings):
        super().__init__()
        self.lines = [["settings", settings["training"]["learning_rate"], settings["model"]["preset"]]]

    def on_epoch_end(self, epoch, logs=None):
        self.lines.append(["epoch", epoch, sorted(logs)])

    def on_train_end(self, logs=None):
        with open("recorded.json", "w") as file:
            json.dump(self.lines, file)

def make(settings):
    return [Recorder(settings), keras.callbacks.TerminateOnNaN()]

def make_nothing(settings):
    return "nothing"

def fail(settings):
    return settings["no such setting"]
'''


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    (tmp_path / "recorder_of_tests.py").write_text(RECORDER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("recorder_of_tests", None)


def test_callbacks_get_settings_and_the_scores_of_each_evaluation(recorder, trained_run, run_python):
    _, command, _ = trained_run
    test = command.index("--test")
    command = [*command[:1], *command[3:test], *command[test + 3 :]]  # without --directory
    code = "from keras_nmt.cli.app import main; main()"
    more = [
        "--directory",
        recorder / "run",
        "--max-updates",
        2,
        "--set",
        "evaluation.every=1",
        "--set",
        "dev_sentences=4",
    ]
    more += ["--set", 'dev_metrics=["bleu", "loss"]', "--set", "best_metric=loss"]
    more += ["--callbacks", "recorder_of_tests:make"]
    path = os.pathsep.join([str(recorder), *sys.path])
    run = run_python("-c", code, *command, *more, cwd=recorder, PYTHONPATH=path)
    assert run.returncode == 0, run.stderr.decode()
    settings, *epochs = json.loads((recorder / "recorded.json").read_text())
    assert settings == ["settings", 0.01, "transformer_tiny"]
    assert [epoch for _, epoch, _ in epochs] == [0, 1]
    assert all({"val_loss", "val_bleu"} <= set(names) for *_, names in epochs)
    assert not any("callbacks" in name for name in json.loads((recorder / "run" / "settings.json").read_text()))


@pytest.mark.parametrize(
    "name",
    [
        "no_such_module:make",
        "recorder_of_tests:none",
        "recorder_of_tests",
        "recorder_of_tests:make_nothing",
        "recorder_of_tests:fail",
        "./recorder_of_tests:make",
        "",
    ],
)
def test_a_factory_that_makes_no_callbacks_is_an_error(recorder, name):
    with pytest.raises(UserError, match="Received: "):
        make_callbacks([name], {})


def test_callbacks_are_refused_where_they_have_no_effect(error_line):
    line = error_line("train", "--dry-run", "--callbacks", "a:b", "--max-updates", 1)
    assert "--callbacks have no effect with --dry-run" in line


def test_the_factory_of_the_documentation_makes_a_callback(tmp_path, monkeypatch):
    from keras.callbacks import CSVLogger

    text = (Path(__file__).parents[2] / "docs/how_to/track_experiments.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "trackers.py").write_text(example)
    monkeypatch.syspath_prepend(str(tmp_path))
    (callback,) = make_callbacks(["trackers:make_csv"], {"directory": str(tmp_path)})
    assert isinstance(callback, CSVLogger)
    sys.modules.pop("trackers")
