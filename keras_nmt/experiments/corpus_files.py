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
    """Returns the files of both sides of a pair of languages, plain or compressed, or prepared sides.

    `corpus` has `{language}`, and `{pair}` if each pair has a corpus of its own; or is a dictionary of the files by
    language. A missing file is a `UserError`, or gives None if it is not needed.
    """
    # Both files are of one order of the languages: beside each other, two halves of corpora would be a third one.
    for order in _orders(corpus, pair):
        source, target = (_file(corpus, language, order) for language in pair)
        if source is not None and target is not None:
            return source, target
    if not is_needed:
        return None
    files = [os.fspath(file_of_corpus(corpus, language, pair, is_needed) or "") for language in pair]
    raise UserError(f"Both files of {'-'.join(pair)} must be of one corpus. Received: {' and '.join(files)}")


def file_of_corpus(corpus: Corpus, language: str, pair: Pair, is_needed: bool) -> File | None:
    """Returns the file of one language of a pair; see `sides_of_corpus`."""
    orders = _orders(corpus, pair)
    path = next((file for order in orders if (file := _file(corpus, language, order)) is not None), None)
    if path is None and is_needed:
        names = (
            [f"files of {', '.join(map(str, corpus))}"]
            if isinstance(corpus, Mapping)
            else [_name(corpus, language, order) for order in orders]
        )
        raise UserError(f"There is no data for {pair[0]}-{pair[1]}. Received: {' nor '.join(names)}")
    return path


def _orders(corpus: Corpus, pair: Pair) -> list[Pair]:
    """Returns the orders of the languages in which the files of a pair may be named."""
    has_pairs = not isinstance(corpus, Mapping) and "{pair}" in os.fspath(corpus)
    return [pair, pair[::-1]] if has_pairs else [pair]


def _name(corpus: File, language: str, order: Pair) -> str:
    return os.fspath(corpus).replace("{language}", language).replace("{pair}", "-".join(order))


def _file(corpus: Corpus, language: str, order: Pair) -> File | None:
    if isinstance(corpus, Mapping):
        return corpus.get(language)
    paths = (Path(_name(corpus, language, order) + ending) for ending in ("", *COMPRESSED))
    return next((path for path in paths if path.is_file() or prepared_side(path) is not None), None)
