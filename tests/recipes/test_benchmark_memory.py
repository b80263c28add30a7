"""The benchmark of memory: each figure is the peak of a separate process."""

from __future__ import annotations

import json

import pytest
from scripts import load_script, run_main


@pytest.fixture(scope="module")
def memory():
    return load_script("benchmarks/memory.py")


@pytest.mark.nightly
def test_trains(memory, tmp_path):
    memory.stages("transformer_tiny", 40, tmp_path, 128)["training, batches of 128 tokens"]()
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
def test_every_served_model_was_exported(memory, tmp_path):
    stages = memory.stages("transformer_tiny", 40, tmp_path, 128)
    stages["exporting, int8"]()
    assert (tmp_path / "transformer_tiny-int8" / "1" / "saved_model.pb").is_file()
    stages["serving, int8, serving_default"]()


def test_writes_the_table(memory, monkeypatch, tmp_path):
    asked = []

    def measured(script, batch_size, one):
        preset, size, _, stage = json.loads(one.removeprefix("--one="))
        asked.append((batch_size, preset, size, stage))
        return len(asked) * 2**30

    monkeypatch.setattr(memory, "measured_in_a_process", measured)
    arguments = ("--presets", "transformer_tiny", "--vocabulary-size", 50, "--output", tmp_path / "table.md")
    output = run_main(memory, *arguments)
    assert "TensorFlow alone" in output
    rows = (tmp_path / "table.md").read_text().splitlines()
    assert rows[2] == "| TensorFlow alone | | | 1,024 |"
    assert rows[-1] == "| serving, int8, serving_default_xla | transformer_tiny | 3 | 8,192 |"
    assert len(asked) == 8
    assert asked[1] == ("--batch-size=4096", "transformer_tiny", 50, "training, batches of 4,096 tokens")


@pytest.mark.nightly
def test_a_process_reports_its_peak(memory):
    one = json.dumps(["transformer_tiny", 50, "nowhere", ""])
    peak = memory.measured_in_a_process(memory.__file__, "--batch-size=64", f"--one={one}")
    assert 100 * 2**20 < peak < 8 * 2**30
