"""Linear combination of representations."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._int8_kernels import Int8Kernels
from keras_nmt.layers.composition import Composition


@keras.saving.register_keras_serializable(package="keras_nmt")
class LinearCombination(Int8Kernels, Composition):
    """Linear combination of N representations, each with its own matrix: `sum_l r_l W_l`.

    The baseline of bilinear pooling. The layer has N d' `units` weights: the W_l are stacked in one kernel, so that the
    sum is one product.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        start: "random", or "identity": the first output is the last representation, W_N = I and the others zero.
            Defaults to "random".
        residual: Boolean, whether the last representation is added. At the identity start, all W_l are zero then.
            Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        representations: List of N float tensors `[..., d']`, or one tensor `[..., N, d']`; N at least 2.

    Returns:
        Tensor `[..., units]`.

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
        initializer = _last_neurons if is_identity else self.last_factor_initializer()
        self.kernel = self.add_weight(  # W_1 .. W_N
            shape=(number * width, self.output_width), initializer=initializer, name="kernel"
        )

    def compose(self, representations: Any) -> Any:
        return self.product(self.concatenate(representations), "kernel")  # [..., units]


def _last_neurons(shape: tuple[int, ...], dtype: Any = None) -> Any:
    """The kernel that selects the last neurons: W_N = I, the others zero."""
    neurons, units = shape
    return ops.eye(neurons, units, k=units - neurons, dtype=dtype)
