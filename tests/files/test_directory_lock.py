"""One run at a time in a folder."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

import keras_nmt
from keras_nmt.errors import UserError
from keras_nmt.files.directory_lock import directory_lock
from keras_nmt.serving._versions import write_version

HOLD = """
import sys
from keras_nmt.files.directory_lock import directory_lock
with directory_lock(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.read()
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    """Starts another process that holds the lock."""
    environment = {**os.environ, "PYTHONPATH": str(Path(keras_nmt.__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def test_keeps_other_processes_out_until_they_end_or_are_killed(tmp_path: Path) -> None:
    other = hold(tmp_path / "run")
    with pytest.raises(UserError, match=f"Another run is using this folder.*Received: {tmp_path / 'run'}"):
        directory_lock(tmp_path / "run").__enter__()
    with directory_lock(tmp_path / "other"):
        pass
    other.kill()
    other.communicate()
    with directory_lock(tmp_path / "run"):
        pass


def test_a_process_may_lock_a_folder_twice(tmp_path: Path) -> None:
    with directory_lock(tmp_path):
        with directory_lock(tmp_path / "." / "../" / tmp_path.name):
            pass
        with pytest.raises(AssertionError):  # still locked
            hold(tmp_path)
    hold(tmp_path).communicate()


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), directory_lock(tmp_path):
        _ = 1 / 0
    hold(tmp_path).communicate()


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_on_file_systems_without_locks_nothing_is_locked(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    with directory_lock(tmp_path):
        hold(tmp_path).communicate()
    with directory_lock(tmp_path):
        pass
    another = tmp_path / ".export-other"  # of an export that is still running: nothing tells
    another.mkdir()
    (another / ".lock").touch()
    write_version(tmp_path, None, lambda folder: (folder / "file").touch())
    assert [path.name for path in (tmp_path / "1").iterdir()] == ["file"]
    assert another.is_dir()
