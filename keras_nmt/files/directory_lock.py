"""One run at a time in a folder."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import filelock

from keras_nmt.errors import UserError
from keras_nmt.files.check_path import check_local

LOCK = ".lock"
WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL)  # errors of file systems without locks


@contextlib.contextmanager
def directory_lock(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Locks a folder against other processes that call this function.

    A process may lock a folder that it has locked already. The system releases the lock when the process ends, however
    the process ends. The file `.lock` stays in the folder; the file alone locks nothing. On a file system without
    locks, the function locks nothing.

    Args:
        folder: String or path, the folder. It is made if it does not exist.

    Raises:
        UserError: Another process has the lock, or as `check_local`.

    Example:

    >>> import tempfile
    >>> with directory_lock(tempfile.mkdtemp()):
    ...     pass  # no other process trains here
    """
    check_local(folder)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(
        folder.resolve() / LOCK, thread_local=False, blocking=False, is_singleton=True, fallback_to_soft=False
    )
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock.acquire())
        except filelock.Timeout:
            raise UserError(
                f"Another run is using this folder: wait for it, or take another folder. Received: {folder}"
            ) from None
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS:
                raise
        yield
