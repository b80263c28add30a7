"""One layer of the Transformer decoder."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import (
    build_part,
    call_keeping_shape,
    check_alike,
    check_gated,
    check_mask,
    check_source,
    check_width,
    keras_mask,
    with_mask,
)
from keras_nmt.layers.mechanisms import StepwiseLayer, missing_members
from keras_nmt.layers.transformer_encoder_layer import TransformerLayer


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerDecoderLayer(TransformerLayer):
    """One Transformer decoder layer: causal self-attention, cross-attention to the memory, feed-forward network.

    `call` runs over whole target sentences. For search, `prepare` computes the constants of a sentence, `empty_cache`
    makes the self-attention's cache, and `step` runs one position of K hypotheses per sentence.

    Args:
        self_attention: `MultiHeadAttention` of the inputs to themselves; or instead a causal `StepwiseLayer` of
            `keras_nmt.layers.mechanisms`, such as `SSRU`.
        cross_attention: `MultiHeadAttention` of the inputs to the memory.
        feed_forward: Layer `[B, T, d]` -> `[B, T, d]`, such as `FeedForward`.
        self_attention_norm: Layer, the norm of the self-attention, such as `keras.layers.LayerNormalization`.
        feed_forward_norm: Layer, the norm of the feed-forward network.
        cross_attention_norm: Layer, the norm of the cross-attention.
        residual_dropout, residual, **kwargs: See `TransformerEncoderLayer`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the states H_{l-1}.
        memory: Float tensor `[B, S, d']`, the encoder's output.
        shortcut_states: Float tensor `[B, T, d_e]`, the source of the self-attention's shortcut, if it has one.
        memory_shortcut_states: Float tensor `[B, S, d_e]`, the source of the cross-attention's shortcut, if it has one.
        padding_mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to
            `inputs`, if any. If padding is at the end, the causal mask suffices.
        memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to the mask that Keras attached to `memory`,
            if any.
        training: Boolean, whether dropout is active.
        return_attention_scores: Boolean, whether to return the cross-attention's weights too. Defaults to False.
        return_gates: Boolean, whether to return the gates of the shortcuts too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`, the states H_l. With `return_attention_scores=True` also the weights `[B, H, T, S]`. With
        `return_gates=True` also a dictionary of the gates (r_K, r_V) of the attentions that have a gated shortcut:
        "self", `[B, T, d]` each, and "cross", `[B, S, d]` each.

    Example:

    >>> import numpy as np
    >>> from keras_nmt.layers import FeedForward, MultiHeadAttention
    >>> layer = TransformerDecoderLayer(
    ...     MultiHeadAttention(num_heads=2, hidden_dim=8),
    ...     MultiHeadAttention(num_heads=2, hidden_dim=8),
    ...     FeedForward(intermediate_dim=16, hidden_dim=8),
    ...     *(keras.layers.LayerNormalization() for _ in range(3)),
    ...     keras.layers.Dropout(0.1),
    ... )
    >>> states, memory = np.random.rand(2, 4, 8).astype("float32"), np.random.rand(2, 6, 8).astype("float32")
    >>> tuple(layer(states, memory).shape)
    (2, 4, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 2.2, and 4.2 for the cross-attention's
        shortcut; [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of heads.
    """

    RENAMED = (("inputs_mask", "padding_mask"), ("return_attention", "return_attention_scores"))

    PARTS = (*TransformerLayer.PARTS, "cross_attention", "cross_attention_norm")

    def __init__(
        self,
        self_attention: Any,
        cross_attention: Any,
        feed_forward: keras.layers.Layer,
        self_attention_norm: keras.layers.Layer,
        cross_attention_norm: keras.layers.Layer,
        feed_forward_norm: keras.layers.Layer,
        residual_dropout: keras.layers.Layer,
        residual: str = "pre",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            self_attention, feed_forward, self_attention_norm, feed_forward_norm, residual_dropout, residual, **kwargs
        )
        self.is_recurrent = not missing_members(self_attention, StepwiseLayer)
        self._widths: dict[str, int | None] = {}  # widths of memory and shortcut sources, set by `build`
        self.cross_attention = cross_attention
        self.cross_attention_norm = cross_attention_norm

    @property
    def hidden_dim(self) -> int:
        width: int = self.cross_attention.hidden_dim
        return width

    def build(
        self,
        inputs_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...],
        shortcut_states_shape: tuple[int | None, ...] | None = None,
        memory_shortcut_states_shape: tuple[int | None, ...] | None = None,
    ) -> None:
        check_width("inputs", inputs_shape, self.hidden_dim)
        check_source("memory_shortcut_states", memory_shortcut_states_shape, self.cross_attention.has_shortcut)
        shapes = {
            "memory": memory_shape,
            "shortcut_states": shortcut_states_shape,
            "memory_shortcut_states": memory_shortcut_states_shape,
        }
        self._widths = {name: shape[-1] for name, shape in shapes.items() if shape is not None}
        self._check_dtype()
        build_part(
            self.self_attention,
            *([inputs_shape] if self.is_recurrent else [inputs_shape, inputs_shape, shortcut_states_shape]),
        )
        build_part(self.cross_attention, inputs_shape, memory_shape, memory_shortcut_states_shape)
        norms = self.self_attention_norm, self.cross_attention_norm, self.feed_forward_norm
        for part in (self.feed_forward, *norms):
            build_part(part, inputs_shape)
        self._end_build()

    def call(
        self,
        inputs: Any,
        memory: Any,
        shortcut_states: Any = None,
        memory_shortcut_states: Any = None,
        padding_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
        return_gates: bool = False,
    ) -> Any:
        self._check_inputs(inputs, memory, shortcut_states, memory_shortcut_states, padding_mask, memory_mask)
        padding_mask = keras_mask(inputs) if padding_mask is None else padding_mask
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        hidden = self._hidden(inputs, self.self_attention_norm)
        attended = self._attended(inputs, hidden)
        if self.is_recurrent:
            output = call_keeping_shape(self.self_attention, hidden, mask=padding_mask)
        else:
            output = self.self_attention(
                hidden,
                attended,
                shortcut_states=shortcut_states,
                training=training,
                memory_mask=padding_mask,
                use_causal_mask=True,
            )
        x = self._connect(inputs, hidden, output, self.self_attention_norm, training)
        hidden = self._hidden(x, self.cross_attention_norm)
        output, weights = self.cross_attention(
            hidden,
            memory,
            shortcut_states=memory_shortcut_states,
            training=training,
            return_attention_scores=True,
            memory_mask=memory_mask,
        )
        x = self._connect(x, hidden, output, self.cross_attention_norm, training)
        states = with_mask(self._feed(x, training), padding_mask)
        more = [weights] * return_attention_scores
        if return_gates:
            sources = {"self": (attended, shortcut_states), "cross": (memory, memory_shortcut_states)}
            more.append({site: attention.gates(*sources[site]) for site, attention in self.gated().items()})
        return (states, *more) if more else states

    def gated(self) -> dict[str, Any]:
        """Returns those of the attentions "self" and "cross" that have a gated shortcut. None is an error."""
        attentions = {} if self.is_recurrent else {"self": self.self_attention}
        attentions["cross"] = self.cross_attention
        gated = {site: attention for site, attention in attentions.items() if attention.has_gates}
        check_gated(bool(gated))
        return gated

    def compute_output_spec(
        self,
        inputs: Any,
        memory: Any,
        shortcut_states: Any = None,
        memory_shortcut_states: Any = None,
        padding_mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
        return_gates: bool = False,
    ) -> Any:
        self._check_inputs(inputs, memory, shortcut_states, memory_shortcut_states, padding_mask, memory_mask)
        mask = keras_mask(inputs) if padding_mask is None else padding_mask
        states = with_mask(keras.KerasTensor(inputs.shape, self.compute_dtype), mask)
        shape = (inputs.shape[0], self.cross_attention.num_heads, inputs.shape[1], memory.shape[1])
        weights = keras.KerasTensor(shape, self.compute_dtype)
        sources, gates = {"self": inputs, "cross": memory}, {}
        for site, attention in self.gated().items() if return_gates else ():
            shape = (*sources[site].shape[:-1], attention.key_value_dim)
            gates[site] = (keras.KerasTensor(shape, self.compute_dtype),) * 2
        more = [weights] * return_attention_scores + [gates] * return_gates
        return (states, *more) if more else states

    def _check_inputs(
        self,
        inputs: Any,
        memory: Any,
        shortcut_states: Any,
        memory_shortcut_states: Any,
        padding_mask: Any,
        memory_mask: Any,
    ) -> None:
        """Raises a `ValueError` if the arguments of a call do not match the layer or each other."""
        check_width("inputs", inputs.shape, self.hidden_dim)
        given_states = {
            "memory": memory,
            "shortcut_states": shortcut_states,
            "memory_shortcut_states": memory_shortcut_states,
        }
        shapes = {name: None if states is None else states.shape for name, states in given_states.items()}
        check_source("shortcut_states", shapes["shortcut_states"], self.has_shortcut)
        check_source("memory_shortcut_states", shapes["memory_shortcut_states"], self.cross_attention.has_shortcut)
        for name, shape in shapes.items():
            if shape is not None:
                check_width(name, shape, self._widths.get(name) or shape[-1])
        if shortcut_states is not None:
            check_alike(inputs=inputs.shape, shortcut_states=shortcut_states.shape)
        if memory_shortcut_states is not None:
            check_alike(memory=memory.shape, memory_shortcut_states=memory_shortcut_states.shape)
        check_mask("padding_mask", padding_mask, 2, inputs)
        check_mask("memory_mask", memory_mask, 2, memory)

    def prepare(self, memory: Any, memory_shortcut_states: Any = None) -> dict[str, Any]:
        """Computes the constants of a sentence, for search, from the arguments of `TransformerDecoder.prepare`.

        Returns:
            Dictionary of the "keys" and "values" of the cross-attention, `[B, H', S, d / H]` each, where H' is the
            number of their heads.
        """
        keys, values = self.cross_attention.project(memory, memory_shortcut_states)
        return {"keys": keys, "values": values}

    def empty_cache(self, memory: Any, beam_size: int, max_length: int | None) -> dict[str, Any]:
        """Makes the cache of the self-attention, or of the recurrent layer in its place, before the first `step`.

        The arguments are those of `TransformerDecoder.prepare`; the memory gives B.

        Returns:
            Dictionary of "keys" and "values": zeros `[B, H', M, K, d / H]` each, where H' is the number of their heads;
            if the cache grows, `[B, K, H', 0, d / H]` each. For a recurrent layer, the cache of that layer.
        """
        batch_size = ops.shape(memory)[0]
        if self.is_recurrent:
            return self.self_attention.empty_cache(batch_size, beam_size)
        num_heads, head_dim = self.self_attention.num_key_value_heads, self.self_attention.head_dim
        if max_length is None:
            # A zero that the graph does not know, because a size that it knows cannot change in a loop.
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
        ancestry_mask: Any = None,
        shortcut_states: Any = None,
        memory_mask: Any = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Runs one target position of K hypotheses per sentence.

        Args:
            inputs: Float tensor `[B, K, d]`, the states H_{l-1} at this position.
            position, constants, memory_mask: See `TransformerDecoder.step`.
            cache: Output of `empty_cache` or of the previous step. Search reorders all caches except keys and values
                of a fixed shape.
            ancestry_mask: Boolean tensor `[B, K, M, K]`, True at the keys that the predecessors of each hypothesis in
                the beam wrote at the positions so far. None for a cache that search reorders.
            shortcut_states: Float tensor `[B, K, d_e]`, the source of the self-attention's shortcut, if it has one.

        Returns:
            The states H_l at this position, `[B, K, d]`, and the cache that includes this position.
        """
        inputs = ops.cast(inputs, self.compute_dtype)
        shortcut_states = None if shortcut_states is None else ops.cast(shortcut_states, self.compute_dtype)
        hidden = self._hidden(inputs, self.self_attention_norm)
        attended = self._attended(inputs, hidden)
        if self.is_recurrent:
            output, new_cache = self.self_attention.step(hidden, position, cache)
        elif ancestry_mask is None:
            output, new_cache = self._step_alone(hidden, attended, shortcut_states, position, cache)
        else:
            output, new_cache = self._step_in_beam(hidden, attended, shortcut_states, position, cache, ancestry_mask)
        x = self._connect(inputs, hidden, output, self.self_attention_norm, training=False)
        hidden = self._hidden(x, self.cross_attention_norm)
        mask = None if memory_mask is None else ops.expand_dims(memory_mask, 1)  # [B, 1, S]
        keys, values = constants["keys"], constants["values"]
        # The K hypotheses are K queries to one memory.
        output, _ = self.cross_attention.attend(hidden, keys, values, mask, position=position)
        x = self._connect(x, hidden, output, self.cross_attention_norm, training=False)
        return self._feed(x, training=False), new_cache

    def _step_alone(
        self, hidden: Any, attended: Any, shortcut_states: Any, position: Any, cache: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Runs self-attention at one position, where each hypothesis has its own keys, in a cache that grows."""
        all_states = hidden, attended, shortcut_states
        hidden, attended, source = (None if x is None else ops.expand_dims(x, 2) for x in all_states)  # [B, K, 1, d]
        keys, values = self.self_attention.project(attended, source, position)  # [B, K, H', 1, d / H]
        keys = ops.concatenate([cache["keys"], keys], axis=-2)  # [B, K, H', t, d / H]
        values = ops.concatenate([cache["values"], values], axis=-2)
        output, _ = self.self_attention.attend(hidden, keys, values, position=position)
        return ops.squeeze(output, 2), {"keys": keys, "values": values}

    def _step_in_beam(
        self, hidden: Any, attended: Any, shortcut_states: Any, position: Any, cache: dict[str, Any], mask: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Runs self-attention at one position, where the keys of all K hypotheses form one memory of a fixed shape.

        The `mask` `[B, K, M, K]` selects the keys of each hypothesis.
        """
        batch_size, num_heads, max_length, beam_size, head_dim = ops.shape(cache["keys"])
        keys, values = self.self_attention.project(attended, shortcut_states, position)  # [B, H', K, d / H]
        new_cache = {
            "keys": _write(cache["keys"], position, keys),  # [B, H', M, K, d / H]
            "values": _write(cache["values"], position, values),
        }
        shape = (batch_size, num_heads, max_length * beam_size, head_dim)
        keys, values = ops.reshape(new_cache["keys"], shape), ops.reshape(new_cache["values"], shape)
        mask = ops.reshape(mask, (batch_size, beam_size, max_length * beam_size))
        output, _ = self.self_attention.attend(hidden, keys, values, mask, position=position)  # [B, K, d]
        return output, new_cache


def _write(cache: Any, position: Any, new: Any) -> Any:
    """Writes `[B, H, K, d / H]` into the cache `[B, H, M, K, d / H]` at a position."""
    # XLA runs a scatter in place, and every server supports it. A slice update is supported by XLA only.
    batch_size, num_heads = ops.shape(cache)[:2]
    rows = ops.arange(batch_size * num_heads, dtype="int32")
    indices = ops.stack([rows // num_heads, rows % num_heads, ops.zeros_like(rows) + position], axis=1)  # [B H, 3]
    return ops.scatter_update(cache, indices, ops.reshape(new, (-1, *ops.shape(new)[2:])))
