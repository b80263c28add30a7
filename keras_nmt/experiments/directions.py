"""The directions of an experiment: pairs of languages, with the files to train, develop and test each on."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
from collections.abc import Sequence
from typing import NamedTuple

from keras_nmt.data import PreparedCorpus, text_digest
from keras_nmt.errors import UserError
from keras_nmt.experiments.experiment_settings import ExperimentSettings
from keras_nmt.experiments.sides_of_pattern import File, Pair, Sides, file_of_pattern, sides_of_pattern
from keras_nmt.files.check_path import check_regular
from keras_nmt.files.prepared_folder import prepared_side
from keras_nmt.files.read_blocks import read_blocks

ONE = ("source", "target")  # the pair of an experiment that does not name its languages
# The settings of the data: by files for one direction, and by patterns for several.
BY_FILES = ("train_source", "train_target", "dev_source", "dev_target", "test_source", "test_target")
BY_PATTERNS = ("train", "dev", "test")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Direction:
    """A pair of languages and the files of its training, development and test data."""

    source: str
    target: str
    corpora: tuple[Sides, ...] = ()  # empty: the direction is translated, and never trained
    weights: tuple[float, ...] = ()  # how often an epoch has the sentences of each corpus
    dev: Sides | None = None
    test: Sides | None = None

    @property
    def name(self) -> str:
        """The direction as settings, logs and results name it, such as "de-en"."""
        return f"{self.source}-{self.target}"


class Pairs(NamedTuple):
    """The pairs of languages of an experiment, by their use."""

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]


def pairs_of(experiment: ExperimentSettings) -> Pairs:
    """Lists the pairs of languages of an experiment, without a look at files.

    Raises:
        UserError: A pair is none of the languages', or was never trained, or a language is in no pair.
    """
    e = experiment
    if e.languages is None:
        return Pairs([ONE], [ONE], [] if e.test_source is None else [ONE])
    if len(set(e.languages)) != len(e.languages) or not e.languages:
        raise UserError(f"Name each language once. Received: languages={list(e.languages)}")
    combinations = [(s, t) for s in e.languages for t in e.languages]
    named = {f"{s}-{t}": (s, t) for s, t in combinations}

    def listed(name: str, default: list[Pair]) -> list[Pair]:
        pairs = getattr(e, name)
        if pairs is None:
            return default
        for pair in pairs:
            if pair not in named:
                raise UserError(f"A pair is SOURCE-TARGET of {', '.join(e.languages or ())}. Received: {name}={pair!r}")
        if len(set(pairs)) != len(pairs):
            raise UserError(f"Name each pair once. Received: {name}={list(pairs)}")
        return [named[pair] for pair in pairs]

    train = listed("pairs", [(s, t) for s, t in combinations if s != t])
    if not train:
        raise UserError(f"There is no pair to train on. Received: languages={list(e.languages)}")
    # A decoder that was never trained cannot write, an encoder that was never trained cannot read.
    sources, targets = (set(languages) for languages in zip(*train, strict=True))
    if e.init_from is not None and e.architecture != "transformer":  # trained before, or now
        sources = targets = set(e.languages)
    if missing := [language for language in e.languages if language not in sources | targets]:
        raise UserError(f"Not covered by any training pair: {', '.join(missing)}. Received: pairs={e.pairs}")
    dev = listed("dev_pairs", [(s, t) for s, t in train if s != t] or train)
    if not dev:
        raise UserError(f"There is no pair whose scores choose between checkpoints. Received: dev_pairs={e.dev_pairs}")
    known = [(s, t) for s, t in combinations if s != t and s in sources and t in targets]
    test = [] if e.test is None else listed("test_pairs", known or train)
    for name, pairs in (("dev_pairs", dev), ("test_pairs", test)):
        if untrained := [f"{s}-{t}" for s, t in pairs if s not in sources or t not in targets]:
            raise UserError(
                "Of these pairs, no training pair has the source as source, or the target as target. "
                f"Received: {name} has {', '.join(untrained)}"
            )
    return Pairs(train, dev, test)


def directions_of(experiment: ExperimentSettings) -> list[Direction]:
    """Finds the files of every direction of an experiment: first the trained directions, then others to evaluate.

    Raises:
        UserError: The file of a pattern does not exist.
    """
    e, pairs = experiment, pairs_of(experiment)
    patterns = files(e.train_source if e.languages is None else e.train)
    corpus_weights = tuple(e.corpus_weights or [1.0] * len(patterns))
    if e.languages is None:
        corpora = tuple(zip(patterns, files(e.train_target), strict=True))
        dev = None if e.dev_source is None or e.dev_target is None else (e.dev_source, e.dev_target)
        test = None if e.test_source is None or e.test_target is None else (e.test_source, e.test_target)
        return [Direction(source=ONE[0], target=ONE[1], corpora=corpora, weights=corpus_weights, dev=dev, test=test)]
    assert e.dev is not None
    directions, used = [], set()
    for source, target in dict.fromkeys((*pairs.train, *pairs.dev, *pairs.test)):
        pair, found = (source, target), []
        for pattern, weight in zip(patterns, corpus_weights, strict=True) if pair in pairs.train else ():
            of_pattern = _corpora(pattern, pair, pairs.train, is_needed=len(patterns) == 1)
            found += [(corpus, weight) for corpus in of_pattern]
            used |= {pattern} if of_pattern else set()
        if pair in pairs.train and not found:
            raise UserError(f"There is no data for {source}-{target}. Received: train={list(map(str, patterns))}")
        corpora, weights = zip(*found, strict=True) if found else ((), ())
        dev = sides_of_pattern(e.dev, pair) if pair in pairs.dev else None
        test = sides_of_pattern(e.test, pair) if e.test is not None and pair in pairs.test else None
        directions.append(Direction(source=source, target=target, corpora=corpora, weights=weights, dev=dev, test=test))
    if unused := [os.fspath(pattern) for pattern in patterns if pattern not in used]:
        raise UserError(f"There is no file of this pattern for any pair. Received: train={unused[0]!r}")
    return directions


def check_files(directions: Sequence[Direction]) -> None:
    """Checks every file before subwords are trained and hours of training begin.

    Raises:
        OSError: A file is missing or cannot be read.
        UserError: A file is empty or damaged, or no regular file, or both sides of a pair of files have different
            numbers of lines; a prepared corpus is damaged, or is not training data.
    """
    for direction in directions:
        for path in (*itertools.chain(*direction.corpora), *(direction.dev or ()), *(direction.test or ())):
            if prepared_side(path) is None:
                check_regular(path, ", which training reads several times, and again when it continues")
        for path in (*(direction.dev or ()), *(direction.test or ())):
            if prepared_side(path) is not None:
                raise UserError(f"Development and test data are text files. Received: {os.fspath(path)!r}")
        for sides in direction.corpora:
            if any(map(prepared_side, sides)):
                PreparedCorpus(*sides)
    for source, target in dict.fromkeys(s for d in directions for s in (*d.corpora, d.dev, d.test) if s is not None):
        counts = {path: _num_lines(path) for path in (source, target)}
        for path, count in counts.items():
            if count == 0:
                raise UserError(f"The file is empty. Received: {os.fspath(path)!r}")
        if counts[source] != counts[target]:
            raise UserError(
                "Both sides need the same number of lines. Received: "
                f"{os.fspath(source)!r} with {counts[source]} lines, {os.fspath(target)!r} with {counts[target]}"
            )


def digests_of(directions: Sequence[Direction]) -> dict[str, list[str]]:
    """Returns a dict from "train de-en", "dev de-en", "test de-en" and so on to the digest of each file.

    The digest is the `text_digest` of a text file, and the manifest's digest of a side of a prepared corpus.
    """
    digests = {}
    for use in ("train", "dev", "test"):
        for direction in directions:
            sides = direction.corpora if use == "train" else (getattr(direction, use),)
            paths = [path for pair in sides if pair is not None for path in pair]
            if paths:
                digests[f"{use} {direction.name}"] = [_digest(path) for path in paths]
    return digests


def files(value: File | Sequence[File] | None) -> list[File]:
    """Returns no file, one or several as a list."""
    return [] if value is None else [value] if isinstance(value, str | os.PathLike) else list(value)


def _digest(path: File) -> str:
    prepared = prepared_side(path)
    return text_digest(path) if prepared is None else prepared[0].digest(prepared[1])


def _num_lines(path: File) -> int:
    """The number of lines, counted once while the file does not change; or of pairs of a prepared corpus."""
    prepared = prepared_side(path)
    if prepared is not None:
        return len(prepared[0])
    status = os.stat(path)
    return _count(os.path.abspath(path), status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _count(path: str, size: int, changed: int) -> int:
    return sum(map(len, read_blocks(path)))


def _corpora(pattern: File, pair: Pair, trained: list[Pair], is_needed: bool) -> list[Sides]:
    """The corpora of a pattern for a pair: at most one, but for A -> A the sides of A in the corpora of all pairs."""
    source, target = pair
    others = dict.fromkeys(t if s == source else s for s, t in trained if (s == source) != (t == source))
    if source != target or "{pair}" not in os.fspath(pattern) or not others:
        sides = sides_of_pattern(pattern, pair, is_needed)
        return [] if sides is None else [sides]
    found = [file_of_pattern(pattern, source, (source, other), is_needed) for other in others]
    return [(path, path) for path in found if path is not None]
