"""The comparison of any configurations, by a list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError
from keras_nmt.experiments.comparison import Comparison

FILES = {f"{part}_{side}": f"{part}.{side}" for part in ("train", "dev") for side in ("source", "target")}
LIST = {
    "settings": {**FILES, "max_updates": 5, "model": {"dropout": 0.2}},
    "configurations": {"plain": {"model": {"shortcuts": "plain"}}, "small": {}},
    "baseline": "small",
    "seeds": [3, 4],
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the recipe on a list, and returns the comparison that the recipe would run."""
    made = []
    monkeypatch.setattr(Comparison, "run", lambda self: made.append(self))
    monkeypatch.setattr(Comparison, "show", lambda self: None)

    def run(content, *arguments):
        path = tmp_path / "list.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        run_main(load_script("compare.py"), path, "--output", "here", *arguments)
        return made[0] if made else None

    return run


def test_a_list_makes_its_experiments(run):
    comparison = run(LIST)
    assert (comparison.baseline, comparison.seeds, comparison.directory) == ("small", [3, 4], Path("here"))
    experiment = comparison._runs[4]["plain"]
    assert (experiment.seed, experiment.directory) == (4, Path("here/plain-4"))
    assert experiment.model == {"dropout": 0.2, "shortcuts": "plain"}
    assert experiment.train_source == "train.source"


def test_the_command_line_overrides_the_list(run):
    comparison = run(LIST, "--seeds", "9", "--set", "max_updates=7", "--unequal")
    assert comparison._runs[9]["small"].max_updates == 7
    assert comparison.unequal


def test_layers_of_a_file_are_compared(run, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import keras\n"
        "@keras.saving.register_keras_serializable(package='compared')\n"
        "class Mine(keras.layers.Layer):\n"
        "    def call(self, states):\n"
        "        return states[-1]\n"
    )
    mine = {"plain": {"model": {"layer_composition": "compared>Mine"}}, "small": {}}
    comparison = run({**LIST, "configurations": mine}, "--import", tmp_path / "mine.py")
    assert list(comparison.imports) == [tmp_path / "mine.py"]
    assert comparison._runs[3]["plain"].model["layer_composition"] == "compared>Mine"


@pytest.mark.parametrize(("name", "flag"), [("seed", "--seeds"), ("directory", "--output")])
def test_settings_of_single_runs_are_not_set_for_all_runs(run, name, flag):
    with pytest.raises(UserError, match=f"^Give `{name}` by {flag}, not by --set. Received: --set {name}=7$"):
        run(LIST, "--set", f"{name}=7")


def test_the_table_can_be_made_without_training(run):
    assert run(LIST, "--table-only") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "JSON object"),
        ({**LIST, "seeds": 3}, "needs `seeds`, a list. Received: seeds=3"),
        ({**LIST, "seeds": ["a"]}, "Seeds are integers"),
        ({**LIST, "speed": 3}, "Received: speed"),
        ({**LIST, "baseline": "gold"}, "must be one of plain, small. Received: baseline='gold'"),
        ({**LIST, "configurations": {"small": 3}}, "Received: small=3"),
        ({**LIST, "configurations": {"small": {"gold": 3}}}, "no such settings.*Received: gold"),
        ({k: v for k, v in LIST.items() if k != "settings"}, "needs `settings`"),
        ({**LIST, "settings": {**LIST["settings"], "seed": 7}}, "use `seeds` and --output. Received: seed in settings"),
        ({**LIST, "configurations": {"small": {"directory": "x"}}}, "Received: directory in small"),
    ],
)
def test_errors_in_a_list_are_named(run, content, message):
    with pytest.raises(UserError, match=message):
        run(content)
