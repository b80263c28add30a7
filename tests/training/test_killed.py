"""A run that is killed at any moment and started again equals an uninterrupted run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import pytest
from training_runs import TIMES, events_of

from keras_nmt.training import TrainingLog


@pytest.fixture(scope="module")
def start():
    """Starts the training of killed_run.py repeatedly."""
    command = [sys.executable, str(Path(__file__).parent / "killed_run.py")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(directory, updates, mode, kill_after=None, delay=0.0, change=0, clock=0.0):
        """Trains in a folder, and returns the exit status.

        The process is killed `delay` seconds after `kill_after` lines of output, or before the change `change` of its
        files. Its clock differs by `clock` seconds.
        """
        process.stdin.write(f"{mode} {change} {clock} {updates} {directory}\n")
        process.stdin.flush()
        pid = int(process.stdout.readline())
        for number, line in enumerate(process.stdout, 1):
            if line.startswith("exit status "):
                return int(line.split()[-1])
            if number == kill_after:
                time.sleep(delay)
                os.kill(pid, signal.SIGKILL)
        raise AssertionError("the starter has ended")

    yield run
    process.communicate()


def log_of(directory: Path) -> list[dict[str, object]]:
    lines = TrainingLog(directory / "training_log.jsonl").read()
    return [{key: value for key, value in line.items() if key not in TIMES} for line in lines]


def weights_of(path: Path) -> dict[str, Any]:
    weights: dict[str, Any] = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: weights.update({name: item[()].tobytes()} if hasattr(item, "dtype") else {}))
    assert weights
    return weights


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["one", "replicas", "accumulation", "tasks", "ema", "float16", "prepared"])
def test_kills_and_steps_of_the_clock_change_nothing(start, tmp_path, mode):
    updates, kills = 90, 9
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole, updates, mode) == 0
    expected = log_of(whole)
    assert [line["update"] for line in expected if "loss" in line] == list(range(2, updates + 1, 2))

    moments = random.Random(f"7 {mode}")
    for number in range(kills):
        at: dict[str, Any] = {"change": moments.randint(1, 60)}  # in a save, or where a run goes on
        if number % 3 == 0:
            at = {"kill_after": moments.randint(1, 6), "delay": moments.uniform(0.0, 0.1)}
        status = start(killed, updates, mode, **at, clock=moments.uniform(-1e6, 1e6))
        assert status == -signal.SIGKILL, f"kill {number} at {at}"
        for path in killed.rglob("*"):
            os.utime(path, (moments.uniform(1e9, 2e9),) * 2)
    assert start(killed, updates, mode, clock=-1e7) == 0

    assert log_of(killed) == expected
    assert weights_of(killed / "model.weights.h5") == weights_of(whole / "model.weights.h5")
    files = [
        {str(path.relative_to(run)) for path in run.rglob("*") if "events." not in path.name} for run in (whole, killed)
    ]
    assert files[0] == files[1], "an incomplete file is left"
    for path in (whole / "checkpoints").glob("*.h5"):
        states = [weights_of(run / "checkpoints" / path.name) for run in (whole, killed)]
        for state in states:
            text = json.loads(state.pop("progress", b'{"progress": {}}'))
            progress = {name: value for name, value in text["progress"].items() if name not in TIMES}
            metrics = {name: value for name, value in progress.get("metrics", {}).items() if name not in TIMES}
            state["progress"] = {**progress, "metrics": metrics}
        assert states[0] == states[1]
    steps = [
        sorted((tag, step) for tag, step, _ in events_of(run / "tensorboard").elements()) for run in (whole, killed)
    ]
    assert steps[0] == steps[1]
