"""`keras-nmt prepare`: its errors before the work."""

from __future__ import annotations

import logging
import sys

import pytest

FILES = ("prepare", "--output", "out", "--source", "a", "--target", "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Missing subwords: --subwords FILE"),
        (("--source-subwords", "m"), "Missing subwords: --subwords FILE"),
        (("--subwords", "m", "--vocabulary-size", "9"), "Received: --vocabulary-size 9 and a file"),
        (("--subwords", "m", "--target-subwords", "m"), "Received: --subwords m and another"),
        (("--subwords", "m", "--script", "ru"), "SIDE=SCRIPT. Received: ru"),
        (("--subwords", "m", "--script", "ru=LATIN", "--script", "ru=CYRILLIC"), "once by --script SIDE=SCRIPT. Rec"),
        (("--subwords", "m", "--language", "ru"), "SIDE=LANGUAGE. Received: ru"),
        (("--subwords", "m", "--seed", "1"), "goes with --vocabulary-size N. Received: --seed 1"),
        (("--subwords", "m", "--normalization", "nfc"), "goes with --vocabulary-size N. Received: --normalization nfc"),
        (("--subwords", "m", "--byte-fallback"), "goes with --vocabulary-size N. Received: --byte-fallback True"),
        (("--subwords", "m", "--filter", "a:x", "--filter", "b:x"), "name of its own. Received: a:x, b:x"),
    ],
)
def test_contradictory_options(options, message, error_line):
    assert message in error_line(*FILES, *options)


def test_without_apache_beam(error_line, monkeypatch):
    monkeypatch.setitem(sys.modules, "apache_beam", None)
    monkeypatch.delitem(sys.modules, "keras_nmt.preparation.pipeline", raising=False)
    assert "pip install 'keras_nmt[prepare]'" in error_line(*FILES, "--subwords", "m")
    assert logging.getLogger("keras_nmt").isEnabledFor(logging.WARNING), "messages of the process are as before"
