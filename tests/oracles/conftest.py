"""Excludes the scripts that make golden files, which need other packages, from the tests."""

collect_ignore_glob = ["make_*.py"]
