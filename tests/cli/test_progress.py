"""The progress bar: on a pseudo-terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from terminal import on_a_terminal

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
