"""The folders that docstring examples make are removed with those of the tests."""

from __future__ import annotations

import tempfile

import pytest


@pytest.fixture(autouse=True)
def _folders_are_those_of_tests(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").setattr(tempfile, "tempdir", str(folder))
