"""The benchmark of whole commands."""

from __future__ import annotations

import sys

import pytest
from scripts import load_script, run_main
from test_benchmark_translate import folder  # noqa: F401

from keras_nmt.errors import UserError


@pytest.fixture(scope="module")
def script():
    return load_script("benchmarks/command_line.py")


@pytest.mark.nightly
def test_every_command_has_a_row_and_both_translate_all_lines(script, folder):  # noqa: F811
    pytest.importorskip("ctranslate2")
    run_main(
        script, "--model", folder / "model", "--lines", folder / "lines", "--rounds", 1, "--output", folder / "t.md"
    )
    header, _, *rows = [line.strip("| \n").split(" | ") for line in (folder / "t.md").read_text().splitlines()]
    assert [row[0] for row in rows] == [
        "CTranslate2 float32",
        "keras-nmt translate",
        "keras-nmt info",
        "keras-nmt --help",
    ]
    # Random weights give no end, and the limits differ; tests/formats/test_ctranslate2.py compares translations.
    assert [row[-1].endswith("%") for row in rows[:2]] == [True, True]


def test_seconds_are_those_of_the_whole_process(script):
    program = "import sys, time; time.sleep(0.3); print(sys.stdin.read().upper(), end='')"
    seconds, texts = script.whole([sys.executable, "-c", program], "text")([["a b", "c"]])
    assert seconds > 0.3
    assert texts == ["A B", "C"]


def test_a_command_that_fails_is_named(script):
    with pytest.raises(UserError, match=r"A command failed: no model\. Received: .*exit"):
        script.whole([sys.executable, "-c", "import sys; sys.exit('no model')"])([["a"]])
