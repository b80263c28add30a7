"""Equal scores have one order, on every backend of Keras."""

from __future__ import annotations

import pytest
import ties
from small import OTHER_BACKENDS, run_on_backend


def test_equal_scores_keep_their_order():
    ties.check()


@pytest.mark.parametrize("backend", OTHER_BACKENDS)
def test_equal_scores_keep_their_order_on_another_backend(backend):
    run_on_backend(backend, ties.__file__)
