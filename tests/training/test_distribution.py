"""Strategies, and several machines: processes that train together, each with its own TF_CONFIG."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from training_runs import write_copies

from keras_nmt.errors import UserError
from keras_nmt.training import TrainingLog, make_strategy
from keras_nmt.training.distribution import Workers, is_chief, number_of_workers

UPDATES = 40


def start(number: int, directory: Path, **environment: str) -> list[subprocess.Popen[str]]:
    """Starts processes that train in `directory`; one process makes the same updates as several."""
    with contextlib.ExitStack() as stack:  # free ports
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("localhost", 0))
        cluster = {"worker": [f"localhost:{one.getsockname()[1]}" for one in sockets]}
    processes, script = [], Path(__file__).parent / "worker.py"
    for index in range(number):
        own = {"ACCUMULATION_STEPS": "2"}
        if number > 1:
            own = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})}
        command = [sys.executable, str(script), str(directory), str(UPDATES), f"{directory}-{index}.json"]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes.append(subprocess.Popen(command, env={**os.environ, **own, **environment}, **pipes))
    return processes


def wait_for_update(directory: Path, update: int, processes: list[subprocess.Popen[str]]) -> None:
    log = TrainingLog(directory / "training_log.jsonl")
    while max([line["update"] for line in log.read()], default=0) < update:
        assert all(process.poll() is None for process in processes), processes[0].communicate()[1][-1000:]
        time.sleep(0.05)


def outcome(directory: Path, index: int = 0) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(Path(f"{directory}-{index}.json").read_text())
    return result


@pytest.mark.nightly
def test_two_workers_equal_one_worker_despite_interruptions(tmp_path: Path) -> None:
    alone, together = tmp_path / "alone", tmp_path / "together"
    (one,) = start(1, alone)
    assert one.wait() == 0, one.communicate()[1][-1000:]

    # SIGTERM to a worker that is not the chief: both workers stop after the same update, which is saved.
    workers = start(2, together, SECONDS_AN_UPDATE="0.05")
    wait_for_update(together, 5, workers)
    workers[1].send_signal(signal.SIGTERM)
    said = [worker.communicate() for worker in workers]
    assert [worker.returncode for worker in workers] == [128 + signal.SIGTERM] * 2, said
    assert "Stopped by SIGTERM: update " in said[0][0]
    assert said[1][0] == "", "only the chief reports"

    # SIGKILL: the other worker ends with an error.
    workers = start(2, together, SECONDS_AN_UPDATE="0.05")
    wait_for_update(together, 25, workers)
    workers[1].kill()
    said = [worker.communicate() for worker in workers]
    assert workers[0].returncode == 2, said[0]
    assert "Going on from update" in said[0][0]
    assert "Error: Another worker has ended" in said[0][1]

    workers = start(2, together)
    said = [worker.communicate() for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], said
    assert "Going on from update" in said[0][0]

    expected, results = outcome(alone), [outcome(together, index) for index in range(2)]
    for result in results:
        assert result["update"] == UPDATES
        assert result["traces"] == 1
        assert result["heard"] == [*range(9000)]
        np.testing.assert_allclose(result["weights"], expected["weights"], rtol=1e-4)
        np.testing.assert_allclose(result["metrics"]["bleu"], expected["metrics"]["bleu"], rtol=1e-4)
    assert results[0]["evaluated"][-2:] == [UPDATES, UPDATES]
    assert results[1]["evaluated"] == [], "only the chief evaluates"
    logs = [[x for x in TrainingLog(run / "training_log.jsonl").read() if "loss" in x] for run in (alone, together)]
    assert [line["update"] for line in logs[1]] == list(range(5, UPDATES + 1, 5))
    np.testing.assert_allclose(*([line["loss"] for line in log] for log in logs), rtol=1e-4)
    files = [sorted(str(path.relative_to(run)) for path in run.rglob("*")) for run in (alone, together)]
    assert files[0] == files[1]


@pytest.mark.nightly
def test_workers_on_a_prepared_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process, two and four workers have the same updates; a run goes on with the same or another number.

    A run that goes on with the same number of workers is the uninterrupted run to the bit.
    """
    monkeypatch.setattr("keras_nmt.data.prepared_folder.BLOCK", 8)
    write_copies(tmp_path / "prepared")
    monkeypatch.setenv("PREPARED", str(tmp_path / "prepared"))
    runs = {"one": (1,), "two": (2,), "four": (4,), "two again": (2, 2), "four again": (4, 4), "fewer": (4, 2, 1)}
    losses, weights = {}, {}
    for name, numbers in runs.items():
        for turn, number in enumerate(numbers):
            is_last = turn == len(numbers) - 1
            # Four parts an update, whose seeds of dropout are the same however many processes share the parts.
            environment = {"ACCUMULATION_STEPS": str(4 // number), "SECONDS_AN_UPDATE": "0" if is_last else "0.05"}
            workers = start(number, tmp_path / name, **environment)
            if not is_last:
                wait_for_update(tmp_path / name, 10 * (turn + 1), workers)
                workers[0].send_signal(signal.SIGTERM)
            said = [worker.communicate() for worker in workers]
            codes = [0 if is_last else 128 + signal.SIGTERM] * number
            assert [worker.returncode for worker in workers] == codes, said
        log = TrainingLog(tmp_path / name / "training_log.jsonl").read()
        losses[name] = [line["loss"] for line in log if "loss" in line]
        weights[name] = outcome(tmp_path / name)["weights"]
    for name in runs:
        np.testing.assert_allclose(losses[name], losses["one"], rtol=1e-4)
        np.testing.assert_allclose(weights[name], weights["one"], rtol=1e-4)
    for name in ("two", "four"):
        assert losses[f"{name} again"] == losses[name]
        assert weights[f"{name} again"] == weights[name]


def config(task: Any, **cluster: Any) -> str:
    return json.dumps({"cluster": cluster, "task": task})


TWO = {"worker": ["a:1", "b:1"]}
WITH_CHIEF = {"chief": ["a:1"], "worker": ["b:1", "c:1"]}


def test_the_chief_is_recognised(monkeypatch):
    for text, number, chief in (
        ("", 1, True),
        ("{}", 1, True),
        (config({"type": "worker", "index": 0}, **TWO), 2, True),
        (config({"type": "worker", "index": 1}, **TWO), 2, False),
        (config({"type": "worker", "index": "0"}, **WITH_CHIEF), 3, False),
        (config({"type": "chief", "index": 0}, **WITH_CHIEF), 3, True),
        (config({"type": "worker", "index": 0}, worker=["a:1"]), 1, True),
    ):
        monkeypatch.setenv("TF_CONFIG", text)
        assert (number_of_workers(), is_chief()) == (number, chief), text
    for text in (
        "{",
        "[]",
        '{"cluster": {"worker": ["a:1"]}}',
        config({"type": "worker", "index": 2}, **TWO),
        config({"type": "ps", "index": 0}, worker=["a:1"], ps=["b:1"]),
        config({"type": "worker", "index": 0}, worker=3),
    ):
        monkeypatch.setenv("TF_CONFIG", text)
        with pytest.raises(UserError, match=r"TF_CONFIG must be like .*Received: TF_CONFIG="):
            make_strategy()
    monkeypatch.setenv("TF_CONFIG", config({"type": "worker", "index": 0}, **TWO))
    with pytest.raises(UserError, match="Received: replicas=2"):
        make_strategy(2)


def test_strategies():
    assert make_strategy(1) is tf.distribute.get_strategy()
    strategy = make_strategy(2)
    assert isinstance(strategy, tf.distribute.MirroredStrategy)
    assert strategy.num_replicas_in_sync == 2
    assert make_strategy(2) is strategy
    with pytest.raises(UserError, match="replicas=0"):
        make_strategy(0)
    with pytest.raises(UserError, match="must be at most 256, because there is no GPU. Received: replicas=65537$"):
        make_strategy(65537)
    tf.zeros([]).numpy()  # TensorFlow has started
    with pytest.raises(UserError, match="fewer devices: lower `replicas`.*replicas=7$"):
        make_strategy(7)


def test_a_gpu_that_tensorflow_cannot_use_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setattr("keras_nmt.training.distribution.NVIDIA_DRIVER", tmp_path)
    with pytest.warns(UserWarning, match="has an NVIDIA GPU"):
        make_strategy()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    make_strategy()


def test_too_little_memory_is_the_users_error():
    full = tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor\nwith shape [9]")
    message = "lower `batch_size`.* Received: OOM when allocating tensor with shape"
    with pytest.raises(UserError, match=message), Workers(make_strategy(1)).errors():
        raise full


@pytest.mark.slow
def test_makes_logical_devices_in_a_fresh_process(run_python):
    code = "from keras_nmt.training import make_strategy; print(make_strategy(3).num_replicas_in_sync)"
    assert run_python("-c", code).stdout.split()[-1] == b"3"
