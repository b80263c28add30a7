"""The run of everything that needs a GPU: parts, limits, reasons, files. The whole run at toy sizes is nightly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from scripts import RECIPES, load_script, run_main
from typer import Typer
from typer.main import get_command

from keras_nmt.errors import UserError


@pytest.fixture(scope="module")
def gpu():
    return load_script("benchmarks/gpu.py")


@pytest.fixture
def there(gpu):
    """A machine with TensorFlow, and with PyTorch, which sees no GPU."""
    found = {"tensorflow": gpu.Framework("2.21", 1), "torch": gpu.Framework("2.7", 0)}
    return {**found, "jax": "no module", "ctranslate2": "no module"}


@pytest.mark.nightly
def test_the_whole_run_at_toy_sizes(tmp_path):
    command = [RECIPES / "benchmarks/gpu.sh", "--toy", "--minutes", "20", "--peak", "1", "--output", tmp_path]
    # Compilation takes most of the time, and only what is written matters here.
    environment = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "PYTHON": sys.executable}
    ran = subprocess.run(command, env=environment, check=True, capture_output=True)
    assert "JAX: " in ran.stdout.decode()
    parts = {part["part"]: part for part in json.loads((tmp_path / "results.json").read_text())["parts"]}
    assert {part["topic"] for part in parts.values()} == {"layers", "training", "decoding", "overhead"}
    there = load_script("benchmarks/gpu.py").frameworks()
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


def part(gpu, tmp_path, code, limit=30):
    """A part that runs some code; `rows(...)` writes its table."""
    script = tmp_path / "part.py"
    start = "import json, sys, time\ndef rows(*found): open(sys.argv[-1], 'w').write(json.dumps(found))\n"
    script.write_text(start + code)
    return gpu.Part("mine", "training", [str(script)], ["jax"], limit)


def test_a_part_that_fails_leaves_its_rows_and_the_last_line_of_its_error(gpu, tmp_path):
    made = part(gpu, tmp_path, "rows({'a': '1'})\nprint('some output')\nraise ValueError('no such node')")
    outcome = gpu.run_part(made, 30, tmp_path / "log.txt")
    assert outcome.note == "failed: ValueError: no such node"
    assert outcome.rows == [{"a": "1"}]
    assert "some output" in (tmp_path / "log.txt").read_text()


def test_a_part_is_stopped_at_its_limit_with_the_processes_it_started(gpu, tmp_path):
    alive = tmp_path / "alive"
    child = f"import time; time.sleep(2.5); open({str(alive)!r}, 'w')"
    code = f"import subprocess\nrows({{'a': '1'}})\nsubprocess.run([sys.executable, '-c', {child!r}])"
    outcome = gpu.run_part(part(gpu, tmp_path, code), 1, tmp_path / "log.txt")
    assert outcome.note == "stopped at its limit of 1 s"
    assert outcome.rows == [{"a": "1"}]
    time.sleep(2)
    assert not alive.exists()


def test_parts_without_their_framework_say_so_in_one_line(gpu, there):
    parts = {part.name: part for part in gpu.make_parts(gpu.SETTINGS, "", 0.0)}
    assert gpu.missing(parts["layers on JAX"], there, "H200") == "no JAX"
    assert gpu.missing(parts["keras_nmt"], there, "H200") == ""
    assert gpu.missing(parts["PyTorch"], there, "H200") == "PyTorch 2.7 sees no GPU"
    assert gpu.missing(parts["PyTorch"], there, None) == ""  # a toy run on the CPU


@pytest.mark.parametrize("settings", ["SETTINGS", "TOY"])
def test_every_option_exists(gpu, settings):
    given = getattr(gpu, settings)
    assert set(given) == {"training", "decoding", "overhead"}
    for part in gpu.make_parts(given, "fusion,ni_both", 5.0):
        script, *options = part.command
        app = Typer()
        app.command()(load_script(f"benchmarks/{script}").main)
        get_command(app).make_context(script, [*options, "--output", "rows.json"])  # raises usage errors


@pytest.fixture
def run(gpu, there, monkeypatch, tmp_path):
    """The script on a machine with a GPU, with parts of 50 seconds each."""
    now, seconds = [0.0], 50.0
    monkeypatch.setattr(gpu, "gpu_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(gpu, "frameworks", lambda: there)
    monkeypatch.setattr(gpu.time, "monotonic", lambda: now[0])

    def run_part(part, limit, log):
        now[0] += min(seconds, limit, part.limit)
        row = {"contender": part.name, "target tokens/s": "5", "traces": "1"}
        return gpu.Outcome(part.name, part.topic, seconds, [row])

    monkeypatch.setattr(gpu, "run_part", run_part)

    def run(*arguments):
        output = run_main(gpu, "--output", tmp_path, *arguments)
        results = json.loads((tmp_path / "results.json").read_text())
        return output, {part["part"]: part for part in results["parts"]}, (tmp_path / "results.md").read_text()

    return run


def test_the_time_that_is_left_decides_what_runs(run):
    output, parts, report = run("--minutes", 2)
    assert parts["layers on TensorFlow"]["note"] == ""
    assert parts["keras_nmt"]["rows"]
    assert parts["overhead"]["note"] == "left out: 0 of 120 s are left"
    assert parts["layers on JAX"]["note"] == "left out: no JAX"
    assert "overhead, overhead: left out: 0 of 120 s are left (0 s)" in output
    assert "- JAX: not there (no module)" in report
    assert "- GPU: NVIDIA H200, peak 989 TFLOPS in bfloat16" in report
    assert "| contender | target tokens/s |\n| --- | --- |\n| keras_nmt | 5 |\n" in report
    assert "- PyTorch: left out: PyTorch 2.7 sees no GPU (0 s)" in report


def test_topics_are_chosen(run):
    _, parts, _ = run("--parts", "overhead,layers")
    assert {part["topic"] for part in parts.values()} == {"overhead", "layers"}


def test_without_a_gpu_only_the_toy_runs(gpu, monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "gpu_name", lambda: None)
    with pytest.raises(UserError, match="nvidia-smi finds no GPU: --toy tries the script on the CPU"):
        run_main(gpu, "--output", tmp_path / "results")
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("name", "peak"),
    [
        ("NVIDIA H200", 989.0),
        ("NVIDIA H100 80GB HBM3", 989.0),
        ("NVIDIA H100 PCIe", 756.0),
        ("NVIDIA A100-SXM4-80GB", 312.0),
        ("NVIDIA L40S", 362.0),
        ("NVIDIA L4", 121.0),
        ("Tesla T4", None),
        (None, None),
    ],
)
def test_the_peak_is_that_of_the_gpu(gpu, name, peak):
    assert gpu.peak_of(name) == peak


def test_frameworks_have_a_version_or_the_error_of_their_import(gpu, monkeypatch):
    probes = {"jax": "import numpy as m; n = 2", "torch": "import no_such_module as m; n = 0"}
    monkeypatch.setattr(gpu, "PROBES", probes)
    found = gpu.frameworks()
    assert found["jax"] == gpu.Framework(np.__version__, 2)
    assert found["torch"] == "ModuleNotFoundError: No module named 'no_such_module'"


def test_the_gpu_is_the_one_of_nvidia_smi(gpu, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpu.gpu_name() is None
    fake = tmp_path / "nvidia-smi"
    fake.write_text("#!/bin/sh\necho NVIDIA H200\necho NVIDIA L4\n")
    fake.chmod(0o755)
    assert gpu.gpu_name() == "NVIDIA H200"


def test_layers_that_differ_are_named():
    compare = load_script("benchmarks/layer_results.py").differences
    expected = {"a/output 0": np.array([1.0, 200.0]), "a/gradient": np.zeros(0), "b/output 0": np.array([0.5])}
    found = {"a/output 0": np.array([1.0, 201.0]), "a/gradient": np.zeros(0), "b/output 0": np.array([np.nan])}
    result = compare(expected, found)
    assert result["a"] == [0.005, 0.0]
    assert np.isnan(result["b"][0])
