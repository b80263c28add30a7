from __future__ import annotations

from typing import Any

import keras
import keras_hub
from keras import ops


@keras.saving.register_keras_serializable(package="keras_nmt")
class TokenEmbedding(keras.layers.Layer):
    """Token ids to the tensor E that enters the first layer: lookup, scale, sinusoidal positions, dropout.

    The same table, or a second one, projects decoder states back to logits.

    Args:
        vocabulary_size: Integer V.
        hidden_dim: Integer d.
        dropout: Float, dropout rate of E. Default 0.
        tie_weights: Boolean, whether `logits` uses the lookup's table (default) or one of its own.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Token ids `[B, T]`; float states `[..., d]` with `reverse=True`.
        position: Integer scalar tensor: all tokens stand at this position, as in a step of search. Default: they stand
            at 0, 1, ..., T - 1.
        reverse: Boolean, default False. Whether to project states to logits instead.
        training: Boolean, whether dropout is active.

    Returns:
        E, `[B, T, d]`; logits `[..., V]` in float32 with `reverse=True`.

    Example:

    >>> import numpy as np
    >>> embedding = TokenEmbedding(vocabulary_size=50, hidden_dim=8)
    >>> tuple(embedding(np.ones((2, 5), "int32")).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), sections 3.4 and 3.5.
    """

    def __init__(
        self, vocabulary_size: int, hidden_dim: int, dropout: float = 0.0, tie_weights: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.hidden_dim = hidden_dim
        self.supports_masking = True
        self.dropout = dropout
        self.tie_weights = tie_weights
        policy = self.dtype_policy
        self.table = keras.layers.ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            tie_weights=tie_weights,
            embeddings_initializer=keras.initializers.RandomNormal(stddev=hidden_dim**-0.5),
            dtype=policy,
            name="table",
        )
        self.positions = keras_hub.layers.SinePositionEncoding(dtype="float32", name="positions")
        self.embedding_dropout = keras.layers.Dropout(dropout, dtype=policy, name="dropout")

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.table.build(inputs_shape)

    def call(self, inputs: Any, position: Any = None, reverse: bool = False, training: bool | None = None) -> Any:
        if reverse:
            return ops.cast(self.table(inputs, reverse=True), "float32")  # [..., V]
        x = self.table(inputs) * self.hidden_dim**0.5  # [B, T, d]
        positions = None if position is None else ops.reshape(position, (1,))
        encoding = self.positions(ops.cast(x, "float32"), positions=positions)
        return self.embedding_dropout(x + ops.cast(encoding, x.dtype), training=training)

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], position_shape: Any = None, reverse: bool = False
    ) -> tuple[int | None, ...]:
        return (*inputs_shape[:-1], self.vocabulary_size) if reverse else (*inputs_shape, self.hidden_dim)

    def compute_output_spec(
        self, inputs: Any, position: Any = None, reverse: bool = False, training: bool | None = None
    ) -> keras.KerasTensor:
        dtype = "float32" if reverse else self.compute_dtype
        return keras.KerasTensor(self.compute_output_shape(inputs.shape, reverse=reverse), dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "hidden_dim": self.hidden_dim,
            "dropout": self.dropout,
            "tie_weights": self.tie_weights,
        }
