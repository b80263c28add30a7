"""The stack of Transformer decoder layers."""

from __future__ import annotations

import itertools
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import build_part, keras_mask, with_mask
from keras_nmt.layers.transformer_decoder_layer import TransformerDecoderLayer
from keras_nmt.layers.transformer_encoder import TransformerStack


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerDecoder(TransformerStack):
    """A stack of `TransformerDecoderLayer`, from target embeddings to the states that predict the next token.

    The input is E = H_0, the source of lexical shortcuts. For search, `prepare` and `step` run the stack one position
    at a time.

    Args:
        layers: Sequence of `TransformerDecoderLayer`.
        composition, composition_norms, final_norm, shortcut_source, num_layers, **kwargs: See `TransformerEncoder`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the target embeddings E with their positions.
        memory: Float tensor `[B, S, d']`, the encoder's output.
        memory_shortcut_states: Float tensor `[B, S, d_e]`, the source of the cross-attentions' shortcut, such as the
            source embeddings. Must be given if they have a shortcut, and only then.
        padding_mask, memory_mask, training: See `TransformerDecoderLayer`.
        return_states: Boolean, whether to return the states of every layer too. Defaults to False.
        return_attention_scores: Boolean, whether to return the cross-attention's weights of every layer too. Defaults
            to False.
        return_gates: Boolean, whether to return the shortcuts' gates of every layer too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`. With `return_states=True` also the list [H_0, ..., H_L] of the layers' states, in which
        hierarchical aggregates replace states; they are normalised only if the layers are post-LN. With
        `return_attention_scores=True` also the list of the L layers' weights `[B, H, T, S]`. With `return_gates=True`
        also the list of the L layers' dictionaries of gates; see `TransformerDecoderLayer`.

    Example:

    >>> import numpy as np
    >>> from keras_nmt.layers import FeedForward, MultiHeadAttention, TransformerDecoderLayer
    >>> layers = [
    ...     TransformerDecoderLayer(
    ...         *(MultiHeadAttention(num_heads=2, hidden_dim=8) for _ in range(2)),
    ...         FeedForward(intermediate_dim=16, hidden_dim=8),
    ...         *(keras.layers.LayerNormalization() for _ in range(3)),
    ...         keras.layers.Dropout(0.1),
    ...     )
    ...     for _ in range(2)
    ... ]
    >>> decoder = TransformerDecoder(layers, final_norm=keras.layers.LayerNormalization())
    >>> target, memory = np.random.rand(3, 4, 8).astype("float32"), np.random.rand(3, 6, 8).astype("float32")
    >>> tuple(decoder(target, memory).shape)
    (3, 4, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), sections 2.2 and 4.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of layers and heads.
    """

    LAYER = TransformerDecoderLayer
    RENAMED = (("inputs_mask", "padding_mask"), ("return_attention", "return_attention_scores"))

    def build(
        self,
        inputs_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...],
        memory_shortcut_states_shape: tuple[int | None, ...] | None = None,
    ) -> None:
        shortcut_states_shape = inputs_shape if self.has_shortcut else None
        for layer in self.unique_layers:
            build_part(layer, inputs_shape, memory_shape, shortcut_states_shape, memory_shortcut_states_shape)
        self._build_rest(inputs_shape)

    def call(
        self,
        inputs: Any,
        memory: Any,
        memory_shortcut_states: Any = None,
        padding_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_attention_scores: bool = False,
        return_gates: bool = False,
    ) -> Any:
        padding_mask = keras_mask(inputs) if padding_mask is None else padding_mask
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        states, attention, gates = self._first_states(inputs), [], []
        for layer in self.layers:
            outputs = layer(
                states[-1],
                memory,
                shortcut_states=self._shortcut_states(states),
                memory_shortcut_states=memory_shortcut_states,
                padding_mask=padding_mask,
                memory_mask=memory_mask,
                training=training,
                return_attention_scores=return_attention_scores,
                return_gates=return_gates,
            )
            if return_attention_scores or return_gates:
                outputs, *extra = outputs
                attention += extra[:1] * return_attention_scores
                gates += extra[-1:] * return_gates
            self._add_state(states, outputs)
        output = with_mask(self._finish(states), padding_mask)
        more = [states] * return_states + [attention] * return_attention_scores + [gates] * return_gates
        return (output, *more) if more else output

    def compute_output_spec(
        self,
        inputs: Any,
        memory: Any,
        memory_shortcut_states: Any = None,
        padding_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_attention_scores: bool = False,
        return_gates: bool = False,
    ) -> Any:
        further = [
            layer.compute_output_spec(
                inputs,
                memory,
                shortcut_states=inputs if self.has_shortcut else None,  # as wide as all states
                memory_shortcut_states=memory_shortcut_states,
                padding_mask=padding_mask,
                memory_mask=memory_mask,
                return_attention_scores=True,
                return_gates=return_gates,
            )[1:]
            for layer in self.layers
        ]
        attention, gates = [outputs[0] for outputs in further], [outputs[-1] for outputs in further]
        output, states = self._state_specs(inputs, keras_mask(inputs) if padding_mask is None else padding_mask)
        more = [states] * return_states + [attention] * return_attention_scores + [gates] * return_gates
        return (output, *more) if more else output

    def prepare(
        self, memory: Any, beam_size: int, max_length: int | None, memory_shortcut_states: Any = None
    ) -> tuple[list[Any], dict[str, Any]]:
        """Computes the constants of a sentence and empty caches, for search.

        Args:
            memory: Float tensor `[B, S, d']`, the encoder's output.
            beam_size: Integer K, hypotheses per sentence.
            max_length: Integer M, the number of target positions that the caches hold. None: the caches grow.
            memory_shortcut_states: Float tensor `[B, S, d_e]`, the source of the cross-attentions' shortcut, if any.

        Returns:
            A list of constants `[B, ...]`, one entry for each layer that has its own weights, and the caches. Caches
            that grow hold the "keys" and "values" of each hypothesis. Caches of recurrent layers hold a state of each
            hypothesis, whatever M; search reorders both. Other caches have a fixed shape, for XLA: search does not
            reorder the keys and values under "not_reordered", but "ancestry" `[B, K, M]`, the beam index at which each
            position of a hypothesis was written.
        """
        constants = [layer.prepare(memory, memory_shortcut_states) for layer in self.unique_layers]
        layers = [layer.empty_cache(memory, beam_size, max_length) for layer in self.layers]
        if max_length is None or all(layer.is_recurrent for layer in self.layers):
            return constants, {"layers": layers}
        ancestry = ops.zeros((ops.shape(memory)[0], beam_size, max_length), dtype="int32")
        return constants, {"ancestry": ancestry, **self._by_order(layers)}

    def _by_order(self, caches: list[Any]) -> dict[str, list[Any]]:
        """Splits caches of fixed shape into those that search reorders, of recurrent layers, and the others."""
        pairs = list(zip(self.layers, caches, strict=True))
        caches_by_order = {
            "layers": [cache for layer, cache in pairs if layer.is_recurrent],
            "not_reordered": [cache for layer, cache in pairs if not layer.is_recurrent],
        }
        return {name: part for name, part in caches_by_order.items() if part}

    def step(
        self, inputs: Any, position: Any, constants: list[Any], caches: dict[str, Any], memory_mask: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Runs one target position of K hypotheses per sentence.

        Args:
            inputs: Float tensor `[B, K, d]`, the target embeddings E at this position.
            position: Integer scalar tensor, the position, from 0.
            constants: Output of `prepare`.
            caches: Output of `prepare` or of the previous step.
            memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to None: all are real. A mask that Keras
                attached to the memory counts in `call` only.

        Returns:
            Tensor `[B, K, d]`, equal to the output of `call` at this position, and the new caches.
        """
        is_fixed = "ancestry" in caches
        ancestry, ancestry_mask = _beam_ancestry(caches["ancestry"], position) if is_fixed else (None, None)
        states, new_caches = self._first_states(inputs), []
        reordered, others = iter(caches.get("layers", ())), iter(caches.get("not_reordered", ()))
        for layer, constant in zip(self.layers, itertools.cycle(constants), strict=False):
            cache = next(others if is_fixed and not layer.is_recurrent else reordered)
            shortcut_states = self._shortcut_states(states)
            state, cache = layer.step(
                states[-1], position, constant, cache, ancestry_mask, shortcut_states, memory_mask
            )
            self._add_state(states, state)
            new_caches.append(cache)
        updated = {"ancestry": ancestry, **self._by_order(new_caches)} if is_fixed else {"layers": new_caches}
        return self._finish(states), updated


def _beam_ancestry(ancestry: Any, position: Any) -> tuple[Any, Any]:
    """Writes a position into the beam ancestry `[B, K, M]`; returns it and the mask of each hypothesis' own keys.

    The mask `[B, K, M, K]` is True at the keys that the predecessors of a hypothesis wrote.
    """
    _, beam_size, max_length = ops.shape(ancestry)
    positions, beam = ops.arange(max_length, dtype="int32"), ops.arange(beam_size, dtype="int32")
    ancestry = ops.where(positions == position, beam[:, None], ancestry)
    return ancestry, (ancestry[..., None] == beam) & (positions <= position)[:, None]
