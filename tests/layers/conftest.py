"""The contract of every layer, and random arrays, as fixtures."""

from __future__ import annotations

import numpy as np
import pytest

from keras_nmt import testing


@pytest.fixture
def check_layer():
    """A function that checks a layer, given a function that makes the layer, inputs by name, and weight counts."""
    return testing.check_layer


@pytest.fixture
def random():
    generator = np.random.default_rng(0)
    return lambda *shape: generator.normal(size=shape).astype("float32")
