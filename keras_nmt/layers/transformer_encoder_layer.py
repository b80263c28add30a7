"""One layer of the Transformer encoder."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import check_mask, check_width, keras_mask
from keras_nmt.layers._transformer_layer import TransformerLayer


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerEncoderLayer(TransformerLayer):
    """One Transformer encoder layer: self-attention, then a feed-forward network, each in a residual connection.

    Args:
        num_heads: Integer, number of attention heads.
        hidden_dim: Integer, width d of the states; a multiple of `num_heads`.
        intermediate_dim: Integer, inner width of the feed-forward network.
        dropout: Float, dropout rate of each sub-layer's output. Defaults to 0.
        attention_dropout: Float, dropout rate of the attention weights. Defaults to 0.
        activation_dropout: Float, dropout rate inside the feed-forward network. Defaults to 0.
        norm: "pre": `x + f(LN(x))`, the stack normalises its output; "post": `LN(x + f(x))`; "released":
            `LN(x) + f(LN(x))`, with keys and values of self-attention from x, as in the code that Emelin et al.
            released; "rms": `RMSNormalization`; or a `Mechanism`, a norm. Defaults to "pre".
        norm_position: "pre" or "post": where the norm of `norm="rms"` or of a `Mechanism` is. Defaults to "pre".
        feed_forward: "relu" or "gelu": a `FeedForward` with this activation; "swiglu": `GatedFeedForward`; or a
            `Mechanism`. Defaults to "relu".
        positions: Positions of the queries and keys of self-attention. None; "rotary": `RotaryEncoding`; or a
            `Mechanism`. Defaults to None.
        num_key_value_heads: Integer, number of heads of keys and values; see `MultiHeadAttention`. Defaults to
            `num_heads`.
        shortcut: None, "plain", "fusion" or "ungated": `LexicalShortcut` on the self-attention; or a `Mechanism`.
            Defaults to None.
        head_composition: How attentions combine their heads; see `MultiHeadAttention`. Defaults to None.
        head_composition_rank: Integer, rank of the pooling. Defaults to `hidden_dim`.
        composition_start: "random" or "identity"; see `MultiHeadAttention`. Defaults to "random".
        composition_residual: Boolean, whether the joined heads are added to their composition. Defaults to False.
        head_intermediate_dim: Integer, inner width of the hierarchical aggregation of heads. Defaults to twice
            `hidden_dim`.
        output_projection: Boolean, whether W_O follows the pooling of heads. Defaults to True.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the states H_{l-1}.
        lexical: Float tensor `[B, T, d_e]`, the source of the shortcut; needed if `shortcut` is set, and only then.
        mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`, if
            any.
        training: Boolean, whether dropout is active.
        return_gates: Boolean, whether to return the gates of the shortcut too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`, the states H_l; with `return_gates=True` also the gates (r_K, r_V), `[B, T, d]` each.

    Example:

    >>> import numpy as np
    >>> layer = TransformerEncoderLayer(num_heads=2, hidden_dim=8, intermediate_dim=16, shortcut="plain")
    >>> embeddings = np.random.rand(2, 5, 8).astype("float32")
    >>> tuple(layer(embeddings, lexical=embeddings, mask=np.ones((2, 5), bool)).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 2.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of heads.
    """

    def build(self, inputs_shape: tuple[int | None, ...], lexical_shape: tuple[int | None, ...] | None = None) -> None:
        check_width("inputs", inputs_shape, self.options.hidden_dim)
        self.self_attention.build(inputs_shape, inputs_shape, lexical_shape)
        self.self_attention_norm.build(inputs_shape)
        self.feed_forward.build(inputs_shape)
        self.feed_forward_norm.build(inputs_shape)

    def call(
        self,
        inputs: Any,
        lexical: Any = None,
        mask: Any = None,
        training: bool | None = None,
        return_gates: bool = False,
    ) -> Any:
        check_width("inputs", inputs.shape, self.options.hidden_dim)
        check_mask("mask", mask, 2, inputs)
        mask = keras_mask(inputs) if mask is None else mask
        attention_mask = None if mask is None else ops.expand_dims(mask, 1)  # [B, 1, T]

        gates: list[Any] = []

        def attend(hidden: Any) -> Any:
            memory = self._remembered(inputs, hidden)
            if return_gates:
                gates.append(self.self_attention.gates(memory, lexical))
            return self.self_attention(
                hidden, memory, lexical=lexical, attention_mask=attention_mask, training=training
            )

        def feed(hidden: Any) -> Any:
            return self.feed_forward(hidden, training=training)

        x = self._residual(inputs, self.self_attention_norm, attend, training)
        x = self._residual(x, self.feed_forward_norm, feed, training)
        return (x, gates[0]) if return_gates else x

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        # The outputs depend on the arguments: infer them from `call`, not from `compute_output_shape`.
        return keras.Operation.compute_output_spec(self, *args, **kwargs)
