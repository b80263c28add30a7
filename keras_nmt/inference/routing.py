from __future__ import annotations

from collections.abc import Callable, Sequence

import tensorflow as tf


def by_group(
    group: tf.Tensor,
    branches: Sequence[Callable[[tf.Tensor], Sequence[tf.Tensor]]],
    specs: Sequence[tf.TensorSpec],
) -> list[tf.Tensor]:
    """Computes the rows of each group together, and puts what comes out in the order of the rows.

    Of a group without rows nothing is computed.

    Args:
        group: [N] int32, N > 0, the group of each row.
        branches: Of each group what to compute: from the numbers [n] of its rows to tensors [n, ...].
        specs: Of each of these tensors what it is: at most one dimension beside the first is unknown.

    Returns:
        The tensors, [N, ...].
    """
    numbers = [tf.cast(tf.where(group == i)[:, 0], tf.int32) for i in range(len(branches))]

    def nothing() -> tuple[tf.Tensor, ...]:
        return tuple(tf.zeros([0], spec.dtype) for spec in specs)

    parts = []
    for rows, branch in zip(numbers, branches, strict=True):

        def compute(
            rows: tf.Tensor = rows, branch: Callable[..., Sequence[tf.Tensor]] = branch
        ) -> tuple[tf.Tensor, ...]:
            return tuple(tf.reshape(x, [-1]) for x in branch(rows))

        # Flat, because what there is nothing of has no sizes.
        parts.append(tf.cond(tf.size(rows) > 0, compute, nothing))
    places = tf.math.invert_permutation(tf.concat(numbers, 0))
    results = []
    for spec, *flat in zip(specs, *parts, strict=True):
        sizes = [-1 if size is None else size for size in spec.shape[1:]]
        results.append(tf.gather(tf.reshape(tf.concat(flat, 0), [tf.shape(group)[0], *sizes]), places))
    return results
