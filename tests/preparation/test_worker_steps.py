"""Steps that workers count, and the bar of `keras-nmt prepare`."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from terminal import on_a_terminal

from keras_nmt.steps import show_steps


def test_steps_of_workers_add_up(tmp_path, monkeypatch):
    from keras_nmt.preparation import worker_steps as module

    monkeypatch.setattr(module, "SECONDS", 0.01)
    advanced = []
    show = lambda total, unit: contextlib.nullcontext(advanced.append)  # noqa: E731
    with show_steps(show), module.worker_steps(tmp_path / "steps", 100, "lines") as path, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: module.add_worker_steps(path, number), range(50)))
    assert sum(advanced) == sum(range(50))
    assert not [*tmp_path.iterdir()]


def test_without_a_watcher_workers_count_nothing(tmp_path):
    from keras_nmt.preparation.worker_steps import add_worker_steps, worker_steps

    with worker_steps(tmp_path / "steps", 100, "lines") as path:
        assert path is None
        add_worker_steps(path, 1)
        assert not [*tmp_path.iterdir()]


@pytest.mark.nightly
def test_a_terminal_shows_how_far_the_preparation_is(tmp_path):
    pytest.importorskip("apache_beam")  # the extra `prepare`, in an environment of its own
    random = np.random.default_rng(1)
    for side in ("de", "en"):
        lines = (" ".join(map(str, random.integers(0, 1000, size))) for size in random.integers(1, 9, 100_000))
        (tmp_path / side).write_text("".join(f"{line}\n" for line in lines))
    command = ["prepare", "--source", tmp_path / "de", "--target", tmp_path / "en", "--vocabulary-size", 200]
    main = "from keras_nmt.cli.app import main; main()"
    options = ["--workers", 2, "--max-ratio", 9, "--output", tmp_path / "out"]
    code, output, shown = on_a_terminal("-c", main, *command, *options)
    assert code == 0
    assert output.decode().splitlines()[-1].startswith("100,000 pairs read")
    assert "100,000/100,000" in shown
    assert "pairs/s" in shown
    assert "1/1" in shown  # shards
    assert not [*(tmp_path / "out").rglob("*.steps")]
