from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import keras
import numpy as np

from keras_nmt.models.transformer import Transformer


def count_parameters(*, preset: str = "transformer_base", **arguments: Any) -> int:
    """The number of trainable parameters of a Transformer, without making them.

    Args:
        preset: Sizes of the Transformer, see `Transformer.from_preset`.
        **arguments: Arguments of `Transformer` that win over the preset's, `source_vocabulary_size` among them.

    Returns:
        The number.

    Raises:
        ValueError: What `Transformer` raises for these arguments.

    Example:

    >>> count_parameters(preset="transformer_base", source_vocabulary_size=41_138)
    65166336
    """

    def count() -> int:
        with keras.StatelessScope(initialize_variables=False):
            model = Transformer.from_preset(preset, **arguments)
        return sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)

    # Keras keeps, for each thread, a list of variables to initialise later: here it ends with the thread.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(count).result()
