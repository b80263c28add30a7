from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import keras

M = TypeVar("M", bound=keras.Model)


def without_weights(make: Callable[[], M]) -> M:
    """What `make` makes, in a moment whatever its size: its weights have shapes and no values, and never will."""

    def make_it() -> M:
        with keras.StatelessScope(initialize_variables=False):
            return make()

    # Keras keeps, for each thread, a list of variables to initialise later: here it ends with the thread.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(make_it).result()
