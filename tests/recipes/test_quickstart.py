from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RECIPE = Path(__file__).parents[2] / "recipes" / "quickstart.py"


def _run(*arguments):
    return subprocess.run(
        [sys.executable, str(RECIPE), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )


def test_trains_exports_and_runs_the_export_without_keras_nmt(tmp_path):
    # Too short to translate well: that, the README's figures tell. Here: that every step is there, and works.
    run = _run("--max-updates", 60, "--source", "fr", "--target", "en", "--output", tmp_path)
    assert run.returncode == 0, run.stderr
    for told in ("parameters", "tokens/s", "left", "Held-out BLEU: ", "docker run", "the same translations."):
        assert told in run.stdout
    # What it tells to type is something a shell can read, whatever apostrophes the sentences have.
    commands = run.stdout[run.stdout.index("    docker run") :].split("All this took")[0]
    commands = commands.replace("Translate a line:", "")
    assert subprocess.run(["sh", "-n"], input=commands, text=True, check=False).returncode == 0


def test_an_unknown_language_is_one_clear_line(tmp_path):
    run = _run("--source", "xx", "--output", tmp_path)
    assert run.returncode == 2
    assert run.stderr.strip().splitlines()[-1] == "Error: The corpus has en, de, fr, cs. Received: xx"
