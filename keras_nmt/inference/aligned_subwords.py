"""Counts of aligned subwords, from which shortlists are made."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.word_alignments import Alignment, check_words
from keras_nmt.errors import check_positive, require
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.inference.shortlist import Shortlist
from keras_nmt.text.translation import split_words

PART = 4096  # sentences that are counted at a time
LEAST_COUNTED = 2**21  # pairs of subwords that are collected before they are counted


class AlignedSubwords:
    """Counts which subwords of aligned words occur together in a text, which may come in parts.

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
        self._has_pairs = False
        self.num_sentences = self.passed_over = 0

    def add(self, sources: Sequence[str], targets: Sequence[str], alignments: Iterable[Alignment]) -> None:
        """Counts sentences.

        Args:
            sources: Sequence of strings, sentences.
            targets: Sequence of strings, a translation of each.
            alignments: Pairs (source word, target word) for each sentence, from 0. Spaces and tabs separate words.

        Raises:
            UserError: A pair has a word that is not in its sentence.
            ValueError: There is not a translation or an alignment for each sentence.
        """
        rows = zip(sources, targets, alignments, strict=True)
        while part := list(itertools.islice(rows, PART)):
            self._add_part(*zip(*part, strict=True))

    def shortlist(self, num_candidates: int = 50) -> Shortlist:
        """Makes the table of the `num_candidates` likeliest target subwords of each source subword.

        Raises:
            UserError: No words were aligned.
        """
        check_positive(num_candidates=num_candidates)
        problem = "A shortlist needs sentences with aligned words, such as the training text"
        require(self._has_pairs, f"{problem}. Received: {self.num_sentences} pair(s) of sentences without any")
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
        self._has_pairs |= bool(keys)
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


def _ids_by_word(tokenizer: SubwordTokenizer, texts: Sequence[str]) -> list[list[list[int]]]:
    """Returns the subwords of each word of each text."""
    texts = list(texts)
    ids_by_word: list[list[list[int]]] = [[[] for _ in split_words(text)] for text in texts]
    ids = tokenizer.tokenize(texts).to_list()
    for words, of_text, of_subwords in zip(ids_by_word, ids, words_of_subwords(tokenizer, texts), strict=True):
        for subword, word in zip(of_text, of_subwords, strict=True):
            if words:  # a text of spaces and tabs may have subwords, and has no word
                words[word].append(subword)
    return ids_by_word


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
