"""Sinusoidal positions."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

LONGEST = 10_000.0  # wavelength over 2 pi


@keras.saving.register_keras_serializable(package="keras_nmt")
class PositionalEncoding(keras.layers.Layer):
    """Adds sinusoidal positions to embeddings. The layer has no weights, and computes sine and cosine in float32.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`.
        position: Integer scalar tensor, the position of all of `inputs`, as in a step of search. Defaults to None:
            `inputs` has the positions 0, 1, ..., T - 1.

    Returns:
        Tensor `[B, T, d]`.

    Example:

    >>> import numpy as np
    >>> tuple(PositionalEncoding()(np.zeros((2, 5, 8), "float32")).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, position: Any = None) -> Any:
        positions = ops.arange(ops.shape(inputs)[1]) if position is None else ops.reshape(position, (1,))  # [T]
        # PE(pos, 2i) = sin(pos / 10000^(2i / d)), PE(pos, 2i + 1) = cos(pos / 10000^(2i / d))
        d = inputs.shape[-1]
        neurons = ops.arange(d)
        frequencies = ops.power(1 / LONGEST, ops.cast(2 * (neurons // 2), "float32") / d)  # [d]
        angles = ops.cast(positions, "float32")[:, None] * frequencies  # [T, d]
        return inputs + ops.cast(ops.where(neurons % 2 == 0, ops.sin(angles), ops.cos(angles)), inputs.dtype)

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return inputs_shape
