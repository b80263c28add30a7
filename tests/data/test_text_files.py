"""Text files: blocks and lists of lines, and digests."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.data import read_line_pairs, read_lines, text_digest
from keras_nmt.data.text_files import read_blocks
from keras_nmt.errors import UserError

MODULE = sys.modules["keras_nmt.data.text_files"]
TEXT = "ein Haus\n\nzwei Häuser\n"


def lines_of(path: Path) -> list[str]:
    blocks = list(read_blocks(path))
    assert all(blocks)
    return [line for block in blocks for line in block]


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
@pytest.mark.parametrize("limit", [9, 2**20])
def test_lines_end_at_line_feeds_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, expected: list[str], limit: int
) -> None:
    monkeypatch.setattr(MODULE, "MAX_LINE", limit)  # also the size of blocks
    path = tmp_path / "text"
    path.write_bytes(content)
    assert lines_of(path) == expected


LINES = st.lists(st.text(st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs"]), max_size=15))


@settings(max_examples=80, deadline=None)
@given(lines=LINES, limit=st.integers(1, 40), ends=st.booleans())
def test_lines_up_to_the_limit_are_read_plain_and_gzipped(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], limit: int, ends: bool
) -> None:
    content = "\n".join([*lines, ""] if ends else lines).encode()
    folder = tmp_path_factory.mktemp("text")
    (folder / "plain.gz").write_bytes(content)  # the name makes no difference
    (folder / "gzipped").write_bytes(gzip.compress(content))
    too_long = [number for number, line in enumerate(lines, start=1) if len(line.encode()) > limit]
    expected = lines if ends or not lines or lines[-1] else lines[:-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "MAX_LINE", limit)
        for path in (folder / "plain.gz", folder / "gzipped"):
            if too_long:
                with pytest.raises(UserError, match=rf"^Line {too_long[0]} is longer than {limit} bytes.*{path.name}"):
                    lines_of(path)
            else:
                assert lines_of(path) == expected


@pytest.mark.parametrize("number", [1, 3, 4, 7, 9])
@pytest.mark.parametrize("bad", [b"\xff", b"ab\xc3", b"\xed\xa0\x80"])
@pytest.mark.parametrize("limit", [8, 2**20])
def test_invalid_utf8_names_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, bad: bytes, limit: int
) -> None:
    monkeypatch.setattr(MODULE, "MAX_LINE", limit)
    lines = [b"fine"] * 9
    lines[number - 1] = bad
    position = 3 if bad.startswith(b"ab") else 1
    path = tmp_path / "broken.txt"
    path.write_bytes(b"\n".join(lines))
    place = rf"\(byte 0x{bad[position - 1]:02x} at position {position} "
    with pytest.raises(UserError, match=rf"Line {number} is not UTF-8 {place}.*broken\.txt") as error:
        lines_of(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: data[:-8] + bytes(8), lambda data: data[:30]])
def test_damaged_gzip_is_a_user_error(tmp_path: Path, damage) -> None:
    path = tmp_path / "damaged.gz"
    path.write_bytes(damage(gzip.compress("".join(f"line {i * i}\n" for i in range(999)).encode())))
    with pytest.raises(UserError, match=r"Damaged gzip.*damaged\.gz"):
        lines_of(path)


def test_a_stream_gives_its_lines_as_they_come() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as stream, open(writing, "wb", buffering=0) as end:
        blocks = read_blocks(stream)
        for text in (b"one\ntwo\nth", b"ree\n"):
            end.write(text)
            assert next(blocks) == (["one", "two"] if text.startswith(b"one") else ["three"])
    memory = io.BytesIO(gzip.compress(b"a\nb"))
    assert list(read_blocks(memory)) == [["a"], ["b"]]
    assert not memory.closed


@pytest.mark.parametrize("kind", ["plain", "gzip", "zstandard", "skippable frame", "frame in the middle"])
def test_a_pipe_of_one_byte_at_a_time_is_recognised(kind: str) -> None:
    """Also a text that begins as compressed data do."""
    zstandard = pytest.importorskip("zstandard")
    text = b"(\nPe\n"
    frame = zstandard.ZstdCompressor().compress(text)
    skippable = b"\x5f\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    content = {
        "plain": text + text,
        "gzip": gzip.compress(text) + gzip.compress(text),
        "zstandard": frame + frame,
        "skippable frame": skippable + frame + frame,
        "frame in the middle": frame + skippable + frame + skippable,
    }[kind]

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.rest = content

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            part, self.rest = self.rest[:1], self.rest[1:]
            buffer[: len(part)] = part
            return len(part)

    assert [line for block in read_blocks(Pipe()) for line in block] == ["(", "Pe", "(", "Pe"]
    assert [line for block in read_blocks(io.BytesIO(content)) for line in block] == ["(", "Pe", "(", "Pe"]


def test_lines_before_one_that_is_not_utf8_are_yielded() -> None:
    blocks = read_blocks(io.BytesIO(b"one\ntwo\nth\xffree\nfour\n"))
    assert next(blocks) == ["one", "two"]
    with pytest.raises(UserError, match="Line 3 is not UTF-8"):
        next(blocks)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        lines_of(tmp_path / "nowhere.txt")


def test_a_gzip_bomb_of_one_line_is_an_error_in_bounded_memory(tmp_path: Path) -> None:
    """256 MiB in one line, read by a separate process, whose peak memory is measured."""
    with gzip.open(tmp_path / "bomb.gz", "wb", compresslevel=1) as file:
        file.write(b"one\n")
        for _ in range(256):
            file.write(bytes(2**20))
    code = """
import resource, sys
from keras_nmt.data.text_files import read_blocks
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
try:
    list(read_blocks(sys.argv[1]))
except ValueError as error:
    print(peak() - before, error)
"""
    command = [sys.executable, "-c", code, tmp_path / "bomb.gz"]
    kibibytes, message = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(" ", 1)
    assert int(kibibytes) < 16 * 1024
    assert message.startswith("Line 2 is longer than 1,048,576 bytes")
    assert message.endswith("bomb.gz\n")


def test_zstandard_data_of_any_frames(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    lines = [f"line {i} " + "x" * (i % 700) for i in range(9000)]
    text = "\n".join(lines).encode()
    compressed = b"".join(zstandard.ZstdCompressor().compress(text[i : i + 10**6]) for i in range(0, len(text), 10**6))
    (tmp_path / "text").write_bytes(compressed)
    assert [line for block in read_blocks(tmp_path / "text") for line in block] == lines
    (tmp_path / "damaged").write_bytes(compressed[:-20])  # the library's own reader takes it for whole
    with pytest.raises(UserError, match=r"Damaged Zstandard data, at some place after line \d+.*damaged \("):
        list(read_blocks(tmp_path / "damaged"))
    (tmp_path / "long").write_bytes(zstandard.ZstdCompressor().compress(b"a\n" + b"x" * 10**7))
    with pytest.raises(UserError, match=r"Line 2 is longer than 1,048,576 bytes.*long$"):
        list(read_blocks(tmp_path / "long"))


def test_addresses_are_opened_by_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://folder/text.gz", "wb") as file:
        file.write(gzip.compress(b"one\ntwo\n"))
    assert list(read_blocks("memory://folder/text.gz")) == [["one", "two"]]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("memory://folder/nowhere", r"FileNotFoundError\('/folder/nowhere'\)"),
        ("nothing://folder/text", "Protocol not known: nothing"),
        ("breaks://folder/text", "the connection is lost"),
    ],
)
def test_any_error_of_an_address_names_the_address(address: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")

    class Breaks(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            raise RuntimeError("the connection is lost")  # such as an error of a library for HTTP

    class BreakingFileSystem(fsspec.AbstractFileSystem):
        protocol = "breaks"

        def _open(self, path: str, **options: Any) -> io.RawIOBase:
            return Breaks()

    fsspec.register_implementation("breaks", BreakingFileSystem, clobber=True)
    with pytest.raises(UserError, match=f"^The address cannot be read .*{message}.*Received: {address}$") as error:
        list(read_blocks(address))
    assert "\n" not in str(error.value)


def test_keeps_every_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"one\n\n three \r\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"one\n\n three \r\n"))
    assert read_lines(tmp_path / "text") == read_lines(str(tmp_path / "text.gz")) == ["one", "", " three "]


def test_an_empty_file_has_no_list_of_lines(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    with pytest.raises(UserError, match=r"empty.*text"):
        read_lines(tmp_path / "text")


def test_paired_files_have_the_same_number_of_lines(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a\nb\n")
    (tmp_path / "two").write_text("c\n\n")
    assert read_line_pairs(tmp_path / "one", tmp_path / "two") == (["a", "b"], ["c", ""])
    (tmp_path / "two").write_text("c\n")
    with pytest.raises(UserError, match=r"the same number of lines.*one' with 2.*two' with 1"):
        read_line_pairs(tmp_path / "one", tmp_path / "two")


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
