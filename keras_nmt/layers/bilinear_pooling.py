"""Linear combination, full and low-rank bilinear pooling of representations."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import require
from keras_nmt.layers._common import optional_size, projection_initializer
from keras_nmt.layers._projection import Int8Kernels
from keras_nmt.layers.composition_layer import CompositionLayer

MAX_WEIGHTS = 2**31  # of full bilinear pooling, 8 GiB


@keras.saving.register_keras_serializable(package="keras_nmt")
class LinearCombination(Int8Kernels, CompositionLayer):
    """Combines N representations linearly, each with its own matrix: `sum_l r_l W_l`.

    This is the baseline of bilinear pooling. The layer has N d' `units` weights. The W_l are stacked in one kernel, so
    that one product computes the sum.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        start: "random", or "identity": the output is initially the last representation, with W_N = I and the other
            matrices zero, or all of them zero if `residual`. Defaults to "random".
        residual: Boolean, whether the last representation is added. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Inputs and outputs are those of `CompositionLayer`.

    Raises:
        ValueError: There are fewer than two representations, their shapes differ, or `start` is unknown.

    Example:

    >>> import numpy as np
    >>> layers = [np.random.rand(2, 7, 16).astype("float32") for _ in range(6)]
    >>> tuple(LinearCombination()(layers).shape)
    (2, 7, 16)

    Reference:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365); with a matrix for each representation as in Eq. 4 and
        footnote 2 of [Li et al., 2020](https://arxiv.org/abs/1911.09877), whose table 1 has this number of weights.
    """

    kernels = ("kernel",)

    def build_composition(self, number: int, width: int) -> None:
        is_identity = self.start == "identity" and not self.residual
        initializer = _identity_of_last if is_identity else self.last_factor_initializer()
        self.kernel = self.add_weight(  # W_1 .. W_N
            shape=(number * width, self.output_width), initializer=initializer, name="kernel"
        )

    def compose(self, representations: Any) -> Any:
        return self.product(self.concatenate(representations), "kernel")  # [..., units]


@keras.saving.register_keras_serializable(package="keras_nmt")
class BilinearPooling(CompositionLayer):
    """Composes N representations by the products of all pairs of their neurons.

        R^ = [r_1; ...; r_N]                (Eq. 7)
        R  = vec(R^ R^T) W_B                (Eq. 6)

    W_B has (N d')^2 `units` weights, 36 billion for six layers of width 1000. Use this layer for small sizes and to
    check its factorisation, `LowRankBilinearPooling`. It computes in float32 under every dtype policy.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        start: "random", or "identity": W_B is initially zero. "identity" needs `residual`, because a product of two
            neurons is never a single neuron. Defaults to "random".
        residual: Boolean, whether the last `units` neurons of R^ are added. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Inputs and outputs are those of `CompositionLayer`.

    Raises:
        ValueError: There are fewer than two representations, their shapes differ, W_B has more than 2^31 weights, or
            `start` is unknown or needs `residual`.

    Example:

    >>> import numpy as np
    >>> heads = np.random.rand(2, 7, 3, 4).astype("float32")
    >>> tuple(BilinearPooling(units=12)(heads).shape)
    (2, 7, 12)

    Reference:
        Neuron Interaction Based Representation Composition for Neural Machine Translation
        ([Li et al., 2020](https://arxiv.org/abs/1911.09877)), Eq. 6 to 8.
    """

    def build_composition(self, number: int, width: int) -> None:
        weights = (number * width) ** 2 * self.output_width
        if weights > MAX_WEIGHTS:
            raise ValueError(
                f"Full bilinear pooling can have at most {MAX_WEIGHTS:,} weights: use low-rank pooling instead. "
                f"Received: {number} x {width} neurons and {self.output_width} outputs, {weights:,} weights"
            )
        self._refuse_identity("A product of two neurons is never a single neuron")
        self.kernel = self.add_weight(  # W_B: row i N d' + j belongs to the product of neurons i and j
            shape=((number * width) ** 2, self.output_width),
            initializer=self.last_factor_initializer(),
            autocast=False,
            name="kernel",
        )

    def compose(self, representations: Any) -> Any:
        r = ops.cast(self.concatenate(representations), "float32")  # R^: [..., N d']
        products = ops.expand_dims(r, -1) * ops.expand_dims(r, -2)  # R^ R^T: [..., N d', N d']
        products = ops.reshape(products, (*ops.shape(r)[:-1], r.shape[-1] ** 2))  # vec
        return ops.cast(ops.matmul(products, self.kernel), self.compute_dtype)  # [..., units]


@keras.saving.register_keras_serializable(package="keras_nmt")
class LowRankBilinearPooling(Int8Kernels, CompositionLayer):
    """Composes N representations by products of pairs of their neurons, factorised with low rank.

        R^  = [r_1; ...; r_N]                         (Eq. 7)
        R   = (R^ U * R^ V) P                         (Eq. 10)
        R_f = ([R^; 1] U * [R^; 1] V) P               (Eq. 11, `first_order=True`)

    The row that the 1 adds to U and to V is a bias, b_U and b_V in R^r: the biases add single neurons (first order) to
    the products of two neurons (second order). There is no bias after P.

    The paper specifies no initial weights. With `start="random"`, U, V, P and the biases are random, and
    representations of variance one give an output of variance one. With `start="identity"`, the output is initially the
    last `units` neurons of R^: all neurons of composed heads, or the last of composed layers. A model that starts from
    a trained model without the composition then initially computes the same outputs:

    - Eq. 11 with r at least `units`: U and b_V are zero, b_U is one, and V P selects the last `units` neurons. The
      zeros do not delay training: because b_U is one and V is not zero, U, b_V and P have gradients from the first
      update on.
    - Eq. 11 of lower rank, whose outputs have only r dimensions, and Eq. 10, whose products are never single neurons,
      cannot start this way. With `residual=True`, the last `units` neurons are added to R or R_f, and P is initially
      zero.

    The layer has 2 N d' r + r `units` weights, and 2 r more with first order. Under `mixed_float16`, sums and products
    are computed in float32, so the output overflows only if it exceeds the range of float16 itself. `mixed_bfloat16`
    has the range of float32.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        rank: Integer, rank r of the factors, at most (N d')^2, the number of products. The paper's bound N d' applies
            to a single output (Eq. 9), but here all outputs share the factors. Defaults to `units`, or to (N d')^2 if
            that is smaller.
        first_order: Boolean, whether single neurons are added to their products (Eq. 11 instead of Eq. 10). Defaults to
            True.
        start: "random" or "identity"; see above. Defaults to "random".
        residual: Boolean, whether the last `units` neurons of R^ are added. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Inputs and outputs are those of `CompositionLayer`.

    Raises:
        ValueError: There are fewer than two representations, their shapes differ, `rank` is above (N d')^2, or `start`
            is unknown or needs `residual`.

    Example:

    >>> import numpy as np
    >>> layers = [np.random.rand(2, 7, 16).astype("float32") for _ in range(6)]
    >>> tuple(LowRankBilinearPooling(rank=8)(layers).shape)
    (2, 7, 16)
    >>> heads = np.random.rand(2, 7, 4, 4).astype("float32")
    >>> tuple(LowRankBilinearPooling(units=16, first_order=False)(heads).shape)
    (2, 7, 16)

    Reference:
        Neuron Interaction Based Representation Composition for Neural Machine Translation
        ([Li et al., 2020](https://arxiv.org/abs/1911.09877)), Eq. 9 to 11.
    """

    kernels = ("factors", "projection")

    def __init__(
        self,
        units: int | None = None,
        rank: int | None = None,
        first_order: bool = True,
        *,
        start: str = "random",
        residual: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, start=start, residual=residual, **kwargs)
        self.rank = optional_size("rank", rank)
        self.first_order = first_order

    def build_composition(self, number: int, width: int) -> None:
        products = (number * width) ** 2
        rank = min(self.output_width, products) if self.rank is None else self.rank  # r
        problem = f"{{rank}} must be at most {products}, the number of pairs of {number} x {width} neurons"
        require(rank <= products, problem, rank=rank)
        factors: Any = projection_initializer()
        projection: Any = self.last_factor_initializer()
        ones_row: Any = _row_initializer(number * width + 1)
        if not self.first_order:
            self._refuse_identity("A product of two neurons is never a single neuron")
        elif rank < self.output_width:
            self._refuse_identity(f"Rank {rank} gives {rank} of {self.output_width} dimensions")
        if self.start == "identity" and not self.residual:
            factors, projection = _last_neurons(number * width, self.output_width, rank)
            ones_row = _one_then_zero
        if self.first_order:
            self.ones_row = self.add_weight(shape=(2 * rank,), initializer=ones_row, name="ones_row")  # b_U | b_V
        # U and V lie side by side, so one product computes both.
        self.factors = self.add_weight(shape=(number * width, 2 * rank), initializer=factors, name="factors")
        self.projection = self.add_weight(  # P
            shape=(rank, self.output_width), initializer=projection, name="projection"
        )

    def compose(self, representations: Any) -> Any:
        dtype = "float32" if self.compute_dtype == "float16" else self.compute_dtype
        factors = self.product(ops.cast(self.concatenate(representations), dtype), "factors")  # R^ U | R^ V: [..., 2r]
        if self.first_order:
            factors = factors + ops.cast(self.ones_row, dtype)
        left, right = ops.split(factors, 2, axis=-1)  # [..., r] each
        return ops.cast(self.product(left * right, "projection"), self.compute_dtype)  # [..., units]


def _row_initializer(rows: int) -> keras.initializers.Initializer:
    """Returns the initializer of one more row of a matrix with so many rows, all drawn from one distribution."""
    return keras.initializers.RandomUniform(-((3 / rows) ** 0.5), (3 / rows) ** 0.5)


def _one_then_zero(shape: tuple[int, ...], dtype: Any = None) -> Any:
    half = shape[0] // 2
    return ops.concatenate([ops.ones((half,), dtype), ops.zeros((half,), dtype)])


def _last_neurons(neurons: int, units: int, rank: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns initializers of [U | V] and P by which R^ V P is the last `units` neurons: U = 0, V = [0; Q], P = Q^T."""
    # With the same seed, both initializers draw the same orthogonal matrix Q. TensorFlow cannot draw it in bfloat16.
    orthogonal = keras.initializers.Orthogonal(seed=random.randint(1, 10**9))

    def factors(shape: tuple[int, ...], dtype: Any = None) -> Any:
        v = ops.pad(ops.cast(orthogonal((units, rank), "float32"), dtype), ((neurons - units, 0), (0, 0)))
        return ops.concatenate([ops.zeros_like(v), v], axis=1)

    def projection(shape: tuple[int, ...], dtype: Any = None) -> Any:
        return ops.transpose(ops.cast(orthogonal((units, rank), "float32"), dtype))

    return factors, projection


def _identity_of_last(shape: tuple[int, ...], dtype: Any = None) -> Any:
    """Initializes the kernel that selects the last neurons: W_N = I, the other matrices zero."""
    neurons, units = shape
    return ops.eye(neurons, units, k=units - neurons, dtype=dtype)
