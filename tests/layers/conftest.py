"""The contract of every layer, and random arrays, as fixtures."""

import functools

import numpy as np
import pytest

from keras_nmt import testing


@pytest.fixture(params=["quick", pytest.param("thorough", marks=pytest.mark.nightly)])
def check_layer(request):
    """Checks a layer, from a function that makes it, inputs by name, and counts of weights; at night thoroughly."""
    return functools.partial(testing.check_layer, thorough=request.param == "thorough")


@pytest.fixture
def random():
    generator = np.random.default_rng(0)
    return lambda *shape: generator.normal(size=shape).astype("float32")


@pytest.fixture
def randomised(random):
    """Builds a layer for inputs of these shapes, with random weights."""

    def _randomised(layer, *shapes):
        layer.build(*shapes)
        for weight in layer.trainable_weights:
            weight.assign(random(*weight.shape))
        return layer

    return _randomised
