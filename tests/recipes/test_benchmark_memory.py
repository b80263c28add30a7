"""The benchmarks of memory and of costs: what is measured, in a separate process."""

import json

import pytest
from scripts import load_script

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/memory.py"


@pytest.fixture
def cost_curves():
    return load_script("benchmarks/cost_curves.py")


def test_trains_and_serves_what_was_exported(script, tmp_path):
    stages = script.stages("transformer_tiny", 40, tmp_path, 128)
    stages["training, batches of 128 tokens"]()
    assert not list(tmp_path.iterdir())
    stages["exporting, int8"]()
    assert (tmp_path / "transformer_tiny-int8" / "1" / "saved_model.pb").is_file()
    stages["serving, int8, serving_default"]()


def test_a_process_reports_its_peak(script):
    one = json.dumps(["transformer_tiny", 50, "nowhere", ""])
    peak = script.measured_in_a_process(script.__file__, "--batch-size=64", f"--one={one}")
    assert 100 * 2**20 < peak < 8 * 2**30


@pytest.mark.parametrize("xla", [True, False])
def test_measures_time_and_memory(cost_curves, xla):
    point = {"length": 3, "beam": 2, "batch": 2, "depth": 1}
    found = cost_curves.measure("transformer_tiny", 50, point, rounds=1, cpu_time=True, xla=xla)
    assert 0 < found["seconds"] < 60
    assert 50 * 2**20 < found["memory"] < 64 * 2**30
