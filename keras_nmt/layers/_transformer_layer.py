"""The base of encoder and decoder layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras

from keras_nmt.layers._mechanisms import FEED_FORWARDS, NORMS, SHORTCUTS
from keras_nmt.layers._options import LayerOptions, with_options
from keras_nmt.layers.mechanism import Mechanism, as_json, choose, mechanism_of
from keras_nmt.layers.multi_head_attention import MultiHeadAttention


class TransformerLayer(keras.layers.Layer):
    """Arguments, self-attention, feed-forward network and residual connections of encoder and decoder layers."""

    @with_options(LayerOptions)
    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        *,
        shortcut: str | Mechanism | None = None,
        **kwargs: Any,
    ) -> None:
        options = LayerOptions.take(
            kwargs, num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim
        )
        super().__init__(**kwargs)
        self.options = options
        self.shortcut = choose("shortcut", shortcut, SHORTCUTS)
        self.supports_masking = True
        policy = self.dtype_policy
        self.self_attention = self._attention(self.shortcut, options.positions, "self_attention")
        self.self_attention_norm = self._norm("self_attention_norm")
        self.feed_forward = mechanism_of(options.feed_forward, FEED_FORWARDS).make(
            sizes={"intermediate_dim": options.intermediate_dim, "hidden_dim": options.hidden_dim},
            dropout=options.activation_dropout,
            unset=() if options.activation_dropout else ("dropout",),
            dtype=policy,
            name="feed_forward",
        )
        self.feed_forward_norm = self._norm("feed_forward_norm")
        self.residual_dropout = keras.layers.Dropout(options.dropout, dtype=policy, name="dropout")

    def _norm(self, name: str) -> Any:
        return mechanism_of(self.options.norm, NORMS).make(dtype=self.dtype_policy, name=name)

    def _attention(self, shortcut: Any, positions: Any, name: str) -> MultiHeadAttention:
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
            options.num_key_value_heads,
            positions,
            dtype=self.dtype_policy,
            name=name,
        )

    def _residual(self, x: Any, norm: Callable[[Any], Any], sublayer: Callable[[Any], Any], training: Any) -> Any:
        """`x + f(norm(x))`; with "post" `norm(x + f(x))`, with "released" `norm(x) + f(norm(x))`, f the sub-layer."""
        if self.options.is_pre_norm:
            hidden = norm(x)
            kept = hidden if self.options.norm == "released" else x
            return kept + self.residual_dropout(sublayer(hidden), training=training)
        return norm(x + self.residual_dropout(sublayer(x), training=training))

    def _remembered(self, inputs: Any, hidden: Any) -> Any:
        """The states of which self-attention makes keys and values: with "released" those before the norm."""
        return inputs if self.options.norm == "released" else hidden

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TransformerLayer:
        layer: TransformerLayer = super().from_config(LayerOptions.converted(config))
        return layer

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self.options.config(), "shortcut": as_json(self.shortcut)}
