"""Folders without write or read permission: an error of one line, and no partial result."""

import ctypes
import os
import tempfile
from pathlib import Path

import pytest

from keras_nmt.files.atomic_files import write_json
from keras_nmt.models import ModelDirectory
from keras_nmt.serving._versions import write_version


@pytest.fixture
def folder():
    """A folder that all users may read and list, with a text and the folder `inside`."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        (path / "text").write_text("a b c\n" * 20)
        (path / "inside").mkdir()
        yield path
        for inside in path.iterdir():
            inside.chmod(0o755)


@pytest.fixture
def take_rights():
    """Takes from root the two capabilities that override permissions: then these count as for any owner of a file."""
    if os.geteuid():
        yield lambda: None
        return
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, the calling thread
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable; twice, for more than 32 capabilities
    assert libc.capget(header, sets) == 0
    effective = sets[0]

    def take():
        sets[0] = effective & ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
        assert libc.capset(header, sets) == 0

    yield take
    sets[0] = effective
    assert libc.capset(header, sets) == 0


def train(folder, directory):
    texts = [folder / "text"] * 2
    sizes = ["--vocabulary-size", 8, "--max-updates", 1]
    return ["train", "--train", *texts, "--dev", *texts, *sizes, "--directory", directory]


def test_nothing_is_written_without_permission(folder, take_rights, error_line):
    read_only = folder / "inside"
    read_only.chmod(0o555)
    take_rights()
    for write in (
        lambda: write_json(read_only / "a.json", {}),
        lambda: write_version(read_only, 1, lambda _: pytest.fail("written")),
        lambda: write_version(read_only / "deeper", 1, lambda _: pytest.fail("written")),
    ):
        with pytest.raises(PermissionError) as raised:
            write()
        assert str(read_only) in str(raised.value.filename)
    for directory in (read_only, read_only / "deeper"):
        error = error_line(*train(folder, directory))
        assert "Permission denied" in error
        assert str(read_only) in error
    assert list(read_only.iterdir()) == []


def test_commands_name_the_file_without_read_permission(folder, take_rights, error_line):
    text, config = folder / "text", ModelDirectory(folder / "inside").config_path
    config.write_text("{}")
    for path in (text, config):
        path.chmod(0)
    take_rights()
    for arguments, path in (
        (["evaluate", "--references", text, "--hypotheses", text], text),
        (["translate", folder / "inside"], config),
    ):
        error = error_line(*arguments)
        assert "Permission denied" in error
        assert str(path) in error
