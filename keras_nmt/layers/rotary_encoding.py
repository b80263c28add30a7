"""Rotary positional encoding."""

from __future__ import annotations

import math
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import is_number, require
from keras_nmt.layers._common import ConfiguredLayer, positions_of


@keras.saving.register_keras_serializable(package="keras_nmt")
class RotaryEncoding(ConfiguredLayer):
    """Rotates queries and keys by their positions, so that their products depend only on distances.

    Neuron i of the first half of a head and neuron i of the second half are the coordinates of a point in a plane. At
    position t, it is rotated by the angle t theta_i (Eq. 34; the paper pairs neighbouring neurons instead, which only
    changes their order):

        x'_i           = x_i cos(t theta_i) - x_{i + n/2} sin(t theta_i)
        x'_{i + n/2}   = x_{i + n/2} cos(t theta_i) + x_i sin(t theta_i)          theta_i = base^(-2 i / n)

    The layer has no weights, and computes in float32. (`RotaryEmbedding` of keras_hub rotates in the compute dtype, and
    its import loads a thousand modules in half a second.)

    Args:
        base: Float, the base of the wavelengths. Defaults to 10000.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Attributes:
        in_attention: True: the layer acts on the queries and keys of self-attention, not on embeddings.

    Call arguments:
        inputs: Float tensor `[..., T, n]`, queries or keys of heads of an even width n.
        position: Integer scalar tensor, the position of all of `inputs`, as in a step of search. Defaults to None:
            `inputs` has the positions 0, 1, ..., T - 1.

    Returns:
        Tensor `[..., T, n]`.

    Raises:
        ValueError: The width n is odd.

    Example:

    >>> import numpy as np
    >>> tuple(RotaryEncoding()(np.ones((2, 4, 5, 8), "float32")).shape)
    (2, 4, 5, 8)

    Reference:
        [Su et al., 2021](https://arxiv.org/abs/2104.09864), section 3.
    """

    in_attention = True

    def __init__(self, base: float = 10_000.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        require(is_number(base) and 1 < base < math.inf, "{base} must be a finite number above 1", base=base)
        self.base = base

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        if inputs_shape[-1] is None or inputs_shape[-1] % 2:
            raise ValueError(f"The heads must have an even width for rotary positions. Received: {inputs_shape[-1]}")

    def call(self, inputs: Any, position: Any = None) -> Any:
        width = inputs.shape[-1]  # n
        positions = positions_of(inputs, position)
        thetas = ops.power(float(self.base), -ops.arange(0, width, 2, dtype="float32") / width)  # [n / 2]
        angles = ops.expand_dims(ops.cast(positions, "float32"), -1) * thetas  # [T, n / 2], or [1, n / 2]
        cosines, sines = ops.cos(angles), ops.sin(angles)
        first, second = ops.split(ops.cast(inputs, "float32"), 2, axis=-1)
        rotated = ops.concatenate([first * cosines - second * sines, second * cosines + first * sines], axis=-1)
        return ops.cast(rotated, inputs.dtype)

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return inputs_shape
