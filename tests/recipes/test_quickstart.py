"""The quickstart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from keras_nmt.cli import quickstart
from keras_nmt.errors import UserError
from keras_nmt.quickstart_data import FOLDER

RECIPE = Path(__file__).parents[2] / "recipes" / "quickstart.py"


@pytest.fixture
def run_recipe(run_python, tmp_path):
    """Runs the recipe with fewer lines to translate, which take most of the time after so few updates."""
    folder = tmp_path / "data"
    folder.mkdir()
    for file in FOLDER.glob("*.??"):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        few = lines if file.stem == "train" else lines[:24]
        (folder / file.name).write_text("".join(few), encoding="utf-8")
    return lambda *arguments: run_python(RECIPE, "--data-dir", folder, *arguments, PYTHONPATH=os.pathsep.join(sys.path))


@pytest.mark.nightly
def test_trains_exports_and_runs_the_export_without_keras_nmt(tmp_path, run_recipe):
    # Too short for good translations, which the README's figures show. This test runs every step.
    run = run_recipe("--max-updates", 60, "--source", "fr", "--target", "en", "--output", tmp_path / "runs")
    assert run.returncode == 0, run.stderr
    output = run.stdout.decode()
    for text in ("parameters", "tokens/s", "left", "Held-out BLEU: ", "docker run", "the same translations."):
        assert text in output
    # The commands are valid in a shell, even if sentences have apostrophes.
    commands = output[output.index("    docker run") :].split("All this took")[0]
    commands = commands.replace("Translate a line:", "")
    assert subprocess.run(["sh", "-n"], input=commands, text=True, check=False).returncode == 0


def test_an_unknown_language_is_an_error_of_one_line(tmp_path, run_recipe):
    run = run_recipe("--source", "xx", "--output", tmp_path)
    assert run.returncode == 2
    assert run.stderr.decode().strip().splitlines()[-1] == "Error: The corpus has en, de, fr, cs. Received: xx"


def test_messages_of_the_export_may_have_any_encoding(tmp_path, monkeypatch):
    program = r'import sys; sys.stderr.buffer.write(b"m\xff\nfailed"); print(sys.argv[2]); sys.exit(len(sys.argv[1]))'
    monkeypatch.setattr(quickstart, "EXPORT_PROGRAM", program)
    assert quickstart.answers_without_keras_nmt("", ["ä"]) == ["ä"]
    with pytest.raises(UserError, match="Received: m� failed$"):
        quickstart.answers_without_keras_nmt(Path("m"), ["ä"])
