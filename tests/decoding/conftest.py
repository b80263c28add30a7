"""The ways a search may run, and the folder's helper module."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

# Test folders are no packages: without this, table_decoder.py could not be imported.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(params=["graph", "xla"])
def compiled(request: pytest.FixtureRequest) -> Callable[[Callable], Callable]:
    """Each way a search may run, besides eagerly."""
    return lambda function: tf.function(function, jit_compile=request.param == "xla")
