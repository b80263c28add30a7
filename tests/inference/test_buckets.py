"""Buckets of sizes."""

from __future__ import annotations

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.inference.buckets import bucket_sizes
from keras_nmt.inference.search_options import check_buckets

BUCKETS = st.sets(st.integers(1, 50), min_size=1, max_size=4).map(lambda sizes: tuple(sorted(sizes)))


@settings(max_examples=40, deadline=None)
@given(buckets=BUCKETS)
def test_a_length_gets_the_smallest_bucket_that_fits(buckets):
    sizes = range(buckets[-1] + 1)
    expected = [min(bucket for bucket in buckets if bucket >= size) for size in sizes]
    assert bucket_sizes(tf.constant(sizes), buckets).numpy().tolist() == expected


@pytest.mark.parametrize("buckets", [(), (0, 4), (4, 4), (8, 4), "48", 8])
def test_buckets_that_do_not_ascend_are_refused(buckets):
    with pytest.raises(UserError, match=r"batch_buckets.*ascending.*Received"):
        check_buckets("batch_buckets", buckets)
