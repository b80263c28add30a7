"""The fixture `made_once` of tests/conftest.py."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import keras
import pytest


def test_one_of_several_processes_makes_the_folder_for_all(made_once):
    name, calls = str(uuid.uuid4()), []

    def make(folder: Path) -> None:
        calls.append(folder)
        assert not list(folder.iterdir())
        time.sleep(0.2)
        (folder / "made").touch()

    with ThreadPoolExecutor(4) as threads:
        folders = set(threads.map(lambda _: made_once(name, make), range(4)))
    assert [*folders] == calls
    assert [file.name for file in calls[0].iterdir()] == ["made"]


def test_a_failed_attempt_leaves_nothing(made_once):
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("no")

    name = str(uuid.uuid4())
    with pytest.raises(ValueError, match="no"):
        made_once(name, fail)
    assert not list(made_once(name, lambda folder: None).iterdir())


def test_the_seed_does_not_depend_on_the_caller(made_once):
    drawn = []
    for _ in range(2):
        keras.random.uniform([])
        made_once(str(uuid.uuid4()), lambda folder: drawn.append(float(keras.random.normal([]))))
    assert drawn[0] == drawn[1]
