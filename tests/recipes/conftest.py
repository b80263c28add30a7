"""Fixtures of the tests of recipes and benchmarks."""

import gc

import keras
import pytest
from scripts import load_script


@pytest.fixture(scope="module")
def script(request):
    """The script that the test file names as SCRIPT: loaded when a test needs it, not when tests are collected."""
    return load_script(request.module.SCRIPT)


@pytest.fixture
def no_clearing(monkeypatch):
    """For scripts that clear memory between models: there are no models, and a process of tests has many objects."""
    monkeypatch.setattr(gc, "collect", lambda: 0)
    monkeypatch.setattr(keras.backend, "clear_session", lambda: None)
