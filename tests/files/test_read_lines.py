"""Text files as lists of lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from keras_nmt.data import read_line_pairs, read_lines
from keras_nmt.errors import UserError


def test_keeps_every_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"one\n\n three \r\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"one\n\n three \r\n"))
    assert read_lines(tmp_path / "text") == read_lines(str(tmp_path / "text.gz")) == ["one", "", " three "]


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    with pytest.raises(UserError, match=r"empty.*text"):
        read_lines(tmp_path / "text")


def test_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"one\ntw\xf6\n")
    with pytest.raises(UserError, match=r"Line 2 is not UTF-8 \(byte 0xf6 at position 3.*text"):
        read_lines(tmp_path / "text")


def test_paired_files_have_the_same_number_of_lines(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a\nb\n")
    (tmp_path / "two").write_text("c\n\n")
    assert read_line_pairs(tmp_path / "one", tmp_path / "two") == (["a", "b"], ["c", ""])
    (tmp_path / "two").write_text("c\n")
    with pytest.raises(UserError, match=r"the same number of lines.*one: 2.*two: 1"):
        read_line_pairs(tmp_path / "one", tmp_path / "two")
