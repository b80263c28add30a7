"""The files of a corpus in several languages: by a pattern such as `train.{language}`, or by language."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from keras_nmt.data.prepared_folder import prepared_side
from keras_nmt.errors import UserError

File = str | os.PathLike[str]
Corpus = File | dict[str, File]
AnyCorpus = TypeVar("AnyCorpus", File, Corpus)
Pair = tuple[str, str]
Sides = tuple[File, File]

UNNAMED = ("source", "target")  # the languages of two files whose names have no languages
COMPRESSED = (".gz", ".zst")  # endings of compressed files


def uncompressed_name(file: File) -> str:
    """Returns the name of a file without the ending of a compressed file.

    Example:

    >>> uncompressed_name("data/train.en.zst")
    'train.en'
    """
    path = Path(file)
    return path.stem if path.suffix in COMPRESSED else path.name


def languages_of_files(files: Sequence[File]) -> Pair:
    """Returns the names of the languages of two files: the ends of their names, if they differ.

    Example:

    >>> languages_of_files(["data/train.en.gz", "prepared/de"])
    ('en', 'de')
    >>> languages_of_files(["questions.txt", "answers.txt"])
    ('source', 'target')
    """
    source, target = (uncompressed_name(file).rpartition(".")[2] for file in files)
    return (source, target) if source != target and source and target else UNNAMED


def corpora_of(value: AnyCorpus | Sequence[AnyCorpus] | None) -> list[AnyCorpus]:
    """Returns a list of the corpora or files in a setting, which has none, one, or a list of them."""
    return [] if value is None else [value] if isinstance(value, str | os.PathLike | Mapping) else list(value)


def sides_of_corpus(corpus: Corpus, pair: Pair, is_needed: bool = True) -> Sides | None:
    """Returns the files of both sides of a pair of languages.

    Args:
        corpus: String or path with `{language}`, and with `{pair}` if each pair has a corpus of its own; or a
            dictionary of the files by language.
        pair: Pair of strings, the languages.
        is_needed: Boolean, whether a missing file is a `UserError`. Defaults to True.

    Returns:
        Pair of paths of files, plain or compressed, or of prepared sides; None if one is missing.
    """
    source, target = (file_of_corpus(corpus, language, pair, is_needed) for language in pair)
    return None if source is None or target is None else (source, target)


def file_of_corpus(corpus: Corpus, language: str, pair: Pair, is_needed: bool) -> File | None:
    """Returns the file of one language of a pair; see `sides_of_corpus`."""
    if isinstance(corpus, Mapping):
        if is_needed and language not in corpus:
            shown = ", ".join(map(str, corpus))
            raise UserError(f"There is no data for {pair[0]}-{pair[1]}. Received: files of {shown}")
        return corpus.get(language)
    names = [
        os.fspath(corpus).replace("{language}", language).replace("{pair}", f"{a}-{b}") for a, b in (pair, pair[::-1])
    ]
    for name in dict.fromkeys(names):
        for path in (Path(f"{name}{ending}") for ending in ("", *COMPRESSED)):
            if path.is_file() or prepared_side(path) is not None:
                return path
    if is_needed:
        shown = " nor ".join(dict.fromkeys(names))
        raise UserError(f"There is no data for {pair[0]}-{pair[1]}. Received: {shown}")
    return None
