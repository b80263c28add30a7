"""Corpora on disk: the batches of corpora in memory, and the order of corpora that are read portion by portion."""

from __future__ import annotations

import dataclasses
import functools
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small import subwords_of
from updates import KEYS, Batch, check_rows, corpus_of, lines_of, random_lines, same
from updates import make_corpus as make_any_corpus
from updates import take as take_elements

from keras_nmt.data import (
    ParallelCorpus,
    PreparedCorpus,
    SubwordSampling,
    SubwordTokenizer,
    TrainingBatches,
    write_prepared,
)
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import read_json, with_digest
from keras_nmt.training.distribution import Workers

SIDES = ("source", "target")
MODULE = "keras_nmt.data.training_batches"
make_corpus = functools.partial(make_any_corpus, size=30)  # ids of `tokenizer`


@pytest.fixture(scope="module")
def texts(tokenizer: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory) -> ParallelCorpus:
    return corpus_of(tmp_path_factory.mktemp("texts"), random_lines(400, 1), random_lines(400, 2), tokenizer)


def take(batches: TrainingBatches, number: int, start: int = 0, *parts: int) -> list[Batch]:
    return take_elements(batches.dataset(start, *parts), number)


def small_portions(patch: pytest.MonkeyPatch, portion: int, block: int) -> None:
    patch.setattr(f"{MODULE}.WHOLE", 0)
    patch.setattr(f"{MODULE}.PORTION", portion)
    patch.setattr(f"{MODULE}.PORTION_UPDATES", 1)
    patch.setattr("keras_nmt.data.prepared_folder.BLOCK", block)
    patch.setattr("keras_nmt.data.parallel_corpus.BLOCK", block)


@pytest.mark.nightly
@settings(max_examples=12)
@given(
    sizes=st.lists(st.integers(1, 120), min_size=1, max_size=3),
    in_memory=st.booleans(),
    pairs=st.integers(5, 70),
    block=st.integers(1, 9),
    portion=st.integers(30, 200),
    seed=st.integers(0, 2**32 - 1),
    workers=st.integers(1, 3),
    kills=st.lists(st.integers(1, 9), max_size=3),
)
# Most portions have no pair of the small corpus.
@example(sizes=[120, 1], in_memory=False, pairs=5, block=9, portion=30, seed=0, workers=2, kills=[3])
def test_any_corpora_any_shards_any_workers_any_kills(
    tokenizer, tmp_path_factory, sizes, in_memory, pairs, block, portion, seed, workers, kills
) -> None:
    """Each pair occurs once per epoch; workers that are killed and start anew read what one process reads."""
    folder = tmp_path_factory.mktemp("corpora")
    made = [make_corpus(size, seed=i) for i, size in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patch:
        small_portions(patch, portion, block)
        for i, corpus in enumerate(made):
            write_prepared(corpus, folder / str(i), tokenizer, tokenizer, shard_pairs=pairs)

        def batches() -> TrainingBatches:
            corpora: list[Any] = [PreparedCorpus(*map((folder / str(i)).joinpath, SIDES)) for i in range(len(made))]
            if in_memory and len(made) > 1:
                corpora[-1] = made[-1]
            return TrainingBatches(corpora, batch_size=64, seed=seed)

        whole = batches()
        updates = whole.updates_per_epoch
        elements = take(whole, 2 * updates)
        for epoch in (elements[:updates], elements[updates:]):
            lines = [line for batch in epoch for line in check_rows(ParallelCorpus.concatenate(made), batch)]
            assert sorted(lines) == list(range(1, sum(sizes) + 1))
        begin = 0
        for stop in [*np.cumsum(kills).tolist(), 2 * updates]:
            stop = min(stop, 2 * updates)
            shards = [take(batches(), stop - begin, begin, workers, shard, workers) for shard in range(workers)]
            for update, parts in enumerate(zip(*shards, strict=True)):
                rows = len(elements[begin + update]["source"])  # then rows of padding, if workers do not divide them
                joined = {key: np.concatenate([part[key] for part in parts])[:rows] for key in KEYS}
                assert same([joined], [elements[begin + update]])
            begin = stop


def test_what_a_prepared_corpus_cannot_hold_is_refused(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    aligned = dataclasses.replace(ParallelCorpus.from_lists([[4, 5]], [[6]]), links=tf.ragged.constant([[0]]))
    with pytest.raises(UserError, match="has no alignments"):
        write_prepared(aligned, tmp_path / "prepared", tokenizer, tokenizer)
    other = ParallelCorpus.from_lists([[4, 70_000]], [[6]])  # as 16 bits, 4464
    with pytest.raises(UserError, match="source tokenizer must be that of the corpus. .* the id 70000 in the corpus"):
        write_prepared(other, tmp_path / "prepared", tokenizer, tokenizer)
    one = ParallelCorpus.from_lists([[4, 5]], [[6]])
    for corpus in (one.select(np.array([0, 0])), one.select(np.array([], np.int64))):
        with pytest.raises(UserError, match=r"at least one pair, and none twice .* Received: \d of 1 pairs"):
            write_prepared(corpus, tmp_path / "prepared", tokenizer, tokenizer)
    for option in ({"max_ratio": 0.5}, {"max_ratio": np.nan}, {"shard_pairs": 0}, {"shard_pairs": -5}):
        with pytest.raises(UserError, match=rf"`{next(iter(option))}` must be"):
            write_prepared(one, tmp_path / "prepared", tokenizer, tokenizer, **option)
    assert not (tmp_path / "prepared").exists()


def test_small_prepared_corpora_have_the_batches_of_corpora_in_memory(texts, tokenizer, tmp_path):
    prepared = write_prepared(texts, tmp_path / "prepared", tokenizer, tokenizer, shard_pairs=200)
    assert (len(prepared), prepared.num_read, prepared.summary()) == (len(texts), texts.num_read, texts.summary())
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.3, max_length=40)
    for arguments in ({}, {"sampling": sampling}, {"weights": [0.7]}):
        options: dict[str, Any] = {"batch_size": 200, "seed": 4, **arguments}
        both = [TrainingBatches([corpus], **options) for corpus in (texts, prepared)]
        assert both[0].summary() == both[1].summary()
        number = both[0].updates_per_epoch + 2
        assert same(*(take(batches, number) for batches in both))


def test_weights_and_sampling_in_portions(texts, tokenizer, tmp_path, monkeypatch):
    """Counts of pairs differ by at most one over epochs; each text is its pair's text in other subwords."""
    small_portions(monkeypatch, 150, 16)
    prepared = write_prepared(texts, tmp_path / "prepared", tokenizer, tokenizer, shard_pairs=300)
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.2, max_length=60)
    batches = TrainingBatches([prepared, prepared], batch_size=300, seed=2, weights=[0.4, 1.5], sampling=sampling)
    updates, size = batches.updates_per_epoch, len(texts)
    elements = take(batches, 2 * updates)
    assert len(lines_of(elements[:updates])) == round(0.4 * size) + round(1.5 * size)
    counts = Counter(lines_of(elements))
    for corpus, number in ((0, 2 * round(0.4 * size)), (1, 2 * round(1.5 * size))):  # the second corpus' lines continue
        of_corpus = [counts[int(line) + corpus * texts.num_read] for line in texts.line_numbers]
        assert max(of_corpus) - min(of_corpus) <= 1
        assert sum(of_corpus) == number
    text_of = dict(zip(texts.line_numbers.tolist(), texts.text[0].tolist(), strict=True))
    for batch in elements[:: len(elements) // 9]:
        decoded = tokenizer.detokenize(batch["source"]).numpy().tolist()
        for text, line in zip(decoded, batch["line_numbers"].tolist(), strict=True):
            assert text == (text_of[(line - 1) % texts.num_read + 1] if line > 0 else b"")
    assert same(take(batches, 3, updates + 2), elements[updates + 2 : updates + 5])


def test_portions_have_shares_of_all_corpora_and_batches_of_one_length(tokenizer, tmp_path, monkeypatch):
    small_portions(monkeypatch, 200, 8)
    corpora = [
        write_prepared(make_corpus(size, seed=size), tmp_path / str(size), tokenizer, tokenizer) for size in (1000, 300)
    ]
    batches = TrainingBatches(corpora, batch_size=100, seed=1)
    for number, size in enumerate(batches._order.sizes):
        corpus, drawn, _ = batches._order.portion(5, number)
        assert sorted(drawn) == list(range(size))
        assert abs((corpus.line_numbers <= 1000).sum() - size * 1000 / 1300) <= 1
    padding = [np.mean(batch["source"] == 0) for batch in take(batches, batches.updates_per_epoch)]
    assert np.mean(padding) == pytest.approx(batches.padding["source"], abs=0.08)


def test_portions_grow_with_the_batch_and_not_with_the_corpus(tokenizer, tmp_path, monkeypatch) -> None:
    """Peaks of opening a corpus of one shard, and of portions of all its parts. A corpus in memory grows fivefold."""
    small_portions(monkeypatch, 1000, 64)
    peaks = []
    for size in (3000, 15_000):
        prepared = write_prepared(make_corpus(size, seed=1), tmp_path / str(size), tokenizer, tokenizer)
        tracemalloc.start()
        corpus = PreparedCorpus(*map((tmp_path / str(size)).joinpath, SIDES))
        order = TrainingBatches(corpus, batch_size=200, seed=1)._order
        for number in (0, 1, len(order.sizes) - 1):
            order.portion(0, number)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    monkeypatch.setattr(f"{MODULE}.PORTION", 10)
    monkeypatch.setattr(f"{MODULE}.PORTION_UPDATES", 64)
    for size, unit, number in ((75, "sentences", 4), (150, "sentences", 2), (8 * 94, "tokens", 5)):
        batches = TrainingBatches(prepared, batch_size=size, batch_unit=unit)
        assert len(batches._order.sizes) == number, (size, unit)


def test_a_corpus_that_does_not_fit_the_run_is_an_error(texts, tokenizer, tmp_path):
    prepared = write_prepared(make_corpus(9, seed=1), tmp_path / "prepared", tokenizer, tokenizer, max_ratio=5)
    longest = len(prepared.length_counts)
    prepared.check(tokenizer, tokenizer, max_length=longest, max_ratio=5)
    other = subwords_of(tmp_path, "other text\n", vocabulary_size=15)
    for tokenizers, limits, message in (
        ((tokenizer, other), {}, r"other subwords.*target/subwords\.model.*Received: target"),
        ((tokenizer, tokenizer), {"max_length": longest - 1}, f"set it to {longest}, .*Received: "),
        ((tokenizer, tokenizer), {"max_ratio": 4.5}, r"larger `max_ratio`: set it to 5, .*max_ratio=4\.5$"),
    ):
        with pytest.raises(UserError, match=message):
            prepared.check(*tokenizers, **{"max_length": None, "max_ratio": None, **limits})
    with pytest.raises(UserError, match="--keep-text"):
        PreparedCorpus(*map((tmp_path / "prepared").joinpath, SIDES), text=True)
    write_prepared(texts, tmp_path / "second", tokenizer, tokenizer)
    for target in ("text", "second/target"):
        with pytest.raises(UserError, match="The sides of a corpus must be.*Received: "):
            PreparedCorpus(tmp_path / "prepared" / "source", tmp_path / target)


def test_a_side_with_a_tag_or_cleaned_text_is_no_target(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    write_prepared(make_corpus(9, seed=1), tmp_path / "prepared", tokenizer, tokenizer)
    manifest, sides = tmp_path / "prepared" / "manifest.json", [tmp_path / "prepared" / side for side in SIDES]
    limits: dict[str, Any] = {"max_length": None, "max_ratio": None}
    for options, told in (({}, "as a source, .*prepared$"), ({"source_tag": "<BT>"}, "with the tag <BT>")):
        write_json(manifest, with_digest({**read_json(manifest, "the manifest"), "options": options}))
        PreparedCorpus(*sides).check(tokenizer, tokenizer, **limits)
        for target in (sides[::-1], [sides[0], sides[0]]):
            with pytest.raises(UserError, match=f"source, the target here, was prepared {told}"):
                PreparedCorpus(*target).check(tokenizer, tokenizer, **limits)
    with pytest.raises(UserError, match="target, the source here, was prepared as a target, .* needs text files"):
        PreparedCorpus(sides[1], sides[1]).check(tokenizer, tokenizer, **limits)


def test_damage_in_the_middle_of_training_is_one_line(tokenizer, tmp_path, monkeypatch):
    small_portions(monkeypatch, 100, 16)
    prepared = write_prepared(make_corpus(300, seed=1), tmp_path / "prepared", tokenizer, tokenizer)
    file = tmp_path / "prepared" / "target" / "00000.ids.npy"
    file.write_bytes(file.read_bytes()[:-2] + b"xx")
    batches = TrainingBatches(prepared, batch_size=100)
    message = r"is damaged: .*another checksum in block 18$"
    with pytest.raises(UserError, match=message) as error, Workers(tf.distribute.get_strategy()).errors():
        take(batches, batches.updates_per_epoch)
    assert "\n" not in str(error.value)
