"""The target subwords that are likely in translations of each source subword; imports nothing heavy."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import h5py
import numpy as np

from keras_nmt.errors import UserError, check_positive, error_and_type
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.weights_file import arrays, check_digest, write_digest

if TYPE_CHECKING:
    from keras_nmt.text import SubwordTokenizer

Alignment = Sequence[tuple[int, int]]  # pairs (source word, target word) of a sentence, from 0


@dataclasses.dataclass(frozen=True, eq=False)
class Shortlist:
    """A lexical table, from which a search takes the target subwords that it considers.

    Attributes:
        candidates: int32 array `[Vs, k]`, the k likeliest target subwords of each source subword, likeliest first.
        probabilities: float32 array `[Vs, k]`, p(target subword | source subword), 0 at entries that are not used.
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
    def from_alignments(
        cls,
        tokenizers: Mapping[str, SubwordTokenizer],
        sources: Sequence[str],
        targets: Sequence[str],
        alignments: Iterable[Alignment],
        *,
        num_candidates: int = 50,
    ) -> Shortlist:
        """Counts which subwords of aligned words occur together.

        Every subword of a source word counts once with every subword of each target word that is aligned to the source
        word. Where both languages have the same subwords, a source subword also counts once with itself, for names and
        numbers that the text does not have.

        Args:
            tokenizers: Mapping of "source" and "target" to their subwords.
            sources: Sequence of strings, sentences.
            targets: Sequence of strings, a translation of each.
            alignments: For each sentence the pairs (source word, target word), from 0, of words that spaces separate.
            num_candidates: Integer k. Defaults to 50.

        Raises:
            UserError: A pair has a word that is not in its sentence, or `num_candidates` is not positive.
        """
        from keras_nmt.inference.alignment import words_of_subwords  # here: imports TensorFlow

        check_positive(num_candidates=num_candidates)
        sides = [(tokenizers["source"], sources), (tokenizers["target"], targets)]
        source_ids, target_ids = (tokenizer.tokenize(list(texts)).to_list() for tokenizer, texts in sides)
        source_words, target_words = (words_of_subwords(tokenizer, list(texts)) for tokenizer, texts in sides)
        source_size, target_size = (tokenizer.vocabulary_size for tokenizer, _ in sides)
        keys = []  # source subword * target_size + target subword
        for number, pairs in enumerate(alignments):
            of_source = _by_word(source_ids[number], source_words[number])
            of_target = _by_word(target_ids[number], target_words[number])
            for source, target in pairs:
                if source >= len(of_source) or target >= len(of_target):
                    raise UserError(
                        f"Line {number + 1} of the alignments does not fit its sentences, of {len(of_source)} and "
                        f"{len(of_target)} words. Received: {source}-{target}"
                    )
                keys += [x * target_size + y for x in of_source[source] for y in of_target[target]]
        if sides[0][0].proto == sides[1][0].proto:
            keys += range(0, source_size * target_size, target_size + 1)
        pairs_of_ids, counts = np.unique(np.array(keys, "int64"), return_counts=True)
        occurrences = np.bincount(np.array([x for ids in target_ids for x in ids], "int64"), minlength=target_size)
        candidates, probabilities = _likeliest(
            pairs_of_ids // target_size, pairs_of_ids % target_size, counts, source_size, num_candidates
        )
        return cls(
            candidates=candidates,
            probabilities=probabilities,
            frequent=np.argsort(-occurrences, kind="stable").astype("int32"),
            subwords=(sides[0][0].digest, sides[1][0].digest),
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Shortlist:
        """Reads a file that `write` has written.

        Args:
            path: String or path of the file.

        Returns:
            The shortlist.

        Raises:
            OSError: The file cannot be read.
            UserError: The file holds no shortlist, or is damaged.
        """
        name = os.fspath(path)
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
        """Raises a `UserError` if the subwords of a model are not those of the table."""
        if (source.digest, target.digest) != self.subwords:
            raise UserError(
                "The shortlist was made with other subword models: make one for this model by `keras-nmt shortlist`. "
                "Received: a shortlist of {} source and {} target subwords".format(*self.vocabulary_sizes)
            )

    def _check(self) -> None:
        """Raises a `ValueError` unless arrays fit together, so that every id is in its vocabulary."""
        ids = self.frequent
        if self.candidates.ndim != 2 or self.candidates.shape != self.probabilities.shape:
            raise ValueError(f"shapes {self.candidates.shape} and {self.probabilities.shape}")
        if self.candidates.dtype != "int32" or ids.dtype != "int32" or self.probabilities.dtype != "float32":
            raise ValueError("arrays of other types")
        if not np.array_equal(np.sort(ids), np.arange(len(ids))) or not np.isin(self.candidates, ids).all():
            raise ValueError("ids outside of the vocabulary")
        if not ((self.probabilities >= 0) & (self.probabilities <= 1)).all():
            raise ValueError("numbers that are no probabilities")


def parse_pharaoh_alignments(lines: Iterable[str]) -> list[list[tuple[int, int]]]:
    """Parses alignments in the format of Pharaoh, which `fast_align` and `eflomal` write: `0-0 1-2` for each sentence.

    Args:
        lines: Iterable of strings.

    Raises:
        UserError: A line has something else than pairs of word numbers.

    Example:

    >>> parse_pharaoh_alignments(["0-0 1-2", ""])
    [[(0, 0), (1, 2)], []]
    """
    found = []
    for number, line in enumerate(lines, 1):
        pairs = [pair.partition("-") for pair in line.split()]
        if not all(source.isdecimal() and target.isdecimal() for source, _, target in pairs):
            raise UserError(f"Line {number} of the alignments is not a list of pairs as 0-0. Received: {line[:40]!r}")
        found.append([(int(source), int(target)) for source, _, target in pairs])
    return found


def _by_word(ids: Sequence[int], words: Sequence[int]) -> list[list[int]]:
    """The subwords of each word of a sentence."""
    found: list[list[int]] = [[] for _ in range(words[-1] + 1 if words else 0)]
    for subword, word in zip(ids, words, strict=True):
        found[word].append(subword)
    return found


def _likeliest(
    sources: np.ndarray, targets: np.ndarray, counts: np.ndarray, source_size: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k most frequent targets of each source, and their shares; among equal counts, the lowest ids."""
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
