from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.text import read_blocks


def lines_of(path: Path, block_size: int = 3) -> list[str]:
    return [line for block in read_blocks(path, block_size) for line in block]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\nb\nc\nd\ne", ["a", "b", "c", "d", "e"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\x00b\n\x0b\x0c\n", ["a\x00b", "\x0b\x0c"]),
        ("a\u2028b\u0085c\n".encode(), ["a\u2028b\u0085c"]),
        ("\ufeffa\n\ufeffb\n".encode(), ["a", "\ufeffb"]),
    ],
)
def test_lines_end_at_line_feeds_alone(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    assert lines_of(path) == expected


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs"]))), st.integers(1, 5))
def test_round_trip_plain_and_gzip(tmp_path_factory: pytest.TempPathFactory, lines: list[str], block_size: int) -> None:
    content = "".join(line + "\n" for line in lines).encode()
    folder = tmp_path_factory.mktemp("text")
    (folder / "plain.gz").write_bytes(content)  # the name does not decide
    (folder / "gzipped").write_bytes(gzip.compress(content))
    assert lines_of(folder / "plain.gz", block_size) == lines
    assert lines_of(folder / "gzipped", block_size) == lines


@pytest.mark.parametrize("number", [1, 3, 4, 7, 9])
@pytest.mark.parametrize("bad", [b"\xff", b"ab\xc3", b"\xed\xa0\x80"])
def test_invalid_utf8_names_file_and_line(tmp_path: Path, number: int, bad: bytes) -> None:
    lines = [b"fine"] * 9
    lines[number - 1] = bad
    path = tmp_path / "broken.txt"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(UserError, match=rf"Line {number} is not UTF-8.*broken\.txt") as error:
        lines_of(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: data[:-8] + bytes(8), lambda data: data[:30]])
def test_damaged_gzip_is_a_user_error(tmp_path: Path, damage) -> None:
    path = tmp_path / "damaged.gz"
    path.write_bytes(damage(gzip.compress("".join(f"line {i * i}\n" for i in range(999)).encode())))
    with pytest.raises(UserError, match=r"Damaged gzip.*damaged\.gz"):
        lines_of(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        lines_of(tmp_path / "nowhere.txt")
