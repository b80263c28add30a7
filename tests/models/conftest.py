"""No collections of garbage by Keras: one for each weight that a layer drops, over the objects of all tests."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_collections_by_keras():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda *generation: 0)
        yield
