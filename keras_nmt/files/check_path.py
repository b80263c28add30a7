"""Checks of paths before they are opened: no address of storage, and a regular file where a file is needed."""

from __future__ import annotations

import os
import re
import stat

from keras_nmt.errors import UserError

STANDARD_STREAM = "-"
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}
KINDS |= {stat.S_IFDIR: "a folder"}


def address_of(path: str | os.PathLike[str]) -> str | None:
    """The address of storage that a path is, such as "gs://bucket/text", or None for a path of a file system.

    `pathlib` takes the second slash of an address away, so "gs:/bucket/text" is an address, too. A folder "gs:" has an
    absolute path.

    Example:

    >>> import pathlib
    >>> address_of(pathlib.Path("gs://bucket/text")), address_of("/data/text")
    ('gs://bucket/text', None)
    """
    found = ADDRESS.fullmatch(os.fspath(path))
    if found is None:
        return None
    return f"{found[1]}:{'///' if found[1] == 'file' else '//'}{found[2]}"


def check_local(path: str | os.PathLike[str]) -> None:
    """Raises a `UserError` if a path is an address of storage, or "-", which stands for a standard stream.

    Example:

    >>> check_local("s3://bucket/model")
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: The path must be of a mounted file system, because storage with an address is not \
supported here: copy the files. Received: s3://bucket/model
    """
    if address := address_of(path):
        raise UserError(
            "The path must be of a mounted file system, because storage with an address is not supported here: "
            f"copy the files. Received: {address}"
        )
    if os.fspath(path).split(os.sep, 1)[0] == STANDARD_STREAM:
        raise UserError(f"A standard stream cannot be used here: name a file or a folder. Received: {os.fspath(path)}")


def check_regular(path: str | os.PathLike[str], why: str = "") -> None:
    """Checks that a path is a regular file, or a link to one: a pipe could block for ever, or be read only once.

    Args:
        path: String or path.
        why: String, a reason that follows "must be a regular file", such as ", which is read twice". Defaults to none.

    Raises:
        OSError: There is no such file, or it is out of reach.
        UserError: The path is something else, or as `check_local`.
    """
    check_local(path)
    kind = stat.S_IFMT(os.stat(path).st_mode)
    if kind != stat.S_IFREG:
        raise UserError(f"This must be a regular file{why}. Received: {os.fspath(path)}, {KINDS.get(kind, 'no file')}")
