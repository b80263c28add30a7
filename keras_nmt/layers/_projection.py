"""Products with matrices of weights, with few operators where a graph does not know the sizes."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops


def reshape_last(x: Any, *sizes: int, axes: int = 1) -> Any:
    """Replaces the last `axes` dimensions of `x` by `sizes`; the dimensions before them stay."""
    return ops.reshape(x, (*_leading_sizes(x, len(x.shape) - axes), *sizes))


def reshape_like(x: Any, rows: Any) -> Any:
    """Gives rows `[R, m]` the leading dimensions of `x` `[..., n]`: `[..., m]`."""
    return ops.reshape(rows, (*_leading_sizes(x, len(x.shape) - 1), rows.shape[-1]))


def product(x: Any, kernel: Any) -> Any:
    """`x` `[..., n]` times a matrix `[n, m]`: `[..., m]`. Keras' own product of such an `x` is twenty operators."""
    if len(x.shape) < 3:
        return ops.matmul(x, kernel)
    return reshape_like(x, ops.matmul(ops.reshape(x, (-1, x.shape[-1])), kernel))


class Projection(keras.layers.Dense):
    """`keras.layers.Dense` that computes on rows `[R, n]`, whatever the leading dimensions of its input."""

    def call(self, inputs: Any, training: Any = None) -> Any:
        if len(inputs.shape) < 3:
            return super().call(inputs, training=training)
        rows = ops.reshape(inputs, (-1, inputs.shape[-1]))  # [R, n]
        return reshape_like(inputs, super().call(rows, training=training))


def _leading_sizes(x: Any, count: int) -> list[Any]:
    """The first `count` sizes of `x` for a reshape: -1 for the first that the graph does not know.

    A size is read from the tensor only where several are unknown.
    """
    sizes: list[Any] = list(x.shape[:count])
    unknown = [i for i, size in enumerate(sizes) if size is None]
    if len(unknown) > 1:
        sizes = list(ops.shape(x)[:count])
    if unknown:
        sizes[unknown[0]] = -1
    return sizes
