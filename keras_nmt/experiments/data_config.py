"""The data of an experiment: its directions, and the files for training, development and test."""

from __future__ import annotations

import dataclasses
import itertools
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import Field, PositiveFloat, PositiveInt

from keras_nmt.data import PreparedCorpus, SourceNoise, text_digest
from keras_nmt.data.prepared_folder import prepared_side
from keras_nmt.data.word_alignments import check_words, parse_pharaoh_alignments
from keras_nmt.errors import UserError, require
from keras_nmt.experiments.corpus_files import (
    Corpus,
    File,
    Pair,
    Sides,
    corpora_of,
    file_of_corpus,
    sides_of_corpus,
    uncompressed_name,
)
from keras_nmt.files.paths import check_regular
from keras_nmt.files.settings import check_rule, documented, setting
from keras_nmt.text.text_files import check_any_text, count_lines, read_blocks, read_line_pairs, read_paired_blocks
from keras_nmt.text.translation import split_words


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class DataConfig:
    """The directions of an experiment, and their files.

    A direction is named "SOURCE-TARGET", such as "de-en". "de-de" trains the model to write German sentences again: the
    German sides of the corpora of the other directions. A corpus is a dictionary of its files by language, or a
    pattern: "{language}" stands for the language, an optional "{pair}" for the two languages of a corpus, joined by "-"
    in either order. Without "{pair}", line n is the same sentence in all languages. A file of a pattern may also have
    the ending ".gz" or ".zst".
    """

    languages: Sequence[str] = setting(
        text="The languages. Each must be in a direction to train, or in the model of `init_from`."
    )
    pairs: Sequence[str] | None = setting(
        None, "Directions to train on; by default all pairs of two different languages."
    )
    dev_pairs: Sequence[str] | None = setting(
        None,
        "Directions whose mean score chooses the best checkpoint; by default all `pairs` of two different languages, "
        "or all `pairs` if there are none.",
    )
    test_pairs: Sequence[str] | None = setting(
        None,
        "Directions to test; by default all pairs of two different languages that the model can translate, also "
        "without training; with one language, all `pairs`.",
        needs=("test",),
    )
    train: Corpus | Sequence[Corpus] = setting(
        text="Corpus to train on: plain text or gzip, one sentence a line; or prepared corpora, such as "
        '"prepared/{language}", see `PreparedCorpus`. Or a list of corpora, each with files for some of the directions.'
    )
    dev: Corpus = setting(text="Development corpus, whose scores choose the best checkpoint.")
    test: Corpus | Sequence[Corpus] | None = setting(
        None,
        "Test corpus; by default none. A list of test sets, each with files for some of the directions, is scored as "
        "one; `results.json` also has the scores of each.",
    )
    corpus_weights: Sequence[PositiveFloat] | None = setting(
        None,
        "How often each sentence of a corpus occurs in an epoch, a number for each corpus; by default 1. Subwords are "
        "trained on each corpus once.",
    )
    alignments: File | Sequence[File] | None = setting(
        None,
        "Guided alignment: file of the aligned words of each sentence pair of `train`, such as 0-0 1-2, source word "
        "first; a list for several corpora. Only for one direction.",
    )
    noise: dict[str, Any] | None = setting(
        None,
        "Errors to add to the sources of the training text: rates by kind, such as swap=0.01, and `keep`, patterns of "
        "text that stays; see `SourceNoise`.",
    )
    max_length: PositiveInt = setting(256, "Length in subwords of the longest sentence of the training data.")
    max_ratio: Annotated[float, Field(ge=1)] = setting(3.0, "Largest ratio of the lengths of a sentence pair.")

    def __post_init__(self) -> None:
        for name in ("train", "dev", "test"):
            for corpus in corpora_of(getattr(self, name)):
                is_right = isinstance(corpus, Mapping) or "{language}" in os.fspath(corpus)
                problem = "A corpus must be a pattern with {language} in it, or a dictionary of files by language"
                require(is_right, problem, **{name: corpus})
        number, weights = len(corpora_of(self.train)), self.corpus_weights
        problem = f"{{corpus_weights}} must have a number for each of {number} corpora, at least one"
        check_rule(self, number > 0 and (weights is None or len(weights) == number), problem, "corpus_weights")
        problem = f"{{alignments}} must have a file for each of {number} corpora"
        has_all = self.alignments is None or len(corpora_of(self.alignments)) == number
        check_rule(self, has_all, problem, "alignments")
        are_distinct = len(set(self.languages)) == len(self.languages) > 0
        check_rule(self, are_distinct, "{languages} must name each language once", "languages")
        if self.noise is not None:
            SourceNoise.from_settings(self.noise)
        self.pair_lists(knows_all=True)  # checks the names of the directions

    @property
    def num_pairs(self) -> int:
        """The number of pairs to train on."""
        return len(self.languages) * (len(self.languages) - 1) if self.pairs is None else len(self.pairs)

    def pair_lists(self, knows_all: bool) -> Pairs:
        """Lists the pairs of languages by their use, without reading files.

        With `knows_all`, the model reads and writes all languages, because it was trained on them before. An unknown
        language, a pair that was never trained, or a language in no pair is a `UserError`.
        """
        combinations = [(s, t) for s in self.languages for t in self.languages]
        named = {f"{s}-{t}": (s, t) for s, t in combinations}
        problem = "Two directions must not have the same name, SOURCE-TARGET"
        require(len(named) == len(combinations), problem, languages=self.languages)

        def listed(name: str, default: list[Pair]) -> list[Pair]:
            pairs = getattr(self, name)
            if pairs is None:
                return default
            problem = f"{{{name}}} must name directions SOURCE-TARGET, two of {', '.join(self.languages)}, each once"
            require(len(set(pairs)) == len(pairs) and named.keys() >= set(pairs), problem, **{name: pairs})
            return [named[pair] for pair in pairs]

        train = listed("pairs", [(s, t) for s, t in combinations if s != t])
        require(train, "There is no direction to train on", languages=self.languages)
        # A model can read only languages that were a source in training, and write only those that were a target.
        sources, targets = (set(languages) for languages in zip(*train, strict=True))
        if knows_all:
            sources = targets = set(self.languages)
        missing = ", ".join(language for language in self.languages if language not in sources | targets)
        problem = f"Each language must be in a direction to train; {missing} is in none"
        require(not missing, problem, pairs=self.pairs)
        dev = listed("dev_pairs", [(s, t) for s, t in train if s != t] or train)
        require(dev, "{dev_pairs} must name a direction", dev_pairs=self.dev_pairs)
        known = [(s, t) for s, t in combinations if s != t and s in sources and t in targets]
        test = [] if self.test is None else listed("test_pairs", known or train)
        for name, pairs in (("dev_pairs", dev), ("test_pairs", test)):
            untrained = [f"{s}-{t}" for s, t in pairs if s not in sources or t not in targets]
            problem = f"{{{name}}} must only have sources and targets that are trained as such"
            require(not untrained, problem, **{name: untrained})
        return Pairs(train, dev, test)

    def directions(self, pairs: Pairs, sides_of: Callable[[Pair], tuple[str, ...]]) -> list[Direction]:
        """Finds the files of every direction: first the trained directions, then others to evaluate.

        `sides_of` returns the names that the languages of a pair have in the model. Raises a `UserError` if a file is
        missing, or if a corpus has no files for any pair.
        """
        train, tested, alignments = corpora_of(self.train), corpora_of(self.test), corpora_of(self.alignments)
        used, used_tests = set[int](), set[int]()
        directions = []
        for pair in dict.fromkeys((*pairs.train, *pairs.dev, *pairs.test)):
            weighted: list[tuple[Sides, float]] = []
            for i, corpus in enumerate(train if pair in pairs.train else ()):
                sides = _sides_to_train(corpus, pair, pairs.train, is_needed=len(train) == 1)
                weighted += [(one, self.corpus_weights[i] if self.corpus_weights else 1.0) for one in sides]
                used |= {i} if sides else set()
            if pair in pairs.train and not weighted:
                raise UserError(f"There is no data for {'-'.join(pair)}. Received: train={list(map(str, train))}")
            corpora, weights = zip(*weighted, strict=True) if weighted else ((), ())
            dev = sides_of_corpus(self.dev, pair) if pair in pairs.dev else None
            sets = {}
            for i, corpus in enumerate(tested if pair in pairs.test else ()):
                if (one := sides_of_corpus(corpus, pair, is_needed=len(tested) == 1)) is not None:
                    sets[i] = one
            used_tests |= sets.keys()
            if len(set(sets.values())) < len(sets):
                shown = ", ".join(f"{source} {target}" for source, target in sets.values())
                raise UserError(f"A test set must be named once. Received: {shown}")
            if pair in pairs.test and not sets:
                raise UserError(f"There is no data for {'-'.join(pair)}. Received: test={list(map(str, tested))}")
            source_side, target_side = sides_of(pair)
            direction = Direction(
                source=pair[0],
                target=pair[1],
                sides=(source_side, target_side),
                corpora=corpora,
                weights=weights,
                alignments=tuple(alignments),
                dev=dev,
                tests=tuple(sets.values()),
            )
            directions.append(direction)
        for name, given, indices in (("train", train, used), ("test", tested if pairs.test else [], used_tests)):
            if unused := [corpus for i, corpus in enumerate(given) if i not in indices]:
                raise UserError(f"This corpus has no file for any direction. Received: {name}={str(unused[0])!r}")
        return directions


@dataclasses.dataclass(frozen=True, kw_only=True)
class Direction:
    """A direction: its two languages, and the files of its training, development and test data."""

    source: str
    target: str
    sides: Pair  # the names of the two languages in the model
    corpora: tuple[Sides, ...] = ()  # empty if the direction is not trained
    weights: tuple[float, ...] = ()  # of each corpus: how often a sentence occurs in an epoch
    alignments: tuple[File, ...] = ()  # of each corpus, or empty
    dev: Sides | None = None
    tests: tuple[Sides, ...] = ()  # the test sets

    @property
    def name(self) -> str:
        """The name of the direction in settings, logs and results, such as "de-en"."""
        return f"{self.source}-{self.target}"

    def files(self, use: str) -> tuple[Sides, ...]:
        """Returns the pairs of files for a use: "train", "dev" or "test"."""
        return {"train": self.corpora, "dev": (self.dev,) if self.dev else (), "test": self.tests}[use]

    @property
    def test_names(self) -> list[str]:
        """The name of each test set.

        That is the name of its file of references without the language; if sets would share it, or one has none, its
        path; or else the paths of both files.
        """
        plain = [uncompressed_name(target).removesuffix(f".{self.target}") for _, target in self.tests]
        paths = [os.fspath(target) for _, target in self.tests]
        both = [f"{os.fspath(source)} {os.fspath(target)}" for source, target in self.tests]
        return next(names for names in (plain, paths, both) if len(set(names)) == len(names) and all(names))

    def read_tests(self) -> ScoredText:
        """Reads the sentences and references of all test sets, one set after the other."""
        text = ScoredText([], [], {})
        for name, sides in zip(self.test_names, self.tests, strict=True):
            sources, references = read_line_pairs(*sides)
            text.sets[name] = slice(len(text.sources), len(text.sources) + len(sources))
            text.sources.extend(sources)
            text.references.extend(references)
        return text


class ScoredText(NamedTuple):
    """The test data of a direction: sentences, references, and the lines of each test set by its name."""

    sources: list[str]
    references: list[str]
    sets: dict[str, slice]


class Pairs(NamedTuple):
    """The pairs of languages of an experiment, by their use."""

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]


def check_files(directions: Sequence[Direction], dev_sentences: int | None = None) -> None:
    """Checks every file, and that files which belong together fit, before subwords are trained and training begins.

    `dev_sentences` is the number of development sentences that are scored; by default all are.
    """
    for direction in directions:
        evaluated = [*(direction.dev or ()), *itertools.chain(*direction.tests)]
        for path in (*itertools.chain(*direction.corpora), *direction.alignments, *evaluated):
            if prepared_side(path) is None:
                check_regular(path, ", because training reads it several times, and again when it continues")
        for path in evaluated:
            if prepared_side(path) is not None:
                raise UserError(f"Development and test data must be text files. Received: {os.fspath(path)!r}")
        for sides in direction.corpora:
            if any(map(prepared_side, sides)):
                PreparedCorpus(*sides)
        for sides, path in zip(direction.corpora, direction.alignments, strict=False):
            _check_alignments(sides, path)
    counts: dict[File, int] = {}  # a file may belong to several directions
    for source, target in dict.fromkeys(s for d in directions for s in (*d.corpora, d.dev, *d.tests) if s is not None):
        for path in (source, target):
            if path not in counts:
                counts[path] = _num_lines(path)
                require(counts[path] != 0, f"The file is empty. Received: {os.fspath(path)!r}")
        if counts[source] != counts[target]:
            raise UserError(
                "Source and target must have the same number of lines. Received: "
                f"{os.fspath(source)!r} with {counts[source]} line(s), {os.fspath(target)!r} with {counts[target]}"
            )
    for direction in directions:
        if direction.source != direction.target:
            _warn_of_copies(direction)
    for use, number in (("dev", dev_sentences), ("test", None)):
        for references in dict.fromkeys(s[1] for d in directions for s in d.files(use)):
            lines = itertools.chain.from_iterable(read_blocks(references))
            check_any_text(references, itertools.islice(lines, number))


def digests_of(directions: Sequence[Direction]) -> dict[str, list[str]]:
    """Returns the digests of all files by use and direction: "train de-en", "dev de-en", "test de-en" and so on.

    The digest of a text file is its `text_digest`, that of a prepared side is in the corpus's manifest.
    """
    files: dict[str, list[File]] = {}
    for use in ("train", "dev", "test"):
        for direction in directions:
            alignments = direction.alignments if use == "train" else ()
            files[f"{use} {direction.name}"] = [*itertools.chain(*direction.files(use)), *alignments]
    digests = {path: _digest(path) for path in dict.fromkeys(itertools.chain(*files.values()))}  # each file once
    return {name: [digests[path] for path in paths] for name, paths in files.items() if paths}


def _warn_of_copies(direction: Direction) -> None:
    """Warns of files of a direction that have the same lines, which is rarely what a user wants."""
    trained = set()
    for use in ("train", "dev", "test"):
        for sides in direction.files(use):
            texts, received = tuple(map(_digest, sides)), " and ".join(repr(os.fspath(side)) for side in sides)
            if texts[0] == texts[1]:
                problem = f"Source and target of {direction.name} are the same text, whose lines are to be copied"
                warnings.warn(f"{problem}. Received: {received}", stacklevel=3)
            if texts in trained:
                problem = f"A {use} text of {direction.name} is training text: its scores say little of other text"
                if use == "train":
                    problem = f"A training text of {direction.name} is there twice: use `corpus_weights` to repeat it"
                warnings.warn(f"{problem}. Received: {received}", stacklevel=3)
            if use == "train":
                trained.add(texts)


def _check_alignments(sides: Sides, path: File) -> None:
    """Checks that alignments fit the text files of a corpus."""
    if any(map(prepared_side, sides)):
        raise UserError(
            f"Alignments must belong to text files, not prepared corpora. Received: {os.fspath(sides[0])!r}"
        )
    first, name = 1, os.fspath(path)
    for sources, targets, lines in read_paired_blocks(*sides, path):
        alignments = parse_pharaoh_alignments(lines, first, name)
        for number, (source, target, pairs) in enumerate(zip(sources, targets, alignments, strict=True), first):
            check_words(number, pairs, len(split_words(source)), len(split_words(target)), name)
        first += len(lines)


def _digest(path: File) -> str:
    prepared = prepared_side(path)
    return text_digest(path) if prepared is None else prepared[0].digest(prepared[1])


def _num_lines(path: File) -> int:
    """Returns the number of lines of a file, or of pairs of a prepared corpus."""
    prepared = prepared_side(path)
    return count_lines(path) if prepared is None else len(prepared[0])


def _sides_to_train(corpus: Corpus, pair: Pair, trained: list[Pair], is_needed: bool) -> list[Sides]:
    """Returns the files of a corpus for a direction: a pair of files, or for A -> A all files of A."""
    source, target = pair
    others = dict.fromkeys(t if s == source else s for s, t in trained if (s == source) != (t == source))
    of_pairs = not isinstance(corpus, Mapping) and "{pair}" in os.fspath(corpus)
    if source != target or not of_pairs or not others:
        sides = sides_of_corpus(corpus, pair, is_needed)
        return [] if sides is None else [sides]
    paths = [file_of_corpus(corpus, source, (source, other), is_needed) for other in others]
    return [(path, path) for path in paths if path is not None]
