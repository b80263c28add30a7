"""The command `compare`: any configurations, by a list."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.errors import UserError
from keras_nmt.experiments import comparison as module

FILES = {part: {side: f"{part}.{side}" for side in ("source", "target")} for part in ("train", "dev")}
DIRECTION = {"languages": ["source", "target"], "pairs": ["source-target"]}
LIST = {
    "settings": {**DIRECTION, **FILES, "max_updates": 5, "preset": "transformer_tiny", "model": {"dropout": 0.2}},
    "configurations": {"plain": {"model": {"shortcuts": "plain"}}, "small": {}},
    "baseline": "small",
    "seeds": [3, 4],
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Calls the command with a list, and returns the comparison that the command would run."""
    made = []
    monkeypatch.setattr(module, "compare", made.append)
    monkeypatch.setattr(module, "write_table", lambda comparison: None)
    monkeypatch.setattr("keras_nmt.experiments.comparison_table.show_tables", lambda summary: None)

    def run(content, *arguments):
        path = tmp_path / "list.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        result = CliRunner().invoke(app, ["compare", str(path), "--output", "here", *map(str, arguments)])
        if result.exception is not None:
            raise result.exception
        return made[0] if made else None

    return run


def test_a_list_makes_its_experiments(run):
    comparison = run(LIST)
    assert (comparison.baseline, comparison.seeds, comparison.directory) == ("small", [3, 4], Path("here"))
    experiment = comparison.runs["plain"][4]
    assert (experiment.training.update.seed, experiment.directory) == (4, Path("here/plain-4"))
    assert experiment.model.arguments == {"dropout": 0.2, "shortcuts": "plain"}
    assert experiment.data.train["source"] == "train.source"


def test_the_command_line_overrides_the_list(run):
    comparison = run(LIST, "--seeds", "9", "--set", "max_updates=7", "--unequal", "--decoding-speed")
    assert comparison.runs["small"][9].limits["max_updates"] == 7
    assert comparison.unequal
    assert comparison.decoding_speed


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
    assert comparison.runs["plain"][3].model.arguments["layer_composition"] == "compared>Mine"


def test_a_control_is_as_wide_as_it_needs_for_the_parameters_of_another_configuration(run, monkeypatch):
    matched = {}

    def match(name, own, other_name, other):
        matched[name] = own.model.arguments, other_name, other.model.arguments
        return 20

    monkeypatch.setattr("keras_nmt.cli.comparison.matched_hidden_dim", match)
    control = {"matched_to": "plain", "model": {"dropout": 0.3}}
    comparison = run({**LIST, "configurations": {**LIST["configurations"], "control": control}})
    assert matched == {"control": ({"dropout": 0.3}, "plain", {"dropout": 0.2, "shortcuts": "plain"})}
    assert comparison.runs["control"][4].model.arguments == {"dropout": 0.3, "hidden_dim": 20}


def test_the_table_can_be_made_without_training(run):
    assert run(LIST, "--table-only") is None
    with pytest.raises(UserError, match="--table-only and --decoding-speed"):
        run(LIST, "--table-only", "--decoding-speed")


def test_runs_are_kept_and_taken_from_where_they_are_kept(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = {"updates": 5, "ended_by": "max_updates", "data": {}, "limits": {}, "dev_greedy": {"bleu": 2.0}}
    results["parameters"] = 9
    Path("made").mkdir()
    model = {"architecture": "transformer", "preset": "transformer_tiny", "frozen": [], "dropout": 0.2}
    settings = {"model": {**model, "shortcuts": "plain"}, "training": {"update": {"seed": 3}}}
    settings["subwords"] = {"source_cleaning": True}
    for name, content in (("settings", settings), ("results", results)):
        Path("made", f"{name}.json").write_text(json.dumps(content))
    monkeypatch.setattr(module, "finished_runs", lambda comparison: {("plain", 3): Path("made")})
    run(LIST, "--keep", "kept/ours.jsonl")
    kept = sorted(path.name for path in Path("kept").iterdir() if path.name != ".lock")
    assert kept == ["ours.jsonl", "ours.translations.tar.xz"]
    assert not Path("here").exists()
    run(LIST, "--keep", "kept/ours.jsonl", "--table-only")
    assert json.loads(Path("here/plain-3/results.json").read_text()) == results
    with pytest.raises(UserError, match=r"must end with .jsonl. Received: kept/ours.json$"):
        run(LIST, "--keep", "kept/ours.json")


def test_errors_in_a_list_are_named(run):
    for content, message in (
        ("no json", "JSON object"),
        (["no object"], "JSON object: restore it. Received: a list"),
        ({**LIST, "seeds": 3}, "needs `seeds`, a list. Received: seeds=3"),
        ({**LIST, "speed": 3}, "Received: speed"),
        (
            {**LIST, "configurations": {"small": {"matched_to": "gold"}}},
            "must be one of small. Received: configuration='gold'",
        ),
        ({**LIST, "configurations": {"small": {"matched_to": "small"}}}, "another configuration, without `matched_to`"),
        ({**LIST, "baseline": "gold"}, "must be one of plain, small. Received: baseline='gold'"),
        ({**LIST, "configurations": {"small": {"gold": 3}}}, "no such settings.*Received: gold"),
        ({k: v for k, v in LIST.items() if k != "settings"}, "needs `settings`, an object. Received: settings=null"),
        ({**LIST, "settings": {**LIST["settings"], "seed": 7}}, "use `seeds` and --output. Received: seed in settings"),
        ({**LIST, "configurations": {"small": {"directory": "x"}}}, "Received: directory in small"),
    ):
        with pytest.raises(UserError, match=message):
            run(content)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes a list whose data are files, and returns the arguments of the command, which must start no process."""
    monkeypatch.setattr(module, "run_in_process", lambda *_, **__: pytest.fail("a process began"))

    def write(**changes):
        for file in (file for sides in FILES.values() for file in sides.values()):
            (tmp_path / file).write_text("a line\n" * 9)
        files = {part: {side: str(tmp_path / file) for side, file in sides.items()} for part, sides in FILES.items()}
        content = {**LIST, "settings": {**LIST["settings"], **files}, **changes}
        (tmp_path / "list.json").write_text(json.dumps(content))
        return ["compare", str(tmp_path / "list.json"), "--output", str(tmp_path / "runs")]

    return write


def test_a_fault_of_the_last_configuration_shows_before_the_first_training(written, tmp_path):
    for last, message in (
        ({"model": {"shortcuts": "fusoin"}}, "^last: .*'?fusoin"),
        ({"model": {"hidden_dim": 5}}, "^last: .*Received: .*5"),
        ({"optimizer": "none such"}, "^last: .*none such"),
    ):
        command = written(configurations={"small": {}, "last": last}, seeds=[1])
        for flags in ([], ["--dry-run"]):
            with pytest.raises(UserError, match=message):
                raise CliRunner().invoke(app, [*command, *flags]).exception
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_lists_what_there_is_to_do_and_writes_nothing(written, tmp_path):
    command = [*written(), "--dry-run"]
    plain, small = CliRunner().invoke(app, command).output.splitlines()
    assert plain.startswith("plain: ")
    assert plain.endswith(" parameters; to train with seed 3, 4")
    assert small.startswith("small: ")
    assert not (tmp_path / "runs").exists()
    for more in (["--table-only"], ["--keep", "kept.jsonl"]):
        both = CliRunner().invoke(app, [*command, *more])
        assert str(both.exception) == f"--dry-run writes nothing. Received: --dry-run and {more[0]}"
