"""A run that is killed at any moment and started again equals an uninterrupted run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest

from keras_nmt.files.directory_lock import directory_lock
from keras_nmt.training import TrainingLog

SCRIPT = Path(__file__).parent / "killed_run.py"
TIMES = ("tokens_per_second", "seconds")  # values that differ between runs


class Starter:
    """Starts the training of killed_run.py repeatedly."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, directory: Path, updates: int, kill_after: int | None = None, delay: float = 0.0) -> int:
        """Trains in a folder; killed `delay` seconds after `kill_after` lines of output. Returns the exit status."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{updates} {directory}\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        for number, line in enumerate(self._process.stdout, 1):
            if line.startswith("exit status "):
                return int(line.split()[-1])
            if number == kill_after:
                time.sleep(delay)
                os.kill(pid, signal.SIGKILL)
        raise AssertionError("the starter has ended")

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def starter() -> Iterator[Starter]:
    starter = Starter()
    yield starter
    starter.close()


def log_of(directory: Path) -> list[dict[str, object]]:
    lines = TrainingLog(directory / "training_log.jsonl").read()
    return [{key: value for key, value in line.items() if key not in TIMES} for line in lines]


def weights_of(path: Path) -> dict[str, bytes]:
    weights: dict[str, bytes] = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: weights.update({name: item[()].tobytes()} if hasattr(item, "dtype") else {}))
    assert weights
    return weights


@pytest.mark.parametrize(("updates", "kills"), [(36, 2), pytest.param(120, 10, marks=pytest.mark.nightly)])
def test_kills_change_nothing(starter: Starter, tmp_path: Path, updates: int, kills: int) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert starter.run(whole, updates) == 0
    expected = log_of(whole)
    assert [line["update"] for line in expected if "loss" in line] == list(range(2, updates + 1, 2))

    moments = random.Random(7)  # most hit a save, which takes most of the time
    for number in range(kills):
        lines, delay = moments.randint(1, 9), moments.uniform(0.0, 0.1)
        status = starter.run(killed, updates, kill_after=lines, delay=delay)
        assert status == -signal.SIGKILL, f"kill {number}, {delay:.3f} seconds after line {lines}"
    assert starter.run(killed, updates) == 0

    assert log_of(killed) == expected
    assert weights_of(killed / "model.weights.h5") == weights_of(whole / "model.weights.h5")
    files = [sorted(str(path.relative_to(run)) for path in run.rglob("*")) for run in (whole, killed)]
    assert files[0] == files[1], "an incomplete file is left"


def test_two_runs_in_a_folder_are_rejected(starter: Starter, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with directory_lock(directory):
        assert starter.run(directory, 2) == 1
    assert [path.name for path in directory.iterdir()] == [".lock"]
