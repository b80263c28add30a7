"""Folders without write or read permission: an error of one line, and no partial result."""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path

import pytest

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_json
from keras_nmt.models import ModelDirectory
from keras_nmt.serving._versions import write_version


@pytest.fixture
def folder():
    """A folder that all users may read and list."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        (path / "text").write_text("a b c\n" * 20)
        (path / "inside").mkdir()
        yield path
        for inside in path.iterdir():
            inside.chmod(0o755)


@pytest.fixture
def without_rights():
    """Takes from root the two capabilities that override permissions: then these count as for any owner of a file."""
    if os.geteuid():
        yield
        return
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, the calling thread
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable; twice, for more than 32 capabilities
    assert libc.capget(header, sets) == 0
    effective = sets[0]
    sets[0] = effective & ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    assert libc.capset(header, sets) == 0
    yield
    sets[0] = effective
    assert libc.capset(header, sets) == 0


@pytest.fixture
def read_only(folder):
    inside = folder / "inside"
    inside.chmod(0o555)
    return inside


def test_nothing_is_written_without_permission(folder, read_only, without_rights):
    for write in (
        lambda: write_json(read_only / "a.json", {}),
        lambda: write_version(read_only, 1, lambda _: pytest.fail("written")),
        lambda: write_version(read_only / "deeper", 1, lambda _: pytest.fail("written")),
    ):
        with pytest.raises(PermissionError) as raised:
            write()
        assert str(read_only) in str(raised.value.filename)
    assert list(read_only.iterdir()) == []


def test_commands_name_the_folder_without_write_permission(folder, read_only, without_rights, error_line):
    texts = [folder / "text"] * 2
    command = ["train", "--train", *texts, "--dev", *texts, "--vocabulary-size", 8, "--max-updates", 1]
    for directory in (read_only, read_only / "deeper"):
        error = error_line(*command, "--directory", directory)
        assert "Permission denied" in error
        assert str(read_only) in error


def test_commands_name_the_file_without_read_permission(folder, error_line, request):
    (folder / "text").chmod(0)
    ModelDirectory(folder / "inside").config_path.write_text("{}")
    ModelDirectory(folder / "inside").config_path.chmod(0)
    request.getfixturevalue("without_rights")
    for arguments, path in (
        (["evaluate", "--references", folder / "text", "--hypotheses", folder / "text"], folder / "text"),
        (["translate", folder / "inside"], folder / "inside" / "config.json"),
    ):
        error = error_line(*arguments)
        assert "Permission denied" in error
        assert str(path) in error


def test_a_path_below_a_file_is_an_error(folder, error_line):
    file = folder / "text"
    before = file.read_bytes()
    texts = [file, file]
    command = ["train", "--train", *texts, "--dev", *texts, "--vocabulary-size", 8, "--max-updates", 1]
    for directory in (file, file / "deeper"):
        assert str(file) in error_line(*command, "--directory", directory)
        with pytest.raises(OSError, match=str(file)):
            write_version(directory, 1, lambda _: pytest.fail("written"))
        with pytest.raises(UserError, match="must contain config.json"):
            ModelDirectory(directory).load_config()
    assert file.read_bytes() == before
