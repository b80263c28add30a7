"""Subword models: the settings of their training, and their files. Imports no TensorFlow."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import errors_that_name
from keras_nmt.files.check_path import check_regular
from keras_nmt.files.json_file import read_json
from keras_nmt.files.model_config import CONFIG, SUBWORDS_SHA256
from keras_nmt.files.prepared_folder import MANIFEST, MANIFEST_BYTES

MODEL_TYPES = ("bpe", "unigram")
NORMALIZATIONS = ("nfc", "nfkc", "identity")
RESERVED_SYMBOLS = ("<pad>", "<unk>", "<s>", "</s>")
NUM_BYTES = 256
LEAST_COVERAGE = 0.98  # SentencePiece's
MAX_BYTES = 256 << 20  # of a file: ten million subwords


def check_subword_settings(
    vocabulary_size: int,
    *,
    model_type: str = "bpe",
    user_symbols: Sequence[str] = (),
    control_symbols: Sequence[str] = (),
    normalization: str = "nfc",
    character_coverage: float = 1.0,
    byte_fallback: bool = False,
    lowercase: bool = False,
) -> None:
    """Checks arguments of `keras_nmt.text.train_subwords`, before a text is read.

    Raises:
        UserError: An argument is out of its range, or contradicts another one.

    Example:

    >>> check_subword_settings(8000, byte_fallback=True)
    >>> check_subword_settings(9, byte_fallback=True)
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: `vocabulary_size` must be at least 261 with `byte_fallback`. Received: vocabulary_size=9
    """
    named = (("model_type", model_type, MODEL_TYPES), ("normalization", normalization, NORMALIZATIONS))
    for name, value, known in named:
        if value not in known:
            raise UserError(f"`{name}` must be one of {', '.join(known)}. Received: {name}={value!r}")
    if lowercase and normalization == "identity":
        raise UserError(
            "`lowercase` composes letters, so `normalization` must be nfc or nfkc. Received: normalization='identity'"
        )
    for kind, given in (("user_symbols", user_symbols), ("control_symbols", control_symbols)):
        if isinstance(given, str):
            raise UserError(f"`{kind}` must be a sequence of strings. Received: {kind}={given!r}")
    symbols = [*control_symbols, *user_symbols]
    wrong = [s for s in symbols if not s or any(c.isspace() for c in s) or s in RESERVED_SYMBOLS]
    if wrong or len(set(symbols)) < len(symbols):
        raise UserError(
            f"Symbols are distinct, without spaces, and none of {RESERVED_SYMBOLS}. "
            f"Received: user_symbols={list(user_symbols)}, control_symbols={list(control_symbols)}"
        )
    least = len(RESERVED_SYMBOLS) + len(symbols) + NUM_BYTES * byte_fallback + 1
    if vocabulary_size < least:
        bytes_ = " with `byte_fallback`" if byte_fallback else ""
        raise UserError(
            f"`vocabulary_size` must be at least {least}{bytes_}. Received: vocabulary_size={vocabulary_size}"
        )
    if not LEAST_COVERAGE <= character_coverage <= 1:
        raise UserError(
            f"`character_coverage` must be from {LEAST_COVERAGE} to 1. "
            f"Received: character_coverage={character_coverage}"
        )


def read_subwords(path: str | os.PathLike[str]) -> bytes:
    """Reads the file of a subword model.

    In a model directory or a prepared corpus, the file must have the digest that `config.json` or the manifest has.

    Args:
        path: String or path of the file.

    Returns:
        Bytes, the content of the file.

    Raises:
        OSError: The file cannot be read.
        UserError: It is no regular file, has more than 256 MiB, or has another digest.
    """
    path = Path(path)
    with errors_that_name(path):
        check_regular(path)
        if (size := path.stat().st_size) > MAX_BYTES:
            raise UserError(
                f"A subword model must be of at most {MAX_BYTES >> 20} MiB. Received: {path} with {size:,} bytes"
            )
        content = path.read_bytes()
    written, found = _written_digest(path.absolute()), hashlib.sha256(content).hexdigest()
    if written not in (None, found):
        raise UserError(
            f"The subword model is damaged, or of another model; restore it. Received: {path} with the SHA-256 "
            f"{found[:16]} instead of {written[:16]}"
        )
    return content


def _written_digest(path: Path) -> str | None:
    """The digest of a subword model in the folder that it belongs to; None where it belongs to none."""
    for file, entry, name in (
        (path.parent / CONFIG, SUBWORDS_SHA256, path.name),
        (path.parent.parent / MANIFEST, "subwords", path.parent.name),
    ):
        with contextlib.suppress(OSError, UserError):  # a file of another program may have this name
            digests = read_json(file, "digests", MANIFEST_BYTES, keep_digest=True).get(entry)
            if isinstance(digests, dict) and isinstance(digests.get(name), str):
                return str(digests[name])
    return None
