"""Sinusoidal positions."""

from __future__ import annotations

from typing import Any

import keras
import keras_hub
from keras import ops


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
        self.sines = keras_hub.layers.SinePositionEncoding(dtype="float32", name="sines")
        self.sines.supports_masking = True

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.sines.build(inputs_shape)

    def call(self, inputs: Any, position: Any = None) -> Any:
        positions = None if position is None else ops.reshape(position, (1,))
        return inputs + ops.cast(self.sines(ops.cast(inputs, "float32"), positions=positions), inputs.dtype)

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return inputs_shape
