"""Batches whose text is segmented anew in each epoch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from updates import KEYS, join, same, take

from keras_nmt.data import (
    ParallelCorpus,
    SubwordSampling,
    SubwordTokenizer,
    TrainingBatches,
    read_parallel,
    train_subwords,
)
from keras_nmt.ids import BOS, EOS, PAD


@pytest.fixture(scope="module", params=["bpe, at once", "unigram, in portions"])
def texts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[ParallelCorpus, Any]:
    """A corpus with its text, and its tokenizer."""
    folder = tmp_path_factory.mktemp("texts")
    generator = np.random.default_rng(1)
    words = np.array(["cat", "mat", "that", "sat", "bat", "rat", "hat", "chat", "on", "the", "a", "is"])
    for side in ("source", "target"):
        lines = [" ".join(generator.choice(words, size)) for size in generator.integers(1, 9, 230)]
        (folder / side).write_text("\n".join([*lines[:100], "", *lines[100:]]))
    files = [folder / "source", folder / "target"]
    tokenizer = SubwordTokenizer(
        train_subwords(files, folder / "m", vocabulary_size=28, model_type=request.param.split(",")[0])
    )
    return read_parallel(*files, tokenizer, tokenizer, max_ratio=None, keep_text=True), tokenizer


@pytest.fixture
def sampled(request, texts, monkeypatch):
    """Batches that are segmented anew."""
    corpus, tokenizer = texts
    if "portions" in request.node.name:
        monkeypatch.setattr("keras_nmt.data.training_batches.PORTION", 70)
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.2, max_length=40)
    return TrainingBatches(corpus, batch_size=200, seed=4, sampling=sampling)


def test_sampled_pairs_occur_once_per_epoch_in_other_subwords(sampled, texts):
    corpus, tokenizer = texts
    updates = sampled.updates_per_epoch
    elements = take(sampled.dataset(), 2 * updates)
    rows: list[dict[int, list[int]]] = []
    for epoch in (elements[:updates], elements[updates:]):
        found = {}
        for batch in epoch:
            for source, given_target, target, line in zip(*(batch[key] for key in KEYS), strict=True):
                assert given_target.tolist() == ([BOS] if line > 0 else [PAD]) + [
                    0 if i == EOS else int(i) for i in target[:-1]
                ]
                if line > 0:
                    assert line not in found
                    found[int(line)] = [source.tolist(), target.tolist()]
            sides = [tokenizer.detokenize(batch[key]).numpy().tolist() for key in ("source", "target_output")]
            for source, target, line in zip(*sides, batch["line_numbers"], strict=True):
                pair = np.flatnonzero(corpus.line_numbers == line)
                assert [source, target] == ([side[pair[0]] for side in corpus.text] if len(pair) else [b"", b""])
        assert sorted(found) == corpus.line_numbers.tolist()
        rows.append(found)
    assert sum(rows[0][line] != rows[1][line] for line in rows[0]) > len(corpus) / 2
    positions, real = (sum(f(batch["source"]) for batch in elements) for f in (np.size, np.count_nonzero))
    assert 1 - real / positions == pytest.approx(sampled.padding["source"], abs=0.05)
    usual = {num_rows: length for num_rows, length, _ in reversed(sampled.shapes)}  # shortest length by rows
    assert all(batch["source"].shape[1] >= usual[len(batch["source"])] for batch in elements)
    assert max(length for _, length, _ in sampled.shapes) < 40  # no pair is so long
    assert sampled.largest_shapes[0][0] * sampled.largest_shapes[0][1] >= 8 * 40


def test_sampled_pairs_may_be_longer_than_all_usual_pairs(texts, monkeypatch, request):
    """The limit is the sampling's, or the last bucket's if lower; a usual length is never too long."""
    corpus, tokenizer = texts
    alpha = 0.7 if "bpe" in request.node.name else 0.05  # long segmentations
    monkeypatch.setattr("keras_nmt.data.training_batches.TYPICAL", 50)  # fewer than the pairs: lengths are estimated
    longest = int(np.maximum(corpus.source_lengths, corpus.target_lengths).max()) + 1
    for limit, buckets, expected in (
        (longest + 5, None, longest + 5),
        (longest + 5, [9, longest + 2], longest + 2),
        (longest - 3, [longest + 9], longest),
    ):
        sampling = SubwordSampling(tokenizer, tokenizer, alpha=alpha, max_length=limit)
        batches = TrainingBatches(corpus, batch_size=200, length_buckets=buckets, sampling=sampling)
        elements = take(batches.dataset(), batches.updates_per_epoch)
        lines = np.concatenate([batch["line_numbers"] for batch in elements])
        assert sorted(lines[lines > 0]) == corpus.line_numbers.tolist()
        sizes = [
            np.count_nonzero(batch[key], axis=1).max() for batch in elements for key in ("source", "target_output")
        ]
        assert max(sizes) == expected


def test_rare_long_pairs_do_not_enlarge_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few pairs of 200 subwords among portions of short pairs, whose batches have hundreds of rows."""
    for name, value in (("PORTION", 300), ("TYPICAL", 200)):
        monkeypatch.setattr(f"keras_nmt.data.training_batches.{name}", value)
    lines = ["the cat sat"] * 1200
    for i in (100, 101, 900):
        lines[i] = " ".join(["the cat sat"] * 15)
    path = tmp_path / "text"
    path.write_text("\n".join(lines))
    tokenizer = SubwordTokenizer(train_subwords([path], tmp_path / "m", vocabulary_size=16))
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5, max_length=256)
    corpus = read_parallel(path, path, tokenizer, tokenizer, keep_text=True)
    for seed in range(3):
        batches = TrainingBatches(corpus, batch_size=2048, seed=seed, sampling=sampling)
        elements = take(batches.dataset(), batches.updates_per_epoch)
        found = np.concatenate([batch["line_numbers"] for batch in elements])
        assert sorted(found[found > 0]) == corpus.line_numbers.tolist()
        assert all((batch["line_numbers"] > 0).any() for batch in elements)
        assert max(batch["source"].size for batch in elements) <= 1.25 * 2048
        assert max(np.count_nonzero(batch["source"], 1).max() for batch in elements) > 100


def test_sampled_batches_depend_on_their_update_only(sampled: TrainingBatches) -> None:
    updates = sampled.updates_per_epoch
    whole = take(sampled.dataset(), 2 * updates + 3)
    for start in (updates // 2, updates - 1, 2 * updates - 2):
        assert same(take(sampled.dataset(start), 4), whole[start : start + 4])
    assert same(join(take(sampled.dataset(3, parts=4), 4 * updates), 4), whole[3 : updates + 3])
    shards = [take(sampled.dataset(5, 2, shard, 2), 6) for shard in range(2)]
    assert same(join([part for pair in zip(*shards, strict=True) for part in pair], 2), whole[5:11])
    assert not same(whole[:updates], whole[updates : 2 * updates])


def test_each_portion_of_each_epoch_has_seeds_of_its_own(sampled, monkeypatch):
    segment, seen = SubwordSampling.segment, []

    def recording(self: SubwordSampling, corpus: ParallelCorpus, pairs: np.ndarray, seeds: Any, *limit: int) -> Any:
        seen.append(seeds)
        return segment(self, corpus, pairs, seeds, *limit)

    monkeypatch.setattr(SubwordSampling, "segment", recording)
    take(sampled.dataset(), 2 * sampled.updates_per_epoch)
    assert len(seen) == len(set(seen)) > 1


def test_lengths_are_estimated_from_pairs_of_all_parts_of_the_corpus(texts, tmp_path, monkeypatch):
    monkeypatch.setattr("keras_nmt.data.training_batches.TYPICAL", 20)
    (tmp_path / "text").write_text("a\n" * 60 + "the chat sat on the mat\n" * 60)
    corpus = read_parallel(tmp_path / "text", tmp_path / "text", texts[1], texts[1], keep_text=True)
    batches = TrainingBatches(corpus, batch_size=200, sampling=SubwordSampling(texts[1], texts[1], alpha=0.01))
    assert batches.shapes[0][1] == 4
    assert batches.shapes[-1][1] > corpus.source_lengths[-1] > 4
