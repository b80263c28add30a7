"""Sizes to which batches and sentences are padded, so that XLA compiles for few shapes."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from itertools import pairwise

import tensorflow as tf

from keras_nmt.errors import UserError


def check_buckets(name: str, buckets: Sequence[int]) -> tuple[int, ...]:
    """Returns buckets as a tuple of integers.

    Raises:
        UserError: There is no size, a size is not positive, or the sizes do not ascend. The message begins with `name`.

    Example:

    >>> check_buckets("batch_buckets", [1, 8, 32])
    (1, 8, 32)
    """
    sizes = tuple(buckets) if isinstance(buckets, Sequence) else ()
    whole = all(isinstance(size, numbers.Integral) and not isinstance(size, bool) for size in sizes)
    if not sizes or not whole or sizes[0] < 1 or any(small >= large for small, large in pairwise(sizes)):
        raise UserError(f"`{name}` must be positive integers in ascending order. Received: {name}={buckets!r}")
    return tuple(map(int, sizes))


def bucket_sizes(sizes: tf.Tensor, buckets: Sequence[int]) -> tf.Tensor:
    """The smallest bucket that holds each size, in the graph: int32 `[N]` -> int32 `[N]`.

    Buckets ascend, and no size is above the last bucket.

    Example:

    >>> bucket_sizes(tf.constant([0, 1, 2, 8, 9, 32]), (1, 8, 32)).numpy().tolist()
    [1, 1, 8, 8, 32, 32]
    """
    table = tf.constant(buckets, tf.int32)
    return tf.gather(table, tf.searchsorted(table, sizes))
