"""One layer of the Transformer decoder."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import check_alike, check_gated, check_mask, check_source, check_width, keras_mask
from keras_nmt.layers._mechanisms import SHORTCUTS
from keras_nmt.layers._options import LayerOptions, with_options
from keras_nmt.layers._transformer_layer import TransformerLayer
from keras_nmt.layers.mechanism import Mechanism, as_json, choose


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerDecoderLayer(TransformerLayer):
    """One Transformer decoder layer: causal self-attention, cross-attention to the memory, feed-forward network.

    `call` runs over whole target sentences. For search, `prepare` computes the constants of a sentence, `empty_cache`
    makes the self-attention's cache, and `step` runs one position of K hypotheses per sentence.

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
        cross_shortcut: None, "plain", "fusion" or "ungated": `LexicalShortcut` on the cross-attention; or a
            `Mechanism`. Defaults to None.
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
        memory: Float tensor `[B, S, d']`, the encoder's output.
        lexical: Float tensor `[B, T, d_e]`, the source of the self-attention's shortcut, if it has one.
        memory_lexical: Float tensor `[B, S, d_e]`, the source of the cross-attention's shortcut, if it has one.
        inputs_mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`,
            if any. If padding is at the end, the causal mask suffices.
        memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to the mask that Keras attached to `memory`,
            if any.
        training: Boolean, whether dropout is active.
        return_attention: Boolean, whether to return the cross-attention's weights too. Defaults to False.
        return_gates: Boolean, whether to return the gates of the shortcuts too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`, the states H_l; with `return_attention=True` also the weights `[B, H, T, S]`; with
        `return_gates=True` also a dictionary of the gates (r_K, r_V): "self", `[B, T, d]` each, and "cross",
        `[B, S, d]` each, of the attentions that have a gated shortcut.

    Example:

    >>> import numpy as np
    >>> layer = TransformerDecoderLayer(num_heads=2, hidden_dim=8, intermediate_dim=16)
    >>> states, memory = np.random.rand(2, 4, 8).astype("float32"), np.random.rand(2, 6, 8).astype("float32")
    >>> tuple(layer(states, memory).shape)
    (2, 4, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 2.2, and 4.2 for the cross-attention's
        shortcut; [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of heads.
    """

    @with_options(LayerOptions)
    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        *,
        shortcut: str | Mechanism | None = None,
        cross_shortcut: str | Mechanism | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_heads, hidden_dim, intermediate_dim, shortcut=shortcut, **kwargs)
        self.cross_shortcut = choose("cross_shortcut", cross_shortcut, SHORTCUTS)
        self._widths: dict[str, int | None] = {}  # widths of memory and shortcut sources, known once built
        self.cross_attention = self._attention(self.cross_shortcut, None, "cross_attention")
        self.cross_attention_norm = self._norm("cross_attention_norm")

    def build(
        self,
        inputs_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...],
        lexical_shape: tuple[int | None, ...] | None = None,
        memory_lexical_shape: tuple[int | None, ...] | None = None,
    ) -> None:
        check_width("inputs", inputs_shape, self.options.hidden_dim)
        check_source("memory_lexical", memory_lexical_shape, cross_shortcut=self.cross_shortcut)
        shapes = {"memory": memory_shape, "lexical": lexical_shape, "memory_lexical": memory_lexical_shape}
        self._widths = {name: shape[-1] for name, shape in shapes.items() if shape is not None}
        self.self_attention.build(inputs_shape, inputs_shape, lexical_shape)
        self.self_attention_norm.build(inputs_shape)
        self.cross_attention.build(inputs_shape, memory_shape, memory_lexical_shape)
        self.cross_attention_norm.build(inputs_shape)
        self.feed_forward.build(inputs_shape)
        self.feed_forward_norm.build(inputs_shape)

    def call(
        self,
        inputs: Any,
        memory: Any,
        lexical: Any = None,
        memory_lexical: Any = None,
        inputs_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_attention: bool = False,
        return_gates: bool = False,
    ) -> Any:
        self._check_inputs(inputs, memory, lexical, memory_lexical, inputs_mask, memory_mask)
        gates = dict.fromkeys(self.gated() if return_gates else ())
        inputs_mask = keras_mask(inputs) if inputs_mask is None else inputs_mask
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        positions = ops.arange(ops.shape(inputs)[1])
        causal = ops.expand_dims(ops.expand_dims(positions, 1) >= ops.expand_dims(positions, 0), 0)  # [1, T, T]
        if inputs_mask is not None:
            causal = ops.logical_and(causal, ops.expand_dims(inputs_mask, 1))  # [B, T, T]

        def attend(hidden: Any) -> Any:
            own = self._remembered(inputs, hidden)
            if "self" in gates:
                gates["self"] = self.self_attention.gates(own, lexical)
            return self.self_attention(hidden, own, lexical=lexical, attention_mask=causal, training=training)

        attention: list[Any] = []

        def attend_memory(hidden: Any) -> Any:
            mask = None if memory_mask is None else ops.expand_dims(memory_mask, 1)  # [B, 1, S]
            output, weights = self.cross_attention(
                hidden,
                memory,
                lexical=memory_lexical,
                attention_mask=mask,
                training=training,
                return_weights=True,
            )
            attention.append(weights)
            return output

        if "cross" in gates:
            gates["cross"] = self.cross_attention.gates(memory, memory_lexical)
        states = self._run(inputs, attend, attend_memory, training)
        more = attention * return_attention + [gates] * return_gates
        return (states, *more) if more else states

    def gated(self) -> list[str]:
        """The attentions with a gated shortcut, "self" and "cross"; an error if there are none."""
        sites = {"self": self.self_attention, "cross": self.cross_attention}
        gated = [site for site, attention in sites.items() if attention.has_gates]
        check_gated(bool(gated), self.shortcut, self.cross_shortcut)
        return gated

    def compute_output_spec(
        self,
        inputs: Any,
        memory: Any,
        lexical: Any = None,
        memory_lexical: Any = None,
        inputs_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_attention: bool = False,
        return_gates: bool = False,
    ) -> Any:
        self._check_inputs(inputs, memory, lexical, memory_lexical, inputs_mask, memory_mask)
        states = keras.KerasTensor(inputs.shape, self.compute_dtype)
        shape = (inputs.shape[0], self.options.num_heads, inputs.shape[1], memory.shape[1])
        weights = keras.KerasTensor(shape, self.compute_dtype)
        width = self.self_attention.key_value_dim
        lengths = {"self": inputs.shape[:-1], "cross": memory.shape[:-1]}
        gates = {
            site: (keras.KerasTensor((*lengths[site], width), self.compute_dtype),) * 2
            for site in (self.gated() if return_gates else ())
        }
        more = [weights] * return_attention + [gates] * return_gates
        return (states, *more) if more else states

    def _check_inputs(
        self, inputs: Any, memory: Any, lexical: Any, memory_lexical: Any, inputs_mask: Any, memory_mask: Any
    ) -> None:
        """Raises a `ValueError` if the arguments of a call do not fit the layer or each other."""
        check_width("inputs", inputs.shape, self.options.hidden_dim)
        given = {"memory": memory, "lexical": lexical, "memory_lexical": memory_lexical}
        shapes = {name: None if states is None else states.shape for name, states in given.items()}
        check_source("lexical", shapes["lexical"], shortcut=self.shortcut)
        check_source("memory_lexical", shapes["memory_lexical"], cross_shortcut=self.cross_shortcut)
        for name, shape in shapes.items():
            if shape is not None:
                check_width(name, shape, self._widths.get(name) or shape[-1])
        if lexical is not None:
            check_alike(inputs=inputs.shape, lexical=lexical.shape)
        if memory_lexical is not None:
            check_alike(memory=memory.shape, memory_lexical=memory_lexical.shape)
        check_mask("inputs_mask", inputs_mask, 2, inputs)
        check_mask("memory_mask", memory_mask, 2, memory)

    def prepare(self, memory: Any, memory_lexical: Any = None) -> dict[str, Any]:
        """Computes the constants of a sentence, for search.

        Args:
            memory: Float tensor `[B, S, d']`, the encoder's output.
            memory_lexical: Float tensor `[B, S, d_e]`, the source of the cross-attention's shortcut, if it has one.

        Returns:
            Dictionary of the "keys" and "values" of the cross-attention, `[B, H', S, d / H]` each, H' heads of keys and
            values.
        """
        keys, values = self.cross_attention.project(memory, memory_lexical)
        return {"keys": keys, "values": values}

    def empty_cache(self, memory: Any, beam_size: int, max_length: int | None) -> dict[str, Any]:
        """Makes the self-attention's cache before the first `step`.

        Args:
            memory: Float tensor `[B, S, d']`, the encoder's output, which gives B.
            beam_size: Integer K, hypotheses per sentence.
            max_length: Integer M, the number of target positions that the cache holds. None: the cache grows.

        Returns:
            Dictionary of "keys" and "values": zeros `[B, H', M, K, d / H]` each, H' heads of keys and values; if the
            cache grows, `[B, K, H', 0, d / H]` each.
        """
        batch_size = ops.shape(memory)[0]
        num_heads, head_dim = self.self_attention.num_key_value_heads, self.self_attention.head_dim
        if max_length is None:
            # A zero that the graph does not know: in a loop, a size that the graph knows cannot change.
            nothing = ops.cast(ops.sum(memory[:, :0]), "int32")
            shape = (batch_size, beam_size, num_heads, nothing, head_dim)
        else:
            shape = (batch_size, num_heads, max_length, beam_size, head_dim)
        zeros = ops.zeros(shape, dtype=self.compute_dtype)
        return {"keys": zeros, "values": zeros}

    def step(
        self,
        inputs: Any,
        position: Any,
        constants: dict[str, Any],
        cache: dict[str, Any],
        reached: Any = None,
        lexical: Any = None,
        memory_mask: Any = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Runs one target position of K hypotheses per sentence.

        Args:
            inputs: Float tensor `[B, K, d]`, the states H_{l-1} at this position.
            position: Integer scalar tensor, the position, from 0.
            constants: Output of `prepare`.
            cache: Output of `empty_cache` or of the previous step. Search reorders a cache that grows, and no other.
            reached: Boolean tensor `[B, K, M, K]`, True at the keys of each hypothesis: the keys that its predecessors
                in the beam wrote at the positions so far. None for a cache that grows.
            lexical: Float tensor `[B, K, d_e]`, the source of the self-attention's shortcut, if it has one.
            memory_mask: Boolean tensor `[B, S]`, True at real tokens.

        Returns:
            The states H_l at this position, `[B, K, d]`, and the cache with this position filled in.
        """
        new_cache: dict[str, Any] = {}

        def attend_own(hidden: Any) -> Any:  # the cache grows: each hypothesis has the keys of its predecessors
            given = hidden, self._remembered(inputs, hidden), lexical
            hidden, own, source = (None if x is None else ops.expand_dims(x, 2) for x in given)  # [B, K, 1, d]
            for name, new in zip(("keys", "values"), self.self_attention.project(own, source, position), strict=True):
                new_cache[name] = ops.concatenate([cache[name], new], axis=-2)  # [B, K, H', t, d / H]
            attended = self.self_attention.attend(hidden, new_cache["keys"], new_cache["values"], position=position)
            return ops.squeeze(attended[0], 2)

        def attend(hidden: Any) -> Any:
            batch_size, num_heads, max_length, beam_size, head_dim = ops.shape(cache["keys"])
            projected = self.self_attention.project(self._remembered(inputs, hidden), lexical, position)
            for name, new in zip(("keys", "values"), projected, strict=True):
                new_cache[name] = _write(cache[name], position, new)  # [B, H', K, d / H]
            # The keys of all K hypotheses are one memory; the mask admits those of each hypothesis.
            shape = (batch_size, num_heads, max_length * beam_size, head_dim)
            keys, values = (ops.reshape(new_cache[name], shape) for name in ("keys", "values"))
            mask = ops.reshape(reached, (batch_size, beam_size, max_length * beam_size))
            return self.self_attention.attend(hidden, keys, values, mask, position=position)[0]  # [B, K, d]

        def attend_memory(hidden: Any) -> Any:  # K hypotheses are K queries to one memory
            mask = None if memory_mask is None else ops.expand_dims(memory_mask, 1)  # [B, 1, S]
            return self.cross_attention.attend(hidden, constants["keys"], constants["values"], mask)[0]

        return self._run(inputs, attend_own if reached is None else attend, attend_memory, training=False), new_cache

    def _run(self, x: Any, attend: Any, attend_memory: Any, training: Any) -> Any:
        def feed(hidden: Any) -> Any:
            return self.feed_forward(hidden, training=training)

        x = self._residual(x, self.self_attention_norm, attend, training)
        x = self._residual(x, self.cross_attention_norm, attend_memory, training)
        return self._residual(x, self.feed_forward_norm, feed, training)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cross_shortcut": as_json(self.cross_shortcut)}


def _write(cache: Any, position: Any, new: Any) -> Any:
    """The cache `[B, H, M, K, d / H]` with `[B, H, K, d / H]` at a position."""
    # XLA does a scatter in place, and every server supports a scatter; only XLA supports a slice update.
    batch_size, num_heads = ops.shape(cache)[:2]
    rows = ops.arange(batch_size * num_heads, dtype="int32")
    indices = ops.stack([rows // num_heads, rows % num_heads, ops.zeros_like(rows) + position], axis=1)  # [B H, 3]
    return ops.scatter_update(cache, indices, ops.reshape(new, (-1, *ops.shape(new)[2:])))
