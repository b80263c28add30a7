"""Luong attention."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice
from keras_nmt.layers._common import (
    ConfiguredLayer,
    check_mask,
    check_positive,
    check_width,
    keras_mask,
    masked_softmax,
    projection_initializer,
    shapes_of_spec,
    without_padding,
)
from keras_nmt.layers._projection import product

SCORES = ("general", "dot", "concat")


@keras.saving.register_keras_serializable(package="keras_nmt")
class LuongAttention(ConfiguredLayer):
    """Attends from the states h_t of a decoder to the states m_s of a memory.

        score(h_t, m_s) = h_t^T m_s                         "dot"
                        = h_t^T W_a m_s                     "general"
                        = v_a^T tanh(W_a [h_t ; m_s])       "concat"        (8)
        a_t = softmax_s(score(h_t, m_s)),   c_t = sum_s a_ts m_s            (7)

    Args:
        units: Integer u, width of the queries h_t; with "concat" also the width inside the tanh.
        score: "general", "dot" or "concat". Defaults to "general".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        query: Float tensor `[B, T, u]`, the states h.
        memory: Float tensor `[B, S, d]`, the states m. d = u for "dot".
        memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to the mask that Keras attached to `memory`.
            Without a mask, all positions are real. In a sentence without real tokens, weights and context are zero.

    Returns:
        The context c, `[B, T, d]`, and the weights a, `[B, T, S]`, float32.

    Raises:
        ValueError: The score is unknown, `units` is not a positive integer, or shapes do not match.

    Example:

    >>> import numpy as np
    >>> query, memory = np.random.rand(2, 3, 8).astype("float32"), np.random.rand(2, 5, 16).astype("float32")
    >>> context, weights = LuongAttention(units=8)(query, memory)
    >>> tuple(context.shape), tuple(weights.shape)
    ((2, 3, 16), (2, 3, 5))

    Reference:
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025), Eq. 7 and 8.
    """

    def __init__(self, units: int, score: str = "general", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(units=units)
        check_choice("score", score, SCORES)
        self.units = int(units)
        self.score = score
        self.memory_width: int | None = None  # d, known when the layer is built

    def build(self, query_shape: tuple[int | None, ...], memory_shape: tuple[int | None, ...]) -> None:
        check_width("query", query_shape, self.units)
        width = memory_shape[-1]
        if width is None or (self.score == "dot" and width != self.units):
            raise ValueError(
                "`memory` must be [B, S, d] with a known d; with score='dot', d must be the width of the query. "
                f"Received: shape {tuple(memory_shape)}, units={self.units}"
            )
        self.memory_width = width

        def add(name: str, *shape: int, initializer: Any) -> Any:
            # No autocast, because a decoder calls `keys` and `attend`, which must not use the decoder's dtype.
            return self.add_weight(shape=shape, initializer=initializer, autocast=False, name=name)

        if self.score != "dot":  # W_a; with "concat", the part of W_a that multiplies m
            self.kernel = add("kernel", width, self.units, initializer=projection_initializer())
        if self.score == "concat":
            # The part of W_a that multiplies h, and v_a.
            self.query_kernel = add("query_kernel", self.units, self.units, initializer=projection_initializer())
            self.vector = add(
                "vector", self.units, initializer=keras.initializers.RandomNormal(stddev=self.units**-0.5)
            )

    def call(self, query: Any, memory: Any, memory_mask: Any = None) -> tuple[Any, Any]:
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        check_mask("memory_mask", memory_mask, 2, memory)
        memory = without_padding(ops.cast(memory, self.compute_dtype), memory_mask)
        return self.attend(ops.cast(query, self.compute_dtype), self.keys(memory), memory, memory_mask)

    def keys(self, memory: Any) -> Any:
        """Computes the part of the scores that depends only on the memory, once for each sentence.

        Args:
            memory: Float tensor `[B, S, d]`, zero at padding.

        Returns:
            Float tensor, `[B, S, u]` with "concat", otherwise `[B, u, S]`.
        """
        memory = ops.cast(memory, self.compute_dtype)
        keys = memory if self.score == "dot" else product(memory, ops.cast(self.kernel, self.compute_dtype))
        return keys if self.score == "concat" else ops.transpose(keys, (0, 2, 1))

    def attend(self, query: Any, keys: Any, memory: Any, memory_mask: Any = None) -> tuple[Any, Any]:
        """Computes the output of the layer, given the keys.

        Args:
            query: Float tensor `[B, T, u]`.
            keys: Output of `keys`.
            memory: Float tensor `[B, S, d]`, zero at padding.
            memory_mask: Boolean tensor `[B, S]`, or None.

        Returns:
            The context `[B, T, d]` and the weights `[B, T, S]`, float32.
        """
        if self.score == "concat":
            query = product(query, ops.cast(self.query_kernel, self.compute_dtype))
            inner = ops.tanh(ops.expand_dims(query, 2) + ops.expand_dims(keys, 1))  # [B, T, S, u]
            scores = ops.sum(inner * ops.cast(self.vector, self.compute_dtype), axis=-1)  # [B, T, S]
        else:
            scores = ops.matmul(query, keys)  # [B, T, S]
        weights = masked_softmax(scores, None if memory_mask is None else ops.expand_dims(memory_mask, 1))
        return ops.matmul(ops.cast(weights, self.compute_dtype), ops.cast(memory, self.compute_dtype)), weights

    compute_output_shape = shapes_of_spec

    def compute_output_spec(self, query: Any, memory: Any, memory_mask: Any = None) -> tuple[keras.KerasTensor, ...]:
        context, weights = (*query.shape[:-1], memory.shape[-1]), (*query.shape[:-1], memory.shape[-2])
        return keras.KerasTensor(context, self.compute_dtype), keras.KerasTensor(weights, "float32")
