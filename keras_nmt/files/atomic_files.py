"""Files that appear under their final name only when they are whole."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PREFIX = ".writing-"  # of temporary names


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str], suffix: str | None = None, room: int = 0) -> Iterator[Path]:
    """Gives a temporary path in the folder of `path`; what is written there becomes `path` when the block ends well.

    Args:
        path: the final name.
        suffix: how the temporary name has to end; by default as `path` does.
        room: bytes that are needed, for writers that do not cope with a full disk: where they are not there, it is an
            `OSError` before anything is written.

    A file that was there keeps its permissions. A link is replaced, not what it leads to. A device or a pipe is written
    to as it is.

    Raises:
        OSError: the name is a folder's, or one of those in `/dev` that lead to a file.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
    >>> with atomic_path(path) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> path.read_text()
    'whole'
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        with errors_that_name(path):
            yield path
        return
    if path.absolute().is_relative_to("/dev"):  # such as /dev/stdout
        raise OSError(errno.EINVAL, "No file can be made here", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=PREFIX, suffix=suffix or path.suffix, dir=path.parent)
    temporary = Path(name)
    try:
        with errors_that_name(path):
            try:
                if room:
                    os.posix_fallocate(descriptor, 0, room)
                    os.truncate(descriptor, 0)
            finally:
                os.close(descriptor)
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            temporary.chmod(_mode(path))  # mkstemp makes files that only their owner can read
            os.replace(temporary, path)
            sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """The permissions of a file, or those that a new one gets."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


@contextlib.contextmanager
def errors_that_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of the system that say no file, such as that of a full disk, say `path`."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def sync_folder(folder: Path) -> None:
    """Flushes the folder's entries, so that a rename outlives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: str | os.PathLike[str]) -> None:
    """Removes the temporary files that a killed process left. Only for who knows that nobody is writing there."""
    for path in Path(folder).glob(PREFIX + "*"):
        path.unlink(missing_ok=True)


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Writes `value` as JSON, whole or not at all."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        content = text.encode()
    except UnicodeEncodeError:  # half a character, such as in a path that is no UTF-8
        content = json.dumps(value, indent=2).encode()
    write_bytes(path, content + b"\n")


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Writes bytes, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
    return Path(path)
