"""One run at a time in a folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from keras_nmt.errors import UserError

LOCK = ".lock"
_held: set[Path] = set()  # by this process, which may lock what it has locked


@contextlib.contextmanager
def directory_lock(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Keeps other processes that ask for the same lock out of a folder, which is made when needed.

    The system gives the lock back when the process ends, however it ends. The file `.lock` stays; it means nothing
    by itself. File systems that know no locks keep nobody out.

    Args:
        folder: the folder.

    Raises:
        UserError: another process has it.

    Example:

    >>> import tempfile
    >>> with directory_lock(tempfile.mkdtemp()):
    ...     pass  # nobody else trains here
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = folder.resolve()
    if name in _held:
        yield
        return
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"Another run is using this folder: wait for it, or take another folder. Received: {folder}"
            ) from None
        except OSError:  # a file system without locks
            pass
        _held.add(name)
        yield
    finally:
        _held.discard(name)
        os.close(descriptor)
