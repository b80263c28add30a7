"""The Multi30k recipe on files of the same names and format, cut from the quickstart's corpus."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("multi30k")
    for language in ("de", "fr"):
        for name, corpus, lines in (("train", "train", 400), ("val", "dev", 8), ("test_2016_flickr", "test", 8)):
            text = (RECIPES / "quickstart_data" / f"{corpus}.{language}").read_text(encoding="utf-8")
            with gzip.open(folder / f"{name}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write("".join(text.splitlines(keepends=True)[:lines]))
    return folder


def _run(*arguments):
    return subprocess.run(
        [sys.executable, str(RECIPES / "multi30k" / "train.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )


def test_trains_two_replicas_scores_and_exports(data, tmp_path):
    output = tmp_path / "model"
    arguments = ["--data-dir", data, "--source", "de", "--target", "fr", "--shortcuts", "fusion", "--replicas", 2]
    arguments += ["--preset", "transformer_tiny", "--vocabulary-size", 400, "--max-updates", 3, "--output", output]
    run = _run(*arguments)
    assert run.returncode == 0, run.stderr
    assert "2 replica(s)" in run.stdout
    results = json.loads((output / "results.json").read_text())
    assert results["updates"] == 3
    assert "tok:13a" in results["test"]["bleu"]["signature"]
    assert len((output / "test.hypotheses.txt").read_text().splitlines()) == 8
    assert (output / "export" / "1" / "saved_model.pb").is_file()
    settings = json.loads((output / "settings.json").read_text())
    assert settings["model"]["shortcuts"] == "fusion"


def test_a_folder_without_the_corpus_is_one_clear_line(tmp_path):
    run = _run("--data-dir", tmp_path, "--output", tmp_path / "model")
    assert run.returncode == 2
    assert run.stderr.strip().splitlines()[-1].startswith("Error: ")
    assert "train.en" in run.stderr
