"""The benchmark of tasks of keras_hub: both samplers translate all lines."""

import re

import pytest
from scripts import load_script, run_main


@pytest.mark.nightly
def test_both_samplers_are_measured(untrained, lines, tmp_path):
    (tmp_path / "lines").write_text("\n".join(lines), encoding="utf-8")
    options = ["--model", untrained, "--lines", tmp_path / "lines", "--batch", 4, "--beam", 2, "--length", 8]
    output = run_main(load_script("benchmarks/keras_hub_tasks.py"), *options, "--rounds", 1)
    assert re.findall(r"^ *(keras_\S+) +no +4 +7 ", output, re.MULTILINE) == ["keras_nmt.hub", "keras_hub"]
