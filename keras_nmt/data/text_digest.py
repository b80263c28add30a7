"""What tells one text from another."""

from __future__ import annotations

import functools
import hashlib
import os

from keras_nmt.text import read_blocks


def text_digest(path: str | os.PathLike[str]) -> str:
    r"""SHA-256 of the lines of a text file, plain or gzip.

    Of lines as they are read here: compression, a byte-order mark, carriage returns and whether the last line has an
    end make no difference. Otherwise it is what `sha256sum` gives for the plain file. A file that has been read before
    is read again if it has changed since.

    Args:
        path: The file, UTF-8.

    Returns:
        64 hexadecimal digits.

    Raises:
        OSError: The file cannot be opened.
        UserError: It is not UTF-8 (the message names the line), or damaged gzip data.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "numbers.txt")
        ...     _ = open(path, "w").write("one\ntwo\n")
        ...     text_digest(path)[:16]
        'c3f9c8c283a2b1f2'
    """
    status = os.stat(path)
    return _digest(os.path.abspath(path), status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _digest(path: str, size: int, changed: int) -> str:
    digest = hashlib.sha256()
    for block in read_blocks(path):
        digest.update("".join(f"{line}\n" for line in block).encode())
    return digest.hexdigest()
