"""`keras-nmt train` and `keras-nmt average`."""

import dataclasses
import json
import re
import sys
from pathlib import Path

import keras
import pytest
from small import LEARNT

from keras_nmt.cli.app import app
from keras_nmt.cli.options import make_callbacks
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.files.settings import setting_names
from keras_nmt.layers import Composition, Roles, Shortcuts
from keras_nmt.models import ModelDirectory

FILES = {"languages": ["de", "en"], "pairs": ["de-en"], "train": "t.{language}", "dev": "d.{language}"}


@pytest.fixture
def train(monkeypatch, keras_nmt):
    """Calls `train`, and returns the experiment that the command would run."""
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda config, **_: made.append(config))

    def call(*arguments):
        keras_nmt("train", *arguments)
        return made.pop()

    return call


def test_list_settings_shows_each_setting_once_with_its_default_and_description(monkeypatch, keras_nmt):
    monkeypatch.setenv("COLUMNS", "60")
    text = keras_nmt("train", "--list-settings").output
    shown = re.findall(r"^  ([\w.]+) = (.+)\n((?:      .+\n)+)", text, re.MULTILINE)
    assert [name for name, _, _ in shown] == list(setting_names(ExperimentConfig))
    found = {name: (default, " ".join(text.split())) for name, default, text in shown}
    assert found["directory"] == ("needed", "The model directory to make.")
    assert found["data.train"][0] == "needed"
    assert found["training.update.seed"][0] == "1"  # of experiments, whatever the trainer's default
    assert found["evaluation.dev_metrics"][0] == '["bleu", "chrf"]'
    assert all(description.endswith(".") for _, description in found.values())
    assert all(len(line) <= 60 for line in text.splitlines() if line.startswith("      "))
    for mechanism in (Shortcuts, Composition, Roles):
        for field in dataclasses.fields(mechanism):
            assert f"\n    {field.name} = " in text
    assert "  Arguments of `model.head_composition`\n    kind = needed" in text


def test_options_take_precedence_over_set_and_set_over_a_file(tmp_path, train):
    old = {"directory": "old", **FILES, "max_updates": 1, "batch_size": 7, "seed": 3, "clip": 1.0}
    old["model"] = {"shortcuts": "plain", "dropout": 0.3}
    (tmp_path / "settings.json").write_text(json.dumps(old))
    flags = "--directory new --seed 4 --dtype mixed_bfloat16 --replicas 2 --time-limit 1.5 --batch-size 8"
    flags += " --preset transformer_tiny --shortcuts fusion --set seed=9 --set clip=2.0 --vocabulary-size 99"
    one = train("--settings", tmp_path / "settings.json", *flags.split())
    training = one.training
    assert (Path(one.directory), training.update.seed, training.clip, training.batch_size) == (Path("new"), 4, 2.0, 8)
    assert (training.dtype, training.replicas, training.stop.time_limit) == ("mixed_bfloat16", 2, 1.5)
    assert (one.model.preset, one.subwords.vocabulary_size) == ("transformer_tiny", 99)
    assert one.model.arguments == {"shortcuts": "fusion", "dropout": 0.3}


def test_set_reaches_the_arguments_of_an_argument_in_a_file_and_below_a_name(tmp_path, train, error_line):
    model = {"shortcuts": "plain", "roles": {"kind": "dense", "num_roles": 8}, "dropout": 0.3}
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"directory": "new", **FILES, "max_updates": 1, "model": model}))
    command = ["--settings", settings, "--preset", "transformer_tiny"]
    changes = [
        'model.shortcuts.sites=["self", "cross"]',
        "model.layer_composition=extended",
        "model.layer_composition.rank=64",
        "model.roles.kind=softmax",
    ]
    made = train(*command, *(part for change in changes for part in ("--set", change)))
    assert made.model.arguments == {
        "dropout": 0.3,
        "shortcuts": {"kind": "plain", "sites": ["self", "cross"]},
        "layer_composition": {"kind": "extended", "rank": 64},
        "roles": {"kind": "softmax", "num_roles": 8},
    }
    error = error_line("train", *command, "--set", "model.dropout.x=1")
    assert "must have arguments to change. Received: 0.3" in error
    for option, problem in (("--time-limit", "a finite number"), ("--dtype", "'float32', 'mixed")):
        assert f"{option} must be {problem}" in (error := error_line("train", *command, option, "nan"))
        assert error.endswith(f"Received: {option} nan\n")
    error = error_line("train", *command[:2], "--set", "init_from=3")
    assert "`training.start.init_from` must be " in error


def test_files_of_options_are_those_of_the_languages_that_their_names_end_with(tmp_path, train):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"directory": "new", "max_updates": 1, **FILES, "pairs": ["en-de"]}))
    made = [
        train("--settings", settings, *more).data
        for more in (
            ["--train", "a.en", "a.de"],
            ["--train", "a", "b"],
            ["--train", "a.en", "a.de", "--set", "train=other"],
        )
    ]
    assert [one.pairs for one in made] == [["en-de"]] * 3
    assert made[0].train == made[2].train == {"en": Path("a.en"), "de": Path("a.de")}
    assert made[1].train == {"en": Path("a"), "de": Path("b")}  # source and target of the one pair
    assert made[0].dev == "d.{language}"
    files = ["--train", "a.txt", "b.txt", "--dev", "c.txt", "d.txt"]
    one = train("--directory", "x", "--max-updates", 1, *files).data
    assert (one.languages, one.pairs) == (["source", "target"], ["source-target"])
    assert one.dev == {"source": Path("c.txt"), "target": Path("d.txt")}


def test_files_in_the_other_order_are_refused(tmp_path, error_line):
    command = ["train", "--directory", tmp_path / "new", "--max-updates", 1, "--train", "a.en", "a.de"]
    message = error_line(*command, "--dev", "b.de", "b.en")
    assert "--dev must name the files of en and de in this order" in message
    assert message.endswith("Received: --dev b.de b.en\n")
    compressed = [*command[:-2], "a.en.zst", "a.de.gz"]
    assert "--dev must name the files of en and de" in error_line(*compressed, "--dev", "b.de.zst", "b.en.zst")
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"data": {"languages": ["de", "en"]}}))
    more = ["--settings", settings, "--dev", "c", "d", "--test", "b.de", "b.en"]
    assert "--test must name" in error_line(*command, *more)
    settings.write_text(json.dumps({"data": {"languages": ["de", "en"], "pairs": ["de-en"]}}))
    assert "--train must name the files of de and en" in error_line(*command, "--settings", settings)


def test_average_writes_the_mean_and_refuses_more_checkpoints_than_exist(trained, tmp_path, keras_nmt, error_line):
    output = tmp_path / "mean.weights.h5"
    done = keras_nmt("average", trained, "--last", 2, "--output", output).output
    assert done == f"Averaged updates {LEARNT['max_updates'] - LEARNT['saving.every']}, {LEARNT['max_updates']}\n"
    assert ModelDirectory(trained).load_model(weights=output).count_params() > 0
    assert "50" in error_line("average", trained, "--last", 50, "--output", output)


def test_average_takes_the_named_checkpoints_and_says_that_scores_are_of_the_old_weights(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr("keras_nmt.training.average_checkpoints", lambda *_, **given: seen.append(given) or [1])
    for which in ("last", "best"):
        app(["average", str(tmp_path), f"--{which}", "3"], standalone_mode=False)
    assert [(given["which"], given["number"]) for given in seen] == [("last", 3), ("best", 3)]
    (tmp_path / "results.json").write_text("{}")
    with pytest.warns(UserWarning, match="results.json has the scores of the old weights"):
        app(["average", str(tmp_path), "--last", "3"], standalone_mode=False)


RECORDER = """
import keras

class Recorder(keras.callbacks.Callback):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings

def make(settings):
    return [Recorder(settings), keras.callbacks.TerminateOnNaN()]

def make_nothing(settings):
    return "nothing"

def fail(settings):
    return settings["no such setting"]
"""


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    (tmp_path / "recorder_of_tests.py").write_text(RECORDER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("recorder_of_tests", None)


def test_callbacks_get_the_settings_and_reach_the_run(recorder, monkeypatch, keras_nmt):
    made = []
    monkeypatch.setattr("keras_nmt.experiments.run", lambda config, callbacks: made.extend(callbacks))
    files = ["--train", "a.de", "a.en", "--dev", "b.de", "b.en", "--max-updates", 2]
    callbacks = ["--callbacks", "recorder_of_tests:make", "--callbacks", "recorder_of_tests:make"]
    keras_nmt("train", "--directory", "x", *files, *callbacks, "--preset", "transformer_tiny", "--seed", 7)
    assert [type(one).__name__ for one in made] == ["Recorder", "TerminateOnNaN"] * 2
    settings = made[0].settings
    assert (settings["training"]["update"]["seed"], settings["model"]["preset"]) == (7, "transformer_tiny")
    assert not any("callbacks" in name for name in settings)


def test_a_factory_that_makes_no_callbacks_is_an_error(recorder, error_line):
    module = "recorder_of_tests"
    for name in ("none_such:make", f"{module}:none", module, f"{module}:make_nothing", f"{module}:fail", ""):
        with pytest.raises(UserError, match="Received: "):
            make_callbacks([name], {})
    line = error_line("train", "--dry-run", "--callbacks", "a:b", "--max-updates", 1)
    assert "--callbacks have no effect with --dry-run" in line


def test_the_factory_of_the_documentation_makes_a_callback(tmp_path, monkeypatch):
    text = (Path(__file__).parents[2] / "docs/how_to/track_experiments.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "trackers.py").write_text(example)
    monkeypatch.syspath_prepend(str(tmp_path))
    (callback,) = make_callbacks(["trackers:make_csv"], {"directory": str(tmp_path)})
    assert isinstance(callback, keras.callbacks.CSVLogger)
    sys.modules.pop("trackers")
