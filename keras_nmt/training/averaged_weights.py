"""The exponential moving average of weights that a Keras optimizer keeps."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import keras
import tensorflow as tf


def keeps_average(optimizer: keras.optimizers.Optimizer) -> bool:
    """Whether the optimizer, or the optimizer whose loss is scaled, keeps an average of the weights (`use_ema`)."""
    return bool(_inner(optimizer).use_ema)


@contextlib.contextmanager
def averaged_weights(optimizer: keras.optimizers.Optimizer) -> Iterator[None]:
    """A block in which the trained variables have their averages as values.

    After the block, the variables have their own values again, bit for bit. Keras' `SwapEMAWeights` exchanges values by
    sums and differences, and the rounding changes the weights. Call it in cross-replica context, outside of graphs.
    Without an average, the block changes nothing.

    Args:
        optimizer: Optimizer, built.
    """
    pairs = _averages(optimizer)
    values = [tf.identity(variable.value) for variable, _ in pairs]
    try:
        for variable, average in pairs:
            variable.value.assign(tf.convert_to_tensor(average.value))
        yield
    finally:
        for (variable, _), value in zip(pairs, values, strict=True):
            variable.value.assign(value)


def _averages(optimizer: keras.optimizers.Optimizer) -> list[tuple[Any, Any]]:
    """Each trained variable with its average. The private names of Keras stand here alone."""
    inner = _inner(optimizer)
    # Before the first update, Keras' averages are zero.
    if not inner.use_ema or int(tf.convert_to_tensor(inner.iterations.value)) == 0:
        return []
    return list(zip(inner._trainable_variables, inner._model_variables_moving_average, strict=True))


def _inner(optimizer: keras.optimizers.Optimizer) -> keras.optimizers.Optimizer:
    return getattr(optimizer, "inner_optimizer", optimizer)
