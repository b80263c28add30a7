"""Positional encodings."""

from __future__ import annotations

import numpy as np
import pytest
from keras import ops

from keras_nmt.models.positional_encoding import PositionalEncoding


def test_follows_the_equation():
    t, i = np.arange(600)[:, None], np.arange(4)
    angles = t / 10_000 ** (2 * i / 8)
    expected = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(600, 8)
    np.testing.assert_allclose(PositionalEncoding()(np.zeros((1, 600, 8), "float32"))[0], expected, atol=1e-4)


@pytest.mark.parametrize(("width", "options"), [(5, {"order": "halves"}), (2, {"endpoint": True})])
def test_widths_without_sinusoids_are_refused(width, options):
    with pytest.raises(ValueError, match=f"The width must be even.*Received: width {width}"):
        PositionalEncoding(**options)(np.zeros((1, 3, width), "float32"))


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_positions_are_computed_in_float32(policy):
    zeros = np.zeros((1, 600, 8), "float32")
    expected, layer = np.asarray(PositionalEncoding()(zeros)), PositionalEncoding(dtype=policy)
    np.testing.assert_allclose(ops.cast(layer(zeros), "float32"), expected, atol=1e-2)
    step = layer(zeros[:, :1], position=ops.array(599))
    np.testing.assert_allclose(ops.cast(step, "float32"), expected[:, 599:], atol=1e-2)
