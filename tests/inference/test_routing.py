"""Rows of a batch, each computed by the branch of its group."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.inference.routing import by_group

SPECS = [tf.TensorSpec([None, 2, None], tf.float32), tf.TensorSpec([None], tf.string)]


@tf.function(autograph=False, reduce_retracing=True)
def _grouped(group, values):
    def branch(i):
        def compute(rows):
            present = tf.debugging.assert_positive(tf.size(rows))  # of a group without rows nothing is run
            with tf.control_dependencies([present]):
                return [tf.gather(values, rows) + tf.cast(i, tf.float32), tf.strings.as_string(rows) + f" in {i}"]

        return compute

    return by_group(group, [branch(i) for i in range(3)], SPECS)


@settings(max_examples=25, deadline=None)
@given(group=st.lists(st.integers(0, 2), min_size=1, max_size=9), length=st.integers(1, 4))
def test_each_row_is_computed_by_the_branch_of_its_group_and_in_order(group, length):
    values = np.arange(len(group) * 2 * length, dtype="float32").reshape(len(group), 2, length)
    numbers, names = _grouped(tf.constant(group), tf.constant(values))
    np.testing.assert_array_equal(numbers, values + np.array(group, "float32")[:, None, None])
    assert names.numpy().tolist() == [f"{row} in {i}".encode() for row, i in enumerate(group)]
