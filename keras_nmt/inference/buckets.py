"""Sizes that batches and sentences are padded to, so that few shapes are ever compiled."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from itertools import pairwise

import tensorflow as tf

from keras_nmt.errors import UserError


def check_buckets(name: str, buckets: Sequence[int]) -> tuple[int, ...]:
    """Checks that buckets are positive and in ascending order.

    Args:
        name: What the error calls them.
        buckets: The sizes.

    Returns:
        The sizes as a tuple.

    Raises:
        UserError: There is none, one is not positive, or they do not ascend.

    Example:

    >>> check_buckets("batch_buckets", [1, 8, 32])
    (1, 8, 32)
    """
    sizes = tuple(buckets)
    whole = all(isinstance(size, numbers.Integral) and not isinstance(size, bool) for size in sizes)
    if not sizes or not whole or sizes[0] < 1 or any(small >= large for small, large in pairwise(sizes)):
        raise UserError(f"`{name}` must be positive integers in ascending order. Received: {name}={list(buckets)}")
    return tuple(map(int, sizes))


def bucket_size(size: int, buckets: Sequence[int]) -> int:
    """The smallest bucket that holds `size`; past the largest bucket, the next multiple of it.

    Args:
        size: How much has to fit in.
        buckets: Ascending sizes.

    Returns:
        The size to pad to.

    Example:

    >>> [bucket_size(size, (1, 8, 32)) for size in (0, 1, 2, 32, 33, 70)]
    [1, 1, 8, 32, 64, 96]
    """
    return next((bucket for bucket in buckets if size <= bucket), -(-size // buckets[-1]) * buckets[-1])


def bucket_size_tensor(size: tf.Tensor, buckets: Sequence[int]) -> tf.Tensor:
    """`bucket_size` in the graph.

    Args:
        size: Scalar int32.
        buckets: Ascending sizes.

    Returns:
        Scalar int32, the size to pad to.

    Example:

    >>> [int(bucket_size_tensor(tf.constant(size), (1, 8, 32))) for size in (0, 1, 2, 32, 33, 70)]
    [1, 1, 8, 32, 64, 96]
    """
    table = tf.constant(buckets, tf.int32)
    fitting = tf.boolean_mask(table, table >= size)
    past = -(-size // buckets[-1]) * buckets[-1]
    return tf.reduce_min(tf.concat([fitting, tf.maximum(past, buckets[-1])[None]], 0))
