"""Fixtures of the tests of recipes and benchmarks."""

from __future__ import annotations

import gc

import keras
import pytest


@pytest.fixture
def no_clearing(monkeypatch: pytest.MonkeyPatch) -> None:
    """For scripts that clear memory between models: there are no models, and a process of tests has many objects."""
    monkeypatch.setattr(gc, "collect", lambda: 0)
    monkeypatch.setattr(keras.backend, "clear_session", lambda: None)
