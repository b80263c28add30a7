"""Buckets: sizes to which batches and sentences are padded, so that XLA compiles for few shapes."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf


def bucket_sizes(sizes: tf.Tensor, buckets: Sequence[int]) -> tf.Tensor:
    """Returns the smallest bucket for each size, in the graph: int32 `[N]` -> int32 `[N]`.

    Buckets must be in ascending order, and no size may be above the last bucket.

    Example:

    >>> bucket_sizes(tf.constant([0, 1, 2, 8, 9, 32]), (1, 8, 32)).numpy().tolist()
    [1, 1, 8, 8, 32, 32]
    """
    table = tf.constant(buckets, tf.int32)
    return tf.gather(table, tf.searchsorted(table, sizes))
