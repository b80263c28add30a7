"""Fixtures of the tests of recipes and benchmarks."""

import pytest
from scripts import load_script


@pytest.fixture(scope="module")
def script(request):
    """The script that the test file names as SCRIPT: loaded when a test needs it, not when tests are collected."""
    return load_script(request.module.SCRIPT)
