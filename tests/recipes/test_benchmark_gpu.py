"""The run of everything that needs a GPU: parts, limits, files."""

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
