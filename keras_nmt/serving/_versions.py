"""Writes numbered versions of exports, so that no server sees an incomplete one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import filelock

from keras_nmt.errors import UserError, is_integer, require
from keras_nmt.files.atomic_files import LOCK, NO_LOCK_ERRORS, allowed, check_folder, made_folder, sync, sync_tree

PREFIX = ".export-"


def check_version(path: Path, version: int | None) -> None:
    """Checks that a version can be written to the folder of the versions."""
    check_folder(path)
    is_right = version is None or (is_integer(version) and 1 <= version < 2**63)
    require(is_right, "{version} must be a positive integer", version=version)
    if version is not None and (path / str(version)).exists():
        raise _exists(path, version)


def check_loadable(path: Path) -> None:
    """Checks that TensorFlow can load a SavedModel from a folder with this name."""
    name = os.fsencode(path)
    if b"[" in name or b"\\" in name or name.decode(errors="ignore").encode() != name:
        raise UserError(
            "A server cannot load a model from a path that has `[` or a backslash, or is not UTF-8: use another name, "
            f"or a relative path. Received: {path}"
        )


def write_version(path: Path, version: int | None, write: Callable[[Path], None]) -> Path:
    """Lets `write` fill a temporary folder, renames it to `path/<version>`, and returns the new path.

    Without `version`, an export gets the next number when it is complete, so that several exports to one path may run
    at the same time. Raises a `UserError` if the version has appeared meanwhile. Folders of killed exports are removed.
    """
    with made_folder(path):
        _remove_leftovers(path)
        temporary, lock = _locked_folder(path)
        try:
            write(temporary)
            sync_tree(temporary)
            os.chmod(temporary, allowed(0o777))  # readable for the server's user, which temporary folders are not
            final = _rename(temporary, path, version)
            (final / LOCK).unlink(missing_ok=True)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        finally:
            lock.release()
    sync(path)
    return final


def _remove_leftovers(path: Path) -> None:
    """Removes the folders of killed exports, whose locks are free."""
    for lock_file in path.glob(f"{PREFIX}*/{LOCK}"):
        with contextlib.suppress(filelock.Timeout, OSError, NotImplementedError), _lock(lock_file.parent):
            shutil.rmtree(lock_file.parent)


def _locked_folder(path: Path) -> tuple[Path, filelock.FileLock]:
    """Makes a folder that model servers ignore, because its name is not a number, and acquires its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=path))
        lock = _lock(folder)
        try:
            lock.acquire()
        except filelock.Timeout:  # another export is removing the folder as a leftover
            continue
        except BaseException as error:
            if getattr(error, "errno", None) not in NO_LOCK_ERRORS:
                shutil.rmtree(folder, ignore_errors=True)  # without a lock, the next export would leave it there
                raise
        return folder, lock


def _lock(folder: Path) -> filelock.FileLock:
    """Returns the lock of a folder, also between threads. The system releases it when the process ends."""
    return filelock.FileLock(folder / LOCK, blocking=False, fallback_to_soft=False)


def _rename(temporary: Path, path: Path, version: int | None) -> Path:
    while True:
        numbers = [int(child.name) for child in path.iterdir() if child.name.isdecimal()]
        final = path / str(max(numbers, default=0) + 1 if version is None else version)
        try:
            os.rename(temporary, final)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
            if version is not None:
                raise _exists(path, version) from None
        else:
            return final


def _exists(path: Path, version: int) -> UserError:
    return UserError(f"{{version}} must be new: choose another, or remove {path / str(version)}", {"version": version})
