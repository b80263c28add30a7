"""Full bilinear pooling of representations."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers.composition_layer import CompositionLayer

MAX_WEIGHTS = 2**31  # 8 GiB


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
