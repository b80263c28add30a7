"""Errors of the command line: one line, exit code 2."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import warnings

import pytest
import tensorflow as tf
from typer.testing import CliRunner

import keras_nmt
from keras_nmt import preparation
from keras_nmt.cli.app import app
from keras_nmt.cli.lines import write_line
from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import METRICS

PREPARE = ("prepare", "--output", "out", "--source", "a", "--target", "b")
EVALUATE = ["evaluate", "--references", "r", "--hypotheses", "h"]


def test_errors_are_one_line(error_line, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for arguments, expected in (
        (["train"], "--directory DIRECTORY, --train SOURCE TARGET"),
        (["train", "--set", "speed"], "--set must be NAME=VALUE"),
        (["train", "--set", "model={'a': 'b'}", "--directory", "x"], "must be JSON, with names once, and texts in"),
        (["train", "--set", 'noise={"swap": 0.1, "swap": 0.2}', "--directory", "x"], "the entry 'swap' twice"),
        (["train", "--max-updates", "many"], "--max-updates"),
        (["evaluate", "--references", "r.txt"], "Give DIRECTORY with --source FILE, or --hypotheses FILE"),
        (["evaluate", "x", "--source", "s", "--hypotheses", "h", "--references", "r"], "and not both"),
        ([*EVALUATE, "--references", "./r"], "Name each file of references once. Received: r, r"),
        ([*EVALUATE, "--metrics", "comet"], "the metric comet also needs --source FILE"),
        ([*EVALUATE, "--metrics", "comet", "--source", "s"], "--comet-model FILE and one file of references"),
        ([*EVALUATE, "--comet-model", "x.ckpt"], "--metrics comet, --comet-model FILE"),
        ([*EVALUATE, "--metrics", "meteor"], f"known are {', '.join(METRICS)}, comet. Received: meteor"),
        (["evaluate", "nowhere", "--source", "s.txt"], "Missing option --references"),
        ([*EVALUATE, "--beam-size", "2"], "--beam-size"),
        ([*EVALUATE, "--metrics", "chrf,ter", "--tokenize", "zh"], "--tokenize goes with --metrics bleu"),
        ([*EVALUATE, "--metrics", "ter", "--lowercase"], "--lowercase goes with --metrics bleu or chrf or chrf++"),
        ([*EVALUATE, "--comet-program", "p"], "--comet-program goes with --metrics comet"),
        (
            ["evaluate", "--references", __file__, "--hypotheses", __file__, "--tokenize", "moses"],
            "--tokenize must be one of none, zh, 13a",
        ),
        (["average", "nowhere"], "Give --last N or --best N"),
        (["export", "nowhere", "out", "--warmup-xla"], "goes with --warmup FILE"),
        (["translate", "nowhere", "--beam-size", "1" + 30 * "0"], "--beam-size"),
        (["train", "--directory", "", "--max-updates", "1"], "shell not set? Received: --directory ''"),
        (["translate", "d", "--output="], "shell not set? Received: d --output="),
        (
            ["translate", "d", "--beam-size", "4", "--beam-size=5"],
            "Give --beam-size once. Received: --beam-size 2 ",
        ),
        (
            ["evaluate", "hypotheses", "references"],
            "evaluate --help` lists. Received: references",
        ),
        (["train", "--train", "a.tsv", "--dev"], "write --train SOURCE TARGET. Received: --train a.tsv --dev"),
        (["translate", "d", "--output", "--scores"], "write --output VALUE. Received: --output --scores"),
    ):
        assert expected in error_line(*arguments)


def test_wrong_arguments_are_found_before_tensorflow_is_imported(error_line, monkeypatch, untrained, tmp_path):
    for module in ("training", "translation", "evaluation", "serving", "inspect_common"):
        monkeypatch.delattr(f"keras_nmt.cli.{module}.import_tensorflow")  # the call would be a NameError
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").symlink_to(untrained)
    (tmp_path / "two").write_text("a\nb\n")
    (tmp_path / "two.npy").write_text("a\nb\n")
    (tmp_path / "three").write_text("a\nb\nc\n")
    (tmp_path / "blank").write_text("\n \n")
    config = "must contain config.json. Received: nope"
    for arguments, expected in (
        ("average d --last -1", "'--last'"),
        ("translate nope", config),
        ("translate d --ensemble nope", config),
        ("translate d --n-best 5", "--n-best must be at most --beam-size. Received: --n-best 5, --beam-size 2"),
        ("translate d --sample --temperature 0", "--temperature must be a finite number above 0. Received: --temp"),
        ("score d --source two --target three", "the same number of lines. Received: 'two' with 2, 'three' with 3"),
        ("evaluate nope --source two --references two", config),
        ("evaluate d --source two --references two --length-penalty-form x", "--length-penalty-form x"),
        ("translate d --beam-size 0", "than or equal to 1. Received: --beam-size 0"),
        ("train --set =5", "--set must be NAME=VALUE. Received: =5"),
        ("evaluate d --source two --references two --references three", "'two' with 2, 'two' with 2, 'three' with 3"),
        ("evaluate --hypotheses two --baseline three --references two", "'two' with 2, 'three' with 3, 'two' with 2"),
        ("inspect bridge nope --language de --source nope", config),
        ("export d out --beam-size 2 --n-best 3", "Received: --n-best 3, --beam-size 2"),
        ("export d out --warmup nope", "nope"),
        ("translate d --glossary -", "give the other texts as files. Received: - as 2"),
        ("score d --source - --target -", "Standard input can be read once"),
        ("evaluate --hypotheses two --references blank", "are empty: give translations. Received: 'blank"),
        ("evaluate --hypotheses - --references -", "Standard input can be read once"),
        ("export d out --format ctranslate2 --min-length 3", "Received: --min-length"),
        *(
            (f"{command} two", "The text would be replaced by the outcome: write another file. Received: two")
            for command in (
                "translate d --input two --output",
                "translate d --input three --prefixes two --word-scores",
                "translate d --glossary ./two --input three --alignments",
                "score d --source two --target two --word-scores",
                "align d --source three --target two --output",
                "inspect attention d --source two --output",
            )
        ),
        ("embed d --language x --input two.npy --output two.npy", "would be replaced by the outcome"),
        ("shortlist d --source two --target two --output -", "Standard streams are not supported here"),
    ):
        assert expected in error_line(*arguments.split()), arguments


def test_too_little_memory_or_disk_is_one_line(monkeypatch, capsys):
    def raising(message):
        def command() -> None:
            raise tf.errors.ResourceExhaustedError(None, None, message)

        return command

    monkeypatch.setattr(sys, "argv", ["command"])
    for message, expected in (
        ("OOM when allocating\n  tensor", "Not enough memory: make batches, beam or model smaller. Received: "),
        ("x;\nNo space left on device", "The disk is full: free some space. Received: x; No space left"),
    ):
        with pytest.raises(SystemExit) as left:
            run_app(raising(message))
        assert left.value.code == 2
        line = capsys.readouterr().err
        assert line.startswith(f"Error: {expected}")
        assert line.count("\n") == 1


@pytest.mark.parametrize("lost", ["full", "closed"])
def test_lines_that_cannot_be_written_are_not_tried_again(lost, monkeypatch, capsys):
    """Python would try so at its end, with a traceback and the exit code 120."""

    def fail() -> None:
        write_line("text")
        raise UserError("wrong")

    for command, errors in (
        (lambda: write_line("text"), {"full": "Error: No space left on device. Received: standard output\n"}),
        (fail, dict.fromkeys(("full", "closed"), "Error: wrong\n")),
    ):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing if lost == "closed" else "/dev/full", "w") as output:  # which writes, when it is closed
            monkeypatch.setattr(sys, "argv", ["command"])
            monkeypatch.setattr(sys, "stdout", output)
            with pytest.raises(SystemExit) as left:
                run_app(command)
        monkeypatch.undo()
        expected = errors.get(lost, "")
        assert (left.value.code, capsys.readouterr().err) == (2 if expected else 1, expected)


@pytest.mark.slow
def test_ctrl_c_during_imports_is_no_traceback():
    program = """
import importlib.abc, os, signal, sys
import keras_nmt.cli

class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "keras_nmt.cli.run_app":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may run where it is ignored
sys.meta_path.insert(0, Interrupting())
keras_nmt.cli.main()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_a_warning_is_one_line(monkeypatch):
    def command() -> None:
        pass

    monkeypatch.setattr(sys, "argv", ["command"])
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # set again at the end
    with pytest.raises(SystemExit):
        run_app(command)
    shown = warnings.formatwarning("1 text was\n  truncated.", UserWarning, "a.py", 3)
    assert shown == "Warning: 1 text was truncated.\n"
    assert "FutureWarning: for developers" in warnings.formatwarning("for developers", FutureWarning, "a.py", 3)


def test_the_end_of_a_file_is_no_interruption(monkeypatch):
    def command() -> None:
        raise EOFError("Compressed file ended")

    monkeypatch.setattr("sys.argv", ["command"])
    with pytest.raises(EOFError, match="Compressed"):
        run_app(command)


def test_every_command_has_help():
    for command in app.registered_commands:
        result = CliRunner().invoke(app, [command.name, "-h"])
        assert result.exit_code == 0
        assert "Usage" in result.output
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


def test_contradictory_options_of_prepare(error_line):
    for options, message in (
        ((), "Missing subwords: --subwords FILE"),
        (("--source-subwords", "m"), "Missing subwords: --subwords FILE"),
        (("--subwords", "m", "--vocabulary-size", "9"), "Received: --vocabulary-size 9 and a file"),
        (("--subwords", "m", "--target-subwords", "m"), "Received: --subwords m and another"),
        (("--subwords", "m", "--script", "ru"), "SIDE=SCRIPT. Received: ru"),
        (("--subwords", "m", "--script", "ru=LATIN", "--script", "ru=CYRILLIC"), "once by --script SIDE=SCRIPT. Rec"),
        (("--subwords", "m", "--seed", "1"), "goes with --vocabulary-size N. Received: --seed 1"),
        (("--subwords", "m", "--byte-fallback"), "goes with --vocabulary-size N. Received: --byte-fallback True"),
        (("--subwords", "m", "--filter", "a:x", "--filter", "b:x"), "name of its own. Received: a:x, b:x"),
    ):
        assert message in error_line(*PREPARE, *options)


def test_prepare_without_apache_beam(error_line, monkeypatch):
    monkeypatch.setitem(sys.modules, "apache_beam", None)
    monkeypatch.delitem(sys.modules, "keras_nmt.preparation.pipeline", raising=False)
    assert "pip install 'keras_nmt[prepare]'" in error_line(*PREPARE, "--subwords", "m")
    assert all(getattr(preparation, name) for name in preparation.__all__)
    assert logging.getLogger("keras_nmt").isEnabledFor(logging.WARNING), "messages of the process are as before"
