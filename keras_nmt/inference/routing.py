"""Routes rows of several languages to the function of each language."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence

import tensorflow as tf


class Groups:
    """Groups languages with equal keys, such as the same subwords. `keys` has one for each language."""

    def __init__(self, keys: Sequence[Hashable]) -> None:
        distinct = list(dict.fromkeys(keys))
        self._group_of = [distinct.index(key) for key in keys]
        self.firsts = [self._group_of.index(group) for group in range(len(distinct))]  # first language of each group

    def of(self, languages: tf.Tensor) -> tf.Tensor:
        """Returns the group of each language: int32 tensor `[N]` -> int32 tensor `[N]`."""
        return tf.gather(tf.constant(self._group_of, tf.int32), languages)


def by_group(
    group: tf.Tensor, branches: Sequence[Callable[[tf.Tensor], Sequence[tf.Tensor]]], specs: Sequence[tf.TensorSpec]
) -> list[tf.Tensor]:
    """Computes the rows of each group together, and returns tensors `[N, ...]` in the order of the rows.

    Nothing is computed for a group without rows.

    Args:
        group: int32 tensor `[N]`, N > 0, the group of each row.
        branches: One function per group, from the indices `[n]` of the group's rows to tensors `[n, ...]`.
        specs: The `tf.TensorSpec` of each of these tensors, with at most one unknown dimension besides the first.
    """
    indices = [tf.cast(tf.where(group == i)[:, 0], tf.int32) for i in range(len(branches))]

    def compute(rows: tf.Tensor, branch: Callable[..., Sequence[tf.Tensor]]) -> tuple[tf.Tensor, ...]:
        return tuple(tf.reshape(x, [-1]) for x in branch(rows))  # flat, because sizes of an empty result are unknown

    def nothing() -> tuple[tf.Tensor, ...]:
        return tuple(tf.zeros([0], spec.dtype) for spec in specs)

    parts = [
        tf.cond(tf.size(rows) > 0, functools.partial(compute, rows, branch), nothing)
        for rows, branch in zip(indices, branches, strict=True)
    ]
    order = tf.math.invert_permutation(tf.concat(indices, 0))
    results = []
    for spec, *flat in zip(specs, *parts, strict=True):
        sizes = [-1 if size is None else size for size in spec.shape[1:]]
        results.append(tf.gather(tf.reshape(tf.concat(flat, 0), [tf.shape(group)[0], *sizes]), order))
    return results


def indices_of(names: tf.Tensor, languages: Sequence[str]) -> tf.Tensor:
    """Checks names of languages `[N]`, and returns their indices `[N]`, int32."""
    names = tf.ensure_shape(tf.convert_to_tensor(names, tf.string), [None])
    matches = names[:, None] == tf.constant(languages)  # [N, languages]
    known = tf.reduce_any(matches, 1)
    message = f"Unknown language. The model has {', '.join(languages)}. Received:"
    check = tf.debugging.Assert(tf.reduce_all(known), [message, tf.boolean_mask(names, ~known)])
    with tf.control_dependencies([check]):  # sessions skip what no result depends on
        return tf.argmax(matches, 1, tf.int32)
