"""Token embeddings, and the projection to logits."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_nmt")
class TokenEmbedding(keras.layers.Layer):
    """Token ids to embeddings, and decoder states to logits.

    Args:
        vocabulary_size: Integer V, number of tokens.
        hidden_dim: Integer d, width of the embeddings.
        tie_weights: Boolean, whether the logits use the table of the embeddings instead of a second table. Defaults to
            True.
        scale: Boolean, whether embeddings are multiplied by sqrt(d), so that they are initially as large as the
            positions of a Transformer. Defaults to True.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Token ids `[B, T]`; float states `[..., d]` with `reverse=True`.
        reverse: Boolean, whether to project states to logits. Defaults to False.
        vocabulary_first: Boolean, whether the vocabulary is the first dimension of the logits, which is up to twice as
            fast for few states, as in a step of search. Defaults to False.

    Returns:
        Embeddings `[B, T, d]`; logits `[..., V]`, or `[V, ...]`, in float32 with `reverse=True`.

    Example:

    >>> import numpy as np
    >>> embedding = TokenEmbedding(vocabulary_size=50, hidden_dim=8)
    >>> tuple(embedding(np.ones((2, 5), "int32")).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.4.
    """

    def __init__(
        self, vocabulary_size: int, hidden_dim: int, tie_weights: bool = True, scale: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.hidden_dim = hidden_dim
        self.tie_weights = tie_weights
        self.scale = scale
        self.supports_masking = True
        self.table = keras.layers.ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            tie_weights=tie_weights,
            embeddings_initializer=keras.initializers.RandomNormal(stddev=hidden_dim**-0.5),
            dtype=self.dtype_policy,
            name="table",
        )

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.table.build(inputs_shape)

    def call(self, inputs: Any, reverse: bool = False, vocabulary_first: bool = False) -> Any:
        if reverse and vocabulary_first:
            return self._vocabulary_first(inputs)
        if reverse:
            return ops.cast(self.table(inputs, reverse=True), "float32")  # [..., V]
        embeddings = self.table(inputs)  # [B, T, d]
        return embeddings * self.hidden_dim**0.5 if self.scale else embeddings

    def _vocabulary_first(self, states: Any) -> Any:
        if self.table.quantization_mode is not None or self.compute_dtype != self.variable_dtype:
            # The table computes in its own precision.
            return ops.moveaxis(ops.cast(self.table(states, reverse=True), "float32"), -1, 0)
        table = self.table.embeddings if self.tie_weights else ops.transpose(self.table.reverse_embeddings)  # [V, d]
        logits = ops.matmul(table, ops.transpose(ops.reshape(states, (-1, self.hidden_dim))))
        return ops.cast(ops.reshape(logits, (self.vocabulary_size, *ops.shape(states)[:-1])), "float32")

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], reverse: bool = False, vocabulary_first: bool = False
    ) -> tuple[Any, ...]:
        if reverse and vocabulary_first:
            return (self.vocabulary_size, *inputs_shape[:-1])
        return (*inputs_shape[:-1], self.vocabulary_size) if reverse else (*inputs_shape, self.hidden_dim)

    def compute_output_spec(
        self, inputs: Any, reverse: bool = False, vocabulary_first: bool = False
    ) -> keras.KerasTensor:
        dtype = "float32" if reverse else self.compute_dtype
        return keras.KerasTensor(self.compute_output_shape(inputs.shape, reverse, vocabulary_first), dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "hidden_dim": self.hidden_dim,
            "tie_weights": self.tie_weights,
            "scale": self.scale,
        }
