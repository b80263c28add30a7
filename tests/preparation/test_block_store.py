"""Blocks of pairs on disk between two stages: read as written, by bucket; a full disk is named."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_nmt.files.pair_block import PairBlock, Rows
from keras_nmt.preparation.block_store import BlockStore


def make_block(num_pairs: int, seed: int, has_text: bool, has_keys: bool) -> PairBlock:
    random = np.random.default_rng(seed)

    def rows(dtype: type) -> Rows:
        lengths = random.integers(0, 5, num_pairs)
        return Rows(random.integers(0, 200, lengths.sum()).astype(dtype), lengths)

    return PairBlock(
        random.integers(1, 99, num_pairs).astype(np.int32),
        (rows(np.uint16), rows(np.int32)),
        (rows(np.uint8), rows(np.uint8)) if has_text else None,
        random.integers(0, 2**63, (num_pairs, 4)).astype(np.uint64) if has_keys else None,
    )


def assert_equal(left: PairBlock, right: PairBlock) -> None:
    for name in ("text", "keys"):
        assert (getattr(left, name) is None) == (getattr(right, name) is None)
    arrays = [
        [block.lines, *(x for side in (*block.ids, *(block.text or ())) for x in (side.values, side.lengths))]
        + ([] if block.keys is None else [block.keys])
        for block in (left, right)
    ]
    for a, b in zip(*arrays, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=4),
    num_buckets=st.integers(1, 5),
    has_text=st.booleans(),
    has_keys=st.booleans(),
)
def test_each_bucket_is_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], num_buckets: int, has_text: bool, has_keys: bool
) -> None:
    store = BlockStore(tmp_path_factory.mktemp("store") / "blocks")
    blocks = [make_block(size, seed, has_text, has_keys) for seed, size in enumerate(sizes)]
    buckets = [np.random.default_rng(size).integers(0, num_buckets, size) for size in sizes]
    places: dict[int, list[tuple[str, int]]] = {}
    for block, own in zip(blocks, buckets, strict=True):
        for bucket, place in store.write(block, own):
            places.setdefault(bucket, []).append(place)
    assert set(places) == set(np.concatenate(buckets).tolist())
    for bucket, found in places.items():
        expected = PairBlock.concatenate(
            block.select(own == bucket) for block, own in zip(blocks, buckets, strict=True) if (own == bucket).any()
        )
        assert_equal(store.read(found), expected)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """A limit of the size of files is an error of the same kind that needs no full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
        with pytest.raises(OSError, match=r"File too large: '.*/blocks/\w+'$"):
            list(BlockStore(tmp_path / "blocks").write(make_block(600, 1, False, True), np.zeros(600, int)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
