"""Excludes the scripts that make golden files, which need other packages, from the tests."""

from __future__ import annotations

collect_ignore_glob = ["make_*.py"]
