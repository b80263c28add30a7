"""Equal scores have one order, on every backend of Keras."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import ties


def test_equal_scores_keep_their_order():
    ties.check()


@pytest.mark.parametrize(
    "backend", [pytest.param("jax", marks=pytest.mark.slow), pytest.param("torch", marks=pytest.mark.nightly)]
)
def test_equal_scores_keep_their_order_on_another_backend(backend):
    pytest.importorskip(backend)
    environment = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, ties.__file__], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
