"""The base of encoder and decoder layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras

from keras_nmt.layers._common import layer_norm
from keras_nmt.layers._options import LayerOptions, with_options
from keras_nmt.layers.feed_forward import FeedForward
from keras_nmt.layers.multi_head_attention import MultiHeadAttention


class TransformerLayer(keras.layers.Layer):
    """Arguments, self-attention, feed-forward network and residual connections of encoder and decoder layers."""

    @with_options(LayerOptions)
    def __init__(
        self, num_heads: int, hidden_dim: int, intermediate_dim: int, *, shortcut: str | None = None, **kwargs: Any
    ) -> None:
        options = LayerOptions.take(
            kwargs, num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim
        )
        super().__init__(**kwargs)
        self.options = options
        self.shortcut = shortcut
        self.supports_masking = True
        policy = self.dtype_policy
        self.self_attention = self._attention(shortcut, "self_attention")
        self.self_attention_norm = layer_norm(policy, "self_attention_norm")
        self.feed_forward = FeedForward(
            options.intermediate_dim, options.hidden_dim, options.activation_dropout, dtype=policy, name="feed_forward"
        )
        self.feed_forward_norm = layer_norm(policy, "feed_forward_norm")
        self.residual_dropout = keras.layers.Dropout(options.dropout, dtype=policy, name="dropout")

    def _attention(self, shortcut: str | None, name: str) -> MultiHeadAttention:
        options = self.options
        return MultiHeadAttention(
            options.num_heads,
            options.hidden_dim,
            options.attention_dropout,
            shortcut,
            options.head_composition,
            options.head_composition_rank,
            options.head_intermediate_dim,
            options.output_projection,
            options.composition_start,
            options.composition_residual,
            dtype=self.dtype_policy,
            name=name,
        )

    def _residual(self, x: Any, norm: Callable[[Any], Any], sublayer: Callable[[Any], Any], training: Any) -> Any:
        """`x + f(LN(x))` before ("pre") or `LN(x + f(x))` after ("post") the sub-layer f."""
        if self.options.norm == "pre":
            return x + self.residual_dropout(sublayer(norm(x)), training=training)
        return norm(x + self.residual_dropout(sublayer(x), training=training))

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TransformerLayer:
        layer: TransformerLayer = super().from_config(LayerOptions.converted(config))
        return layer

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self.options.config(), "shortcut": self.shortcut}
