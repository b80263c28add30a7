"""The files of a pair of languages, by a pattern such as `train.{language}`."""

from __future__ import annotations

import os
from pathlib import Path

from keras_nmt.errors import UserError
from keras_nmt.files.prepared_folder import prepared_side

File = str | os.PathLike[str]
Pair = tuple[str, str]
Sides = tuple[File, File]


def sides_of_pattern(pattern: File, pair: Pair, is_needed: bool = True) -> Sides | None:
    """Returns the files of both sides of a pair.

    Args:
        pattern: String or path with `{language}`, and `{pair}` where each pair has a corpus of its own.
        pair: Pair of strings, the languages.
        is_needed: Boolean, whether missing files are an error. Defaults to True.

    Returns:
        Pair of paths of files, plain or gzip, or of prepared sides; None if one is missing.

    Raises:
        UserError: A file is needed and missing.
    """
    source, target = (file_of_pattern(pattern, language, pair, is_needed) for language in pair)
    return None if source is None or target is None else (source, target)


def file_of_pattern(pattern: File, language: str, pair: Pair, is_needed: bool) -> Path | None:
    """Returns the file of one language of a pair; see `sides_of_pattern`."""
    names = [
        os.fspath(pattern).replace("{language}", language).replace("{pair}", f"{a}-{b}") for a, b in (pair, pair[::-1])
    ]
    for name in dict.fromkeys(names):
        for path in (Path(name), Path(f"{name}.gz")):
            if path.is_file() or prepared_side(path) is not None:
                return path
    if is_needed:
        shown = " nor ".join(dict.fromkeys(names))
        raise UserError(f"There is no data for {pair[0]}-{pair[1]}. Received: {shown}")
    return None
