"""The Kubernetes job for training on several machines."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from keras_nmt.training.distribution import is_chief, number_of_workers

MANIFEST = Path(__file__).parents[2] / "recipes" / "kubernetes" / "train.yaml"


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    return {document["kind"]: document for document in yaml.safe_load_all(MANIFEST.read_text())}


def test_the_pods_have_the_names_in_tf_config(documents: dict[str, dict[str, Any]]) -> None:
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


@pytest.mark.parametrize("index", [0, 3])
def test_a_pod_gets_its_tf_config(
    documents: dict[str, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: int
) -> None:
    (container,) = documents["Job"]["spec"]["template"]["spec"]["containers"]
    command = tmp_path / "keras-nmt"  # prints its TF_CONFIG
    command.write_text('#!/bin/sh\nprintf %s "$TF_CONFIG"\n')
    command.chmod(0o755)
    environment = {one["name"]: one["value"] for one in container["env"]}
    environment |= {"PATH": f"{tmp_path}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": str(index)}
    done = subprocess.run([*container["command"], *container["args"]], env=environment, capture_output=True, check=True)
    monkeypatch.setenv("TF_CONFIG", done.stdout.decode())
    assert (number_of_workers(), is_chief()) == (4, index == 0)
    assert '"train-3.train:2222"' in done.stdout.decode()
