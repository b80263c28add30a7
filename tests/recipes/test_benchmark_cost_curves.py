"""The benchmark of costs: each point is measured in a separate process; the curves share one point."""

from __future__ import annotations

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError


@pytest.fixture(scope="module")
def cost_curves():
    return load_script("benchmarks/cost_curves.py")


@pytest.mark.nightly
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
    output = run_main(cost_curves, "--curves", "length,beam", *files)
    assert "ms a token" in output
    # 16 sentences at once. A beam of 4 is the first point of lengths: not measured again.
    assert len(asked) == 3
    assert (tmp_path / "t.md").read_text() == (
        "| curve | value | ms a step | ms a token | peak MiB |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| length | 20 | 10.00 | 0.625 | 3 |\n"
        "| length | 40 | 10.00 | 0.625 | 3 |\n"
        "| beam | 2 | 30.00 | 1.875 | 3 |\n"
        "| beam | 4 | 10.00 | 0.625 | 3 |\n"
    )
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_a_plot_is_an_error_before_measurements(cost_curves, monkeypatch, tmp_path):
    monkeypatch.setattr(cost_curves.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install keras_nmt\[bench\]. Received: --plot .*p.png"):
        run_main(cost_curves, "--plot", tmp_path / "p.png")
