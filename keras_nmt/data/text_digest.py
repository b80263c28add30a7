"""Digest of a text file's lines."""

from __future__ import annotations

import functools
import hashlib
import os

from keras_nmt.files.check_path import check_regular
from keras_nmt.files.read_blocks import read_blocks


def text_digest(path: str | os.PathLike[str]) -> str:
    r"""SHA-256 of the lines of a text file, plain or gzip.

    The digest covers the lines as the package reads them: compression, a byte-order mark, carriage returns and a
    missing end of the last line make no difference. Otherwise the digest equals `sha256sum` of the plain file. The
    digest is cached until the file changes.

    Args:
        path: String or path of a UTF-8 file.

    Returns:
        String of 64 hexadecimal digits.

    Raises:
        OSError: The file cannot be opened.
        UserError: The path is of no regular file, a line is not UTF-8 or too long (the message names the line), or the
            file is damaged gzip data.

    Example:

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "numbers.txt")
    ...     _ = open(path, "w").write("one\ntwo\n")
    ...     text_digest(path)[:16]
    'c3f9c8c283a2b1f2'
    """
    check_regular(path)
    status = os.stat(path)
    return _digest(os.path.abspath(path), status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _digest(path: str, size: int, changed: int) -> str:
    digest = hashlib.sha256()
    for block in read_blocks(path):
        digest.update("".join(f"{line}\n" for line in block).encode())
    return digest.hexdigest()
