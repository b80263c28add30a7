"""Multi-head attention, and its projection to keys and values."""

from __future__ import annotations

import functools
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import require
from keras_nmt.layers._common import (
    AssembledLayer,
    add_matrix,
    build_part,
    check_gated,
    check_mask,
    check_positive,
    check_rate,
    check_source,
    keras_mask,
    optional_size,
    positions_of,
    projection_initializer,
    softmax,
    spec_of_call,
)
from keras_nmt.layers._projection import Int8Kernels, Projection, reshape_last
from keras_nmt.layers._taps import tap
from keras_nmt.layers.dropout import Dropout
from keras_nmt.layers.mechanisms import ShortcutLayer, missing_members

MASKED = -1e9  # score of masked positions; finite, because a row of minus infinities would give NaN


@keras.saving.register_keras_serializable(package="keras_nmt")
class KeyValueProjection(Int8Kernels):
    """Projects hidden states to attention keys and values: `K = h W_K`, `V = h W_V`.

    There are no biases. `LexicalShortcut` takes the place of this layer to add gated shortcuts.

    Args:
        hidden_dim: Integer, width d of the keys and of the values.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        hidden: Float tensor `[..., T, d']`, the states to attend to.

    Returns:
        Keys and values, two tensors `[..., T, d]`.

    Example:

    >>> import numpy as np
    >>> keys, values = KeyValueProjection(8)(np.ones((2, 5, 4), "float32"))
    >>> tuple(keys.shape), tuple(values.shape)
    ((2, 5, 8), (2, 5, 8))

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.2.2.
    """

    kernels = ("kernel",)

    def __init__(self, hidden_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(hidden_dim=hidden_dim)
        self.hidden_dim = int(hidden_dim)

    def build(self, hidden_shape: tuple[int | None, ...]) -> None:
        # W_K and W_V lie side by side: one product gives both.
        self.kernel = add_matrix(self, "kernel", hidden_shape[-1], 2 * self.hidden_dim)

    def call(self, hidden: Any) -> tuple[Any, Any]:
        keys, values = ops.split(self.product(hidden, "kernel"), 2, axis=-1)  # [..., T, d] each
        return keys, values

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return [previous_mask, previous_mask]  # keys and values have the positions of the states

    def compute_output_shape(self, hidden_shape: tuple[int | None, ...]) -> tuple[tuple[int | None, ...], ...]:
        shape = (*hidden_shape[:-1], self.hidden_dim)
        return shape, shape


@keras.saving.register_keras_serializable(package="keras_nmt")
class MultiHeadAttention(AssembledLayer):
    """Multi-head scaled dot-product attention whose keys and values may have shortcuts.

    Three parts are exchangeable layers: `key_value` computes keys and values from the memory, `positions` encodes
    positions in queries and keys, and `composition` combines the heads before the output projection. The softmax is
    computed in float32 under every dtype policy.

    `call` attends over whole sequences. A decoder that generates one token at a time calls `project` once for each
    memory and `attend` for each query.

    (`CachedMultiHeadAttention` of keras_hub has no place for layers between its projections and its output.)

    Args:
        num_heads: Integer, number of heads H.
        hidden_dim: Integer, width d of queries, keys, values and output; a multiple of `num_heads`.
        dropout: Float, dropout rate of the attention weights. Defaults to 0.
        num_key_value_heads: Integer, number of heads of keys and values. Each of them serves
            `num_heads / num_key_value_heads` consecutive heads of queries. Defaults to `num_heads`.
        key_value: Layer that maps the memory to keys and values, each as wide as all their heads together. A
            `ShortcutLayer` of `keras_nmt.layers.mechanisms`, such as `LexicalShortcut`, also gets `shortcut_states`.
            Defaults to a `KeyValueProjection`.
        composition: Layer that combines the heads O_1 .. O_H, `[B, T, H, d / H]` -> `[B, T, n]`, such as
            `LowRankBilinearPooling(units=d)`; then W_O projects n to d. Defaults to None: W_O alone combines the heads,
            as in the usual multi-head attention (Eq. 4 of Li et al.).
        positions: Layer that encodes positions in queries and keys, such as `RotaryEncoding`. Defaults to None.
        output_projection: Boolean. True: W_O follows the composition, as in the parameter counts of Li et al. False:
            the composition replaces W_O, as in the text of Li et al. Defaults to True.
        use_bias: Boolean, whether queries, keys, values and output have biases. Those of keys and values are added to
            the output of `key_value`. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        query: Float tensor `[B, T, d']`.
        memory: Float tensor `[B, S, d'']`, the states to attend to. Defaults to `query` (self-attention).
        shortcut_states: Float tensor `[B, S, d_e]`, the source of the shortcut. Must be given if `key_value` is a
            shortcut, and only then.
        attention_mask: Boolean tensor `[B, T, S]`, `[1, T, S]` or `[B, 1, S]`, True where attention is allowed. It is
            combined with `memory_mask`. Defaults to None: no further mask.
        training: Boolean, whether dropout is active.
        return_attention_scores: Boolean, whether to return the attention weights too. Defaults to False.
        memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to the mask that Keras attached to `memory`,
            if any.
        use_causal_mask: Boolean, whether query t attends to positions up to t of `memory` only. This is combined with
            the other masks. Defaults to False.

    Returns:
        Tensor `[B, T, d]`; with `return_attention_scores=True` also the weights `[B, H, T, S]`.

    Raises:
        ValueError: `hidden_dim` is not a multiple of `num_heads`, or `num_heads` not one of `num_key_value_heads`;
            `shortcut_states` are missing, or there is no shortcut to read them; or `output_projection` is False without
            a composition of width `hidden_dim`.

    Example:

    >>> import numpy as np
    >>> x = np.random.rand(2, 5, 16).astype("float32")
    >>> tuple(MultiHeadAttention(num_heads=4, hidden_dim=16)(x).shape)
    (2, 5, 16)
    >>> from keras_nmt.layers import LexicalShortcut, LowRankBilinearPooling
    >>> attention = MultiHeadAttention(4, 16, key_value=LexicalShortcut(16), composition=LowRankBilinearPooling(16, 8))
    >>> tuple(attention(x, shortcut_states=x).shape)
    (2, 5, 16)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), Eq. 1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), Eq. 4 to 14;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 4, 10 and 11;
        [Su et al., 2021](https://arxiv.org/abs/2104.09864), for rotary positions;
        [Ainslie et al., 2023](https://arxiv.org/abs/2305.13245), for grouped keys and values.
    """

    RENAMED = (("return_weights", "return_attention_scores"),)

    PARTS = ("key_value", "composition", "positions")

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        dropout: float = 0.0,
        num_key_value_heads: int | None = None,
        *,
        key_value: keras.layers.Layer | None = None,
        composition: keras.layers.Layer | None = None,
        positions: keras.layers.Layer | None = None,
        output_projection: bool = True,
        use_bias: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(num_heads=num_heads, hidden_dim=hidden_dim)
        check_rate(dropout=dropout)
        problem = "{hidden_dim} must be a multiple of {num_heads}"
        require(hidden_dim % num_heads == 0, problem, hidden_dim=hidden_dim, num_heads=num_heads)
        self.num_heads = int(num_heads)
        self.num_key_value_heads = optional_size("num_key_value_heads", num_key_value_heads) or self.num_heads
        if self.num_heads % self.num_key_value_heads:
            raise ValueError(
                "`num_heads` must be a multiple of `num_key_value_heads`. "
                f"Received: num_heads={num_heads}, num_key_value_heads={num_key_value_heads}"
            )
        if composition is None and not output_projection:
            raise ValueError("Missing `composition`: `output_projection=False` needs a composition that replaces W_O.")
        self.hidden_dim = int(hidden_dim)
        self.dropout = dropout
        self.head_dim = self.hidden_dim // self.num_heads
        self.key_value_dim = self.num_key_value_heads * self.head_dim  # width of keys and of values
        self.output_projection = output_projection
        self.use_bias = use_bias
        policy = self.dtype_policy

        def projection(name: str) -> Projection:
            initializer = projection_initializer()
            return Projection(hidden_dim, None, use_bias, kernel_initializer=initializer, dtype=policy, name=name)

        self.query_projection = projection("query")
        self.key_value = key_value or KeyValueProjection(self.key_value_dim, dtype=policy, name="key_value")
        self.has_shortcut = not missing_members(self.key_value, ShortcutLayer)
        self.positions = positions
        self.composition = composition
        self.output_layer = projection("output") if output_projection else None
        self.weight_dropout = Dropout(dropout, dtype=policy, name="dropout")

    def build(
        self,
        query_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...] | None = None,
        shortcut_states_shape: tuple[int | None, ...] | None = None,
    ) -> None:
        memory_shape = memory_shape or query_shape
        check_source("shortcut_states", shortcut_states_shape, self.has_shortcut)
        self.query_projection.build(query_shape)
        build_part(self.key_value, *(shape for shape in (memory_shape, shortcut_states_shape) if shape is not None))
        if self.use_bias:
            self.key_value_bias = self.add_weight(  # b_K | b_V
                shape=(2 * self.key_value_dim,), initializer="zeros", name="key_value_bias"
            )
        if self.positions is not None:
            build_part(self.positions, (None, None, None, self.head_dim))
        combined_shape: tuple[int | None, ...] = (*query_shape[:-1], self.hidden_dim)
        if self.composition is not None:
            heads_shape = (*query_shape[:-1], self.num_heads, self.head_dim)
            build_part(self.composition, heads_shape)
            # Call it, because a composition may leave its output shape to Keras, which needs the dtype policy.
            combined = self.composition(keras.KerasTensor(heads_shape, self.compute_dtype))
            combined_shape = getattr(combined, "shape", ())
            if len(combined_shape) != len(query_shape):
                received = f"shape {tuple(combined_shape)}" if combined_shape else type(combined).__name__
                raise ValueError(
                    f"{type(self.composition).__name__}, the layer {self.composition.name!r}, must return a tensor "
                    f"[..., T, width] for heads [..., T, {self.num_heads}, {self.head_dim}]. Received: {received}"
                )
        if self.output_layer is not None:
            self.output_layer.build(combined_shape)
        elif combined_shape[-1] != self.hidden_dim:
            raise ValueError(
                f"`output_projection=False` needs a composition of width {self.hidden_dim}. Received: "
                f"{type(self.composition).__name__} of width {combined_shape[-1]}"
            )
        self._end_build()

    def project(self, memory: Any, shortcut_states: Any = None, position: Any = None) -> tuple[Any, Any]:
        """Computes the keys and values of the states to attend to.

        Args:
            memory: Float tensor `[..., S, d'']`.
            shortcut_states: Float tensor `[..., S, d_e]`, the source of the shortcut, if there is one.
            position: Integer scalar tensor, the position of all of `memory`. Defaults to None: 0, 1, ..., S - 1.

        Returns:
            Keys and values, `[..., H', S, d / H]` each, where H' is the number of their heads; gated if there is a
            gated shortcut.
        """
        pair = self.key_value(memory, shortcut_states) if self.has_shortcut else self.key_value(memory)
        if not isinstance(pair, tuple | list):  # two sentences of one tensor would be taken for keys and values
            raise ValueError(f"`key_value` must return keys and values. Received: {type(self.key_value).__name__}")
        keys, values = pair
        if self.use_bias:
            key_bias, value_bias = ops.split(ops.cast(self.key_value_bias, keys.dtype), 2)
            keys, values = keys + key_bias, values + value_bias
        keys, values = (self._split_heads(x, self.num_key_value_heads) for x in (keys, values))
        return self._at(keys, position), values

    def attend(
        self,
        query: Any,
        keys: Any,
        values: Any,
        attention_mask: Any = None,
        training: bool | None = None,
        position: Any = None,
    ) -> tuple[Any, Any]:
        """Attends from each query to projected keys and values (Eq. 1 of Vaswani et al.).

        Args:
            query: Float tensor `[..., T, d']`.
            keys: Float tensor `[..., H', S, d / H]` of `project`.
            values: Float tensor like `keys`.
            attention_mask: Boolean tensor that broadcasts to `[..., T, S]`, True where attention is allowed. A query
                that may attend to nothing, such as one of padding, attends to all keys alike.
            training: Boolean, whether dropout is active.
            position: Integer scalar tensor, the position of all queries. Defaults to None: 0, 1, ..., T - 1.

        Returns:
            The attention's output `[..., T, d]`, and the weights `[..., H, T, S]`.
        """
        queries = self._split_heads(self.query_projection(query) * self.head_dim**-0.5, self.num_heads)
        queries = self._at(queries, position)  # [..., H, T, d / H]
        scores = ops.matmul(self._grouped(queries), ops.swapaxes(keys, -1, -2))
        scores = ops.cast(self._ungrouped(scores, queries), "float32")  # [..., H, T, S]
        if attention_mask is not None:
            scores = ops.where(ops.expand_dims(attention_mask, -3), scores, MASKED)
        weights = tap(self, "attention", ops.cast(softmax(scores), self.compute_dtype), parts=-3)
        heads = ops.matmul(self._grouped(self.weight_dropout(weights, training=training)), values)
        heads = ops.swapaxes(self._ungrouped(heads, queries), -2, -3)  # O_1 .. O_H: [..., T, H, d / H]
        return self._combine(tap(self, "heads", heads, parts=-2)), weights

    def call(
        self,
        query: Any,
        memory: Any = None,
        shortcut_states: Any = None,
        attention_mask: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
        memory_mask: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        memory = query if memory is None else memory
        shape = None if shortcut_states is None else shortcut_states.shape
        check_source("shortcut_states", shape, self.has_shortcut)
        check_mask("attention_mask", attention_mask, 3)
        check_mask("memory_mask", memory_mask, 2, memory)
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        masks = [attention_mask, None if memory_mask is None else ops.expand_dims(memory_mask, 1)]
        masks.append(_causal_mask(query, memory) if use_causal_mask else None)
        keys, values = self.project(memory, shortcut_states)
        output, weights = self.attend(query, keys, values, _combined(masks), training=training)
        return (output, weights) if return_attention_scores else output

    @property
    def has_gates(self) -> bool:
        """Whether keys and values have a gated shortcut."""
        return self.has_shortcut and bool(self.key_value.has_gates)

    def gates(self, memory: Any, shortcut_states: Any) -> tuple[Any, Any]:
        """Computes the gates (r_K, r_V) of the shortcut again, `[..., S, d]` each, from the arguments of `project`.

        Raises:
            ValueError: There is no gated shortcut.
        """
        check_gated(self.has_gates)
        _, _, key_gates, value_gates = self.key_value(memory, shortcut_states, return_gates=True)
        return key_gates, value_gates

    def _split_heads(self, x: Any, number: int) -> Any:  # [..., T, d] -> [..., H, T, d / H]
        return ops.swapaxes(reshape_last(x, number, self.head_dim), -2, -3)

    def _at(self, x: Any, position: Any) -> Any:
        """Encodes the positions of queries or keys `[..., T, d / H]`."""
        return x if self.positions is None else self.positions(x, position=position)

    def _grouped(self, x: Any) -> Any:
        """Reshapes `[..., H, T, n]` to `[..., H', (H / H') T, n]`: queries that share keys and values side by side."""
        if self.num_key_value_heads == self.num_heads:
            return x
        rows = self.num_heads // self.num_key_value_heads * ops.shape(x)[-2]
        return reshape_last(x, self.num_key_value_heads, rows, ops.shape(x)[-1], axes=3)

    def _ungrouped(self, x: Any, queries: Any) -> Any:
        """Reshapes `[..., H', (H / H') T, n]` back to `[..., H, T, n]`, with the T of the queries."""
        if self.num_key_value_heads == self.num_heads:
            return x
        return reshape_last(x, self.num_heads, ops.shape(queries)[-2], ops.shape(x)[-1], axes=3)

    def _combine(self, heads: Any) -> Any:  # [..., T, H, d / H] -> [..., T, d]
        combined = reshape_last(heads, self.hidden_dim, axes=2) if self.composition is None else self.composition(heads)
        return combined if self.output_layer is None else self.output_layer(combined)

    def compute_output_shape(
        self,
        query_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...] | None = None,
        shortcut_states_shape: tuple[int | None, ...] | None = None,
    ) -> tuple[int | None, ...]:
        return (*query_shape[:-1], self.hidden_dim)

    compute_output_spec = spec_of_call


def _causal_mask(query: Any, memory: Any) -> Any:
    """Returns the mask of the positions of `memory` up to each one of `query`, `[1, T, S]`."""
    rows, columns = positions_of(query), positions_of(memory)
    return ops.expand_dims(ops.expand_dims(rows, 1) >= ops.expand_dims(columns, 0), 0)


def _combined(masks: list[Any]) -> Any:
    """Returns a mask that is True where all masks are that are not None; None if all are."""
    given = [mask for mask in masks if mask is not None]
    return functools.reduce(ops.logical_and, given) if given else None
