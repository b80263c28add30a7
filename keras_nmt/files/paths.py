"""Checks paths before they are opened, and imports Python files of the user."""

from __future__ import annotations

import importlib.util
import os
import re
import stat
import sys
import traceback
from pathlib import Path
from types import ModuleType

from keras_nmt.errors import UserError, error_and_type, require

STANDARD_STREAM = "-"
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}
KINDS |= {stat.S_IFDIR: "a folder"}


def address_of(path: str | os.PathLike[str]) -> str | None:
    """Returns the storage address in a path, such as "gs://bucket/text", or None for a path of the file system.

    `pathlib` removes the second slash of an address, so "gs:/bucket/text" is an address, too. For a folder named "gs:",
    give an absolute path.

    Example:

    >>> import pathlib
    >>> address_of(pathlib.Path("gs://bucket/text")), address_of("/data/text")
    ('gs://bucket/text', None)
    """
    match = ADDRESS.fullmatch(os.fspath(path))
    if match is None:
        return None
    return f"{match[1]}:{'///' if match[1] == 'file' else '//'}{match[2]}"


def check_local(path: str | os.PathLike[str]) -> None:
    """Checks that a path is not a storage address or "-" (a standard stream); raises a `UserError` otherwise.

    Example:

    >>> check_local("s3://bucket/model")
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: Storage addresses are not supported here: copy the files to a local path. Received: \
s3://bucket/model
    """
    address = address_of(path)
    problem = f"Storage addresses are not supported here: copy the files to a local path. Received: {address}"
    require(not address, problem)
    if os.fspath(path).split(os.sep, 1)[0] == STANDARD_STREAM:
        raise UserError(f"Standard streams are not supported here: give a file or folder. Received: {os.fspath(path)}")


def check_regular(path: str | os.PathLike[str], why: str = "") -> None:
    """Checks that a path is a regular file, or a link to one. A pipe could block for ever, or be read only once.

    `why` is a reason that follows "must be a regular file" in the message, such as ", which is read twice".

    Raises:
        OSError: There is no such file, or it cannot be accessed.
        UserError: The path is something else, or see `check_local`.
    """
    check_local(path)
    kind = stat.S_IFMT(os.stat(path).st_mode)
    if kind != stat.S_IFREG:
        raise UserError(f"This must be a regular file{why}. Received: {os.fspath(path)}, {KINDS.get(kind, 'no file')}")


def check_python_file(path: Path) -> None:
    """Raises a `UserError` unless the path is a Python file."""
    if not (path.is_file() and path.suffix == ".py"):
        why = "is not a file with a name in .py" if path.exists() else "does not exist"
        raise UserError(f"A file to import must be a Python file, NAME.py: this {why}. Received: {path}")


def import_file(path: Path) -> ModuleType:
    """Imports a Python file as a module, once in a process.

    Raises:
        UserError: The path is not a Python file, or the file raised an error. The message names the line.
    """
    check_python_file(path)
    path = path.resolve()
    name = f"imported:{path}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        place = f"line {lines[-1]} of {path}" if lines else str(path)
        raise UserError(f"{place} raised an error: correct the file. Received: {error_and_type(error)}") from error
    return module
