"""Files that services read: citation, images, the workflow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import keras_nmt

ROOT = Path(__file__).parents[2]


def test_the_citation_has_the_version_and_the_four_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == keras_nmt.__version__
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(citation["references"]) == 4
    for paper in citation["references"]:
        assert paper["authors"]
        assert paper.get("url", f"https://doi.org/{paper.get('doi')}") in readme


@pytest.mark.parametrize("name", ["train", "serve"])
def test_dockerfiles_have_no_warnings_and_copy_what_exists(name):
    path = ROOT / "docker" / f"{name}.Dockerfile"
    copied = [line.split()[1:-1] for line in path.read_text().splitlines() if line.startswith("COPY")]
    assert copied
    for source in (source for sources in copied for source in sources if "$" not in source):
        assert (ROOT / source).exists(), source
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if hadolint is None:
        pytest.skip("hadolint is not installed")
    run = subprocess.run([hadolint, path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_the_workflow_runs_the_script_on_the_supported_versions():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    job = workflow["jobs"]["run"]
    assert job["steps"][-1]["run"] == ".ci/run"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    setup = (ROOT / "setup.cfg").read_text()
    assert all(
        f"Programming Language :: Python :: {version}" in setup for version in job["strategy"]["matrix"]["python"]
    )


def test_a_test_file_whose_imports_fail_is_an_error(tmp_path):
    (tmp_path / "test_broken.py").write_text("import no_such_module\n\n\ndef test_nothing():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "setup.cfg", "--rootdir", tmp_path, "-n", "0", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "ModuleNotFoundError: No module named 'no_such_module'" in run.stdout
    assert run.returncode == pytest.ExitCode.INTERRUPTED
