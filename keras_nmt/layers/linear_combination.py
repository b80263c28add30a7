"""Linear combination of representations."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import projection_initializer
from keras_nmt.layers._int8_kernels import Int8Kernels
from keras_nmt.layers._representations import Composition


@keras.saving.register_keras_serializable(package="keras_nmt")
class LinearCombination(Int8Kernels, Composition):
    """Linear combination of N representations, each with its own matrix: `sum_l r_l W_l`.

    The baseline of bilinear pooling. The layer has N d' `units` weights: the W_l are stacked in one kernel, so that the
    sum is one product.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        representations: List of N float tensors `[..., d']`, or one tensor `[..., N, d']`; N at least 2.

    Returns:
        Tensor `[..., units]`.

    Raises:
        ValueError: There are fewer than two representations, or their shapes differ.

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
        self.kernel = self.add_weight(  # W_1 .. W_N
            shape=(number * width, self.output_width), initializer=projection_initializer(), name="kernel"
        )

    def call(self, representations: Any) -> Any:
        return self.product(self.concatenate(representations), "kernel")  # [..., units]
