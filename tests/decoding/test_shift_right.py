from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.decoding import shift_right


@settings(max_examples=10, deadline=None)
@given(st.lists(st.lists(st.integers(4, 30), min_size=1, max_size=6), min_size=1, max_size=4))
def test_scoring_reads_what_training_read(targets):
    corpus = ParallelCorpus.from_lists([[5]] * len(targets), targets)
    batch = next(iter(TrainingBatches(corpus, batch_size=len(targets), batch_unit="sentences").dataset()))
    np.testing.assert_array_equal(shift_right(batch["target_output"]), batch["target_input"])
