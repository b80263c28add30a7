from __future__ import annotations

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.inference.buckets import bucket_size, bucket_size_tensor, check_buckets

BUCKETS = st.sets(st.integers(1, 50), min_size=1, max_size=4).map(lambda sizes: tuple(sorted(sizes)))


@settings(max_examples=40, deadline=None)
@given(size=st.integers(0, 200), buckets=BUCKETS)
def test_the_smallest_size_that_fits_in_the_graph_and_outside(size, buckets):
    padded = bucket_size(size, buckets)
    assert padded >= size
    if size <= buckets[-1]:
        assert padded == min(bucket for bucket in buckets if bucket >= size)
    else:
        assert padded % buckets[-1] == 0
        assert padded - size < buckets[-1]
    assert int(bucket_size_tensor(tf.constant(size), buckets)) == padded


@pytest.mark.parametrize("buckets", [(), (0, 4), (4, 4), (8, 4)])
def test_buckets_that_do_not_ascend_are_refused(buckets):
    with pytest.raises(UserError, match=r"batch_buckets.*ascending.*Received"):
        check_buckets("batch_buckets", buckets)
