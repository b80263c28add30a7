"""Multi-head attention."""

from __future__ import annotations

import functools
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import (
    STARTS,
    check_choice,
    check_effect,
    check_gated,
    check_mask,
    check_positive,
    check_rate,
    check_source,
    keras_mask,
    optional_size,
    projection_initializer,
)
from keras_nmt.layers._mechanisms import (
    HEAD_COMPOSITIONS,
    POSITIONS,
    SHORTCUTS,
    aggregates,
    is_residual,
    make_composition,
)
from keras_nmt.layers._projection import Projection, reshape_last
from keras_nmt.layers._recording import record
from keras_nmt.layers.mechanism import Mechanism, as_json, choose, mechanism_of

# The score of masked positions: finite, so that a row of only masked positions does not give NaN.
MASKED = -1e9


@keras.saving.register_keras_serializable(package="keras_nmt")
class MultiHeadAttention(keras.layers.Layer):
    """Multi-head scaled dot-product attention whose keys and values may carry lexical shortcuts.

    Three parts are exchangeable: `key_value` computes keys and values from the memory (`KeyValueProjection`, or
    `LexicalShortcut` if `shortcut` is set), `positions` changes queries and keys by their positions, and `composition`
    combines the heads before the output projection. The projections have no biases. The softmax runs in float32 under
    every dtype policy.

    `call` attends over whole sequences. A decoder that generates one token at a time calls the parts: `project` once
    per memory, `attend` for each query.

    Args:
        num_heads: Integer, number of heads H.
        hidden_dim: Integer, width d of queries, keys, values and output; a multiple of `num_heads`.
        dropout: Float, dropout rate of the attention weights. Defaults to 0.
        shortcut: None, "plain", "fusion" or "ungated": the kind of `LexicalShortcut` that gates keys and values; or a
            `Mechanism`. Defaults to None.
        head_composition: How the heads O_1 .. O_H are combined. None or "linear": by W_O alone, the usual multi-head
            attention (Eq. 4 of Li et al.). "low_rank" (Eq. 10) or "extended" (Eq. 11): by `LowRankBilinearPooling`,
            then W_O. "bilinear" (Eq. 6): by `BilinearPooling`, for small widths, then W_O. "hierarchical": by
            `HierarchicalAggregation` of width d / H, then a projection to d in place of W_O. Or a `Mechanism`, then
            W_O. Defaults to None.
        composition_rank: Integer, rank of the pooling. Defaults to `hidden_dim`.
        head_intermediate_dim: Integer, inner width of the hierarchical aggregation. Defaults to twice `hidden_dim`.
        output_projection: Boolean. True: W_O follows the pooling, as in the paper's parameter counts. False: the
            pooling replaces W_O, as in the paper's text. Defaults to True.
        composition_start: "random" or "identity": the first output is W_O of the joined heads, as without a
            composition. "extended" of full rank has such a start; the others need `composition_residual`. Defaults to
            "random".
        composition_residual: Boolean, whether the joined heads [O_1; ...; O_H] are added to their composition, before
            W_O; the hierarchical aggregation is projected to their width d first. Defaults to False.
        num_key_value_heads: Integer, number of heads of keys and values; each serves `num_heads / num_key_value_heads`
            heads of queries, one after the other. Defaults to `num_heads`.
        positions: None; "rotary": `RotaryEncoding` of queries and keys; or a `Mechanism`. Defaults to None.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        query: Float tensor `[B, T, d']`.
        memory: Float tensor `[B, S, d'']`, the states to attend to. Defaults to `query` (self-attention).
        lexical: Float tensor `[B, S, d_e]`, the source of the shortcut. Needed if `shortcut` is set, and only then.
        attention_mask: Boolean tensor `[B, T, S]` or `[B, 1, S]`, True where attention is allowed. Defaults to the mask
            that Keras attached to `memory`, if any.
        training: Boolean, whether dropout is active.
        return_weights: Boolean, whether to return the attention weights too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`; with `return_weights=True` also the weights `[B, H, T, S]`.

    Raises:
        ValueError: `hidden_dim` is not a multiple of `num_heads`, `lexical` is given without `shortcut` or the reverse,
            a composition has only one head, `output_projection` is False without a pooling, there is no identity start,
            or `num_heads` is not a multiple of `num_key_value_heads`.

    Example:

    >>> import numpy as np
    >>> x = np.random.rand(2, 5, 16).astype("float32")
    >>> tuple(MultiHeadAttention(num_heads=4, hidden_dim=16)(x).shape)
    (2, 5, 16)
    >>> tuple(MultiHeadAttention(num_heads=4, hidden_dim=16, shortcut="plain")(x, lexical=x).shape)
    (2, 5, 16)
    >>> tuple(MultiHeadAttention(num_heads=4, hidden_dim=16, head_composition="extended", composition_rank=8)(x).shape)
    (2, 5, 16)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), Eq. 1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), Eq. 4 to 14;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 4, 10 and 11;
        [Su et al., 2021](https://arxiv.org/abs/2104.09864), for rotary positions;
        [Ainslie et al., 2023](https://arxiv.org/abs/2305.13245), for grouped keys and values.
    """

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        dropout: float = 0.0,
        shortcut: str | Mechanism | None = None,
        head_composition: str | Mechanism | None = None,
        composition_rank: int | None = None,
        head_intermediate_dim: int | None = None,
        output_projection: bool = True,
        composition_start: str = "random",
        composition_residual: bool = False,
        num_key_value_heads: int | None = None,
        positions: str | Mechanism | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(num_heads=num_heads, hidden_dim=hidden_dim)
        check_rate(dropout=dropout)
        self.shortcut = choose("shortcut", shortcut, SHORTCUTS)
        self.head_composition = choose("head_composition", head_composition, HEAD_COMPOSITIONS)
        self.positions = choose("positions", positions, POSITIONS)
        composition = mechanism_of(self.head_composition, HEAD_COMPOSITIONS)
        if not output_projection and (composition is None or aggregates(composition)):
            raise ValueError(
                "`output_projection=False` needs a pooling in its place: `head_composition` 'low_rank', 'extended' or "
                "'bilinear'. "
                f"Received: head_composition={head_composition!r}"
            )
        check_choice("composition_start", composition_start, STARTS)
        pooling, tree = "`head_composition` 'low_rank' or 'extended'", "`head_composition='hierarchical'`"
        takes = (lambda _: False) if composition is None else composition.takes
        check_effect(takes("rank"), pooling, composition_rank=composition_rank)
        check_effect(takes("intermediate_dim"), tree, head_intermediate_dim=head_intermediate_dim)
        if not output_projection and composition_start == "identity":
            raise ValueError(
                "At the identity start, the output is W_O of the joined heads: keep W_O. "
                f"Received: composition_start={composition_start!r}, output_projection={output_projection!r}"
            )
        if hidden_dim % num_heads:
            raise ValueError(
                "`hidden_dim` must be a multiple of `num_heads`. "
                f"Received: hidden_dim={hidden_dim}, num_heads={num_heads}"
            )
        self.num_heads = int(num_heads)
        self.num_key_value_heads = optional_size("num_key_value_heads", num_key_value_heads) or self.num_heads
        if self.num_heads % self.num_key_value_heads:
            raise ValueError(
                "`num_heads` must be a multiple of `num_key_value_heads`. "
                f"Received: num_heads={num_heads}, num_key_value_heads={num_key_value_heads}"
            )
        self.hidden_dim = int(hidden_dim)
        self.dropout = dropout
        self.head_dim = self.hidden_dim // self.num_heads
        self.key_value_dim = self.num_key_value_heads * self.head_dim  # width of keys and of values
        self.composition_rank = optional_size("composition_rank", composition_rank)
        self.head_intermediate_dim = optional_size("head_intermediate_dim", head_intermediate_dim)
        self.output_projection = output_projection
        self.composition_start = composition_start
        self.composition_residual = composition_residual
        self.supports_masking = True
        policy = self.dtype_policy
        self.query_projection = Projection(
            hidden_dim, use_bias=False, kernel_initializer=projection_initializer(), dtype=policy, name="query"
        )
        self.key_value = mechanism_of(self.shortcut, SHORTCUTS).make(
            sizes={"hidden_dim": self.key_value_dim}, dtype=policy, name="key_value"
        )
        rotation = mechanism_of(self.positions, POSITIONS)
        self.position_layer = None if rotation is None else rotation.make(dtype=policy, name="positions")
        make = functools.partial(
            make_composition,
            composition,
            self.num_heads,
            rank=composition_rank,
            intermediate_dim=2 * hidden_dim if head_intermediate_dim is None else head_intermediate_dim,
            start=composition_start,
            residual=composition_residual,
            unset=["intermediate_dim"] if head_intermediate_dim is None else [],
            dtype=policy,
            name="head_composition",
        )
        # An aggregate is as wide as a head, but for what is added to all heads, which only the layer knows.
        is_narrow = aggregates(composition) and not is_residual(make(units=None))
        self.composition = make(units=None if is_narrow else hidden_dim)
        self.output_layer = (
            Projection(
                hidden_dim, use_bias=False, kernel_initializer=projection_initializer(), dtype=policy, name="output"
            )
            if output_projection
            else None
        )
        self.weight_dropout = keras.layers.Dropout(dropout, dtype=policy, name="dropout")

    def build(
        self,
        query_shape: tuple[int | None, ...],
        memory_shape: tuple[int | None, ...] | None = None,
        lexical_shape: tuple[int | None, ...] | None = None,
    ) -> None:
        memory_shape = memory_shape or query_shape
        check_source("lexical", lexical_shape, shortcut=self.shortcut)
        self.query_projection.build(query_shape)
        self.key_value.build(*(shape for shape in (memory_shape, lexical_shape) if shape is not None))
        if self.position_layer is not None:
            self.position_layer.build((None, None, None, self.head_dim))
        combined_shape: tuple[int | None, ...] = (*query_shape[:-1], self.hidden_dim)
        if self.composition is not None:
            heads_shape = (*query_shape[:-1], self.num_heads, self.head_dim)
            self.composition.build(heads_shape)
            # A call, because a composition may leave its output shape to Keras, which needs the dtype policy.
            combined_shape = self.composition(keras.KerasTensor(heads_shape, self.compute_dtype)).shape
        if self.output_layer is not None:
            self.output_layer.build(combined_shape)
        elif combined_shape[-1] != self.hidden_dim:
            raise ValueError(
                f"`output_projection=False` needs a composition of width {self.hidden_dim}. Received: "
                f"head_composition={self.head_composition!r} of width {combined_shape[-1]}"
            )

    def project(self, memory: Any, lexical: Any = None, position: Any = None) -> tuple[Any, Any]:
        """Keys and values of the states to attend to.

        Args:
            memory: Float tensor `[..., S, d'']`.
            lexical: Float tensor `[..., S, d_e]`, the source of the shortcut, if there is one.
            position: Integer scalar tensor, the position of all of `memory`. Defaults to None: 0, 1, ..., S - 1.

        Returns:
            Keys and values, `[..., H', S, d / H]` each, H' heads of keys and values; gated if there is a shortcut.
        """
        keys, values = self.key_value(memory) if self.shortcut is None else self.key_value(memory, lexical)
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
            attention_mask: Boolean tensor that broadcasts to `[..., T, S]`, True where attention is allowed.
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
        weights = ops.cast(ops.softmax(scores, axis=-1), self.compute_dtype)
        record(self, "attention", weights)
        heads = ops.matmul(self._grouped(self.weight_dropout(weights, training=training)), values)
        heads = self._ungrouped(heads, queries)  # O_1 .. O_H: [..., H, T, d / H]
        return self._combine(ops.swapaxes(heads, -2, -3)), weights

    def call(
        self,
        query: Any,
        memory: Any = None,
        lexical: Any = None,
        attention_mask: Any = None,
        training: bool | None = None,
        return_weights: bool = False,
    ) -> Any:
        memory = query if memory is None else memory
        check_source("lexical", None if lexical is None else lexical.shape, shortcut=self.shortcut)
        check_mask("attention_mask", attention_mask, 3)
        if attention_mask is None and (mask := keras_mask(memory)) is not None:
            attention_mask = ops.expand_dims(mask, 1)  # [B, 1, S]
        keys, values = self.project(memory, lexical)
        output, weights = self.attend(query, keys, values, attention_mask, training=training)
        return (output, weights) if return_weights else output

    @property
    def has_gates(self) -> bool:
        """Whether keys and values have a gated shortcut."""
        return getattr(self.key_value, "has_gates", False)

    def gates(self, memory: Any, lexical: Any) -> tuple[Any, Any]:
        """The gates (r_K, r_V) of the shortcut, `[..., S, d]` each, for the arguments of `project`, computed again.

        Raises:
            ValueError: There is no gated shortcut.
        """
        check_gated(self.has_gates, self.shortcut)
        _, _, key_gates, value_gates = self.key_value(memory, lexical, return_gates=True)
        return key_gates, value_gates

    def _split_heads(self, x: Any, number: int) -> Any:  # [..., T, d] -> [..., H, T, d / H]
        return ops.swapaxes(reshape_last(x, number, self.head_dim), -2, -3)

    def _at(self, x: Any, position: Any) -> Any:
        """Queries or keys `[..., T, d / H]` at their positions."""
        return x if self.position_layer is None else self.position_layer(x, position=position)

    def _grouped(self, x: Any) -> Any:
        """`[..., H, T, n]` to `[..., H', (H / H') T, n]`: queries that share keys and values side by side."""
        if self.num_key_value_heads == self.num_heads:
            return x
        rows = self.num_heads // self.num_key_value_heads * ops.shape(x)[-2]
        return reshape_last(x, self.num_key_value_heads, rows, ops.shape(x)[-1], axes=3)

    def _ungrouped(self, x: Any, queries: Any) -> Any:
        """`[..., H', (H / H') T, n]` back to `[..., H, T, n]`, T as of the queries."""
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
        lexical_shape: tuple[int | None, ...] | None = None,
    ) -> tuple[int | None, ...]:
        return (*query_shape[:-1], self.hidden_dim)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        # The outputs depend on the arguments: infer them from `call`, not from `compute_output_shape`.
        return keras.Operation.compute_output_spec(self, *args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "hidden_dim": self.hidden_dim,
            "dropout": self.dropout,
            "shortcut": as_json(self.shortcut),
            "head_composition": as_json(self.head_composition),
            "composition_rank": self.composition_rank,
            "head_intermediate_dim": self.head_intermediate_dim,
            "output_projection": self.output_projection,
            "composition_start": self.composition_start,
            "composition_residual": self.composition_residual,
            "num_key_value_heads": self.num_key_value_heads,
            "positions": as_json(self.positions),
        }
