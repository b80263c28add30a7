"""The projection to attention keys and values."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import check_positive, projection_initializer
from keras_nmt.layers._projection import Int8Kernels


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
        self.supports_masking = True

    def build(self, hidden_shape: tuple[int | None, ...]) -> None:
        # W_K and W_V lie side by side: one product gives both.
        self.kernel = self.add_weight(
            shape=(hidden_shape[-1], 2 * self.hidden_dim), initializer=projection_initializer(), name="kernel"
        )

    def call(self, hidden: Any) -> tuple[Any, Any]:
        keys, values = ops.split(self.product(hidden, "kernel"), 2, axis=-1)  # [..., T, d] each
        return keys, values

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return [previous_mask, previous_mask]  # keys and values have the positions of the states

    def compute_output_shape(self, hidden_shape: tuple[int | None, ...]) -> tuple[tuple[int | None, ...], ...]:
        shape = (*hidden_shape[:-1], self.hidden_dim)
        return shape, shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "hidden_dim": self.hidden_dim}
