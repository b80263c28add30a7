"""Models without values of weights."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import keras

M = TypeVar("M", bound=keras.Model)


def without_weights(make: Callable[[], M]) -> M:
    """Makes a model of any size in little time and memory: the weights have shapes but no values.

    Args:
        make: Function that makes the model.
    """

    def make_it() -> M:
        with keras.StatelessScope(initialize_variables=False):
            return make()

    # For each thread, Keras lists the variables to initialise later; this list ends with the thread.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(make_it).result()
