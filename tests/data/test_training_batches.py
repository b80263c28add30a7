"""Batches for training."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from one_in import these
from updates import KEYS, check_rows, join, lines_of, make_corpus, same, take

from keras_nmt.data import (
    ParallelCorpus,
    PreparedCorpus,
    SubwordTokenizer,
    TrainingBatches,
    read_parallel,
    train_subwords,
    write_prepared,
)
from keras_nmt.data.epoch_order import BlockOrder, Corpus, WholeOrder
from keras_nmt.errors import UserError


class Subwords:
    """As much of a tokenizer as a prepared corpus records."""

    vocabulary_size, proto = 99, b""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    """A corpus on disk, in shards of 120 pairs and blocks of 16."""
    subwords: Any = Subwords()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("keras_nmt.data.prepared_folder.BLOCK", 16)
        folder = tmp_path_factory.mktemp("prepared") / "corpus"
        return write_prepared(make_corpus(300), folder, subwords, subwords, shard_pairs=120)


@pytest.fixture
def in_memory() -> ParallelCorpus:
    return make_corpus(300)


@pytest.fixture
def on_disk(prepared: PreparedCorpus, monkeypatch: pytest.MonkeyPatch) -> PreparedCorpus:
    """A corpus that is read in portions."""
    monkeypatch.setattr("keras_nmt.data.prepared_folder.BLOCK", 16)
    monkeypatch.setattr("keras_nmt.data.training_batches.WHOLE", 0)
    monkeypatch.setattr("keras_nmt.data.training_batches.PORTION", 110)
    monkeypatch.setattr("keras_nmt.data.training_batches.PORTION_UPDATES", 1)
    return prepared


# On disk and whole, a corpus has the batches of a corpus in memory: see `test_prepared_corpus.py`.
@pytest.fixture(params=["in_memory", "on_disk"])
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return request.getfixturevalue(request.param)


@settings(max_examples=8)
@given(
    lengths=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=60),
    unit=st.sampled_from(["tokens", "sentences"]),
    size=st.integers(1, 300),
    buckets=st.sampled_from([None, [41], [7, 8, 30, 64]]),
    parts=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_pair_occurs_once_per_epoch(lengths, unit, size, buckets, parts, seed):
    corpus = ParallelCorpus.from_lists(*([[4 + n] * n for n in side] for side in zip(*lengths, strict=True)))
    batches = TrainingBatches(corpus, batch_size=size, batch_unit=unit, length_buckets=buckets, seed=seed)
    updates = batches.updates_per_epoch
    elements = join(take(batches.dataset(parts=parts), 2 * updates * parts), parts)
    shapes = set()
    for epoch in (elements[:updates], elements[updates:]):
        lines = [line for batch in epoch for line in check_rows(corpus, batch)]
        assert sorted(lines) == list(range(1, len(lengths) + 1))
        assert sum((batch["line_numbers"] == -1).any() for batch in epoch) <= 1 or any(
            rows % parts for rows, _, _ in batches.shapes
        )
        for batch in epoch:
            rows, source_length = batch["source"].shape
            shapes.add((rows, source_length, batch["target_input"].shape[1]))
    assert shapes == {(-(-rows // parts) * parts, source, target) for rows, source, target in batches.shapes}
    for rows, source_length, target_length in batches.shapes:
        assert source_length == target_length
        enough = -(-len(lengths) // 8) * 8  # the number of rows that hold all pairs
        if unit == "sentences":
            assert rows == min(size, enough)
        else:
            assert rows % 8 == 0
            assert rows in (8, enough) or rows * target_length <= size < (rows + 8) * target_length


def test_typical_pairs_are_read_once(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    batches, read = TrainingBatches(corpus, batch_size=200), []
    portion = batches._order.portion
    monkeypatch.setattr(batches._order, "portion", lambda *place: read.append(place) or portion(*place))
    assert 0 < len(batches.typical.source_lengths) == len(batches.typical.target_lengths) <= len(corpus)
    assert read == [(0, 0)]


def test_few_batches_are_short_and_they_are_not_sorted_by_length(corpus: Corpus) -> None:
    batches = TrainingBatches(corpus, batch_size=200)
    assert len(batches.shapes) > 4
    elements = take(batches.dataset(), batches.updates_per_epoch)
    short = [(batch["line_numbers"] == -1).any() for batch in elements]
    assert sum(short) <= len(batches._order.sizes)  # one of each portion
    lengths = [batch["source"].shape[1] for batch in elements]
    assert lengths != sorted(lengths)


@pytest.mark.parametrize(("parts", "shard_index", "num_shards"), [(1, 0, 1), (4, 1, 2)])
def test_a_late_start_equals_skipping(corpus: Corpus, parts: int, shard_index: int, num_shards: int) -> None:
    batches = TrainingBatches(corpus, batch_size=160, seed=3)
    updates, each = batches.updates_per_epoch, parts // num_shards
    early = take(batches.dataset(0, parts, shard_index, num_shards), (2 * updates + 4) * each)
    for start in (updates - 1, 2 * updates + 1) if parts == 1 else (1, updates):
        late = batches.dataset(start, parts, shard_index, num_shards)
        assert same(take(late, 3 * each), early[start * each :][: 3 * each])


def test_a_late_start_is_cheap(corpus: Corpus) -> None:
    batches = TrainingBatches(corpus, batch_size=160)
    begin = time.process_time()
    take(batches.dataset(start=10**12 + 7), 3)
    assert time.process_time() - begin < 10


def test_parts_are_slices_of_the_same_updates(corpus: Corpus, request: pytest.FixtureRequest) -> None:
    options = {"batch_size": 333} if "memory" in request.node.name else {"batch_size": 24, "batch_unit": "sentences"}
    batches = TrainingBatches(corpus, **options, seed=5)
    number = batches.updates_per_epoch + 3
    whole = take(batches.dataset(), number)
    for parts in (2, 8):
        elements = take(batches.dataset(parts=parts), number * parts)
        assert same(join(elements, parts), whole)
        assert {len(element["source"]) * parts for element in elements} == {len(batch["source"]) for batch in whole}


@pytest.mark.parametrize("split", these([1], [(4, 2), (6, 3), (2, 2), (8, 2), (4, 4)], str))
def test_shards_together_are_the_whole(corpus: Corpus, split: tuple[int, int]) -> None:
    parts, num_shards = split
    batches = TrainingBatches(corpus, batch_size=333, seed=5)
    number = batches.updates_per_epoch // 2
    each = parts // num_shards
    shards = [take(batches.dataset(1, parts, shard, num_shards), number * each) for shard in range(num_shards)]
    together = [shard[update * each + i] for update in range(number) for shard in shards for i in range(each)]
    assert same(together, take(batches.dataset(1, parts), number * parts))


def digest() -> str:
    batches = TrainingBatches(make_corpus(100, seed=2), batch_size=160, seed=9)
    elements = take(batches.dataset(start=7, parts=2), 2 * batches.updates_per_epoch)
    return hashlib.sha256(b"".join(batch[key].tobytes() for batch in elements for key in KEYS)).hexdigest()


def test_the_same_in_every_process() -> None:
    """Processes differ in the hashes of strings: this one and the one that computed the digest."""
    # The order of batches determines the result of a run with a given seed: a change makes kept runs irreproducible.
    assert digest() == "394343c8a91d4b9e7d4e4a10cf04a0e438a5af2b134ba95e6bebcdb6c4f066fe"


def test_shapes_of_small_corpora() -> None:
    corpus = ParallelCorpus.from_lists([[4] * n for n in (1, 30, 99)], [[5]] * 3)
    # Default buckets end at the longest sentence. A token budget below one row gives eight rows.
    batches = TrainingBatches(corpus, batch_size=1, batch_unit="sentences")
    assert batches.shapes == [(1, edge, edge) for edge in (4, 32, 100)]
    assert TrainingBatches(corpus, batch_size=1).shapes == [(8, 100, 100)]
    # A batch that is larger than the corpus is not padded to its size.
    corpus = ParallelCorpus.from_lists([[4, 5]] * 10, [[6]] * 10)
    for unit, size in ("tokens", 8_000_000), ("sentences", 2**31 - 1), ("sentences", 16):
        assert TrainingBatches(corpus, batch_size=size, batch_unit=unit).shapes == [(16, 3, 3)]
    # Pairs never move to a bucket without pairs.
    corpus = ParallelCorpus.from_lists([[4] * 3] * 28 + [[4] * 29] * 8, [[5]] * 36)
    assert TrainingBatches(corpus, batch_size=64).shapes == [(16, 4, 4), (8, 30, 30)]
    # The largest shapes have the most positions and the most pairs of positions.
    corpus = ParallelCorpus.from_lists(*[[[4] * n for n in [5] * 48 + [29] * 8]] * 2)
    batches = TrainingBatches(corpus, batch_size=290)
    assert batches.shapes == [(48, 6, 6), (8, 30, 30)]  # 288 and 240 positions, 1,728 and 7,200 pairs
    assert batches.largest_shapes == ((48, 6, 6), (8, 30, 30))


def test_padding_and_summary() -> None:
    corpus = ParallelCorpus.from_lists([[4] * 3] * 3, [[5] * 1] * 3)
    batches = TrainingBatches(corpus, batch_size=4, batch_unit="sentences")
    assert batches.padding == pytest.approx({"source": 4 / 16, "target": 10 / 16, "both": 14 / 32})
    assert batches.summary() == "1 updates per epoch, 1 shapes from 4 x 4 to 4 x 4, 43.8% padding"
    # It is that of all occurrences in an epoch.
    short, long = (ParallelCorpus.from_lists([[4] * n] * 4, [[5] * n] * 4) for n in (1, 3))
    options = {"batch_size": 4, "batch_unit": "sentences", "length_buckets": [4]}
    batches = TrainingBatches([short, long], weights=[1, 2], **options)
    elements = take(batches.dataset(), batches.updates_per_epoch)
    positions, real = (sum(count(batch["source"]) for batch in elements) for count in (np.size, np.count_nonzero))
    assert batches.padding["source"] == pytest.approx(1 - real / positions)
    assert (positions, real) == (48, 40)  # 4 rows of 2 and 8 rows of 4 subwords with EOS


def test_a_strategy_leaves_the_dataset_whole_and_no_tuner_delays_the_end_of_a_run() -> None:
    """tf.data's tuner sleeps up to a minute, and the deletion of an iterator wakes it only sometimes."""
    options = TrainingBatches(make_corpus(9), batch_size=160).dataset(parts=2).batch(2).prefetch(1).options()
    assert options.experimental_distribute.auto_shard_policy == tf.data.experimental.AutoShardPolicy.OFF
    assert options.deterministic
    assert options.autotune.enabled is False


@settings(max_examples=5)
@given(
    corpora=st.lists(st.tuples(st.integers(1, 40), st.sampled_from([0.3, 0.5, 1, 1.7, 2, 3])), min_size=1, max_size=3),
    unit=st.sampled_from(["tokens", "sentences"]),
    size=st.integers(20, 200),
    seed=st.integers(0, 2**32 - 1),
)
def test_weights_are_the_occurrences_of_each_corpus_per_epoch(corpora, unit, size, seed) -> None:
    made = [make_corpus(number, seed=i) for i, (number, _) in enumerate(corpora)]
    weights = [weight for _, weight in corpora]
    batches = TrainingBatches(made, batch_size=size, batch_unit=unit, seed=seed, weights=weights)
    epochs, updates = 3, batches.updates_per_epoch
    elements = take(batches.dataset(), epochs * updates)
    drawn = [max(1, round(number * weight)) for number, weight in corpora]
    whole = ParallelCorpus.concatenate(made)
    seen = np.zeros(len(whole), int)
    owner = np.repeat(np.arange(len(corpora)), [number for number, _ in corpora])
    for epoch in range(epochs):
        part = elements[epoch * updates : (epoch + 1) * updates]
        lines = np.array([line for batch in part for line in check_rows(whole, batch)])
        assert np.bincount(owner[lines - 1], minlength=len(corpora)).tolist() == drawn
        seen += np.bincount(lines - 1, minlength=len(seen))
        for corpus in range(len(corpora)):
            assert np.ptp(seen[owner == corpus]) <= 1  # counts of pairs differ by at most one
    start = 2 * updates - 1
    assert same(take(batches.dataset(start), 2), elements[start : start + 2])


@pytest.mark.parametrize("unit", ["tokens", "sentences"])
def test_no_batch_is_empty_where_epochs_have_other_pairs(unit: str) -> None:
    """A weight that is not a whole number: a long pair is in one epoch of four."""
    generator = np.random.default_rng(1)
    for number in range(4):
        lengths = np.append(generator.integers(1, 5, int(generator.integers(7, 60))), 60)
        corpus = ParallelCorpus.from_lists(*[[[4] * int(n) for n in lengths]] * 2)
        size = 512 if unit == "tokens" else 1 + number % 3
        batches = TrainingBatches(corpus, batch_size=size, batch_unit=unit, weights=[0.25], seed=number)
        elements = take(batches.dataset(), 4 * batches.updates_per_epoch)
        assert all((batch["line_numbers"] > 0).any() for batch in elements)
        assert np.ptp(np.unique(lines_of(elements), return_counts=True)[1]) <= 1


def test_every_corpus_and_every_pass_has_an_order_of_its_own() -> None:
    batches = TrainingBatches([make_corpus(40)] * 2, batch_size=20, batch_unit="sentences", weights=[0.5, 0.5])
    elements = take(batches.dataset(), 6)  # two updates an epoch, two epochs a pass
    epochs = [np.concatenate([batch["line_numbers"] for batch in elements[i : i + 2]]) - 1 for i in (0, 4)]
    chosen = [frozenset(lines[lines // 40 == corpus] % 40) for lines in epochs for corpus in (0, 1)]
    assert len(set(chosen)) == 4
    made = [BlockOrder([make_corpus(64)], [64], seed=seed, portion=32) for seed in (1, 2)]
    places = [(order, epoch, number) for order in made for epoch in (0, 1) for number in (0, 1)]
    orders = [tuple(order.portion(epoch, number)[1].tolist()) for order, epoch, number in places]
    assert [len(one) for one in orders] == [32] * 8
    assert len(set(orders)) == 8  # also those of neighbouring seeds and epochs
    whole = [WholeOrder(make_corpus(64), [64], [64], seed=seed, portion=None) for seed in (1, 2)]
    assert len({tuple(order.portion(epoch, 0)[1].tolist()) for order in whole for epoch in (0, 1)}) == 4
    # The smallest weight is one occurrence in each epoch.
    batches = TrainingBatches([make_corpus(5)] * 2, batch_size=6, batch_unit="sentences", weights=[1e-9, 1])
    (batch,) = take(batches.dataset(), batches.updates_per_epoch)
    assert np.isin(batch["line_numbers"], range(1, 6)).sum() == 1


def test_wrong_arguments(in_memory: ParallelCorpus) -> None:
    wrong = {
        "weights": ([1.0, 2.0], [0.0], [float("nan")], [1e20]),
        "batch_size": (0, 2**31),
        "batch_unit": ("words",),
        "seed": (-1, 2**32 + 5),
        # The longest sentence has 19 ids and its end.
        "length_buckets": ([], [0, 40], [8, 8, 40], [8, 19], [10**20]),
    }
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(UserError, match="Received: "):
                TrainingBatches(in_memory, **{"batch_size": 100, name: value})
    nothing = ParallelCorpus(in_memory.source[:0], in_memory.target[:0], np.zeros(0, np.int32), 5)
    for corpora in ([], [in_memory, nothing]):
        with pytest.raises(UserError, match=r"at least one pair.* Received: "):
            TrainingBatches(corpora, batch_size=100)
    batches = TrainingBatches(in_memory, batch_size=100)
    for start, parts, shard, shards in ((-1, 1, 0, 1), (0, 0, 0, 1), (0, 3, 0, 2), (0, 2, 2, 2), (0, 1, -1, 1)):
        with pytest.raises(UserError, match="Received: "):
            batches.dataset(start, parts, shard, shards)


@pytest.mark.slow
def test_little_padding_on_real_text(multi30k: Path, tmp_path: Path) -> None:
    files = [multi30k / "train.en.gz", multi30k / "train.de.gz"]
    tokenizer = SubwordTokenizer(train_subwords(files, tmp_path / "m", vocabulary_size=8000))
    corpus = read_parallel(*files, tokenizer, tokenizer)
    assert corpus.num_read == 29_000
    assert sum(corpus.dropped.values()) < 30
    batches = TrainingBatches(corpus, batch_size=1850)
    assert batches.padding["both"] < 0.12
    assert len(batches.shapes) <= 20
