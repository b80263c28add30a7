"""Versions of exports: several at once, and such as were killed."""

from __future__ import annotations

import signal
import tempfile
import threading
from pathlib import Path

import filelock
import pytest

from keras_nmt.errors import UserError
from keras_nmt.serving._versions import LOCK, check_version, write_version

# Writes a part of a version, and is killed.
KILLED = """
import os, signal, sys
from pathlib import Path
from keras_nmt.serving._versions import write_version

def write(folder):
    (folder / "saved_model.pb").write_bytes(b"a part")
    os.kill(os.getpid(), signal.SIGKILL)

write_version(Path(sys.argv[1]), None, write)
"""


def writing(content):
    return lambda folder: (folder / "saved_model.pb").write_bytes(content)


def contents(path):
    return {child.name: [(x.name, x.read_bytes()) for x in child.iterdir()] for child in path.iterdir()}


def test_simultaneous_exports_take_the_next_numbers(tmp_path):
    barrier = threading.Barrier(8, timeout=60)

    def write(content):
        def wait_and_write(folder):
            barrier.wait()
            writing(content)(folder)

        write_version(tmp_path, None, wait_and_write)

    written = [str(i).encode() for i in range(8)]
    threads = [threading.Thread(target=write, args=[content]) for content in written]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = contents(tmp_path)
    assert sorted(found) == [str(number) for number in range(1, 9)]
    assert sorted(files for files in found.values()) == [[("saved_model.pb", content)] for content in written]


def test_a_version_that_appears_during_an_export_is_not_overwritten(tmp_path):
    def write(folder):
        writing(b"late")(folder)
        write_version(tmp_path, 3, writing(b"early"))

    with pytest.raises(UserError, match=r"not overwritten.*Received: version=3"):
        write_version(tmp_path, 3, write)
    assert contents(tmp_path) == {"3": [("saved_model.pb", b"early")]}
    with pytest.raises(UserError, match=r"not overwritten.*Received: version=3"):
        check_version(tmp_path, 3)


def test_the_next_export_removes_the_folder_of_a_killed_export_only(tmp_path, run_python):
    assert -run_python("-c", KILLED, tmp_path).returncode == signal.SIGKILL
    (leftover,) = tmp_path.iterdir()
    assert not leftover.name.isdecimal()  # no server loads it

    def write(folder):
        writing(b"first")(folder)
        assert set(tmp_path.iterdir()) == {folder}
        write_version(tmp_path, None, writing(b"second"))

    assert write_version(tmp_path, None, write).name == "2"
    assert contents(tmp_path) == {"1": [("saved_model.pb", b"second")], "2": [("saved_model.pb", b"first")]}


def test_an_export_that_fails_leaves_nothing(tmp_path):
    def fail(folder):
        writing(b"a part")(folder)
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        write_version(tmp_path / "model", None, fail)
    assert list((tmp_path / "model").iterdir()) == []


def test_a_new_folder_that_another_export_takes_for_a_leftover_is_replaced(tmp_path, monkeypatch):
    """Between the moment at which the folder is made and the moment at which the folder is locked."""
    make, taken = tempfile.mkdtemp, []

    def make_and_lose(**options):
        folder = make(**options)
        if not taken:
            taken.append(filelock.FileLock(Path(folder) / LOCK))
            taken[0].acquire()
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_lose)
    assert write_version(tmp_path, None, writing(b"whole")).name == "1"
    assert len(taken) == 1
    taken[0].release()
    write_version(tmp_path, None, writing(b"whole"))
    assert contents(tmp_path) == {name: [("saved_model.pb", b"whole")] for name in ("1", "2")}
