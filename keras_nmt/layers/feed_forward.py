"""Position-wise feed-forward networks, plain and gated."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import ConfiguredLayer, check_positive, check_rate, keep_frozen
from keras_nmt.layers._projection import Projection
from keras_nmt.layers.dropout import Dropout


@keras.saving.register_keras_serializable(package="keras_nmt")
class FeedForward(ConfiguredLayer):
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
        self, intermediate_dim: int, hidden_dim: int, dropout: float = 0.0, activation: str = "relu", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        check_positive(intermediate_dim=intermediate_dim, hidden_dim=hidden_dim)
        check_rate(dropout=dropout)
        self.intermediate_dim = int(intermediate_dim)
        self.hidden_dim = int(hidden_dim)
        self.dropout = dropout
        self.activation = activation
        policy = self.dtype_policy
        self.inner = Projection(  # W_1, b_1
            intermediate_dim, activation=activation, use_bias=self.use_bias, dtype=policy, name="inner"
        )
        self.outer = Projection(hidden_dim, use_bias=self.use_bias, dtype=policy, name="outer")  # W_2, b_2
        self.inner_dropout = Dropout(dropout, dtype=policy, name="dropout")

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.inner.build(inputs_shape)
        self.outer.build((*inputs_shape[:-1], self.intermediate_dim))
        keep_frozen(self)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        x = self.inner(inputs)  # [..., intermediate_dim]
        x = self.inner_dropout(x, training=training)
        return self.outer(x)  # [..., d]

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return (*inputs_shape[:-1], self.hidden_dim)


@keras.saving.register_keras_serializable(package="keras_nmt")
class GatedFeedForward(FeedForward):
    """Position-wise feed-forward network with a gated linear unit: `(f(x W) * x V) W_2`, without biases.

    With `activation="silu"` it is FFN_SwiGLU, with "gelu" FFN_GEGLU, and with "relu" FFN_ReGLU (Eq. 6). The layer has
    three matrices instead of two, so the paper uses two thirds of the inner width to have the same number of weights.

    Args:
        intermediate_dim: Integer, width of the gate and of the values.
        hidden_dim: Integer, width d of the output.
        dropout: Float, dropout rate after the gate. Defaults to 0.
        activation: String, the Keras activation f. Defaults to "silu".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Inputs and outputs are those of `FeedForward`.

    Example:

    >>> import numpy as np
    >>> tuple(GatedFeedForward(32, 8)(np.ones((2, 5, 8), "float32")).shape)
    (2, 5, 8)

    Reference:
        [Shazeer, 2020](https://arxiv.org/abs/2002.05202), Eq. 6.
    """

    use_bias = False

    def __init__(
        self, intermediate_dim: int, hidden_dim: int, dropout: float = 0.0, activation: str = "silu", **kwargs: Any
    ) -> None:
        super().__init__(intermediate_dim, hidden_dim, dropout, activation, **kwargs)
        self.values = Projection(  # V; W is `inner`
            intermediate_dim, use_bias=False, dtype=self.dtype_policy, name="values"
        )

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        super().build(inputs_shape)
        self.values.build(inputs_shape)
        keep_frozen(self)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        x = self.inner(inputs) * self.values(inputs)  # [..., intermediate_dim]
        x = self.inner_dropout(x, training=training)
        return self.outer(x)  # [..., d]
