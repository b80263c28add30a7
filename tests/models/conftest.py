"""No garbage collections by Keras."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_collections_by_keras() -> Iterator[None]:
    """Keras collects garbage for each weight that a layer drops: over the objects of all tests, that takes a second.

    `quantize` in the package does without, by `gc.freeze`; these tests also quantize single layers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda *generation: 0)
        yield
