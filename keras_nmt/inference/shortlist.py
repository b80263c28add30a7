"""Shortlists: the likely target subwords of each source subword, and of a batch. Imports nothing heavy."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import h5py
import numpy as np

from keras_nmt.errors import UserError, check_positive, error_and_type
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.paths import check_regular
from keras_nmt.files.weights_file import arrays, check_digest, write_digest
from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.text.translation import split_words

if TYPE_CHECKING:
    import tensorflow as tf

    from keras_nmt.data import SubwordTokenizer

Alignment = Sequence[tuple[int, int]]  # pairs (source word, target word) of a sentence, from 0
PART = 4096  # sentences that are counted at a time
LEAST_COUNTED = 2**21  # pairs of subwords that are collected before they are counted
ALWAYS = 300  # the most frequent subwords, which every batch gets before those of the table
RESERVED = (PAD, UNK, BOS, EOS)
# Ranks of candidates, far above the expected numbers of the table.
FREQUENT = 1e6
FORCED = 1e7
TOO_MANY_FORCED = "The prefixes and constraints of a batch have more subwords than `shortlist_size`"


@dataclasses.dataclass(frozen=True, eq=False)
class Shortlist:
    """A lexical table, from which a search takes the target subwords that it considers. `AlignedSubwords` makes one.

    Attributes:
        candidates: int32 array `[Vs, k]`, the k likeliest target subwords of each source subword, likeliest first.
        probabilities: float32 array `[Vs, k]`, p(target subword | source subword), 0 for unused entries.
        frequent: int32 array `[Vt]`, all target subwords, the most frequent in the text first.
        subwords: Tuple of two strings, digests of the source and target subword models of the ids.

    Example:

    >>> shortlist = Shortlist(
    ...     candidates=np.array([[0], [0], [0], [0], [5]], "int32"),  # 5 for source subword 4
    ...     probabilities=np.array([[0], [0], [0], [0], [1]], "float32"),
    ...     frequent=np.array([5, 4, 0, 1, 2, 3], "int32"),
    ...     subwords=("", ""),
    ... )
    >>> shortlist.vocabulary_sizes
    (5, 6)

    Reference:
        [Jean et al., 2015](https://aclanthology.org/P15-1001), section 3.3.
    """

    candidates: np.ndarray
    probabilities: np.ndarray
    frequent: np.ndarray
    subwords: tuple[str, str]

    @property
    def vocabulary_sizes(self) -> tuple[int, int]:
        """The numbers of source and target subwords."""
        return len(self.candidates), len(self.frequent)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Shortlist:
        """Reads a file of `write`. Raises a `UserError` if it holds no shortlist or is damaged."""
        name = os.fspath(path)
        check_regular(path)
        with open(path, "rb") as stream:
            try:
                with h5py.File(stream, "r") as file:
                    if not check_digest(file):
                        raise UserError("the file has no digest")
                    found = arrays(file)
                    values = {key: found[key][()] for key in ("candidates", "probabilities", "frequent")}
                    shortlist = cls(**values, subwords=(str(file.attrs["source"]), str(file.attrs["target"])))
                    shortlist._check()
            except (OSError, KeyError, ValueError, TypeError) as error:
                raise UserError(
                    f"{name} must be a file of `keras-nmt shortlist`; make it again. Received: {error_and_type(error)}"
                ) from None
        return shortlist

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the shortlist to an HDF5 file with a digest, completely or not at all."""
        with atomic_path(path, suffix=".h5") as temporary, h5py.File(temporary, "w") as file:
            for name in ("candidates", "probabilities", "frequent"):
                file[name] = getattr(self, name)
            file.attrs["source"], file.attrs["target"] = self.subwords
            write_digest(file)

    def check_subwords(self, source: SubwordTokenizer, target: SubwordTokenizer) -> None:
        """Checks that the subwords of a model are those of the table."""
        if (source.digest, target.digest) != self.subwords:
            raise UserError(
                "The shortlist was made with other subword models: make one for this model with `keras-nmt shortlist`. "
                "Received: a shortlist of {} source and {} target subwords".format(*self.vocabulary_sizes)
            )

    def _check(self) -> None:
        """Raises a `ValueError` unless the arrays fit together and every id is in its vocabulary."""
        ids = self.frequent
        if self.candidates.ndim != 2 or self.candidates.shape != self.probabilities.shape:
            raise ValueError(f"shapes {self.candidates.shape} and {self.probabilities.shape}")
        if self.candidates.dtype != "int32" or ids.dtype != "int32" or self.probabilities.dtype != "float32":
            raise ValueError("arrays of other types")
        if not np.array_equal(np.sort(ids), np.arange(len(ids))) or not np.isin(self.candidates, ids).all():
            raise ValueError("ids outside the vocabulary")
        if not ((self.probabilities >= 0) & (self.probabilities <= 1)).all():
            raise ValueError("probabilities outside of 0 to 1")


class Candidates:
    """Selects the candidates of a batch of source sentences.

    Candidates are, in this order and as many as fit: the reserved ids and the subwords of prefixes; the `ALWAYS` most
    frequent subwords; the subwords of the table by their expected number in the batch, the sum of their probabilities
    over all source subwords; the other subwords by frequency.

    Args:
        shortlist: `Shortlist`.
        size: Integer, the number of candidates, which is the same for all batches, as XLA requires.
    """

    def __init__(self, shortlist: Shortlist, size: int) -> None:
        import keras

        self.size = min(size, len(shortlist.frequent))
        # An export stores variables once, and outside of its graph.
        tables = {
            "candidates": shortlist.candidates,
            "probabilities": shortlist.probabilities,
            "ranks": _ranks(shortlist.frequent),
        }
        self.weights = [
            keras.Variable(x, dtype=x.dtype.name, trainable=False, name=f"shortlist_{name}")
            for name, x in tables.items()
        ]

    def select(self, source: tf.Tensor, prefix: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the candidates int32 `[N]`, ascending, for source ids `[B, S]` and prefixes `[B, P]`.

        They are the `vocabulary` of the search's logits. The second result is the number of forced subwords; if it is
        larger than `size`, some of them are missing.
        """
        import tensorflow as tf

        source = tf.raw_ops.UniqueV2(x=source, axis=[0]).y  # a batch may be padded with copies of a sentence
        words, _, counts = tf.unique_with_counts(tf.reshape(source, [-1]))
        candidates, probabilities, ranks = (tf.convert_to_tensor(x.value) for x in self.weights)
        ids = tf.gather(candidates, words)  # [words, k]
        numbers = tf.cast(counts, tf.float32)[:, None] * tf.gather(probabilities, words)
        expected = tf.scatter_nd(tf.reshape(ids, [-1, 1]), tf.reshape(numbers, [-1]), tf.shape(ranks))  # [Vt]
        ranks = tf.where(expected > 0, tf.maximum(ranks, expected), ranks)
        forced = tf.reshape(prefix, [-1, 1])
        ranks = tf.tensor_scatter_nd_max(ranks, forced, tf.fill([tf.shape(forced)[0]], FORCED))
        chosen = tf.sort(tf.math.top_k(ranks, self.size).indices)
        return tf.ensure_shape(chosen, [self.size]), tf.math.count_nonzero(ranks >= FORCED, dtype=tf.int32)


class AlignedSubwords:
    """Counts which subwords of aligned words occur together, in a text that may come in parts.

    Every subword of a source word counts once with every subword of each aligned target word. If both languages have
    the same subwords, a source subword also counts once with itself, for names and numbers that are not in the text.
    Memory grows with the number of different pairs of subwords, not with the text.

    Args:
        tokenizers: Mapping from "source" and "target" to their subwords.
        name: String, the name of the alignments' file, for the error message. Defaults to "the alignments".

    Attributes:
        num_sentences: Integer, the number of sentences so far.
        passed_over: Integer, the number of pairs in which one word has no subwords, such as a zero-width space.
    """

    def __init__(self, tokenizers: Mapping[str, SubwordTokenizer], name: str = "the alignments") -> None:
        self._tokenizers, self._name = (tokenizers["source"].source, tokenizers["target"]), name
        source_size, self._target_size = (tokenizer.vocabulary_size for tokenizer in self._tokenizers)
        # Pairs as source subword * target_size + target subword, in ascending order, and their counts.
        self._pairs = np.zeros(0, "int64")
        if self._tokenizers[0].proto == self._tokenizers[1].proto:
            self._pairs = np.arange(0, source_size * self._target_size, self._target_size + 1)
        self._counts = np.ones(len(self._pairs), "int64")
        self._new: list[np.ndarray] = []  # pairs that are not counted yet
        self._occurrences = np.zeros(self._target_size, "int64")
        self.num_sentences = self.passed_over = 0

    def add(self, sources: Sequence[str], targets: Sequence[str], alignments: Iterable[Alignment]) -> None:
        """Counts sentences.

        Args:
            sources: Sequence of strings, sentences.
            targets: Sequence of strings, a translation of each.
            alignments: Pairs (source word, target word) for each sentence, from 0. Spaces and tabs separate words.

        Raises:
            UserError: A pair has a word that is not in its sentence, or there is not an alignment for each sentence.
        """
        alignments = iter(alignments)
        for start in range(0, len(sources), PART):
            part = slice(start, start + PART)
            of_part = list(itertools.islice(alignments, len(sources[part])))
            if len(of_part) < len(sources[part]):
                raise _unequal(len(sources), f"{start + len(of_part)}")
            self._add_part(sources[part], targets[part], of_part)
        if next(alignments, None) is not None:
            raise _unequal(len(sources), "more")

    def shortlist(self, num_candidates: int = 50) -> Shortlist:
        """Makes the table of the `num_candidates` likeliest target subwords of each source subword."""
        check_positive(num_candidates=num_candidates)
        self._count()
        source, target = self._tokenizers
        ids = np.divmod(self._pairs, self._target_size)
        candidates, probabilities = _likeliest(*ids, self._counts, source.vocabulary_size, num_candidates)
        return Shortlist(
            candidates=candidates,
            probabilities=probabilities,
            frequent=np.argsort(-self._occurrences, kind="stable").astype("int32"),
            subwords=(source.digest, target.digest),
        )

    def _add_part(self, sources: Sequence[str], targets: Sequence[str], alignments: Iterable[Alignment]) -> None:
        source_words, target_words = (
            _ids_by_word(*side) for side in zip(self._tokenizers, (sources, targets), strict=True)
        )
        keys = []
        for of_source, of_target, pairs in zip(source_words, target_words, alignments, strict=True):
            self.num_sentences += 1
            check_words(self.num_sentences, pairs, len(of_source), len(of_target), self._name)
            for source, target in pairs:
                self.passed_over += not (of_source[source] and of_target[target])
                keys += [x * self._target_size + y for x in of_source[source] for y in of_target[target]]
        of_targets = [y for words in target_words for ids in words for y in ids]
        self._occurrences += np.bincount(np.array(of_targets, "int64"), minlength=self._target_size)
        self._new.append(np.array(keys, "int64"))
        if sum(map(len, self._new)) > max(len(self._pairs), LEAST_COUNTED):  # rarely, because it reads all pairs
            self._count()

    def _count(self) -> None:
        """Adds the new pairs to the counts."""
        pairs, counts = np.unique(np.concatenate([np.zeros(0, "int64"), *self._new]), return_counts=True)
        self._new = []
        self._pairs, places = np.unique(np.concatenate([self._pairs, pairs]), return_inverse=True)
        counts = np.concatenate([self._counts, counts])
        self._counts = np.zeros(len(self._pairs), "int64")
        np.add.at(self._counts, places, counts)


def _unequal(sentences: int, alignments: str) -> UserError:
    return UserError(
        f"There must be an alignment for each sentence. Received: {sentences} sentences, {alignments} alignments"
    )


def parse_pharaoh_alignments(
    lines: Iterable[str], first: int = 1, name: str = "the alignments"
) -> list[list[tuple[int, int]]]:
    """Parses alignments in the format of Pharaoh, which `fast_align` and `eflomal` write: `0-0 1-2` for each sentence.

    `first` is the number of the first line, and `name` is that of the file, for the error message.

    Example:

    >>> parse_pharaoh_alignments(["0-0 1-2", ""])
    [[(0, 0), (1, 2)], []]
    """
    found = []
    for number, line in enumerate(lines, first):
        pairs = [pair.partition("-") for pair in split_words(line)]
        if not all(x.isdecimal() and len(x) < 10 for source, _, target in pairs for x in (source, target)):
            raise UserError(f"Line {number} of {name} must have pairs such as 0-0. Received: {line[:40]!r}")
        found.append([(int(source), int(target)) for source, _, target in pairs])
    return found


def check_words(
    line: int, alignment: Alignment, num_source: int, num_target: int, name: str = "the alignments"
) -> None:
    """Checks that the words of the alignment in a line are in its sentences."""
    for source, target in alignment:
        if not (0 <= source < num_source and 0 <= target < num_target):
            raise UserError(
                f"Line {line} of {name} must fit its sentences, of {num_source} and {num_target} words. "
                f"Received: {source}-{target}"
            )


def _ids_by_word(tokenizer: SubwordTokenizer, texts: Sequence[str]) -> list[list[list[int]]]:
    """Returns the subwords of each word of each text."""
    from keras_nmt.inference.alignment import words_of_subwords  # imports TensorFlow

    texts = list(texts)
    found: list[list[list[int]]] = [[[] for _ in split_words(text)] for text in texts]
    ids = tokenizer.tokenize(texts).to_list()
    for words, of_text, of_subwords in zip(found, ids, words_of_subwords(tokenizer, texts), strict=True):
        for subword, word in zip(of_text, of_subwords, strict=True):
            if words:  # a text of spaces and tabs may have subwords, and has no word
                words[word].append(subword)
    return found


def _likeliest(
    sources: np.ndarray, targets: np.ndarray, counts: np.ndarray, source_size: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the k most frequent targets of each source and their shares. Of equal counts, lower ids come first."""
    candidates = np.zeros((source_size, k), "int32")
    probabilities = np.zeros((source_size, k), "float32")
    totals = np.bincount(sources, counts, minlength=source_size)
    order = np.lexsort((targets, -counts, sources))
    sources, targets, counts = sources[order], targets[order], counts[order]
    ranks = np.arange(len(sources)) - np.searchsorted(sources, sources)  # within the entries of a source
    kept = ranks < k
    candidates[sources[kept], ranks[kept]] = targets[kept]
    probabilities[sources[kept], ranks[kept]] = counts[kept] / totals[sources[kept]]
    return candidates, probabilities


def _ranks(frequent: np.ndarray) -> np.ndarray:
    """Returns the ranks of all target subwords without the table, float32 `[Vt]`.

    Those of the most frequent subwords are near `FREQUENT`, those of the others are below 0.
    """
    places = np.empty(len(frequent), "float32")
    places[frequent] = np.arange(len(frequent))
    ranks = np.where(places < ALWAYS, FREQUENT - places, -places - 1).astype("float32")
    ranks[list(RESERVED)] = FORCED
    return ranks
