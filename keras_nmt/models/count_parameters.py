"""The number of parameters of a Transformer."""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_nmt.models._without_weights import without_weights
from keras_nmt.models.transformer import Transformer


def count_parameters(*, preset: str = "transformer_base", **arguments: Any) -> int:
    """The number of trainable parameters of a Transformer, without their values.

    Args:
        preset: String, sizes of the Transformer; see `Transformer.from_preset`. Defaults to "transformer_base".
        **arguments: Arguments of `Transformer`, which override the preset. `source_vocabulary_size` is needed.

    Returns:
        The number.

    Raises:
        ValueError: `Transformer` rejects the arguments.

    Example:

    >>> count_parameters(preset="transformer_base", source_vocabulary_size=41_138)
    65166336
    """
    model = without_weights(lambda: Transformer.from_preset(preset, **arguments))
    return sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)
