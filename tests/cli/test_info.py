"""`keras-nmt info`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

from digits import UPDATES
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.files.json_file import read_json, with_digest
from keras_nmt.files.weights_file import OTHER_WEIGHTS
from keras_nmt.models import ModelDirectory

# Fails if a command imports a module that takes seconds.
PROGRAM = """
import sys
sys.modules |= dict.fromkeys(("tensorflow", "keras"))  # an import would fail
from keras_nmt.cli.app import main
main()
"""


def test_info_shows_model_training_scores_and_files_without_tensorflow(trained):
    done = subprocess.run([sys.executable, "-c", PROGRAM, "info", trained], capture_output=True, text=True, check=True)
    rows = dict(line.strip().split(maxsplit=1) for line in done.stdout.splitlines() if len(line.split()) > 1)
    assert rows["all"] == f"{ModelDirectory(trained).load_model().count_params():,}"
    assert rows["target_vocabulary_size"] == "joint"
    assert json.loads(rows["shortcuts"]) == {"kind": "plain"}
    assert rows["updates"] == str(UPDATES)
    assert "train.digits" in rows["train"]
    assert rows["directions"] == "digits-words"
    assert "BLEU" in done.stdout.upper()
    assert rows["model.weights.h5"].endswith(" bytes")


def test_names_of_scores_stand_apart_from_scores(trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "model")
    results = read_json(folder / "results.json", "results")
    long = {"digits-words": {"sets": {"test_2017_mscoco": {"bleu": {"score": 12.5, "signature": "tok:13a"}}}}}
    (folder / "results.json").write_text(json.dumps(with_digest(results | {"test": long})))
    settings = json.loads((folder / "settings.json").read_text())
    settings["data"] |= {"languages": ["digits", "words"], "pairs": None}
    (folder / "settings.json").write_text(json.dumps(settings))
    lines = CliRunner().invoke(app, ["info", str(folder)], catch_exceptions=False).output.splitlines()
    assert "  test digits-words sets test_2017_mscoco bleu 12.50  tok:13a" in lines
    assert f"  {'languages':24}digits, words" in lines
    assert not [line for line in lines if line.startswith("  directions")]


def test_scores_of_earlier_weights_are_not_shown(trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "model", ignore=shutil.ignore_patterns("checkpoints"))
    run = CliRunner()
    before = run.invoke(app, ["info", str(folder)], catch_exceptions=False).output
    assert ("  test digits-words" in before, "earlier weights" in before) == (True, False)
    model = ModelDirectory(folder).load_model()
    model.trainable_weights[0].assign_add(model.trainable_weights[0])
    ModelDirectory(folder).save_weights(model)
    lines = run.invoke(app, ["info", str(folder)], catch_exceptions=False).output.splitlines()
    assert [line for line in lines if line.startswith("  scores")] == [f"  {'scores':23} {OTHER_WEIGHTS}"]
    assert not [line for line in lines if line.startswith(("  test digits-words", "  dev greedy"))]
    run.invoke(app, ["report", str(folder)], catch_exceptions=False)
    page = (folder / "report.html").read_text()
    assert "earlier weights" in page
    assert not [text for text in ("development bleu", "test digits-words", "Examples") if text in page]


def test_a_damaged_directory_is_one_line(tmp_path, error_line):
    for content in ("null", "{", "[]", '{"model": 3}', "[" * 100_000):
        (tmp_path / "config.json").write_text(content)
        assert "config.json" in error_line("info", tmp_path)
