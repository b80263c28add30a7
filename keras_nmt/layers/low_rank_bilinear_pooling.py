"""Low-rank bilinear pooling of representations."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import optional_size, projection_initializer
from keras_nmt.layers._int8_kernels import Int8Kernels
from keras_nmt.layers.composition import Composition


@keras.saving.register_keras_serializable(package="keras_nmt")
class LowRankBilinearPooling(Int8Kernels, Composition):
    """Composition of N representations by products of pairs of their neurons, factorised with low rank.

        R^  = [r_1; ...; r_N]                         (Eq. 7)
        R   = (R^ U * R^ V) P                         (Eq. 10)
        R_f = ([R^; 1] U * [R^; 1] V) P               (Eq. 11, `first_order=True`)

    The row that the 1 adds to U and to V is a bias, b_U and b_V in R^r: the biases add single neurons (first order) to
    the products of two neurons (second order). There is no bias after P.

    The paper specifies no initial weights. With `start="random"`, U, V and P are random, the rows of biases too, and
    representations of variance one give an output of variance one. With `start="identity"`, the first output is the
    last `units` neurons of R^ (all neurons of composed heads, the last layer of composed layers), so that a model that
    starts from a trained model without composition computes the same outputs at first:

    - Eq. 11, r at least `units`: U and b_V are zero, b_U is one, and V P selects the last `units` neurons. The zeros do
      not delay training: b_U is one and V is not zero, so U, b_V and P all have a gradient at once.
    - Eq. 11 of lower rank, whose outputs have only r dimensions, and Eq. 10, whose products are never single neurons,
      have no such start. With `residual=True`, the last `units` neurons are added to R or R_f, and P is zero at first.

    The layer has 2 N d' r + r `units` weights, and 2 r more with first order. Under `mixed_float16`, large products are
    finite: the output overflows only if R^ U, R^ V or the output itself does not fit float16.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        rank: Integer, rank r of the factors, at most (N d')^2, the number of products. The paper's bound N d' applies
            to one output (Eq. 9); here all outputs share the factors. Defaults to `units`, or to the bound if smaller.
        first_order: Boolean, whether single neurons are added to their products (Eq. 11 instead of Eq. 10). Defaults to
            True.
        start: "random" or "identity"; see above. Defaults to "random".
        residual: Boolean, whether the last `units` neurons of R^ are added. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        representations: List of N float tensors `[..., d']`, or one tensor `[..., N, d']`; N at least 2.

    Returns:
        Tensor `[..., units]`.

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
        if rank > products:
            raise ValueError(
                f"`rank` must be at most {products}, the number of products of two of the "
                f"{number} x {width} neurons. Received: rank={rank!r}"
            )
        factors: Any = projection_initializer()
        projection: Any = self.last_factor_initializer()
        ones_row: Any = _of_a_row(number * width + 1)
        if not self.first_order:
            self._refuse_identity("A product of two neurons is never a single neuron")
        elif rank < self.output_width:
            self._refuse_identity(f"Rank {rank} gives {rank} of {self.output_width} dimensions")
        if self.start == "identity" and not self.residual:
            factors, projection = _last_neurons(number * width, self.output_width, rank)
            ones_row = _one_then_zero
        if self.first_order:
            self.ones_row = self.add_weight(shape=(2 * rank,), initializer=ones_row, name="ones_row")  # b_U | b_V
        # U and V lie side by side: one product gives both.
        self.factors = self.add_weight(shape=(number * width, 2 * rank), initializer=factors, name="factors")
        self.projection = self.add_weight(  # P
            shape=(rank, self.output_width), initializer=projection, name="projection"
        )

    def compose(self, representations: Any) -> Any:
        factors = self.product(self.concatenate(representations), "factors")  # R^ U | R^ V: [..., 2r]
        if self.first_order:
            factors = factors + self.ones_row
        left, right = ops.split(factors, 2, axis=-1)  # [..., r] each
        if self.compute_dtype != "float16":
            return self.product(left * right, "projection")  # [..., units]
        # Products above 65504 overflow in float16: each position is divided by a scale; the output is multiplied by it.
        scale = ops.stop_gradient(ops.maximum(ops.max(ops.abs(left), axis=-1, keepdims=True), 1))  # [..., 1]
        output = self.product((left / scale) * right, "projection")
        return ops.cast(ops.cast(output, "float32") * ops.cast(scale, "float32"), "float16")

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rank": self.rank, "first_order": self.first_order}


def _of_a_row(rows: int) -> keras.initializers.Initializer:
    """The initializer of one row of a matrix with so many rows, which is drawn like the other rows."""
    return keras.initializers.RandomUniform(-((3 / rows) ** 0.5), (3 / rows) ** 0.5)


def _one_then_zero(shape: tuple[int, ...], dtype: Any = None) -> Any:
    half = shape[0] // 2
    return ops.concatenate([ops.ones((half,), dtype), ops.zeros((half,), dtype)])


def _last_neurons(neurons: int, units: int, rank: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Initial [U | V] and P. R^ V P is the last `units` neurons: V = [0; Q], P = Q^T, Q orthogonal."""
    # The seed makes both initializers draw the same Q.
    orthogonal = keras.initializers.Orthogonal(seed=random.randint(1, 10**9))

    def factors(shape: tuple[int, ...], dtype: Any = None) -> Any:
        v = ops.pad(orthogonal((units, rank), dtype=dtype), ((neurons - units, 0), (0, 0)))
        return ops.concatenate([ops.zeros_like(v), v], axis=1)

    def projection(shape: tuple[int, ...], dtype: Any = None) -> Any:
        return ops.transpose(orthogonal((units, rank), dtype=dtype))

    return factors, projection
