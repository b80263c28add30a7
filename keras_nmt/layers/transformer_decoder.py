"""The Transformer decoder."""

from __future__ import annotations

import functools
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import keras_mask
from keras_nmt.layers._mechanisms import SHORTCUTS
from keras_nmt.layers._options import StackOptions, with_options
from keras_nmt.layers._transformer_stack import TransformerStack
from keras_nmt.layers.mechanism import Mechanism, as_json, choose
from keras_nmt.layers.transformer_decoder_layer import TransformerDecoderLayer


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerDecoder(TransformerStack):
    """A stack of `TransformerDecoderLayer`, from target embeddings to the states that predict the next token.

    The input is E = H_0, the source of lexical shortcuts. Unless norms are in post position, a norm ends the stack.
    `prepare` and `step` run the stack one position at a time, for search.

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
        cross_shortcut: None, "plain", "fusion" or "ungated", or a `Mechanism`: the shortcut on every cross-attention.
            Defaults to None.
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
        inputs: Float tensor `[B, T, d]`, the target embeddings E with their positions.
        memory: Float tensor `[B, S, d']`, the encoder's output.
        memory_lexical: Float tensor `[B, S, d_e]`, the source of the cross-attention's shortcut: the source embeddings.
            Needed if `cross_shortcut` is set, and only then.
        inputs_mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`,
            if any. If padding is at the end, the causal mask suffices.
        memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to the mask that Keras attached to `memory`,
            if any.
        training: Boolean, whether dropout is active.
        return_states: Boolean, whether to return the states of every layer too. Defaults to False.
        return_attention: Boolean, whether to return the cross-attention's weights of every layer too. Defaults to
            False.
        return_gates: Boolean, whether to return the shortcuts' gates of every layer too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`; with `return_states=True` also the list [H_0, ..., H_L] of the layers' states, normalised
        only with norms in post position, where hierarchical aggregates replace states; with
        `return_attention=True` also the list of the L layers' weights `[B, H, T, S]`; with `return_gates=True` also the
        list of the L layers' dictionaries of gates, see `TransformerDecoderLayer`.

    Example:

    >>> import numpy as np
    >>> decoder = TransformerDecoder(2, num_heads=2, hidden_dim=8, intermediate_dim=16, shortcut="plain")
    >>> target, memory = np.random.rand(3, 4, 8).astype("float32"), np.random.rand(3, 6, 8).astype("float32")
    >>> tuple(decoder(target, memory).shape)
    (3, 4, 8)

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
        cross_shortcut: str | Mechanism | None = None,
        **kwargs: Any,
    ) -> None:
        sizes = (num_layers, num_heads, hidden_dim, intermediate_dim)
        cross_shortcut = choose("cross_shortcut", cross_shortcut, SHORTCUTS)
        make_layer = functools.partial(TransformerDecoderLayer, cross_shortcut=cross_shortcut)
        super().__init__(make_layer, *sizes, shortcut=shortcut, **kwargs)
        self.cross_shortcut = cross_shortcut

    def build(
        self,
        inputs_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...],
        memory_lexical_shape: tuple[int | None, ...] | None = None,
    ) -> None:
        lexical_shape = None if self.shortcut is None else inputs_shape
        for layer in self.layers:
            layer.build(inputs_shape, memory_shape, lexical_shape, memory_lexical_shape)
        self._build_composition(inputs_shape)

    def call(
        self,
        inputs: Any,
        memory: Any,
        memory_lexical: Any = None,
        inputs_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_attention: bool = False,
        return_gates: bool = False,
    ) -> Any:
        inputs_mask = keras_mask(inputs) if inputs_mask is None else inputs_mask
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        states, attention, gates = [inputs], [], []  # H_0 = E
        for layer in self.layers:
            found = layer(
                states[-1],
                memory,
                lexical=self._lexical(states),
                memory_lexical=memory_lexical,
                inputs_mask=inputs_mask,
                memory_mask=memory_mask,
                training=training,
                return_attention=return_attention,
                return_gates=return_gates,
            )
            if return_attention or return_gates:
                found, *of_layer = found
                attention += of_layer[:1] * return_attention
                gates += of_layer[-1:] * return_gates
            states.append(found)
            self._feed_back(states)
        output = self._finish(states)
        more = [states] * return_states + [attention] * return_attention + [gates] * return_gates
        return (output, *more) if more else output

    def compute_output_spec(
        self,
        inputs: Any,
        memory: Any,
        memory_lexical: Any = None,
        inputs_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_attention: bool = False,
        return_gates: bool = False,
    ) -> Any:
        of_layers = [
            layer.compute_output_spec(
                inputs,
                memory,
                lexical=None if self.shortcut is None else inputs,  # as wide as all states
                memory_lexical=memory_lexical,
                inputs_mask=inputs_mask,
                memory_mask=memory_mask,
                return_attention=True,
                return_gates=return_gates,
            )[1:]
            for layer in self.layers
        ]
        attention, gates = [of_layer[0] for of_layer in of_layers], [of_layer[-1] for of_layer in of_layers]
        output, states = self._state_specs(inputs, keras_mask(inputs))
        more = [states] * return_states + [attention] * return_attention + [gates] * return_gates
        return (output, *more) if more else output

    def prepare(
        self, memory: Any, beam_size: int, max_length: int | None, memory_lexical: Any = None
    ) -> tuple[list[Any], dict[str, Any]]:
        """Computes the constants of a sentence and empty caches, for search.

        Args:
            memory: Float tensor `[B, S, d']`, the encoder's output.
            beam_size: Integer K, hypotheses per sentence.
            max_length: Integer M, the number of target positions that the caches hold. None: the caches grow.
            memory_lexical: Float tensor `[B, S, d_e]`, the source of the cross-attention's shortcut, if it has one.

        Returns:
            A list of constants `[B, ...]`, one entry per layer, and the caches. Caches that grow have "keys" and
            "values" of each hypothesis. Others have a fixed shape, for XLA: search does not reorder the keys and values
            under "kept"; search reorders "writers" `[B, K, M]`, the beam index at which each position of a hypothesis
            was written.
        """
        constants = [layer.prepare(memory, memory_lexical) for layer in self.layers]
        layers = [layer.empty_cache(memory, beam_size, max_length) for layer in self.layers]
        if max_length is None:
            return constants, {"layers": layers}
        writers = ops.zeros((ops.shape(memory)[0], beam_size, max_length), dtype="int32")
        return constants, {"writers": writers, "kept": layers}

    def step(
        self, inputs: Any, position: Any, constants: list[Any], caches: dict[str, Any], memory_mask: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Runs one target position of K hypotheses per sentence.

        Args:
            inputs: Float tensor `[B, K, d]`, the target embeddings E at this position.
            position: Integer scalar tensor, the position, from 0.
            constants: Output of `prepare`.
            caches: Output of `prepare` or of the previous step.
            memory_mask: Boolean tensor `[B, S]`, True at real tokens.

        Returns:
            Tensor `[B, K, d]`, equal to the output of `call` at this position, and the new caches.
        """
        grows = "layers" in caches
        writers, reached = (None, None) if grows else _writers(caches["writers"], position)
        states, new_caches = [inputs], []
        for layer, constant, cache in zip(self.layers, constants, caches["layers" if grows else "kept"], strict=True):
            lexical = self._lexical(states)
            state, cache = layer.step(states[-1], position, constant, cache, reached, lexical, memory_mask)
            states.append(state)
            self._feed_back(states)
            new_caches.append(cache)
        return self._finish(states), {"layers": new_caches} if grows else {"writers": writers, "kept": new_caches}

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cross_shortcut": as_json(self.cross_shortcut)}


def _writers(writers: Any, position: Any) -> tuple[Any, Any]:
    """The writers `[B, K, M]` with those of a position, and which keys each hypothesis has, `[B, K, M, K]`."""
    _, beam_size, max_length = ops.shape(writers)
    positions, beam = ops.arange(max_length, dtype="int32"), ops.arange(beam_size, dtype="int32")
    writers = ops.where(positions == position, beam[:, None], writers)
    return writers, (writers[..., None] == beam) & (positions <= position)[:, None]
