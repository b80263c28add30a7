"""Reads the JSON files of the package, and adds and checks their digests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from keras_nmt.errors import UserError, error_and_type, one_line, require
from keras_nmt.files.paths import check_regular

MAX_BYTES = 16 << 20
MAX_DEPTH = 100
DIGEST = "sha256"
# What messages call the values of JSON.
JSON_NAMES = {dict: "an object", list: "a list", str: "a string", type(None): "null"}
JSON_NAMES |= {bool: "true or false", int: "a number", float: "a number"}


def read_json(
    path: str | os.PathLike[str],
    what: str,
    max_bytes: int = MAX_BYTES,
    *,
    needed: Iterable[str] = (),
    keep_digest: bool = False,
    may_be_pipe: bool = False,
) -> dict[str, Any]:
    """Reads a JSON object from a file, UTF-8 with at most 100 levels of nesting, and checks its digest, if it has one.

    `what` is the content of the file, for messages, such as "the settings of a run". The object must have the entries
    `needed`. With `keep_digest`, the digest is neither checked nor removed: the caller does so by `check_digest` after
    other checks. A file that the user names `may_be_pipe`.

    Raises:
        FileNotFoundError: There is no such file.
        UserError: The file cannot be read, is not a regular file, is not one JSON object, lacks entries, or does not
            fit its digest.

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
        value = json.loads(content.decode("utf-8-sig"), object_pairs_hook=unique_entries)
        if not isinstance(value, dict):
            raise ValueError(JSON_NAMES[type(value)])
        _check_depth(value)
        if missing := [name for name in needed if name not in value]:
            raise ValueError(f"no {', '.join(missing)}")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise UserError(
            f"{os.fspath(path)} must contain {what} as one JSON object: restore it. Received: {reason}"
        ) from None
    return value if keep_digest or DIGEST not in value else check_digest(value, path)


def unique_entries(entries: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object of JSON. By itself, the last of two entries of one name counts, and the other one is lost.

    It is the `object_pairs_hook` of everything that a user writes. It raises a `ValueError` that names the entry.
    """
    value = dict(entries)
    if len(value) < len(entries):
        names = Counter(name for name, _ in entries)
        raise ValueError(f"the entry {max(names, key=names.__getitem__)!r:.40} twice")
    return value


def with_digest(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the object with one more entry, "sha256": the digest of the others.

    Example:

    >>> sorted(with_digest({"seed": 1}))
    ['seed', 'sha256']
    """
    return {**value, DIGEST: json_digest(json.loads(json.dumps(value)))}  # as it will be read, with lists for tuples


def check_digest(value: Mapping[str, Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    """Checks the digest of an object that `read_json` has read, and returns the object without it.

    Raises:
        UserError: The object has no digest, or has changed since `with_digest`.
    """
    rest = {name: one for name, one in value.items() if name != DIGEST}
    require(DIGEST in value, f"Missing entry {DIGEST} in {os.fspath(path)}: make the file again, or restore it.")
    if value[DIGEST] != (actual := json_digest(rest)):
        raise UserError(
            f"{os.fspath(path)} is damaged, or was changed by hand: restore it. Received: the SHA-256 {actual[:16]} "
            f"instead of {str(value[DIGEST])[:16]}"
        )
    return rest


def json_digest(value: Any) -> str:
    """Returns the SHA-256 of a value, which does not depend on the order and the white space of its JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def named_damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turns errors that values of a JSON file cause in a block into a `UserError` with the file's name.

    Example:

    >>> with named_damage("settings.json"):
    ...     {"seed": "x"}["seed"] + 1
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: settings.json is damaged: restore it. Received: TypeError('can only concatenate str \
(not "int") to str')
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:
        raise UserError(f"{os.fspath(path)} is damaged: restore it. Received: {error_and_type(error)}") from None


def _check_depth(value: Any) -> None:
    """Raises a `ValueError` if the nesting is too deep for recursive functions such as `json.dumps`."""
    level = [value]
    for _ in range(MAX_DEPTH):
        items = (item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer))
        level = [item for item in items if isinstance(item, (dict, list))]
        if not level:
            return
    raise ValueError(f"more than {MAX_DEPTH} levels of nesting")
