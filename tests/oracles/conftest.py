"""The scripts that make golden files need packages of their own and are no part of the tests."""

from __future__ import annotations

collect_ignore_glob = ["make_*.py"]
