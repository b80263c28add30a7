"""Files that workers share: blocks of pairs, and steps with the bar of `keras-nmt prepare`."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from full_disk import full_disk
from hypothesis import given
from hypothesis import strategies as st
from terminal import on_a_terminal
from updates import make_block, same_blocks

from keras_nmt.data.sentence_pairs import PairBlock
from keras_nmt.preparation import worker_files
from keras_nmt.preparation.worker_files import read_blocks, write_blocks
from keras_nmt.progress import show_steps


@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=4),
    num_buckets=st.integers(1, 5),
    has_text=st.booleans(),
    has_keys=st.booleans(),
)
def test_each_bucket_is_read_as_written(tmp_path_factory, sizes, num_buckets, has_text, has_keys) -> None:
    folder = tmp_path_factory.mktemp("store") / "blocks"
    blocks = [make_block(size, seed, np.int32, has_text, has_keys) for seed, size in enumerate(sizes)]
    buckets = [np.random.default_rng(size).integers(0, num_buckets, size) for size in sizes]
    places: dict[int, list[tuple[str, int]]] = {}
    for block, own in zip(blocks, buckets, strict=True):
        for bucket, place in write_blocks(folder, block, own):
            places.setdefault(bucket, []).append(place)
    assert set(places) == set(np.concatenate(buckets).tolist())
    for bucket, found in places.items():
        expected = PairBlock.concatenate(
            block.select(own == bucket) for block, own in zip(blocks, buckets, strict=True) if (own == bucket).any()
        )
        assert same_blocks(read_blocks(found), expected)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"File too large: '.*/blocks/\w+'$"), full_disk():
        list(write_blocks(tmp_path / "blocks", make_block(3000, has_text=False, has_keys=True), np.zeros(3000, int)))


def test_steps_of_workers_add_up(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_files, "SECONDS", 0.01)
    advanced, steps = [], tmp_path / "steps"
    show = lambda total, unit: contextlib.nullcontext(advanced.append)  # noqa: E731
    with show_steps(show), worker_files.worker_steps(steps, 100, "lines") as path, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: worker_files.add_worker_steps(path, number), range(50)))
    assert sum(advanced) == sum(range(50))
    assert not [*tmp_path.iterdir()]
    with worker_files.worker_steps(steps, 100, "lines") as path:  # without a watcher, nothing is counted
        assert path is None
        worker_files.add_worker_steps(path, 1)
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
