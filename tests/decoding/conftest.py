"""The fixture that compiles a search."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tensorflow as tf


@pytest.fixture
def compiled(request: pytest.FixtureRequest) -> Callable[[Callable], Callable]:
    """Compiles a function with XLA, or to a graph in tests with `@pytest.mark.parametrize("compiled", ["graph"],
    indirect=True)`. XLA takes seconds, so each kind of graph is compiled by one or two tests.
    """
    is_xla = getattr(request, "param", "xla") == "xla"
    return lambda function: tf.function(function, jit_compile=is_xla, autograph=False)
