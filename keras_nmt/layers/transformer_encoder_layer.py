"""One layer of the Transformer encoder, and the base class of encoder and decoder layers."""

from __future__ import annotations

from typing import Any, ClassVar

import keras

from keras_nmt.errors import check_choice
from keras_nmt.layers._common import (
    AssembledLayer,
    build_part,
    call_keeping_shape,
    check_mask,
    check_width,
    keras_mask,
    spec_of_call,
)

# "pre": `x + f(norm(x))`, where f is the sub-layer. "post": `norm(x + f(x))`. "released": `norm(x) + f(norm(x))`, with
# self-attention's keys and values from x, as in the code of Emelin et al.
RESIDUALS = ("pre", "post", "released")


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
        check_choice("residual", residual, RESIDUALS)
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

    def _check_dtype(self) -> None:
        """Raises a `ValueError` if the sum of a residual connection would have two types."""
        if self.residual_dropout.compute_dtype != self.compute_dtype:
            raise ValueError(
                "The parts must be made with the layer's `dtype`. "
                f"Received: residual_dropout in {self.residual_dropout.compute_dtype}, dtype={self.compute_dtype}"
            )

    def _hidden(self, x: Any, norm: keras.layers.Layer) -> Any:
        """Returns the input of a sub-layer."""
        return x if self.residual == "post" else call_keeping_shape(norm, x)

    def _attended(self, x: Any, hidden: Any) -> Any:
        """Returns the states that give self-attention's keys and values."""
        return x if self.residual == "released" else hidden

    def _connect(self, x: Any, hidden: Any, output: Any, norm: keras.layers.Layer, training: Any) -> Any:
        """Adds the output of a sub-layer to its residual connection."""
        output = self.residual_dropout(output, training=training)
        if self.residual == "post":
            return call_keeping_shape(norm, x + output)
        return (hidden if self.residual == "released" else x) + output

    def _feed(self, x: Any, training: Any) -> Any:
        """Runs the feed-forward network with its residual connection."""
        hidden = self._hidden(x, self.feed_forward_norm)
        output = call_keeping_shape(self.feed_forward, hidden, training=training)
        return self._connect(x, hidden, output, self.feed_forward_norm, training)

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerEncoderLayer(TransformerLayer):
    """One Transformer encoder layer: self-attention, then a feed-forward network, each with a residual connection.

    (`TransformerEncoder` and `TransformerDecoder` of keras_hub make these parts themselves: none can be exchanged.)

    Args:
        self_attention: `MultiHeadAttention` of the inputs to themselves.
        feed_forward: Layer `[B, T, d]` -> `[B, T, d]`, such as `FeedForward`.
        self_attention_norm: Layer, the norm of the self-attention, such as `keras.layers.LayerNormalization`.
        feed_forward_norm: Layer, the norm of the feed-forward network.
        residual_dropout: Layer, the dropout of each sub-layer's output.
        residual: "pre": `x + f(norm(x))`, and the stack normalises its output; "post": `norm(x + f(x))`; "released":
            `norm(x) + f(norm(x))`, with keys and values of self-attention from x, as in the code that Emelin et al.
            released. Defaults to "pre".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the states H_{l-1}.
        shortcut_states: Float tensor `[B, T, d_e]`, the source of the shortcut. Must be given if the self-attention has
            a shortcut, and only then.
        padding_mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to
            `inputs`, if any.
        training: Boolean, whether dropout is active.
        return_gates: Boolean, whether to return the gates of the shortcut too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`, the states H_l; with `return_gates=True` also the gates (r_K, r_V), `[B, T, d]` each.

    Example:

    >>> import numpy as np
    >>> from keras_nmt.layers import FeedForward, LexicalShortcut, MultiHeadAttention
    >>> layer = TransformerEncoderLayer(
    ...     MultiHeadAttention(num_heads=2, hidden_dim=8, key_value=LexicalShortcut(8)),
    ...     FeedForward(intermediate_dim=16, hidden_dim=8),
    ...     keras.layers.LayerNormalization(),
    ...     keras.layers.LayerNormalization(),
    ...     keras.layers.Dropout(0.1),
    ... )
    >>> embeddings = np.random.rand(2, 5, 8).astype("float32")
    >>> tuple(layer(embeddings, shortcut_states=embeddings, padding_mask=np.ones((2, 5), bool)).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 2.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of heads.
    """

    RENAMED = (("mask", "padding_mask"),)

    def build(
        self, inputs_shape: tuple[int | None, ...], shortcut_states_shape: tuple[int | None, ...] | None = None
    ) -> None:
        check_width("inputs", inputs_shape, self.hidden_dim)
        self._check_dtype()
        build_part(self.self_attention, inputs_shape, inputs_shape, shortcut_states_shape)
        for part in (self.self_attention_norm, self.feed_forward, self.feed_forward_norm):
            build_part(part, inputs_shape)
        self._end_build()

    def call(
        self,
        inputs: Any,
        shortcut_states: Any = None,
        padding_mask: Any = None,
        training: bool | None = None,
        return_gates: bool = False,
    ) -> Any:
        check_width("inputs", inputs.shape, self.hidden_dim)
        check_mask("padding_mask", padding_mask, 2, inputs)
        mask = keras_mask(inputs) if padding_mask is None else padding_mask
        hidden = self._hidden(inputs, self.self_attention_norm)
        attended = self._attended(inputs, hidden)
        output = self.self_attention(
            hidden, attended, shortcut_states=shortcut_states, memory_mask=mask, training=training
        )
        x = self._connect(inputs, hidden, output, self.self_attention_norm, training)
        x = self._feed(x, training)
        return (x, self.self_attention.gates(attended, shortcut_states)) if return_gates else x

    compute_output_spec = spec_of_call
