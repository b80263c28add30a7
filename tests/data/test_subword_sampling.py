"""Subword regularisation: segmentations of a parallel corpus, and batches whose text is segmented anew by epoch."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from small import subwords_of
from updates import KEYS, corpus_of, join, lines_of, random_lines, same, take

from keras_nmt.data import ParallelCorpus, SubwordSampling, SubwordTokenizer, TrainingBatches
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS, PAD

LINES = ["the cat sat on the mat", "a mat", "that is that", "a bat on a rat"]
MODULE = "keras_nmt.data.training_batches"


@pytest.fixture(scope="module")
def corpus(tokenizer: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory) -> ParallelCorpus:
    return corpus_of(tmp_path_factory.mktemp("corpus"), ["", *LINES], ["a", *reversed(LINES)], tokenizer)


def longest(corpus: ParallelCorpus) -> int:
    return int(max(corpus.source_lengths.max(), corpus.target_lengths.max()))


def test_the_text_of_kept_pairs_is_kept(corpus: ParallelCorpus) -> None:
    texts = [[line.encode() for line in lines] for lines in (LINES, LINES[::-1])]
    assert [side.tolist() for side in corpus.text] == texts
    assert ParallelCorpus.concatenate([corpus, corpus]).text[1].tolist() == 2 * texts[1]


def test_equal_seeds_give_equal_segmentations(tokenizer: SubwordTokenizer, corpus: ParallelCorpus) -> None:
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5)
    pairs = np.arange(2500) % 4
    first, again, other = (sampling.segment(corpus, pairs, seeds) for seeds in ((1, 0), (1, 0), (1, 1)))
    for side, same_side in zip(first, again, strict=True):
        assert np.array_equal(side.values, same_side.values)
        assert np.array_equal(side.lengths, same_side.lengths)
        assert [side.values.dtype, side.lengths.dtype] == [np.int32, np.int64]
        assert len(side.values) == side.lengths.sum()
    assert not np.array_equal(first[0].lengths, other[0].lengths)
    assert len(np.unique(first[0].lengths.reshape(-1, 4), axis=0)) > 100  # a pair's occurrences differ
    twins = dataclasses.replace(corpus, target=corpus.source, text=(corpus.text[0], corpus.text[0]))
    source, target = sampling.segment(twins, np.zeros(2000, int), (1,))
    assert abs(np.corrcoef(source.lengths, target.lengths)[0, 1]) < 0.15  # sides are drawn independently


def test_a_tag_without_a_space_is_read_as_in_a_translation(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    joined, apart = (
        corpus_of(tmp_path, [source], ["<2de>the cat"], tokenizer) for source in ("<2de>the cat", "<2de> the cat")
    )
    assert joined.text[0].tolist() == [b"<2de>the cat"]  # as it is
    assert joined.source.to_list() == apart.source.to_list() == tokenizer.tokenize(["<2de> the cat"]).to_list()
    assert joined.target.to_list() == tokenizer.tokenize(["<2de>the cat"]).to_list() != joined.source.to_list()
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5)
    samples = [sampling.segment(corpus, np.zeros(9, int), seeds=(1,))[0].values for corpus in (joined, apart)]
    np.testing.assert_array_equal(*samples)


def test_pairs_with_too_long_samples_are_unchanged(tokenizer: SubwordTokenizer, corpus: ParallelCorpus) -> None:
    limit = longest(corpus) + 1
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=1.0, max_length=limit)
    source, target = sampling.segment(corpus, np.array([0, 1]), (1,))
    assert source.values[: source.lengths[0]].tolist() == corpus.source[0].numpy().tolist()
    assert target.lengths[0] == corpus.target_lengths[0]
    # Both sides of a pair are segmented anew, or neither: the second pair's source would be short enough.
    assert len("\u2581a\u2581mat") < limit <= len("\u2581that\u2581is\u2581that")
    assert source.lengths[1] == corpus.source_lengths[1] < len("\u2581a\u2581mat")
    assert max(source.lengths.max(), target.lengths.max()) < limit
    # The rows before and after such pairs equal the rows drawn without the limit.
    pairs = np.array([1, 0, 1, 3, 0, 1])
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.3)
    free, bound = sampling.segment(corpus, pairs, (5,)), sampling.segment(corpus, pairs, (5,), limit + 1)
    kept = np.maximum(free[0].lengths, free[1].lengths) < limit + 1
    assert 0 < kept.sum() < len(pairs)
    for side, usual in enumerate((corpus.source, corpus.target)):
        rows, freely = (np.split(one[side].values, np.cumsum(one[side].lengths)[:-1]) for one in (bound, free))
        for row, other, pair, is_kept in zip(rows, freely, pairs, kept, strict=True):
            assert row.tolist() == (other if is_kept else usual[pair].numpy()).tolist()


def test_wrong_arguments(tokenizer: SubwordTokenizer) -> None:
    for arguments in ({"alpha": 0.0}, {"alpha": 1.1}, {"alpha": float("nan")}, {"max_length": 1}):
        with pytest.raises(UserError, match="Received: "):
            SubwordSampling(tokenizer, tokenizer, **{"alpha": 0.1} | arguments)
    corpus = ParallelCorpus.from_lists([[4]], [[5]])
    with pytest.raises(UserError, match="keep_text=True"):
        TrainingBatches(corpus, batch_size=9, sampling=SubwordSampling(tokenizer, tokenizer, alpha=0.1))


@pytest.fixture(scope="module", params=["bpe, at once", "unigram, in portions"])
def texts(request, tmp_path_factory) -> tuple[ParallelCorpus, SubwordTokenizer]:
    """A corpus with its text, and its tokenizer."""
    folder = tmp_path_factory.mktemp("texts")
    sides = [random_lines(200, seed) for seed in (1, 2)]
    options = {"vocabulary_size": 28, "model_type": request.param.split(",")[0]}
    tokenizer = subwords_of(folder, "\n".join(sides[0] + sides[1]), **options)
    return corpus_of(folder, *([*side[:100], "", *side[100:]] for side in sides), tokenizer), tokenizer


@pytest.fixture
def sampled(request, texts, monkeypatch) -> TrainingBatches:
    """Batches that are segmented anew."""
    corpus, tokenizer = texts
    alpha = 0.2 if "bpe" in request.node.name else 0.1  # releases of sentencepiece learn other scores of letters
    if "portions" in request.node.name:
        monkeypatch.setattr(f"{MODULE}.PORTION", 70)
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=alpha, max_length=40)
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
    assert sum(rows[0][line] != rows[1][line] for line in rows[0]) > len(corpus) / 4
    positions, real = (sum(f(batch["source"]) for batch in elements) for f in (np.size, np.count_nonzero))
    assert 1 - real / positions == pytest.approx(sampled.padding["source"], abs=0.1)  # some batches are longer
    usual = {num_rows: length for num_rows, length, _ in reversed(sampled.shapes)}  # shortest length by rows
    assert all(batch["source"].shape[1] >= usual[len(batch["source"])] for batch in elements)
    assert max(length for _, length, _ in sampled.shapes) < 40  # no pair is so long
    assert sampled.largest_shapes[0][0] * sampled.largest_shapes[0][1] >= 8 * 40


def test_sampled_pairs_may_be_longer_than_all_usual_pairs(texts, monkeypatch, request):
    """The limit is the sampling's, or the last bucket's if lower; a usual length is never too long."""
    corpus, tokenizer = texts
    alpha = 0.7 if "bpe" in request.node.name else 0.05  # long segmentations
    monkeypatch.setattr(f"{MODULE}.TYPICAL", 50)  # fewer than the pairs: lengths are estimated
    usual = longest(corpus) + 1
    for limit, buckets, expected in (
        (usual + 5, None, usual + 5),
        (usual + 5, [9, usual + 2], usual + 2),
        (usual - 3, [usual + 9], usual),
    ):
        sampling = SubwordSampling(tokenizer, tokenizer, alpha=alpha, max_length=limit)
        batches = TrainingBatches(corpus, batch_size=200, length_buckets=buckets, sampling=sampling)
        elements = take(batches.dataset(), batches.updates_per_epoch)
        assert sorted(lines_of(elements)) == corpus.line_numbers.tolist()
        rows = [row for batch in elements for key in ("source", "target_output") for row in batch[key]]
        assert max(map(np.count_nonzero, rows)) == expected


def test_rare_long_pairs_do_not_enlarge_batches(tmp_path, monkeypatch):
    """A few pairs of 200 subwords among portions of short pairs, whose batches have hundreds of rows."""
    for name, value in (("PORTION", 300), ("TYPICAL", 200)):
        monkeypatch.setattr(f"{MODULE}.{name}", value)
    lines = ["the cat sat"] * 1200
    for i in (100, 101, 900):
        lines[i] = " ".join(["the cat sat"] * 15)
    tokenizer = subwords_of(tmp_path, "\n".join(lines), vocabulary_size=16)
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5, max_length=256)
    corpus = corpus_of(tmp_path, lines, lines, tokenizer)
    for seed in range(2):
        batches = TrainingBatches(corpus, batch_size=2048, seed=seed, sampling=sampling)
        elements = take(batches.dataset(), batches.updates_per_epoch)
        assert sorted(lines_of(elements)) == corpus.line_numbers.tolist()
        assert all((batch["line_numbers"] > 0).any() for batch in elements)
        assert max(batch["source"].size for batch in elements) <= 1.25 * 2048
        assert max(np.count_nonzero(batch["source"], 1).max() for batch in elements) > 100


def test_sampled_batches_depend_on_their_update_only(sampled: TrainingBatches) -> None:
    updates = sampled.updates_per_epoch
    whole = take(sampled.dataset(), 2 * updates + 3)
    for start in (updates - 1, 2 * updates - 2):
        assert same(take(sampled.dataset(start), 4), whole[start : start + 4])
    assert same(join(take(sampled.dataset(3, parts=4), 4 * updates), 4), whole[3 : updates + 3])
    shards = [take(sampled.dataset(5, 2, shard, 2), 6) for shard in range(2)]
    assert same(join([part for pair in zip(*shards, strict=True) for part in pair], 2), whole[5:11])
    assert not same(whole[:updates], whole[updates : 2 * updates])


def test_each_portion_of_each_epoch_has_seeds_of_its_own(sampled, monkeypatch):
    segment, seen = SubwordSampling.segment, []
    monkeypatch.setattr(SubwordSampling, "segment", lambda *arguments: seen.append(arguments[3]) or segment(*arguments))
    take(sampled.dataset(), 2 * sampled.updates_per_epoch)
    assert len(seen) == len(set(seen)) > 1


def test_lengths_are_estimated_from_pairs_of_all_parts_of_the_corpus(tokenizer, tmp_path, monkeypatch):
    monkeypatch.setattr(f"{MODULE}.TYPICAL", 20)
    lines = ["a"] * 60 + ["the chat sat on the mat"] * 60
    corpus = corpus_of(tmp_path, lines, lines, tokenizer)
    batches = TrainingBatches(corpus, batch_size=200, sampling=SubwordSampling(tokenizer, tokenizer, alpha=0.01))
    assert batches.shapes[0][1] == 4
    assert batches.shapes[-1][1] > corpus.source_lengths[-1] > 4
