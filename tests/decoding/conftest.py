"""The ways a search may run, and the folder's helper module."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tensorflow as tf


@pytest.fixture(params=["graph", "xla"])
def compiled(request: pytest.FixtureRequest) -> Callable[[Callable], Callable]:
    """Each way a search may run, besides eagerly."""
    return lambda function: tf.function(function, jit_compile=request.param == "xla")
