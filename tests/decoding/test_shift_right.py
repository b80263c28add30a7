"""The target input of teacher forcing."""

from __future__ import annotations

import numpy as np

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.decoding import shift_right


def test_scoring_has_the_target_input_of_training():
    generator = np.random.default_rng(1)
    targets = [generator.integers(4, 30, length).tolist() for length in [1, 6, *generator.integers(1, 7, 30)]]
    corpus = ParallelCorpus.from_lists([[5]] * len(targets), targets)
    for batch in TrainingBatches(corpus, batch_size=8, batch_unit="sentences").dataset().take(5):
        np.testing.assert_array_equal(shift_right(batch["target_output"]), batch["target_input"])
