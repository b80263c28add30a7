"""The run of everything that needs a GPU: parts, limits, reasons, files."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from scripts import ROOT, load_script, run_main
from typer import Typer
from typer.main import get_command

from keras_nmt.errors import UserError

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/gpu.py"


@pytest.fixture
def there(script):
    """A machine with TensorFlow, and with PyTorch, which sees no GPU."""
    found = {"tensorflow": script.Framework("2.21", 1), "torch": script.Framework("2.7", 0)}
    return {**found, "jax": "no module", "ctranslate2": "no module"}


def test_the_whole_run_at_toy_sizes(script, tmp_path):
    command = [ROOT / "benchmarks/gpu.sh", "--toy", "--minutes", "20", "--peak", "1", "--output", tmp_path]
    # Compilation takes most of the time, and only what is written matters here.
    environment = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "PYTHON": sys.executable}
    ran = subprocess.run(command, env=environment, check=True, capture_output=True)
    assert "JAX: " in ran.stdout.decode()
    parts = {part["part"]: part for part in json.loads((tmp_path / "results.json").read_text())["parts"]}
    assert {part["topic"] for part in parts.values()} == {"layers", "training", "decoding", "overhead"}
    there = script.frameworks()
    names = {"TensorFlow": "tensorflow", "PyTorch": "torch", "CTranslate2": "ctranslate2", "JAX": "jax"}
    for name, part in parts.items():
        absent = [f"left out: no {title}" for title, module in names.items() if isinstance(there[module], str)]
        log = (tmp_path / "log.txt").read_text()
        assert part["note"] in ("", *absent), (name, part["note"], log)
        assert bool(part["rows"]) == (not part["note"]), name
    rows = [row for part in parts.values() for row in part["rows"]]
    assert all(row["share of peak"].endswith("%") for row in rows if "share of peak" in row)
    report = (tmp_path / "results.md").read_text()
    assert all(f"- {name}: " in report for name in parts)
    assert "| part | layer | results | largest difference | equal |\n" in report


@pytest.fixture
def run_code(script, tmp_path):
    """Runs code as a part, with a limit; `rows(...)` writes its table."""

    def run(code, limit):
        start = "import json, sys, time\ndef rows(*found): open(sys.argv[-1], 'w').write(json.dumps(found))\n"
        (tmp_path / "part.py").write_text(start + code)
        part = script.Part("mine", "training", [str(tmp_path / "part.py")], ["jax"], 30)
        return script.run_part(part, limit, tmp_path / "log.txt")

    return run


def test_a_part_that_fails_or_is_stopped_leaves_its_rows_and_no_process(run_code, tmp_path):
    outcome = run_code("rows({'a': '1'})\nprint('some output')\nraise ValueError('no such node')", 30)
    assert (outcome.note, outcome.rows) == ("failed: ValueError: no such node", [{"a": "1"}])
    assert "some output" in (tmp_path / "log.txt").read_text()
    alive = tmp_path / "alive"
    child = f"import time; time.sleep(2.5); open({str(alive)!r}, 'w')"
    outcome = run_code(f"import subprocess\nrows({{'a': '1'}})\nsubprocess.run([sys.executable, '-c', {child!r}])", 1)
    assert (outcome.note, outcome.rows) == ("stopped at its limit of 1 s", [{"a": "1"}])
    time.sleep(2)
    assert not alive.exists()


def test_every_option_exists(script):
    for given in (script.SETTINGS, script.TOY):
        assert set(given) == {"training", "decoding", "overhead"}
        for part in script.make_parts(given, "fusion,ni_both", 5.0):
            name, *options = part.command
            app = Typer()
            app.command()(load_script(f"benchmarks/{name}").main)
            get_command(app).make_context(name, [*options, "--output", "rows.json"])  # raises usage errors


def test_the_time_that_is_left_decides_what_runs(script, there, monkeypatch, tmp_path):
    """On a machine with a GPU, with parts of 50 seconds each."""
    now = [0.0]
    monkeypatch.setattr(script, "gpu_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(script, "frameworks", lambda: there)
    monkeypatch.setattr(script.time, "monotonic", lambda: now[0])

    def run_part(part, limit, log):
        now[0] += min(50.0, limit, part.limit)
        row = {"contender": part.name, "target tokens/s": "5", "traces": "1"}
        return script.Outcome(part.name, part.topic, 50.0, [row])

    def parts_of(folder):
        return {part["part"]: part for part in json.loads((folder / "results.json").read_text())["parts"]}

    monkeypatch.setattr(script, "run_part", run_part)
    run_main(script, "--output", tmp_path, "--minutes", 2)
    parts, report = parts_of(tmp_path), (tmp_path / "results.md").read_text()
    assert parts["layers on TensorFlow"]["note"] == ""
    assert parts["keras_nmt"]["rows"]
    assert parts["overhead"]["note"] == "left out: 0 of 120 s are left"
    assert parts["layers on JAX"]["note"] == "left out: no JAX"
    assert "- GPU: NVIDIA H200, peak 989 TFLOPS in bfloat16" in report
    assert "| contender | target tokens/s |\n| --- | --- |\n| keras_nmt | 5 |\n" in report
    assert "- PyTorch: left out: PyTorch 2.7 sees no GPU (0 s)" in report
    run_main(script, "--output", tmp_path / "chosen", "--parts", "overhead,layers")
    assert {part["topic"] for part in parts_of(tmp_path / "chosen").values()} == {"overhead", "layers"}


def test_without_a_gpu_only_the_toy_runs_and_the_peak_is_that_of_the_gpu(script, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.gpu_name() is None
    with pytest.raises(UserError, match="nvidia-smi finds no GPU: --toy tries the script on the CPU"):
        run_main(script, "--output", tmp_path / "results")
    assert not (tmp_path / "results").exists()
    peaks = {"NVIDIA H100 80GB HBM3": 989, "NVIDIA H100 PCIe": 756, "NVIDIA L40S": 362, "NVIDIA L4": 121}
    assert {name: script.peak_of(name) for name in peaks} == peaks
    assert script.peak_of("Tesla T4") is script.peak_of(None) is None
    fake = tmp_path / "nvidia-smi"
    fake.write_text("#!/bin/sh\necho NVIDIA H200\necho NVIDIA L4\n")
    fake.chmod(0o755)
    assert script.gpu_name() == "NVIDIA H200"


def test_layers_that_differ_are_named():
    compare = load_script("benchmarks/layer_results.py").differences
    expected = {"a/output 0": np.array([1.0, 200.0]), "a/gradient": np.zeros(0), "b/output 0": np.array([0.5])}
    found = {"a/output 0": np.array([1.0, 201.0]), "a/gradient": np.zeros(0), "b/output 0": np.array([np.nan])}
    result = compare(expected, found)
    assert result["a"] == [0.005, 0.0]
    assert np.isnan(result["b"][0])
