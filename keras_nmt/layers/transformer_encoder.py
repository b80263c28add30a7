"""The Transformer encoder."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import check_mask, keras_mask
from keras_nmt.layers._options import StackOptions, with_options
from keras_nmt.layers._transformer_stack import TransformerStack
from keras_nmt.layers.mechanism import Mechanism
from keras_nmt.layers.transformer_encoder_layer import TransformerEncoderLayer


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerEncoder(TransformerStack):
    """A stack of `TransformerEncoderLayer`, from embeddings to encoder output.

    The input is E = H_0, the source of lexical shortcuts. Unless norms are in post position, a norm ends the stack.

    Args:
        num_layers: Integer, number of layers L.
        num_heads: Integer, number of attention heads.
        hidden_dim: Integer, width d of the states; a multiple of `num_heads`.
        intermediate_dim: Integer, inner width of the feed-forward networks.
        dropout: Float, dropout rate of each sub-layer's output. Defaults to 0.
        attention_dropout: Float, dropout rate of the attention weights. Defaults to 0.
        activation_dropout: Float, dropout rate inside the feed-forward networks. Defaults to 0.
        norm: "pre" or "post": LayerNorm before the sub-layers and at the end of the stack, or after the sub-layers;
            "released": as the code that Emelin et al. released, see `TransformerEncoderLayer`; "rms":
            `RMSNormalization`; or a `Mechanism`, a norm. Defaults to "pre".
        norm_position: "pre" or "post": where the norm of `norm="rms"` or of a `Mechanism` is. Defaults to "pre".
        feed_forward: "relu" or "gelu": a `FeedForward` with this activation; "swiglu": `GatedFeedForward`; or a
            `Mechanism`. Defaults to "relu".
        positions: Positions of the queries and keys of self-attentions. None; "rotary": `RotaryEncoding`; or a
            `Mechanism`. Defaults to None.
        num_key_value_heads: Integer, number of heads of keys and values; see `MultiHeadAttention`. Defaults to
            `num_heads`.
        shortcut: None, "plain", "fusion" or "ungated", or a `Mechanism`: the shortcut on every self-attention. Defaults
            to None.
        shortcut_source: "lexical": E; or "non_lexical": H_{l-2} in layer l, not normalised, and E in layers 1 and 2.
            Defaults to "lexical".
        layer_composition: Output of the stack. None: the last layer's states H^L. Otherwise the composition of H^1 ..
            H^L: "linear" (`LinearCombination`), "low_rank" or "extended" (`LowRankBilinearPooling`, Eq. 10 or 11),
            "bilinear" (`BilinearPooling`, Eq. 6, for small widths), or "hierarchical" (`HierarchicalAggregation`, whose
            aggregates also replace H^2, H^4, ... as input of the next layer). Unless norms are in post position, each
            H^l is normalised before the composition, and the result after it; an aggregate is normalised already and
            has no final norm, unless it is a residual. Or a `Mechanism`. Defaults to None.
        head_composition: How attentions combine their heads; see `MultiHeadAttention`. Defaults to None.
        layer_composition_rank: Integer, rank of the pooling of layers. Defaults to `hidden_dim`.
        head_composition_rank: Integer, rank of the pooling of heads. Defaults to `hidden_dim`.
        composition_start: "random", or "identity": the first output is that of a stack without compositions. "linear",
            and "extended" of full rank, have such a start; the others need `composition_residual`. Defaults to
            "random".
        composition_residual: Boolean, whether H^L, or the joined heads, are added to their composition. Hierarchical
            aggregates are then added to H^2, H^4, ... instead of replacing them. Defaults to False.
        head_intermediate_dim: Integer, inner width of the hierarchical aggregation of heads. Defaults to twice
            `hidden_dim`.
        output_projection: Boolean, whether W_O follows the pooling of heads. Defaults to True.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the embeddings E with their positions.
        mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`, if
            any.
        training: Boolean, whether dropout is active.
        return_states: Boolean, whether to return the states of every layer too. Defaults to False.
        return_gates: Boolean, whether to return the shortcut's gates of every layer too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`; with `return_states=True` also the list [H_0, ..., H_L] of the layers' states, normalised
        only with norms in post position, where hierarchical aggregates replace states; with `return_gates=True` also
        the list of the L layers' gates (r_K, r_V), `[B, T, d]` each.

    Example:

    >>> import numpy as np
    >>> encoder = TransformerEncoder(2, num_heads=2, hidden_dim=8, intermediate_dim=16, shortcut="fusion")
    >>> output, states = encoder(np.random.rand(3, 5, 8).astype("float32"), return_states=True)
    >>> tuple(output.shape), len(states)
    ((3, 5, 8), 3)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), sections 2.2 and 4.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of layers and heads.
    """

    @with_options(StackOptions)
    def __init__(
        self,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        *,
        shortcut: str | Mechanism | None = None,
        **kwargs: Any,
    ) -> None:
        sizes = (num_layers, num_heads, hidden_dim, intermediate_dim)
        super().__init__(TransformerEncoderLayer, *sizes, shortcut=shortcut, **kwargs)

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        for layer in self.layers:
            layer.build(inputs_shape, None if self.shortcut is None else inputs_shape)
        self._build_composition(inputs_shape)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_gates: bool = False,
    ) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        states, gates = [inputs], []  # H_0 = E
        for layer in self.layers:
            lexical = self._lexical(states)
            found = layer(states[-1], lexical=lexical, mask=mask, training=training, return_gates=return_gates)
            if return_gates:
                found, of_layer = found
                gates.append(of_layer)
            states.append(found)
            self._feed_back(states)
        output = self._finish(states)
        more = [states] * return_states + [gates] * return_gates
        return (output, *more) if more else output

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_gates: bool = False,
    ) -> Any:
        check_mask("mask", mask, 2, inputs)
        output, states = self._state_specs(inputs, keras_mask(inputs) if mask is None else mask)
        gates = self._gate_specs(inputs) if return_gates else []
        more = [states] * return_states + [gates] * return_gates
        return (output, *more) if more else output
