"""Atomic writes: files appear under their final name only when they are complete. Also, locks of folders."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import filelock

from keras_nmt.errors import UserError, require
from keras_nmt.files.paths import check_local, check_regular

LOCK = ".lock"
NO_LOCK_ERRORS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL)  # errors of file systems without locks
PREFIX = ".writing-"  # prefix of temporary names
LONGEST_NAME = 255  # bytes of a file name
LONGEST_SUFFIX = 40  # characters, so that a temporary name has less than 255 bytes
NO_FLUSH_ERRORS = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF)  # errors of file systems without fsync


@contextlib.contextmanager
def directory_lock(folder: str | os.PathLike[str], wait: bool = False) -> Iterator[None]:
    """Locks a folder, which is made if it does not exist, against other processes that call this function.

    A process can lock a folder again that it has already locked. The system releases the lock when the process ends,
    even if it is killed. The file `.lock` stays in the folder, but alone it does not lock. On a file system without
    locks, the function does nothing. With `wait`, it waits until another process releases the lock.

    Raises:
        UserError: Another process has the lock and `wait` is False, or see `check_folder`.
    """
    check_folder(folder)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(
        folder.resolve() / LOCK, thread_local=False, blocking=False, is_singleton=True, fallback_to_soft=False
    )
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock.acquire(blocking=wait))
        except filelock.Timeout:
            raise UserError(
                f"Another run is using this folder: wait for it, or use another folder. Received: {folder}"
            ) from None
        except OSError as error:
            if error.errno not in NO_LOCK_ERRORS:
                raise
        yield


@contextlib.contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Makes a folder, and those around it, for the block. If it fails, those that it made are removed if empty."""
    new = list(itertools.takewhile(lambda one: not one.exists(), (folder, *folder.parents)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for one in new:
            with contextlib.suppress(OSError):  # others may have written there
                one.rmdir()
        raise


def check_kept(texts: Iterable[str | os.PathLike[str] | None], path: str | os.PathLike[str]) -> None:
    """Checks that a file to write replaces none of the texts that are read; raises a `UserError` otherwise."""
    for text in texts:
        is_same = text is not None and os.path.isfile(path) and os.path.realpath(text) == os.path.realpath(path)
        require(not is_same, f"The text would be replaced by the outcome: write another file. Received: {path}")


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str], suffix: str | None = None, room: int = 0) -> Iterator[Path]:
    """Yields a temporary path in the folder of `path`, and renames it to `path` if the block ends without an error.

    An existing file keeps its permissions. A link is replaced, and its target stays. For a device or a pipe, the
    function yields `path` itself. The temporary name ends with `suffix`, by default that of `path`. `room` is the
    number of bytes that must be free on the disk, for writers that crash if it is full.

    Raises:
        OSError, UserError: The file cannot be written; see `check_writable`.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
    >>> with atomic_path(path) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> path.read_text()
    'whole'
    """
    path = Path(path)
    check_writable(path)
    if path.exists() and not path.is_file():
        with errors_that_name(path):
            yield path
        return
    prefix, suffix = f"{PREFIX}{_process(os.getpid())}-", suffix or path.suffix[-LONGEST_SUFFIX:]
    with made_folder(path.parent):
        descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=path.parent)
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
                    flush(file.fileno())
                mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else allowed(0o666)
                temporary.chmod(mode)  # mkstemp makes files that only their owner can read
                os.replace(temporary, path)
                sync(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


def _process(number: int | str) -> str:
    """Returns the number of a process and the time of its start, which two processes never share; "" if it has ended.

    The main process of a container has the same number each time.
    """
    try:
        fields = Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:  # has ended, or may not be seen
        return ""
    return "" if fields[0] in "ZX" else f"{number}.{fields[19]}"  # a zombie has ended


@contextlib.contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yields a temporary folder beside `path`, and renames it to `path` if the block ends without an error.

    All files in it are on the disk before. The next call for the same path removes the folder of a killed process. The
    path must not exist, or be an empty folder; or a link to such a place.

    Raises:
        OSError: The folder cannot be made.
        UserError: Another process is writing the folder, or see `check_new_folder`.
    """
    path = check_new_folder(path)
    name = os.fsencode(PREFIX + path.name)[:LONGEST_NAME]
    temporary = path.with_name(os.fsdecode(name))
    with made_folder(temporary), directory_lock(temporary):
        try:
            for leftover in temporary.iterdir():
                if leftover.name != LOCK:
                    shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
            yield temporary
            sync_tree(temporary)
            os.replace(temporary, path)  # with its lock, without which another process would take it for a leftover
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        (path / LOCK).unlink(missing_ok=True)
        sync(path.parent)


def check_new_folder(path: str | os.PathLike[str]) -> Path:
    """Checks that `atomic_folder` can write a folder. Call it before the work that makes the content.

    Returns the folder, to which a link leads: the link stays, and the folder is made on that disk.

    Raises:
        UserError: The path exists and is no empty folder, or is a mount point; or see `check_folder`.
    """
    check_local(path)
    folder = Path(os.path.realpath(path))
    check_folder(folder)
    is_free = not folder.exists() or not any(folder.iterdir())
    require(is_free, f"The folder to write must be new or empty: use another name, or remove it. Received: {folder}")
    problem = f"The folder to write must not be a mount point: name a folder in it. Received: {folder}"
    require(not folder.is_mount(), problem)  # which cannot be replaced
    return folder


def check_folder(path: str | os.PathLike[str]) -> Path:
    """Checks, before the work, that a folder is there, or no file is in its place. Permissions are not checked.

    Returns the folder, or the nearest one around it that is there.

    Raises:
        UserError: The folder, or one around it, is a file or a link to nothing; a name is too long; or see
            `check_local`.

    Example:

    >>> check_folder("/" + 300 * "x")
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: A name must have at most 255 bytes: use a shorter one. Received: 300 bytes, xxxxxxxx
    """
    folder = _checked_names(path)
    place = next(one for one in (folder, *folder.parents) if one.exists() or one.is_symlink())
    problem = f"A folder would be where this {'file' if place.exists() else 'link to nothing'} is: give another name"
    require(place.is_dir(), f"{problem}. Received: {place}")
    return place


def _checked_names(path: str | os.PathLike[str]) -> Path:
    """Returns a path as an absolute one, if it is local and its names are short enough."""
    check_local(path)
    absolute = Path(path).absolute()
    for name in absolute.parts:
        problem = f"A name must have at most {LONGEST_NAME} bytes: use a shorter one"
        size = len(os.fsencode(name))
        require(size <= LONGEST_NAME, f"{problem}. Received: {size} bytes, {name:.8}")
    return absolute


def check_writable(path: str | os.PathLike[str]) -> None:
    """Checks that `atomic_path` can write a file, without writing it. Call it before the work that makes the content.

    The file and its folder need not exist.

    Raises:
        OSError: The path is a folder, or a new name in `/dev`, or there is no permission to write it.
        UserError: See `check_folder`, for the folder of the file, and for its name.
    """
    _checked_names(path)
    path = Path(path)
    place = check_folder(path.parent)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        place = path
    elif path.absolute().is_relative_to("/dev"):  # such as a link /dev/stdout to a file
        raise OSError(errno.EINVAL, "Files cannot be made in this folder", str(path))
    if not os.access(place, os.W_OK, effective_ids=True):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))


def allowed(mode: int) -> int:
    """Returns those of the permissions that the umask allows."""
    umask = os.umask(0)
    os.umask(umask)
    return mode & ~umask


@contextlib.contextmanager
def errors_that_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Adds `path` to system errors that have no file name, such as the error of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def sync(path: Path) -> None:
    """Flushes a file, or the entries of a folder, so that a rename survives a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        flush(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Flushes a folder and all files in it, so that they are whole under the name that they get next."""
    for parent, _, files in os.walk(folder, topdown=False):
        for name in (*files, "."):
            sync(Path(parent, name))


def flush(descriptor: int) -> None:
    """Flushes a file or a folder to the disk, if the file system supports it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_FLUSH_ERRORS:
            raise


@contextlib.contextmanager
def plain_name(folder: str | os.PathLike[str]) -> Iterator[str]:
    """Yields another name of a folder, which is valid only in the block and in this process.

    TensorFlow treats `[`, `*` and backslashes in paths as patterns, and cannot read names that are not UTF-8.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def remove_leftovers(folder: str | os.PathLike[str]) -> None:
    """Removes temporary files, except those of other processes of this machine that are running.

    Processes of other machines, or of other containers, that have the folder, too, are taken for ended.
    """
    this_process = _process(os.getpid())
    for path in Path(folder).glob(PREFIX + "*"):
        writer = path.name.removeprefix(PREFIX).partition("-")[0]
        is_alive = writer and writer == _process(writer.partition(".")[0])
        if not path.is_dir() and (not is_alive or writer == this_process):  # `atomic_folder` removes its own folders
            path.unlink(missing_ok=True)


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Writes `value` as JSON, completely or not at all."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Writes text as UTF-8, completely or not at all. Lone surrogates, as in names that are not UTF-8, are escaped.

    Raises:
        UserError: The path exists and is not a regular file. (Writing to a pipe that nobody reads would block.)
    """
    if os.path.exists(path):
        check_regular(path)
    return write_bytes(path, text.encode(errors="backslashreplace"))  # JSON has the same escape for surrogates


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Writes bytes, completely or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
    return Path(path)
