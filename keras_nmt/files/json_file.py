"""The reader of all JSON files of the package, and their digests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from keras_nmt.errors import UserError, error_and_type, one_line
from keras_nmt.files.check_path import check_regular

MAX_BYTES = 16 << 20
MAX_DEPTH = 100
DIGEST = "sha256"


def read_json(
    path: str | os.PathLike[str],
    what: str,
    max_bytes: int = MAX_BYTES,
    *,
    keep_digest: bool = False,
    may_be_pipe: bool = False,
) -> dict[str, Any]:
    """Reads a JSON object from a file, and checks its digest, if it has one.

    Args:
        path: String or path, the file: UTF-8, at most 100 levels of nesting.
        what: String, the content of the file, for the error message, such as "the settings of a run".
        max_bytes: Integer, the size of the largest file. Defaults to 16 MiB.
        keep_digest: Boolean, whether the digest is left to `check_digest`, which may come after other checks. Defaults
            to False.
        may_be_pipe: Boolean, whether a pipe is read, too, for a file that the user names. Defaults to False.

    Returns:
        The object.

    Raises:
        FileNotFoundError: There is no such file.
        UserError: The file cannot be read, is no regular file, does not hold one JSON object, or has another digest.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "settings.json"
    >>> _ = path.write_text('{"seed": 1}')
    >>> read_json(path, "the settings of a run")
    {'seed': 1}
    """
    if not may_be_pipe:
        check_regular(path)
    try:
        with open(path, "rb") as file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise ValueError(f"more than {max_bytes:,} bytes")
        value = json.loads(content.decode())
        if not isinstance(value, dict):
            raise ValueError(type(value).__name__)
        _check_depth(value)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise UserError(
            f"{os.fspath(path)} must hold {what} as one JSON object; restore it. Received: {reason}"
        ) from None
    return value if keep_digest or DIGEST not in value else check_digest(value, path)


def with_digest(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object with one more entry, "sha256": the digest of the others.

    Example:

    >>> sorted(with_digest({"seed": 1}))
    ['seed', 'sha256']
    """
    return {**value, DIGEST: _digest(json.loads(json.dumps(value)))}  # as it will be read


def check_digest(value: Mapping[str, Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    """Checks an object that `read_json` has read, and takes its digest away.

    Raises:
        UserError: The object differs from the one that `with_digest` got, or has no digest.
    """
    rest = {name: one for name, one in value.items() if name != DIGEST}
    if DIGEST not in value:
        raise UserError(f"{os.fspath(path)} must have a digest; make it again, or restore it. Received: no sha256")
    if value[DIGEST] != (found := _digest(rest)):
        raise UserError(
            f"{os.fspath(path)} is damaged, or was changed by hand; restore it. Received: the SHA-256 {found[:16]} "
            f"instead of {str(value[DIGEST])[:16]}"
        )
    return rest


def _digest(value: Mapping[str, Any]) -> str:
    """SHA-256 of an object, whatever the order and the white space of its JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def named_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """A block that uses the values of a JSON file, in which the error of a wrong type or value names the file.

    Raises:
        UserError: For a `TypeError`, `ValueError`, `LookupError`, `AttributeError` or `OverflowError` in the block.

    Example:

    >>> with named_damage("settings.json"):
    ...     {"seed": "x"}["seed"] + 1
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: settings.json is damaged; restore it. Received: TypeError('can only concatenate str \
(not "int") to str')
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:
        raise UserError(f"{os.fspath(path)} is damaged; restore it. Received: {error_and_type(error)}") from None


def _check_depth(value: Any) -> None:
    """Raises a `ValueError` on nesting that recursive functions, such as `json.dumps`, might not follow."""
    level = [value]
    for _ in range(MAX_DEPTH):
        items = (item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer))
        level = [item for item in items if isinstance(item, (dict, list))]
        if not level:
            return
    raise ValueError(f"more than {MAX_DEPTH} levels of nesting")
