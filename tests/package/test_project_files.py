"""Files that services read: citation, images, the workflow, the Kubernetes job for training on several machines."""

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import keras_nmt
from keras_nmt.training.distribution import is_chief, number_of_workers

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


def test_no_release_is_allowed_that_learns_other_subwords():
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    needed = settings["options"]["install_requires"].splitlines()
    (requirement,) = [Requirement(line.split("#")[0].strip()) for line in needed if line.startswith("sentencepiece")]
    assert [requirement.specifier.contains(x) for x in ("0.2.1", "0.2.2", "0.2.3")] == [True, False, True]


def test_dockerfiles_have_no_warnings_and_copy_what_exists():
    paths = [ROOT / "docker" / f"{name}.Dockerfile" for name in ("train", "serve")]
    for path in paths:
        copied = [line.split()[1:-1] for line in path.read_text().splitlines() if line.startswith("COPY")]
        assert copied
        for source in (source for sources in copied for source in sources if "$" not in source):
            assert (ROOT / source).exists(), source
    serve = paths[1].read_text()  # the server reads /models/$MODEL_NAME
    assert "\nCOPY savedmodels/${MODEL} /models/${MODEL}\nENV MODEL_NAME=${MODEL}\n" in serve
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if hadolint is None:
        pytest.skip("hadolint is not installed")
    run = subprocess.run([hadolint, *paths], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_the_workflow_runs_the_script_on_the_supported_versions():
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["run"]
    assert job["steps"][-1]["run"] == ".ci/run"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    setup = (ROOT / "setup.cfg").read_text()
    for version in job["strategy"]["matrix"]["python"]:
        assert f"Programming Language :: Python :: {version}" in setup


def test_the_pods_have_the_names_in_tf_config_and_get_their_places(tmp_path, monkeypatch):
    text = (ROOT / "recipes" / "kubernetes" / "train.yaml").read_text()
    documents = {document["kind"]: document for document in yaml.safe_load_all(text)}
    job, service = documents["Job"], documents["Service"]
    name = job["metadata"]["name"]
    assert service["metadata"]["name"] == name == job["spec"]["template"]["spec"]["subdomain"]
    assert service["spec"]["selector"] == {"job-name": name}
    assert service["spec"]["clusterIP"] == "None"
    assert job["spec"]["completions"] == job["spec"]["parallelism"]
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert {"name": "WORKERS", "value": str(job["spec"]["completions"])} in container["env"]
    (port,) = container["ports"]
    assert f"{name}-%g.{name}:{port['containerPort']}" in container["args"][0]
    command = tmp_path / "keras-nmt"  # prints its TF_CONFIG
    command.write_text('#!/bin/sh\nprintf %s "$TF_CONFIG"\n')
    command.chmod(0o755)
    environment = {one["name"]: one["value"] for one in container["env"]}
    environment |= {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for index in (0, 3):
        environment["JOB_COMPLETION_INDEX"] = str(index)
        run = [*container["command"], *container["args"]]
        done = subprocess.run(run, env=environment, capture_output=True, check=True)
        monkeypatch.setenv("TF_CONFIG", done.stdout.decode())
        assert (number_of_workers(), is_chief()) == (4, index == 0)
        assert '"train-3.train:2222"' in done.stdout.decode()


@pytest.mark.slow
def test_a_test_file_whose_imports_fail_is_an_error(tmp_path):
    (tmp_path / "test_broken.py").write_text("import no_such_module\n\n\ndef test_nothing():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "setup.cfg", "--rootdir", tmp_path, "-n", "0", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "ModuleNotFoundError: No module named 'no_such_module'" in run.stdout
    assert run.returncode == pytest.ExitCode.INTERRUPTED
