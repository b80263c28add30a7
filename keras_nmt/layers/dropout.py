"""Dropout from random bits."""

from __future__ import annotations

import math
from typing import Any

import keras
from keras import ops

BITS = 16  # random bits for each value


@keras.saving.register_keras_serializable(package="keras_nmt")
class Dropout(keras.layers.Dropout):
    """Dropout that decides on each value by 16 random bits, whatever the dtype of the values is.

    On average, it drops `round(65536 * rate)` of 65536 values in every dtype, and a seed drops the same values in all
    dtypes. In bfloat16 on TensorFlow, `keras.layers.Dropout` drops multiples of 1/128.

    Args:
        rate: Float, probability that a value is dropped, from 0 to 1. What is kept is divided by its probability.
            Below 1, at most 65535 of 65536 values are dropped.
        noise_shape: List of integers, or None for sizes of the inputs: shape of the decisions, which are broadcast to
            the inputs. `(None, 1, None)` drops the same features at all positions of `[B, T, d]`. Defaults to None:
            each value has its own.
        seed: Integer. Defaults to None, a random seed.
        **kwargs: Further arguments of `keras.layers.Layer`: `name` and `dtype`.

    Call arguments:
        inputs: Float tensor of any shape; the number of axes must be known.
        training: Boolean. False, the default, returns the inputs.

    Returns:
        Tensor of the inputs' shape and dtype.

    Raises:
        ValueError: `rate` is below 0 or above 1, or `noise_shape` is not a list of positive integers and None.

    Example:

    >>> import numpy as np
    >>> outputs = Dropout(0.25)(np.ones((100, 100), "float32"), training=True)
    >>> kept = np.asarray(outputs) > 0
    >>> bool(0.7 < kept.mean() < 0.8), bool(np.allclose(outputs[kept], 1 / 0.75))
    (True, True)

    Reference:
        [Srivastava et al., 2014](https://jmlr.org/papers/v15/srivastava14a.html).
    """

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or not self.rate:
            return inputs
        if self.rate == 1:
            return ops.zeros_like(inputs)
        shape = noise_shape = ops.shape(inputs)
        if self.noise_shape is not None:
            noise_shape = tuple(size or shape[i] for i, size in enumerate(self.noise_shape))
        dropped = min(round(self.rate * 2**BITS), 2**BITS - 1)  # of 2**BITS values
        kept = random_bits(noise_shape, self.seed_generator) >= dropped - 2 ** (BITS - 1)
        if self.noise_shape is not None:
            kept = ops.broadcast_to(kept, shape)  # an error if it does not fit, where `where` would enlarge the inputs
        return ops.where(kept, inputs * (2**BITS / (2**BITS - dropped)), 0)


def random_bits(shape: tuple[Any, ...], seed: keras.random.SeedGenerator) -> Any:
    """Draws whole numbers from -32768 to 32767, int16, all equally likely, two from each random number of 32 bits."""
    size = math.prod(shape)
    pairs = keras.random.randint(((size + 1) // 2, 1), -(2**31), 2**31 - 1, dtype="int32", seed=seed)
    # By way of float32: `view` reshapes on TensorFlow, which for int32 goes through the host's memory, also on a GPU.
    halves = ops.view(ops.view(pairs, "float32"), "int16")
    return ops.reshape(ops.reshape(halves, (-1,))[:size], shape)
