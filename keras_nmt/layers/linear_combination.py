"""Linear combination of representations."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._projection import Int8Kernels
from keras_nmt.layers.composition_layer import CompositionLayer


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
        initializer = _last_neurons if is_identity else self.last_factor_initializer()
        self.kernel = self.add_weight(  # W_1 .. W_N
            shape=(number * width, self.output_width), initializer=initializer, name="kernel"
        )

    def compose(self, representations: Any) -> Any:
        return self.product(self.concatenate(representations), "kernel")  # [..., units]


def _last_neurons(shape: tuple[int, ...], dtype: Any = None) -> Any:
    """Initializes the kernel that selects the last neurons: W_N = I, the other matrices zero."""
    neurons, units = shape
    return ops.eye(neurons, units, k=units - neurons, dtype=dtype)
