"""Preparation on runners other than Beam's local one: the bytes of the local one."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("apache_beam")  # the extra `prepare`, in an environment of its own

from keras_nmt.errors import UserError
from keras_nmt.preparation import Preparation, prepare

WORDS = np.array(["the", "cat", "sat", "on", "mat", "that", "is", "a", "rat", "bat", "hat", "chat"])
pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder, random = tmp_path_factory.mktemp("texts"), np.random.default_rng(1)
    for side in ("de", "en"):
        for number in range(3):
            lines = [" ".join(random.choice(WORDS, size)) for size in random.integers(0, 4, 2000)]
            (folder / f"{number}.{side}").write_text("".join(f"{line}\n" for line in lines))
    files = {name: [folder / f"{i}.{side}" for i in range(3)] for name, side in (("sources", "de"), ("targets", "en"))}
    return {"sides": ("de", "en"), **files, "vocabulary_size": 40, "subword_sample": 300, "duplicates": "either"}


@pytest.fixture(scope="module")
def dask() -> Iterator[list[str]]:
    """Dask's scheduler and two worker processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        runner = "--runner=apache_beam.runners.dask.dask_runner.DaskRunner"
        yield [runner, f"--dask_client_address={cluster.scheduler_address}", "--dask_npartitions=6"]
        for client in list(distributed.Client._instances):  # the runner's, which would look for the cluster
            client.close()


@pytest.fixture(scope="module")
def portable() -> Iterator[list[str]]:
    """A job service in another process, which gets the job as those of Flink and Spark get it."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    module = "apache_beam.runners.portability.local_job_service_main"
    server = subprocess.Popen([sys.executable, "-m", module, f"--port={port}"], stderr=subprocess.DEVNULL)
    yield ["--runner=PortableRunner", f"--job_endpoint=localhost:{port}", "--environment_type=LOOPBACK"]
    server.terminate()
    server.wait()


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("runner", ["dask", "portable"])
def test_every_runner_gives_the_same_bytes_and_errors(options, runner, request, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("keras_nmt.preparation.pipeline.SHARD_PAIRS", 1500)
    beam_options = request.getfixturevalue(runner)
    prepare(Preparation(**options), tmp_path / "local", workers=1, beam_options=["--direct_running_mode=in_memory"])
    prepare(Preparation(**options), tmp_path / "other", workers=2, beam_options=beam_options)
    assert content(tmp_path / "other") == content(tmp_path / "local")
    assert len(content(tmp_path / "other")) > 20
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"a\n\xff\n")
    options = {**options, "sources": [*options["sources"][:2], wrong]}
    with pytest.raises(UserError, match=r"^Line 2 is not UTF-8.*Received: .*/wrong$"):
        prepare(Preparation(**options), tmp_path / "none", workers=2, beam_options=beam_options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["local", "other", "wrong"]


def test_a_runner_that_is_not_there_is_one_line(options: dict[str, Any], tmp_path: Path) -> None:
    dask = pytest.importorskip("dask")
    message = r"^Apache Beam's runner is lost, or not at its address. Received: [^\n]*$"
    for runner in (
        ["--runner=PortableRunner", "--job_endpoint=localhost:1", "--job_server_timeout=1"],
        ["--runner=apache_beam.runners.dask.dask_runner.DaskRunner", "--dask_client_address=tcp://localhost:1"],
    ):
        with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), pytest.raises(UserError, match=message):
            prepare(Preparation(**options), tmp_path / "out", beam_options=runner)
        assert list(tmp_path.iterdir()) == []
