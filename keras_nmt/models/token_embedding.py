"""Token embeddings, and the projection to logits."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import ConfiguredLayer, keep_frozen, shapes_of_spec
from keras_nmt.layers._projection import reshape_like


class _TableInitializer(keras.initializers.Initializer):
    """Draws normal numbers anew for each table of an embedding: Keras' initializers repeat theirs.

    The first one is made with the layer, so that the seeds of all other weights stay the same.
    """

    def __init__(self, stddev: float) -> None:
        self._stddev = stddev
        self._first: Any = keras.initializers.RandomNormal(stddev=stddev)

    def __call__(self, shape: tuple[int, ...], dtype: Any = None) -> Any:
        draw, self._first = self._first or keras.initializers.RandomNormal(stddev=self._stddev), None
        return draw(shape, dtype)


@keras.saving.register_keras_serializable(package="keras_nmt")
class TokenEmbedding(ConfiguredLayer):
    """Maps token ids to embeddings, and decoder states to logits.

    The table is Keras' own `ReversibleEmbedding`, to which this layer adds the scale, biases, and logits of chosen
    tokens.

    Args:
        vocabulary_size: Integer V, number of tokens.
        hidden_dim: Integer d, width of the embeddings.
        tie_weights: Boolean, whether the logits use the table of the embeddings instead of a second table. Defaults to
            True.
        scale: Boolean, whether embeddings are multiplied by sqrt(d), so that they are initially as large as the
            positions of a Transformer. Defaults to True.
        logits_bias: Boolean, whether each token's logit has a bias. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Token ids `[B, T]`; float states `[..., d]` with `reverse=True`.
        reverse: Boolean, whether to project states to logits. Defaults to False.
        is_decoding_step: Boolean, whether there are few states, as in a step of search. The logits are then computed in
            another way, which takes less time. Defaults to False.
        output_kernel: Float tensor `[d, N]` from `output_kernel`, for `reverse=True`: only the logits of its N tokens
            are computed. Defaults to None: all tokens.

    Returns:
        Embeddings `[B, T, d]`; or with `reverse=True` logits `[..., V]` or `[..., N]`, float32. Their product is
        computed in the compute dtype, like every product of a layer.

    Example:

    >>> import numpy as np
    >>> embedding = TokenEmbedding(vocabulary_size=50, hidden_dim=8)
    >>> tuple(embedding(np.ones((2, 5), "int32")).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.4.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_dim: int,
        tie_weights: bool = True,
        scale: bool = True,
        logits_bias: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.hidden_dim = hidden_dim
        self.tie_weights = tie_weights
        self.scale = scale
        self.logits_bias = logits_bias
        self.table = keras.layers.ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            tie_weights=tie_weights,
            embeddings_initializer=_TableInitializer(hidden_dim**-0.5),
            # By default, Keras computes the product with a tied table in the dtype of the weights.
            reverse_dtype=self.compute_dtype,
            dtype=self.dtype_policy,
            name="table",
        )

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.table.build(inputs_shape)
        if self.logits_bias:
            self.bias = self.add_weight(shape=(self.vocabulary_size,), initializer="zeros", name="bias")
        keep_frozen(self)

    def call(
        self, inputs: Any, reverse: bool = False, is_decoding_step: bool = False, output_kernel: Any = None
    ) -> Any:
        if reverse:
            states = ops.reshape(inputs, (-1, self.hidden_dim))  # [R, d]
            if output_kernel is not None:
                if self.logits_bias:  # the last row of the kernel
                    states = ops.concatenate([states, ops.ones_like(states[:, :1])], axis=1)  # [R, d + 1]
                logits = ops.matmul(states, output_kernel)  # [R, N]
            elif is_decoding_step and (self._has_float_table or self._has_transposed_int8):
                logits = self._project_few(states)
            else:
                logits = self.table(states, reverse=True)
            logits = ops.cast(reshape_like(inputs, logits), "float32")  # [..., V]
            return logits + ops.cast(self.bias, "float32") if self.logits_bias and output_kernel is None else logits
        embeddings = self.table(inputs)  # [B, T, d]
        return embeddings * self.hidden_dim**0.5 if self.scale else embeddings

    def _project_few(self, states: Any) -> Any:
        """Projects few states `[R, d]` to logits `[R, V]`, with the table as the first factor of the product.

        XLA packs the second factor, which must be the few states. With nothing between product and transposition, it
        would exchange the factors. Where an int8 factor is transposed, XLA converts both to int32, the table before the
        loop of a search, each of whose steps then reads four bytes of a weight instead of one.
        """
        columns = ops.transpose(states)  # [d, R]
        if self._has_float_table:
            products = ops.matmul(ops.cast(self._output_table(), self.compute_dtype), columns)  # [V, R]
            return ops.transpose(ops.maximum(products, -3e38))  # no logit is below this bound
        columns, scales = keras.quantizers.abs_max_quantize(columns, axis=0)  # int8, and the scale of each state [1, R]
        # In bfloat16, many logits would be equal.
        products = ops.cast(ops.matmul(self.table.embeddings, columns), "float32")
        scales = ops.cast(scales, "float32") * ops.cast(self.table.embeddings_scale, "float32")[:, None]
        return ops.transpose(products / scales)  # [R, V]

    def output_kernel(self, ids: Any = None) -> Any:
        """Returns the matrix that maps states to logits, to make it once for all steps of a search.

        Args:
            ids: int32 tensor `[N]`, the tokens of the columns. Defaults to None: all tokens, N = V.

        Returns:
            Float tensor `[d, N]`, or `[d + 1, N]` with the biases of the logits as last row. It has the compute dtype,
            or float32 if the weights are int8. If the weights are int8, the result for all tokens is None.
        """
        kernel = self._output_kernel(ids)
        if kernel is None or not self.logits_bias:
            return kernel
        bias = self.bias if ids is None else ops.take(self.bias, ids)
        return ops.concatenate([kernel, ops.cast(bias, kernel.dtype)[None]], axis=0)

    def _output_kernel(self, ids: Any) -> Any:
        if ids is None:
            table = self._output_table()
            return ops.transpose(ops.cast(table, self.compute_dtype)) if self._has_float_table else None
        rows = ops.take(self._output_table(), ids, axis=0)  # [N, d]
        if self._has_float_table:
            return ops.transpose(ops.cast(rows, self.compute_dtype))
        scales = self.table.embeddings_scale if self.tie_weights else self.table.reverse_embeddings_scale  # [V]
        return ops.transpose(ops.cast(rows, "float32") / ops.cast(ops.take(scales, ids)[:, None], "float32"))

    def _output_table(self) -> Any:
        return self.table.embeddings if self.tie_weights else ops.transpose(self.table.reverse_embeddings)  # [V, d]

    @property
    def _has_float_table(self) -> bool:
        """Whether the table is not quantised. A quantised table computes products in its own way."""
        return self.table.quantization_mode is None

    @property
    def _has_transposed_int8(self) -> bool:
        """Whether Keras would transpose an int8 table for the logits. Tables of int4 have two weights in a byte."""
        return self.tie_weights and self.table.quantization_mode == "int8"

    compute_output_shape = shapes_of_spec

    def compute_output_spec(
        self, inputs: Any, reverse: bool = False, is_decoding_step: bool = False, output_kernel: Any = None
    ) -> keras.KerasTensor:
        if not reverse:
            return keras.KerasTensor((*inputs.shape, self.hidden_dim), self.compute_dtype)
        size = self.vocabulary_size if output_kernel is None else output_kernel.shape[1]
        return keras.KerasTensor((*inputs.shape[:-1], size), "float32")
