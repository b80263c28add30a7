"""A parallel corpus in memory."""

from __future__ import annotations

import numpy as np
import pytest

from keras_nmt.data import ParallelCorpus
from keras_nmt.errors import UserError


def test_from_lists() -> None:
    corpus = ParallelCorpus.from_lists([[4, 5], [6], [7, 8, 9]], [[5], [6, 7], [8]])
    assert len(corpus) == corpus.num_read == 3
    assert corpus.source.to_list() == [[4, 5], [6], [7, 8, 9]]
    assert corpus.target.to_list() == [[5], [6, 7], [8]]
    assert corpus.source.dtype == corpus.target.dtype == "int32"
    assert corpus.source_lengths.tolist() == [2, 1, 3]
    assert corpus.target_lengths.tolist() == [1, 2, 1]
    assert corpus.line_numbers.tolist() == [1, 2, 3]
    assert corpus.summary() == "3 pairs read, 3 kept; dropped: none; subwords a sentence: source 2.0, target 1.3"


def test_line_numbers_continue_in_concatenated_corpora() -> None:
    one = ParallelCorpus.from_lists([[4], [5]], [[6], [7]])
    read = ParallelCorpus(one.source, one.target, np.array([2, 5], np.int32), 6, {"empty": 4})
    both = ParallelCorpus.concatenate([read, one, read])
    assert both.line_numbers.tolist() == [2, 5, 7, 8, 10, 13]
    assert both.line_numbers.dtype == np.int32
    assert (both.num_read, both.dropped, both.text) == (14, {"empty": 8}, None)


@pytest.mark.parametrize(("source", "target"), [([], []), ([[4]], []), ([[4]], [[]])])
def test_unusable_lists(source: list, target: list) -> None:
    with pytest.raises(UserError, match="Received: "):
        ParallelCorpus.from_lists(source, target)
