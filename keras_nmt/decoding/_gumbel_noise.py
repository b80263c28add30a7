from __future__ import annotations

from typing import Any

import keras
from keras import ops

# Of a fraction made of 32 random bits: its unit, and the largest that is below 1 in float32.
_UNIT = 2.0**-32
_LARGEST = 1.0 - 2.0**-24


def gumbel_noise(seeds: Any, samples: Any, position: Any, ids: Any) -> Any:
    """Random numbers of the standard Gumbel distribution, each a function of its own seed, sample, position and id.

    Random generators of Keras draw a whole tensor from one seed, so that a number depends on its place in the batch.
    These are hashes, as of a counter-based generator: the same on every device, with XLA or without, whatever else is
    computed beside them. Tensors of seeds, samples and ids broadcast.

    Args:
        seeds: int32 tensor.
        samples: int32 tensor, numbers of samples.
        position: int32 scalar tensor.
        ids: int32 tensor, token ids.

    Returns:
        float32 tensor, of the shape that seeds, samples and ids have together.

    Reference:
        [Salmon et al., 2011](https://doi.org/10.1145/2063384.2063405), for generators that count;
        [Maddison et al., 2014](https://arxiv.org/abs/1411.0030), section 2: the largest sum of a logit and such a
        number is a sample of the softmax.
    """
    state = _mix(_uint32(seeds))
    for counter in (samples, position, ids):
        state = _mix(ops.bitwise_xor(state, _wrapped(_uint32(counter) * _constant(0x9E3779B9) + _constant(0x7F4A7C15))))
    # Small fractions are exact in float32, and these decide: they are what large numbers come from.
    fraction = ops.minimum((ops.cast(state, "float32") + 0.5) * _UNIT, _LARGEST)
    # -log1p(-fraction), which XLA computes one number at a time: by the series where 1 - fraction would round.
    series = fraction * (1.0 + fraction * (1 / 2 + fraction * (1 / 3 + fraction / 4)))
    return -ops.log(ops.where(fraction < 0.01, series, -ops.log(1.0 - fraction)))


def _mix(bits: Any) -> Any:
    """Lets every bit depend on every bit: the finalizer of MurmurHash3."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        bits = _wrapped(ops.bitwise_xor(bits, ops.right_shift(bits, _constant(shift))) * _constant(factor))
    return ops.bitwise_xor(bits, ops.right_shift(bits, _constant(16)))


def _uint32(x: Any) -> Any:
    return _wrapped(ops.cast(ops.cast(x, "int32"), "uint32"))


def _wrapped(bits: Any) -> Any:
    """The lower 32 bits: Keras has 64 under this name with PyTorch, which knows no uint32."""
    return ops.bitwise_and(bits, _constant(0xFFFFFFFF)) if keras.backend.backend() == "torch" else bits


def _constant(value: int) -> Any:
    return ops.convert_to_tensor(value, "uint32")
