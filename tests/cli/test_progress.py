"""The progress bar: on a pseudo-terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

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


@pytest.mark.slow
def test_a_terminal_shows_bars_with_rate_and_time_left_and_lines_stand_above() -> None:
    code, output, shown = on_a_terminal("-c", SCRIPT.replace("TOTAL", "100"))
    assert (code, output) == (0, b"True\n")
    for text in ("100/100", "lines/s", "0:00:0"):
        assert text in shown
    assert "100/?" in on_a_terminal("-c", SCRIPT.replace("TOTAL", "None"))[2]
    code, output, shown = on_a_terminal("-c", NESTED)
    assert (code, output) == (0, b"one\npans\npots\n")
    for text in ("Cooking", "40/40", "pans/s", "pots/s", "0:00:0"):
        assert text in shown
    assert shown.index("pans/s") < shown.index("pots/s")


@pytest.mark.slow
def test_elsewhere_nothing_is_shown_and_rich_is_not_imported() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", SCRIPT.replace("TOTAL", "100")]
    run = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert (run.stdout, run.stderr) == (b"False\n", b"")
    run = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, env=environment, check=True)
    assert (run.stdout, run.stderr) == (b"one\npans\npots\n", b"")


@pytest.mark.nightly
def test_bars_leave_translations_and_scores_as_they_are_and_count_lines(trained, corpus, keras_nmt, tmp_path) -> None:
    source, target = corpus / "test.digits", corpus / "test.words"
    for command, beginning in (
        (["translate", trained, "--input", source], ""),
        (["score", trained, "--source", source, "--target", target], ""),
        (["evaluate", trained, "--source", source, "--references", target], "Translating"),
    ):
        code, output, shown = on_a_terminal(*MAIN, *command)
        assert code == 0
        assert output.decode() == keras_nmt(*command).output
        assert "30/30" in shown
        assert beginning in shown
    code, output, shown = on_a_terminal(*MAIN, "export", trained, tmp_path / "out")
    assert (code, output.decode().strip()) == (0, str(tmp_path / "out" / "1"))
    assert "/5" in shown  # two signatures, each compiled and not, and the writing
    assert "s each" in shown or "signatures/s" in shown
