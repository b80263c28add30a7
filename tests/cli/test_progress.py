"""The progress bar: on a pseudo-terminal, and nothing elsewhere."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

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


def on_a_terminal(*command: object) -> tuple[int, bytes, str]:
    """Runs `python COMMAND` with a terminal as standard error: exit code, standard output, text of the terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, *map(str, command)], stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the terminal is closed
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    output, _ = process.communicate()
    return process.returncode, output, shown.decode()


def test_a_terminal_shows_a_bar_with_rate_and_time_left() -> None:
    code, output, shown = on_a_terminal("-c", SCRIPT.replace("TOTAL", "100"))
    assert (code, output) == (0, b"True\n")
    assert "100/100" in shown
    assert "lines/s" in shown
    assert "0:00:0" in shown


def test_an_unknown_total_shows_a_rate() -> None:
    _, _, shown = on_a_terminal("-c", SCRIPT.replace("TOTAL", "None"))
    assert "100/?" in shown
    assert "lines/s" in shown


def test_elsewhere_nothing_is_shown_and_rich_is_not_imported() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", SCRIPT.replace("TOTAL", "100")]
    run = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert (run.stdout, run.stderr) == (b"False\n", b"")


def test_a_bar_leaves_translations_and_scores_as_they_are(trained_run, corpus: Path, keras_nmt, tmp_path: Path) -> None:
    directory, source = trained_run[0], corpus / "test.digits"
    main = ("-c", "from keras_nmt.cli.app import main; main()")
    code, output, shown = on_a_terminal(*main, "translate", directory, "--input", source)
    number = len(source.read_text().splitlines())
    assert code == 0
    assert f"{number}/{number}" in shown
    plain = keras_nmt("translate", directory, "--input", source)
    assert output == plain.stdout
    code, output, shown = on_a_terminal(
        *main, "score", directory, "--source", source, "--target", corpus / "test.words"
    )
    assert code == 0
    assert len(output.splitlines()) == number
    assert f"{number}/{number}" in shown
