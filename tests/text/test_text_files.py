"""Text files: blocks and lists of lines, and digests."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.data import read_line_pairs, read_lines, text_digest
from keras_nmt.errors import UserError
from keras_nmt.text.text_files import read_blocks

MODULE = sys.modules["keras_nmt.text.text_files"]


def lines_of(path: Path) -> list[str]:
    blocks = list(read_blocks(path))
    assert all(blocks)
    return [line for block in blocks for line in block]


@pytest.mark.parametrize("limit", [9, 2**20])
def test_lines_end_at_line_feeds_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(MODULE, "MAX_LINE", limit)  # also the size of blocks
    path = tmp_path / "text"
    for content, expected in (
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\nb\nc\nd\ne", ["a", "b", "c", "d", "e"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\x00b\n\x0b\x0c\n", ["a\x00b", "\x0b\x0c"]),
        ("a\u2028b\u0085c\n".encode(), ["a\u2028b\u0085c"]),
        ("\ufeffa\n\ufeffb\n".encode(), ["a", "\ufeffb"]),
        ("\ufeff".encode(), []),
        ("\ufeff\n".encode(), [""]),
    ):
        path.write_bytes(content)
        assert lines_of(path) == expected
        kept = [line for block in read_blocks(path, keep_ends=True) for line in block]
        assert "".join(kept) == content.decode().removeprefix("\ufeff")
        assert len(kept) == len(expected)


LINES = st.lists(st.text(st.characters(exclude_characters="\0\n\r\ufeff", exclude_categories=["Cs"]), max_size=15))


@settings(max_examples=40)
@given(lines=LINES, limit=st.integers(1, 40), ends=st.booleans())
def test_lines_up_to_the_limit_are_read_plain_and_gzipped(tmp_path_factory, lines, limit, ends):
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


@pytest.mark.parametrize("limit", [8, 2**20])
def test_invalid_utf8_names_file_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(MODULE, "MAX_LINE", limit)
    path = tmp_path / "broken.txt"
    for number in (1, 3, 4, 9):
        for bad, position in ((b"\xff", 1), (b"ab\xc3", 3), (b"\xed\xa0\x80", 1)):
            lines = [b"fine"] * 9
            lines[number - 1] = bad
            path.write_bytes(b"\n".join(lines))
            place = rf"\(byte 0x{bad[position - 1]:02x} at position {position} "
            with pytest.raises(UserError, match=rf"Line {number} is not UTF-8 {place}[^\n]*broken\.txt[^\n]*$"):
                lines_of(path)
    blocks = read_blocks(io.BytesIO(b"one\ntwo\nth\xffree\nfour\n"))
    assert next(blocks) == ["one", "two"]  # lines before it are yielded
    with pytest.raises(UserError, match="Line 3 is not UTF-8"):
        next(blocks)


def test_carriage_returns_alone_end_no_lines() -> None:
    for text in (b"a\rb", b"a\rb\r", gzip.compress(b"a\r\rb\r")):
        for stream in (io.BytesIO(text), Stream(text)):
            with pytest.raises(UserError, match=r"carriage returns alone.* convert them.*tr '\\r' '\\n'"):
                list(read_blocks(stream))
        assert list(read_blocks(io.BytesIO(text), keep_ends=True))  # a document, in which they are spaces


def test_utf16_is_no_text() -> None:
    for text, encoding in itertools.product(
        ("a dog\nruns", "да\r\nнет\n", "да\nнет", "你好\n"), ("utf-16", "utf-16-le", "utf-16-be")
    ):
        for stream in (io.BytesIO(text.encode(encoding)), Stream(text.encode(encoding))):
            with pytest.raises(UserError, match="convert the text to UTF-8"):
                list(read_blocks(stream))


def test_a_file_of_several_languages_is_no_text(tmp_path: Path) -> None:
    comment = "<!-- a --> \n" * 30
    for text in (
        f'\ufeff<?xml version="1.0"?>\n{comment}<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><body>\n',
        f'<?xml version="1.0"?>\r\n{comment}<xlf:xliff xmlns:xlf="urn:x">\r\n',
        "<!DOCTYPE TS>\n<TS>\n",
    ):
        (tmp_path / "memory").write_text(text)
        with pytest.raises(UserError, match=r"several languages.*write those that you want as plain lines.*memory$"):
            lines_of(tmp_path / "memory")
        assert list(read_blocks(tmp_path / "memory", keep_ends=True))  # a document, for which the parser raises it
    for text in (f'<?xml version="1.0"?>\n{comment}<p>a</p>', "<tm>", "tmx", "<x/> <tmx>", f"{comment}<b>"):
        (tmp_path / "memory").write_text(text)
        assert lines_of(tmp_path / "memory") == text.split("\n")


def test_damaged_gzip_is_a_user_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.gz"
    data = gzip.compress("".join(f"line {i * i}\n" for i in range(999)).encode())
    for damaged in (data[:-20], data[:-8] + bytes(8), data[:30]):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match=r"Damaged gzip.*damaged\.gz"):
            lines_of(path)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        lines_of(tmp_path / "nowhere.txt")


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


class Stream(io.RawIOBase):
    """A pipe that gives one byte at a time, or breaks."""

    def __init__(self, content: bytes | None) -> None:
        self.rest = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.rest is None:
            raise RuntimeError("the connection is lost")  # such as an error of a library for HTTP
        part, self.rest = self.rest[:1], self.rest[1:]
        buffer[: len(part)] = part
        return len(part)


def test_a_pipe_of_one_byte_at_a_time_is_recognised() -> None:
    """Also a text that begins as compressed data do."""
    zstandard = pytest.importorskip("zstandard")
    text = b"(\nPe\n"
    frame = zstandard.ZstdCompressor().compress(text)
    skippable = b"\x5f\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    packed = gzip.compress(text)
    for content in (text * 2, packed * 2, frame * 2, skippable + frame * 2, (frame + skippable) * 2):
        for stream in (Stream(content), io.BytesIO(content)):
            assert [line for block in read_blocks(stream) for line in block] == ["(", "Pe", "(", "Pe"]


@pytest.mark.slow
def test_a_gzip_bomb_of_one_line_is_an_error_in_bounded_memory(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "bomb.gz", "wb", compresslevel=1) as file:
        file.write(b"one\n")
        for _ in range(256):
            file.write(bytes(2**20))
    tracemalloc.start()
    with pytest.raises(UserError, match=r"^Line 2 is longer than 1,048,576 bytes.*bomb\.gz$"):
        lines_of(tmp_path / "bomb.gz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20


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


def test_addresses_are_opened_by_fsspec_and_named_in_errors() -> None:
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://folder/text.gz", "wb") as file:
        file.write(gzip.compress(b"one\ntwo\n"))
    assert list(read_blocks("memory://folder/text.gz")) == [["one", "two"]]

    class BreakingFileSystem(fsspec.AbstractFileSystem):
        protocol = "breaks"

        def _open(self, path: str, **options: Any) -> io.RawIOBase:
            return Stream(None)

    fsspec.register_implementation("breaks", BreakingFileSystem, clobber=True)
    for address, message in (
        ("memory://folder/nowhere", r"FileNotFoundError\('/folder/nowhere'\)"),
        ("nothing://folder/text", "Protocol not known: nothing"),
        ("breaks://folder/text", "the connection is lost"),
    ):
        with pytest.raises(UserError, match=rf"^The address cannot be read [^\n]*{message}[^\n]*Received: {address}$"):
            list(read_blocks(address))


def test_lists_of_lines(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"one\n\n three \r\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"one\n\n three \r\n"))
    assert read_lines(tmp_path / "text") == read_lines(str(tmp_path / "text.gz")) == ["one", "", " three "]
    (tmp_path / "text").write_bytes(b"")
    with pytest.raises(UserError, match=r"empty.*text"):
        read_lines(tmp_path / "text")
    (tmp_path / "one").write_text("a\nb\n")
    (tmp_path / "two").write_text("c\n\n")
    assert read_line_pairs(tmp_path / "one", tmp_path / "two") == (["a", "b"], ["c", ""])
    (tmp_path / "two").write_text("c\n")
    with pytest.raises(UserError, match=r"the same number of lines.*one' with 2.*two' with 1"):
        read_line_pairs(tmp_path / "one", tmp_path / "two")


def test_the_digest_covers_the_lines_only(tmp_path):
    text = "ein Haus\n\nzwei Häuser\n" + "".join(f"{number}\n" for number in range(20_000))  # more than a block
    for number, written in enumerate(
        (
            text.encode(),
            gzip.compress(text.encode()),
            text.replace("\n", "\r\n").encode(),
            b"\xef\xbb\xbf" + text.encode(),
            text.removesuffix("\n").encode(),
        )
    ):
        path = tmp_path / str(number)
        path.write_bytes(written)
        assert text_digest(path) == hashlib.sha256(text.encode()).hexdigest()
    path.write_text("two\n")  # a file that has changed is read again
    os.utime(path, (1, 1))
    assert text_digest(path) == hashlib.sha256(b"two\n").hexdigest()
