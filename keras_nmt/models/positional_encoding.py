"""Layers that add positions to embeddings, sinusoidal or learned."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice
from keras_nmt.layers._common import ConfiguredLayer, check_positive, positions_of

ORDERS = ("interleaved", "halves")
LONGEST = 10_000.0  # longest wavelength divided by 2 pi


@keras.saving.register_keras_serializable(package="keras_nmt")
class PositionalEncoding(ConfiguredLayer):
    """Adds sinusoidal positions to embeddings. The layer has no weights, and computes sine and cosine in float32.

    (`SinePositionEncoding` of keras_hub has neither `order` nor `endpoint`, and computes positions in the compute
    dtype; bfloat16 cannot represent odd numbers above 256.)

    Args:
        order: "interleaved": sine and cosine of a frequency side by side; or "halves": all sines, then all cosines.
            Defaults to "interleaved".
        offset: Integer, the position of the first token. Defaults to 0.
        endpoint: Boolean. True: the longest wavelength is 2 pi 10000, as in Tensor2Tensor, fairseq and Marian. False:
            it is one step shorter, as in the paper. Defaults to False.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`.
        position: Integer scalar tensor, the position of all of `inputs`, as in a step of search. Defaults to None:
            `inputs` has the positions 0, 1, ..., T - 1.

    Returns:
        Tensor `[B, T, d]`.

    Example:

    >>> import numpy as np
    >>> tuple(PositionalEncoding()(np.zeros((2, 5, 8), "float32")).shape)
    (2, 5, 8)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5.
    """

    def __init__(self, order: str = "interleaved", offset: int = 0, endpoint: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_choice("order", order, ORDERS)
        self.order = order
        self.offset = int(offset)
        self.endpoint = endpoint
        self.built = True

    def call(self, inputs: Any, position: Any = None) -> Any:
        positions = positions_of(inputs, position) + self.offset  # [T]
        # PE(pos, 2i) = sin(pos / 10000^(2i / d)), PE(pos, 2i + 1) = cos(pos / 10000^(2i / d))
        d = inputs.shape[-1]
        if (self.order == "halves" and d % 2) or d == 2 * self.endpoint:
            raise ValueError(
                f"The width must be even with order='halves', and above 2 with `endpoint`. Received: width {d}, "
                f"order={self.order!r}, endpoint={self.endpoint}"
            )
        neurons = ops.arange(d, dtype="int32")
        pairs, is_cosine = neurons // 2, neurons % 2 == 1
        if self.order == "halves":
            pairs, is_cosine = neurons % (d // 2), neurons >= d // 2
        frequencies = ops.power(1 / LONGEST, ops.cast(2 * pairs, "float32") / (d - 2 * self.endpoint))  # [d]
        angles = ops.cast(positions, "float32")[:, None] * frequencies  # [T, d]
        return inputs + ops.cast(ops.where(is_cosine, ops.cos(angles), ops.sin(angles)), inputs.dtype)

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return inputs_shape


@keras.saving.register_keras_serializable(package="keras_nmt")
class LearnedPositions(ConfiguredLayer):
    """Adds a learned vector for each position to embeddings. Later positions have the vector of position M - 1.

    (`PositionEmbedding` of keras_hub has no vector for later positions, so that a search of unknown length would fail.)

    Args:
        max_length: Integer M, number of positions. Defaults to 1024.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`.
        position: Integer scalar tensor, as for `PositionalEncoding`.

    Returns:
        Tensor `[B, T, d]`.

    Example:

    >>> import numpy as np
    >>> tuple(LearnedPositions(16)(np.zeros((2, 5, 8), "float32")).shape)
    (2, 5, 8)
    """

    def __init__(self, max_length: int = 1024, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(max_length=max_length)
        self.max_length = int(max_length)

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        width = inputs_shape[-1]
        assert width is not None
        self.table = self.add_weight(
            shape=(self.max_length, width),
            initializer=keras.initializers.RandomNormal(stddev=width**-0.5),
            name="table",
        )

    def call(self, inputs: Any, position: Any = None) -> Any:
        positions = positions_of(inputs, position)  # [T]
        rows = ops.take(self.table, ops.minimum(positions, self.max_length - 1), axis=0)  # [T, d]
        return inputs + ops.cast(rows, inputs.dtype)

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return inputs_shape
