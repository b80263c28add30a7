"""Rotary positions."""

from __future__ import annotations

import numpy as np
import pytest
from keras import ops

from keras_nmt.layers import RotaryEncoding


def published(x, base):
    """Su et al. (2021), Eq. 34 with theta_i = base^(-2 (i - 1) / n), as n / 2 complex rotations; neurons i, i + n/2."""
    length, width = x.shape[-2:]
    pairs = x[..., : width // 2] + 1j * x[..., width // 2 :]
    for t in range(length):
        for i in range(1, width // 2 + 1):
            pairs[..., t, i - 1] *= np.exp(1j * t * base ** (-2 * (i - 1) / width))
    return np.concatenate([pairs.real, pairs.imag], -1)


@pytest.mark.parametrize("options", [{}, {"base": 500.0}], ids=["default", "base"])
def test_follows_the_published_equation(random, options):
    x = random(2, 3, 40, 8)
    expected = published(x.astype("float64"), options.get("base", 10_000))  # the paper's base
    layer = RotaryEncoding(**options)
    np.testing.assert_allclose(layer(x), expected, atol=1e-4)
    step = layer(x[:, :, 39:], position=ops.array(39))
    np.testing.assert_allclose(step, expected[:, :, 39:], atol=1e-4)
