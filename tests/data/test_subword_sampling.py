"""Subword regularisation of a parallel corpus."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from keras_nmt.data import (
    ParallelCorpus,
    SubwordSampling,
    SubwordTokenizer,
    TrainingBatches,
    read_parallel,
    train_subwords,
)
from keras_nmt.errors import UserError

LINES = ["the cat sat on the mat", "a mat", "that is that", "a bat on a rat"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder = tmp_path_factory.mktemp("subwords")
    (folder / "text").write_text("\n".join(LINES))
    return SubwordTokenizer(train_subwords(folder / "text", folder / "m", vocabulary_size=30))


@pytest.fixture(scope="module")
def corpus(tokenizer: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory) -> ParallelCorpus:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "source").write_text("\n".join(["", *LINES]))
    (folder / "target").write_text("\n".join(["a", *reversed(LINES)]))
    return read_parallel(folder / "source", folder / "target", tokenizer, tokenizer, max_ratio=None, keep_text=True)


def test_the_text_of_kept_pairs_is_kept(corpus: ParallelCorpus) -> None:
    assert corpus.text is not None
    assert [side.tolist() for side in corpus.text] == [
        [line.encode() for line in lines] for lines in (LINES, LINES[::-1])
    ]
    both = ParallelCorpus.concatenate([corpus, corpus])
    assert both.text is not None
    assert both.text[1].tolist() == 2 * corpus.text[1].tolist()


def test_equal_seeds_give_equal_segmentations(tokenizer: SubwordTokenizer, corpus: ParallelCorpus) -> None:
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5)
    pairs = np.arange(2500) % 4
    first, again, other = (sampling.segment(corpus, pairs, seeds) for seeds in ((1, 0), (1, 0), (1, 1)))
    for side, same in zip(first, again, strict=True):
        assert np.array_equal(side.values, same.values)
        assert np.array_equal(side.lengths, same.lengths)
        assert [side.values.dtype, side.lengths.dtype] == [np.int32, np.int64]
        assert len(side.values) == side.lengths.sum()
    assert not np.array_equal(first[0].lengths, other[0].lengths)
    assert len(np.unique(first[0].lengths.reshape(-1, 4), axis=0)) > 100  # a pair's occurrences differ


def test_sides_are_drawn_independently(tokenizer: SubwordTokenizer, corpus: ParallelCorpus) -> None:
    assert corpus.text is not None
    twins = dataclasses.replace(corpus, target=corpus.source, text=(corpus.text[0], corpus.text[0]))
    source, target = SubwordSampling(tokenizer, tokenizer, alpha=0.5).segment(twins, np.zeros(2000, int), (1,))
    assert abs(np.corrcoef(source.lengths, target.lengths)[0, 1]) < 0.15


def test_pairs_with_too_long_samples_are_unchanged(tokenizer: SubwordTokenizer, corpus: ParallelCorpus) -> None:
    longest = int(max(corpus.source_lengths.max(), corpus.target_lengths.max())) + 1
    sampling = SubwordSampling(tokenizer, tokenizer, alpha=1.0, max_length=longest)
    source, target = sampling.segment(corpus, np.array([0, 1]), (1,))
    assert source.values[: source.lengths[0]].tolist() == corpus.source[0].numpy().tolist()
    assert target.lengths[0] == corpus.target_lengths[0]
    # Both sides of a pair are segmented anew, or neither: the second pair's source would be short enough.
    assert len("\u2581a\u2581mat") < longest <= len("\u2581that\u2581is\u2581that")
    assert source.lengths[1] == corpus.source_lengths[1] < len("\u2581a\u2581mat")
    assert max(source.lengths.max(), target.lengths.max()) < longest
    source, _ = sampling.segment(corpus, np.array([3, 1, 0]), (1,))
    assert source.values.tolist() == [token for pair in (3, 1, 0) for token in corpus.source[pair].numpy()]


def test_wrong_arguments(tokenizer: SubwordTokenizer) -> None:
    for arguments in ({"alpha": 0.0}, {"alpha": 1.1}, {"alpha": float("nan")}, {"max_length": 1}):
        with pytest.raises(UserError, match="Received: "):
            SubwordSampling(tokenizer, tokenizer, **{"alpha": 0.1} | arguments)
    corpus = ParallelCorpus.from_lists([[4]], [[5]])
    with pytest.raises(UserError, match="keep_text=True"):
        TrainingBatches(corpus, batch_size=9, sampling=SubwordSampling(tokenizer, tokenizer, alpha=0.1))


def test_long_pairs_between_others_keep_their_segmentation(tokenizer: SubwordTokenizer, corpus: ParallelCorpus) -> None:
    """The rows before and after such pairs equal the rows drawn without the limit."""
    pairs = np.array([1, 0, 1, 3, 0, 1])
    limit = int(max(corpus.source_lengths.max(), corpus.target_lengths.max())) + 2
    free = SubwordSampling(tokenizer, tokenizer, alpha=0.7).segment(corpus, pairs, (5,))
    bound = SubwordSampling(tokenizer, tokenizer, alpha=0.7).segment(corpus, pairs, (5,), limit)
    kept = np.maximum(free[0].lengths, free[1].lengths) < limit
    assert 0 < kept.sum() < len(pairs)
    for side, usual in enumerate((corpus.source, corpus.target)):
        rows, freely = (np.split(one[side].values, np.cumsum(one[side].lengths)[:-1]) for one in (bound, free))
        for row, other, pair, is_kept in zip(rows, freely, pairs, kept, strict=True):
            assert row.tolist() == (other if is_kept else usual[pair].numpy()).tolist()
