"""Errors of the command line: one line, exit code 2."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest
import tensorflow as tf
from typer.testing import CliRunner

import keras_nmt
from keras_nmt.cli.app import app
from keras_nmt.cli.run_app import _without, run_app
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.model_config import FORMAT

EVALUATE = ["evaluate", "--references", "r", "--hypotheses", "h"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["translate", "nowhere"], "must contain config.json"),
        (["train"], "--directory DIRECTORY, --train SOURCE TARGET"),
        (["train", "--directory", "x"], "--train"),
        (["train", "--set", "speed"], "--set must be NAME=VALUE"),
        (
            ["train", "--set", "model={'roles': 'dense'}", "--directory", "x"],
            "must be JSON, with names and texts in double",
        ),
        (["train", "--set", "batchsize=4", "--directory", "x"], "batch_size"),
        (["train", "--settings", "nowhere.json"], "nowhere.json"),
        (["evaluate", "--references", "r.txt"], "Give DIRECTORY with --source FILE, or --hypotheses FILE"),
        (
            ["evaluate", "x", "--source", "s", "--hypotheses", "h", "--references", "r"],
            "and not both",
        ),
        (
            ["evaluate", "--hypotheses", "h", "--references", "r", "--metrics", "comet"],
            "the metric comet also needs --source FILE",
        ),
        (["evaluate", "nowhere", "--source", "s.txt"], "Missing option --references"),
        (["evaluate", "--references", "nowhere.txt", "--hypotheses", "nowhere.txt"], "nowhere.txt"),
        (["evaluate", "--references", "a", "--hypotheses", "b", "--beam-size", "2"], "--beam-size"),
        (
            ["evaluate", "--references", __file__, "--hypotheses", __file__, "--tokenize", "moses"],
            "`tokenize` must be one of none, zh, 13a",
        ),
        (["average", "nowhere"], "Give --last N or --best N"),
        (["average", "nowhere", "--last", "2"], "nowhere"),
        (["info", "nowhere"], "must contain config.json"),
        (["export", "nowhere", "out"], "must contain config.json"),
        (["export", "nowhere", "out", "--warmup", "lines.txt"], "lines.txt"),
        (["export", "nowhere", "out", "--warmup-xla"], "goes with --warmup FILE"),
        ([*EVALUATE, "--metrics", "chrf,ter", "--tokenize", "zh"], "--tokenize goes with --metrics bleu"),
        ([*EVALUATE, "--metrics", "ter", "--lowercase"], "--lowercase goes with --metrics bleu or chrf"),
        ([*EVALUATE, "--comet-program", "p"], "--comet-program goes with --metrics comet"),
        (["score", "nowhere", "--source", "a", "--target", "b"], "a"),
        (["translate"], "DIRECTORY"),
        (["translate", "nowhere", "--beam-size", "1" + 30 * "0"], "--beam-size"),
        (["translate", "nowhere", "--alignments", "."], "irectory"),
        (["translate", "nowhere", "--seed", "1"], "--seed goes with --sample"),
        (["translate", "--server", "http://localhost:1", "--xla"], "no effect with --server. Received: --xla"),
        (["info", "nowhere", "--loud"], "--loud"),
        (["train", "--max-updates", "many"], "--max-updates"),
        (["train", "--directory", "", "--max-updates", "1"], "shell not set? Received: --directory ''"),
        (["translate", "d", "--output="], "shell not set? Received: d --output="),
        (["info", ""], "shell not set? Received: info ''"),
    ],
)
def test_errors_are_one_line(arguments, expected, error_line, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert expected in error_line(*arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("average d --last -1", "'--last'"),
        ("average d --best 0", "'--best'"),
        ("translate nope", "A model directory must contain config.json. Received: nope"),
        ("translate d --ensemble nope", "A model directory must contain config.json. Received: nope"),
        ("translate d --n-best 5", "--n-best must be at most --beam-size. Received: --n-best 5, --beam-size 4"),
        ("translate d --sample --temperature 0", "--temperature must be a finite number above 0. Received: --temp"),
        ("score nope --source two --target two", "must contain config.json"),
        ("score d --source two --target three", "the same number of lines. Received: 'two' with 2, 'three' with 3"),
        ("evaluate nope --source two --references two", "must contain config.json"),
        (
            "evaluate d --source two --references two --references three",
            "Received: 'two' with 2, 'two' with 2, 'three' with 3",
        ),
        ("evaluate --hypotheses two --references three", "Received: 'two' with 2, 'three' with 3"),
        (
            "evaluate --hypotheses two --baseline three --references two",
            "Received: 'two' with 2, 'three' with 3, 'two' with 2",
        ),
        ("embed nope --language de --output vectors.npy", "must contain config.json"),
        ("inspect bridge nope --language de --source nope", "must contain config.json"),
        ("export nope out", "must contain config.json"),
        ("export d out --beam-size 2 --n-best 3", "Received: --n-best 3, --beam-size 2"),
        ("export d out --sample --top-p 2", "--top-p must be a number above 0 and at most 1. Received: --top-p 2.0"),
        ("export d out --warmup nope", "nope"),
    ],
)
def test_wrong_arguments_are_found_before_tensorflow_is_imported(
    arguments, expected, error_line, monkeypatch, tmp_path
):
    for module in ("training", "translation", "evaluation", "serving", "inspect_common"):
        monkeypatch.delattr(f"keras_nmt.cli.{module}.import_tensorflow")  # the call would be a NameError
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    config = {"format": FORMAT, "model": {"class": "Any", "config": {}}, "search": {}}
    config |= {"subwords": {"source": "s", "target": "t"}, "subwords_sha256": {"s": "", "t": ""}}
    write_json(tmp_path / "d" / "config.json", with_digest(config))
    (tmp_path / "two").write_text("a\nb\n")
    (tmp_path / "three").write_text("a\nb\nc\n")
    assert expected in error_line(*arguments.split())


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("OOM when allocating\n  tensor", "Not enough memory: make batches, beam or model smaller. Received: "),
        (
            "variables/x;\nNo space left on device",
            "The disk is full: free some space. Received: variables/x; No space left",
        ),
    ],
)
def test_too_little_memory_or_disk_is_one_line(monkeypatch, capsys, message, expected):
    monkeypatch.setattr(sys, "argv", ["command"])

    def command() -> None:
        raise tf.errors.ResourceExhaustedError(None, None, message)

    with pytest.raises(SystemExit) as left:
        run_app(command)
    assert left.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith(f"Error: {expected}")
    assert line.endswith("\n")
    assert line.count("\n") == 1


def test_a_warning_is_one_line(run_python):
    code = """import sys, warnings
from keras_nmt.cli.run_app import run_app
def command() -> None:
    warnings.warn("1 text was\\n  truncated.")
    warnings.warn("for developers", FutureWarning)
sys.argv = ["command"]
run_app(command)
"""
    first, second, *_ = run_python("-c", code).stderr.decode().splitlines()
    assert first == "Warning: 1 text was truncated."
    assert second.endswith("FutureWarning: for developers")


def test_the_end_of_a_file_is_no_interruption(monkeypatch):
    def command() -> None:
        raise EOFError("Compressed file ended")

    monkeypatch.setattr("sys.argv", ["command"])
    with pytest.raises(EOFError, match="Compressed"):
        run_app(command)


def test_every_command_has_help():
    for command in (
        "train",
        "translate",
        "score",
        "evaluate",
        "embed",
        "shortlist",
        "export",
        "serve",
        "average",
        "extend-vocabulary",
        "info",
    ):
        for flag in ("--help", "-h"):
            result = CliRunner().invoke(app, [command, flag])
            assert result.exit_code == 0
            assert "Usage" in result.output


def test_the_version_is_shown():
    assert CliRunner().invoke(app, ["--version"]).output == f"{keras_nmt.__version__}\n"


def test_help_and_libraries_leave_the_environment_and_heavy_modules_alone():
    program = """
import os, sys
before = dict(os.environ)
import keras_nmt.cli.app
assert not {"tensorflow", "keras", "numpy"} & set(sys.modules), set(sys.modules)
import keras_nmt.experiments.recipe, keras_nmt.experiments
assert dict(os.environ) == before
assert "keras_nmt.cli.run_app" in sys.modules and "typer" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_hidden_package_is_missing_inside_the_block_alone(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with _without("colorsys", "json"):
        with pytest.raises(ImportError):
            importlib.import_module("colorsys")
        assert importlib.import_module("json") is json  # imported before
    assert importlib.import_module("colorsys").rgb_to_hsv(0, 0, 0) == (0, 0, 0)


@pytest.mark.nightly
def test_keras_is_imported_without_its_optional_packages():
    code = "import sys; from keras_nmt.cli.run_app import import_tensorflow; import_tensorflow(); "
    code += "sys.exit(bool({'sklearn', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
