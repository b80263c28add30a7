"""The benchmarks of memory and of costs: each figure is measured in a separate process; the curves share one point."""

import json

import pytest
from scripts import load_script, rows_of, run_main

from keras_nmt.errors import UserError

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


def test_writes_the_table(script, monkeypatch, tmp_path):
    asked = []

    def measured(script, batch_size, one):
        preset, size, _, stage = json.loads(one.removeprefix("--one="))
        asked.append((batch_size, preset, size, stage))
        return len(asked) * 2**30

    monkeypatch.setattr(script, "measured_in_a_process", measured)
    sizes = ("--presets", "transformer_tiny", "--vocabulary-size", 50)
    assert "TensorFlow alone" in run_main(script, *sizes, "--output", tmp_path / "table.md")
    rows = rows_of(tmp_path / "table.md")
    assert rows[1] == ["TensorFlow alone", "", "", "1,024"]
    assert rows[-1] == ["serving, int8, serving_default_xla", "transformer_tiny", "3", "8,192"]
    assert len(asked) == 8
    assert asked[1] == ("--batch-size=4096", "transformer_tiny", 50, "training, batches of 4,096 tokens")


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


def test_writes_table_and_plot(cost_curves, monkeypatch, tmp_path):
    asked = []

    def measured(script, *options):
        asked.append(options[-1])
        return {"seconds": 0.2 * len(asked), "memory": 3.0 * 2**20}

    monkeypatch.setattr(cost_curves, "measured_in_a_process", measured)
    monkeypatch.setattr(cost_curves, "CURVES", {"length": (20, 40), "beam": (2, 4)})
    files = ("--output", tmp_path / "t.md", "--plot", tmp_path / "p.png")
    assert "ms a token" in run_main(cost_curves, "--curves", "length,beam", *files)
    # 16 sentences at once. A beam of 4 is the first point of lengths: not measured again.
    assert len(asked) == 3
    assert [" ".join(row) for row in rows_of(tmp_path / "t.md")] == [
        "curve value ms a step ms a token peak MiB",
        "length 20 10.00 0.625 3",
        "length 40 10.00 0.625 3",
        "beam 2 30.00 1.875 3",
        "beam 4 10.00 0.625 3",
    ]
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(cost_curves.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install keras_nmt\[bench\]. Received: --plot .*p.png"):
        run_main(cost_curves, "--curves", "length", "--plot", tmp_path / "p.png")
    assert len(asked) == 3
