"""Digests of text files."""

import gzip
import hashlib
import os

import pytest

from keras_nmt.data import text_digest
from keras_nmt.errors import UserError

TEXT = "ein Haus\n\nzwei Häuser\n"


# With ids: gzip's bytes contain the time, and all test processes must collect tests of equal names.
@pytest.mark.parametrize(
    "written",
    [
        pytest.param(TEXT.encode(), id="plain"),
        pytest.param(gzip.compress(TEXT.encode()), id="gzipped"),
        pytest.param(TEXT.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf" + TEXT.encode(), id="byte order mark"),
        pytest.param(TEXT.removesuffix("\n").encode(), id="no last line end"),
    ],
)
def test_the_digest_covers_the_lines_only(tmp_path, written):
    (tmp_path / "text").write_bytes(written)
    assert text_digest(tmp_path / "text") == hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_block_ends_within_a_long_text(tmp_path):
    text = "".join(f"{number}\n" for number in range(20_000))
    (tmp_path / "text").write_text(text)
    assert text_digest(tmp_path / "text") == hashlib.sha256(text.encode()).hexdigest()


def test_a_file_that_has_changed_is_read_again(tmp_path):
    path = tmp_path / "text"
    path.write_text("one\n")
    first = text_digest(path)
    path.write_text("two\n")
    os.utime(path, (1, 1))
    assert text_digest(path) != first


def test_damage_is_the_users_error(tmp_path):
    (tmp_path / "text").write_bytes(gzip.compress(TEXT.encode())[:-9])
    with pytest.raises(UserError, match="Damaged gzip"):
        text_digest(tmp_path / "text")
