"""The position-wise feed-forward network."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import check_positive, check_rate
from keras_nmt.layers._projection import Projection


@keras.saving.register_keras_serializable(package="keras_nmt")
class FeedForward(keras.layers.Layer):
    """Position-wise feed-forward network: `relu(x W_1 + b_1) W_2 + b_2`.

    Args:
        intermediate_dim: Integer, width between the two projections.
        hidden_dim: Integer, width d of the output.
        dropout: Float, dropout rate after the activation. Defaults to 0.
        activation: String, a Keras activation. Defaults to "relu".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[..., d']`.
        training: Boolean, whether dropout is active.

    Returns:
        Tensor `[..., d]`.

    Example:

    >>> import numpy as np
    >>> tuple(FeedForward(32, 8)(np.ones((2, 5, 8), "float32")).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), Eq. 2.
    """

    use_bias = True

    def __init__(
        self,
        intermediate_dim: int,
        hidden_dim: int,
        dropout: float = 0.0,
        activation: str = "relu",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(intermediate_dim=intermediate_dim, hidden_dim=hidden_dim)
        check_rate(dropout=dropout)
        self.intermediate_dim = int(intermediate_dim)
        self.hidden_dim = int(hidden_dim)
        self.supports_masking = True
        self.dropout = dropout
        self.activation = activation
        policy = self.dtype_policy
        self.inner = Projection(  # W_1, b_1
            intermediate_dim, activation=activation, use_bias=self.use_bias, dtype=policy, name="inner"
        )
        self.outer = Projection(hidden_dim, use_bias=self.use_bias, dtype=policy, name="outer")  # W_2, b_2
        self.inner_dropout = keras.layers.Dropout(dropout, dtype=policy, name="dropout")

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.inner.build(inputs_shape)
        self.outer.build((*inputs_shape[:-1], self.intermediate_dim))

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        x = self.inner(inputs)  # [..., intermediate_dim]
        x = self.inner_dropout(x, training=training)
        return self.outer(x)  # [..., d]

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return (*inputs_shape[:-1], self.hidden_dim)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "intermediate_dim": self.intermediate_dim,
            "hidden_dim": self.hidden_dim,
            "dropout": self.dropout,
            "activation": self.activation,
        }
