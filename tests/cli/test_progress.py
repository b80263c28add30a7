"""The progress bar: on a pseudo-terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import on_a_terminal

MAIN = ("-c", "from keras_nmt.cli.app import main; main()")

SCRIPT = """
import sys, time
from keras_nmt.cli.progress import progress
with progress(TOTAL, "lines") as advance:
    for _ in range(4):
        time.sleep(0.2)
        advance(25)
    time.sleep(0.3)
print("rich" in sys.modules)
"""


NESTED = """
import sys, time
from keras_nmt.cli.progress import progress, working, write_above
from keras_nmt.progress import count_steps
with working("Cooking"):
    write_above("one")
    for unit in ("pans", "pots"):
        with count_steps(40, unit) as advance:
            for _ in range(4):
                time.sleep(0.2)
                advance(10)
            write_above(unit)
"""


def test_a_terminal_shows_a_bar_with_rate_and_time_left() -> None:
    code, output, shown = on_a_terminal("-c", SCRIPT.replace("TOTAL", "100"))
    assert (code, output) == (0, b"True\n")
    assert "100/100" in shown
    assert "lines/s" in shown
    assert "0:00:0" in shown


def test_steps_inside_work_have_bars_and_lines_stand_above() -> None:
    code, output, shown = on_a_terminal("-c", NESTED)
    assert (code, output) == (0, b"one\npans\npots\n")
    for text in ("Cooking", "40/40", "pans/s", "pots/s", "0:00:0"):
        assert text in shown
    assert shown.index("pans/s") < shown.index("pots/s")


def test_an_unknown_total_shows_a_rate() -> None:
    _, _, shown = on_a_terminal("-c", SCRIPT.replace("TOTAL", "None"))
    assert "100/?" in shown
    assert "lines/s" in shown


def test_elsewhere_nothing_is_shown_and_rich_is_not_imported() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", SCRIPT.replace("TOTAL", "100")]
    run = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert (run.stdout, run.stderr) == (b"False\n", b"")
    run = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, env=environment, check=True)
    assert (run.stdout, run.stderr) == (b"one\npans\npots\n", b"")


@pytest.mark.nightly
def test_a_bar_leaves_translations_and_scores_as_they_are(trained_run, corpus: Path, keras_nmt, tmp_path: Path) -> None:
    directory, source = trained_run[0], corpus / "test.digits"
    code, output, shown = on_a_terminal(*MAIN, "translate", directory, "--input", source)
    number = len(source.read_text().splitlines())
    assert code == 0
    assert f"{number}/{number}" in shown
    plain = keras_nmt("translate", directory, "--input", source)
    assert output == plain.stdout
    code, output, shown = on_a_terminal(
        *MAIN, "score", directory, "--source", source, "--target", corpus / "test.words"
    )
    assert code == 0
    assert len(output.splitlines()) == number
    assert f"{number}/{number}" in shown


@pytest.mark.nightly
def test_evaluate_counts_the_lines_that_it_translates(trained_run, corpus: Path) -> None:
    source, references = corpus / "test.digits", corpus / "test.words"
    code, output, shown = on_a_terminal(
        *MAIN, "evaluate", trained_run[0], "--source", source, "--references", references
    )
    assert code == 0
    assert output.startswith(b"BLEU")
    assert "Translating" in shown
    number = len(source.read_text().splitlines())
    assert f"{number}/{number}" in shown


@pytest.mark.nightly
def test_export_counts_signatures(trained_run, tmp_path: Path) -> None:
    code, output, shown = on_a_terminal(*MAIN, "export", trained_run[0], tmp_path / "out")
    assert code == 0
    assert output.decode().strip() == str(tmp_path / "out" / "1")
    assert "/5" in shown  # two signatures, each compiled and not, and the writing
    assert "s each" in shown or "signatures/s" in shown
