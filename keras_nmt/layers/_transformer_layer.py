"""The base class of encoder and decoder layers, and the kinds of residual connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import keras

from keras_nmt.layers._common import AssembledLayer, check_choice

Function = Callable[[Any], Any]
Sublayer = Callable[
    [Any, Any], Any
]  # arguments: the queries, and the states that give self-attention's keys and values


def _pre_norm(x: Any, norm: Function, sublayer: Sublayer, dropout: Function) -> Any:
    """Computes `x + f(norm(x))`, where f is the sub-layer."""
    hidden = norm(x)
    return x + dropout(sublayer(hidden, hidden))


def _post_norm(x: Any, norm: Function, sublayer: Sublayer, dropout: Function) -> Any:
    """Computes `norm(x + f(x))`."""
    return norm(x + dropout(sublayer(x, x)))


def _released(x: Any, norm: Function, sublayer: Sublayer, dropout: Function) -> Any:
    """Computes `norm(x) + f(norm(x))`, with self-attention's keys and values from x, as in the code of Emelin et al."""
    hidden = norm(x)
    return hidden + dropout(sublayer(hidden, x))


RESIDUALS = {"pre": _pre_norm, "post": _post_norm, "released": _released}


class TransformerLayer(AssembledLayer):
    """The base of encoder and decoder layers: self-attention, feed-forward network, norms and residual connections."""

    PARTS: ClassVar[tuple[str, ...]] = (
        "self_attention",
        "feed_forward",
        "self_attention_norm",
        "feed_forward_norm",
        "residual_dropout",
    )

    def __init__(
        self,
        self_attention: Any,
        feed_forward: keras.layers.Layer,
        self_attention_norm: keras.layers.Layer,
        feed_forward_norm: keras.layers.Layer,
        residual_dropout: keras.layers.Layer,
        residual: str = "pre",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_choice("residual", residual, tuple(RESIDUALS))
        self.supports_masking = True
        self.self_attention = self_attention
        self.self_attention_norm = self_attention_norm
        self.feed_forward = feed_forward
        self.feed_forward_norm = feed_forward_norm
        self.residual_dropout = residual_dropout
        self.residual = residual

    @property
    def hidden_dim(self) -> int:
        """The width d of the states."""
        width: int = self.self_attention.hidden_dim
        return width

    @property
    def has_shortcut(self) -> bool:
        """Whether the self-attention has a shortcut."""
        return getattr(self.self_attention, "has_shortcut", False)

    def _connect(self, x: Any, norm: Function, sublayer: Sublayer, training: Any) -> Any:
        """Runs a sub-layer with its residual connection, norm and dropout."""
        return RESIDUALS[self.residual](x, norm, sublayer, lambda y: self.residual_dropout(y, training=training))

    def _feed(self, x: Any, training: Any) -> Any:
        """Runs the feed-forward network with its residual connection."""
        return self._connect(
            x, self.feed_forward_norm, lambda hidden, _: self.feed_forward(hidden, training=training), training
        )

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "residual": self.residual}
