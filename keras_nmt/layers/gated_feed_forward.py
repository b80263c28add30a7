"""The feed-forward network with a gated linear unit."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._projection import Projection
from keras_nmt.layers.feed_forward import FeedForward


@keras.saving.register_keras_serializable(package="keras_nmt")
class GatedFeedForward(FeedForward):
    """Position-wise feed-forward network with a gated linear unit: `(f(x W) * x V) W_2`, without biases.

    With `activation="silu"` it is FFN_SwiGLU, with "gelu" FFN_GEGLU, with "relu" FFN_ReGLU (Eq. 6). The layer has three
    matrices instead of two, so the paper takes two thirds of the inner width for the same number of weights.

    Args:
        intermediate_dim: Integer, width of the gate and of the values.
        hidden_dim: Integer, width d of the output.
        dropout: Float, dropout rate after the gate. Defaults to 0.
        activation: String, the Keras activation f. Defaults to "silu".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[..., d']`.
        training: Boolean, whether dropout is active.

    Returns:
        Tensor `[..., d]`.

    Example:

    >>> import numpy as np
    >>> tuple(GatedFeedForward(32, 8)(np.ones((2, 5, 8), "float32")).shape)
    (2, 5, 8)

    Reference:
        [Shazeer, 2020](https://arxiv.org/abs/2002.05202), Eq. 6.
    """

    use_bias = False

    def __init__(
        self,
        intermediate_dim: int,
        hidden_dim: int,
        dropout: float = 0.0,
        activation: str = "silu",
        **kwargs: Any,
    ) -> None:
        super().__init__(intermediate_dim, hidden_dim, dropout, activation, **kwargs)
        self.values = Projection(  # V; W is `inner`
            intermediate_dim, use_bias=False, dtype=self.dtype_policy, name="values"
        )

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        super().build(inputs_shape)
        self.values.build(inputs_shape)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        x = self.inner(inputs) * self.values(inputs)  # [..., intermediate_dim]
        x = self.inner_dropout(x, training=training)
        return self.outer(x)  # [..., d]
