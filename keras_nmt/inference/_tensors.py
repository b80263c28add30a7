"""Checks and sizes of tensors in a graph."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from keras_nmt.ids import UNK


def bucket_sizes(sizes: tf.Tensor, buckets: Sequence[int]) -> tf.Tensor:
    """Returns the smallest bucket for each size, in the graph: int32 `[N]` -> int32 `[N]`.

    Buckets must be in ascending order, and no size may be above the last bucket.

    Example:

    >>> bucket_sizes(tf.constant([0, 1, 2, 8, 9, 32]), (1, 8, 32)).numpy().tolist()
    [1, 1, 8, 8, 32, 32]
    """
    table = tf.constant(buckets, tf.int32)
    return tf.gather(table, tf.searchsorted(table, sizes))


def has_unknown(tokens: tf.RaggedTensor) -> tf.Tensor:
    """Tells whether each row `[N, (T)]` has an unknown subword: `[N]` bool."""
    return tf.reduce_any(tokens == UNK, 1)


def of_count(*rows: tf.Tensor) -> list[tf.Tensor]:
    """Checks in the graph that tensors have one dimension and the same number of rows, and returns them.

    A server calls a signature with inputs of any shape.
    """
    rows = tuple(tf.ensure_shape(x, [None]) for x in rows)
    # A reshape from one dimension to one would be removed from the graph; an assertion is not.
    counts = tf.stack([tf.shape(x)[0] for x in rows])
    are_equal = tf.reduce_all(counts == counts[0])
    return [checked(x, are_equal, "Inputs differ in number. Received:", counts) for x in rows]


def checked(x: tf.Tensor, is_right: tf.Tensor, *message: str | tf.Tensor) -> tf.Tensor:
    """Returns a tensor if a condition holds, and else raises an error whose message has strings and tensors."""
    with tf.control_dependencies([tf.debugging.Assert(is_right, message)]):  # sessions skip what no result depends on
        return tf.identity(x)
