from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras

from keras_nmt.layers._common import NORMS, check_choice, check_positive, check_rate, layer_norm, optional_size
from keras_nmt.layers.feed_forward import FeedForward
from keras_nmt.layers.multi_head_attention import MultiHeadAttention


class TransformerLayer(keras.layers.Layer):
    """What encoder and decoder layers share: arguments, self-attention, feed-forward network, residual connections."""

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        norm: str = "pre",
        shortcut: str | None = None,
        head_composition: str | None = None,
        composition_rank: int | None = None,
        head_intermediate_dim: int | None = None,
        output_projection: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim)
        check_choice("norm", norm, NORMS)
        check_rate(dropout=dropout, attention_dropout=attention_dropout, activation_dropout=activation_dropout)
        self.num_heads = int(num_heads)
        self.hidden_dim = int(hidden_dim)
        self.intermediate_dim = int(intermediate_dim)
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        self.activation_dropout = activation_dropout
        self.norm = norm
        self.shortcut = shortcut
        self.head_composition = head_composition
        self.composition_rank = optional_size("composition_rank", composition_rank)
        self.head_intermediate_dim = optional_size("head_intermediate_dim", head_intermediate_dim)
        self.output_projection = output_projection
        self.supports_masking = True
        policy = self.dtype_policy
        self.self_attention = self._attention(shortcut, "self_attention")
        self.self_attention_norm = layer_norm(policy, "self_attention_norm")
        self.feed_forward = FeedForward(
            intermediate_dim, hidden_dim, activation_dropout, dtype=policy, name="feed_forward"
        )
        self.feed_forward_norm = layer_norm(policy, "feed_forward_norm")
        self.residual_dropout = keras.layers.Dropout(dropout, dtype=policy, name="dropout")

    def _attention(self, shortcut: str | None, name: str) -> MultiHeadAttention:
        return MultiHeadAttention(
            self.num_heads,
            self.hidden_dim,
            self.attention_dropout,
            shortcut,
            self.head_composition,
            self.composition_rank,
            self.head_intermediate_dim,
            self.output_projection,
            dtype=self.dtype_policy,
            name=name,
        )

    def _residual(self, x: Any, norm: Callable[[Any], Any], sublayer: Callable[[Any], Any], training: Any) -> Any:
        """`x + f(LN(x))` before ("pre") or `LN(x + f(x))` after ("post") the sub-layer f."""
        if self.norm == "pre":
            return x + self.residual_dropout(sublayer(norm(x)), training=training)
        return norm(x + self.residual_dropout(sublayer(x), training=training))

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "hidden_dim": self.hidden_dim,
            "intermediate_dim": self.intermediate_dim,
            "dropout": self.dropout,
            "attention_dropout": self.attention_dropout,
            "activation_dropout": self.activation_dropout,
            "norm": self.norm,
            "shortcut": self.shortcut,
            "head_composition": self.head_composition,
            "composition_rank": self.composition_rank,
            "head_intermediate_dim": self.head_intermediate_dim,
            "output_projection": self.output_projection,
        }
