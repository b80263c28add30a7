"""Random orders of the sentence pairs in an epoch, which depend only on the seed and the epoch's number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.data.prepared_corpus import PreparedCorpus

Corpus = ParallelCorpus | PreparedCorpus
Portion = tuple[ParallelCorpus, np.ndarray, np.random.Generator]


class WholeOrder:
    """A random order of all pairs of an epoch, for corpora in memory.

    Args:
        corpus: ParallelCorpus, the concatenation of all corpora.
        sizes, draws: Sequences of integers, the number of pairs of each corpus, and how many an epoch has.
        seed: Integer.
        portion: Integer, the number of pairs of a portion; or None for one portion per epoch.
    """

    def __init__(
        self, corpus: ParallelCorpus, sizes: Sequence[int], draws: Sequence[int], seed: int, portion: int | None
    ) -> None:
        self.corpus = corpus
        self._pairs, self._draws, self._seed = sizes, draws, seed
        self._portion = portion or sum(draws)
        self.sizes = [min(self._portion, sum(draws) - i) for i in range(0, sum(draws), self._portion)]  # [portions]

    def portion(self, epoch: int, number: int) -> Portion:
        """Returns the corpus of a portion, its pairs in random order, and a random generator for further draws.

        The pairs are an int64 array `[portion]` of pair numbers in the corpus.
        """
        generator = np.random.default_rng([self._seed, epoch])
        drawn, begin = [], 0
        for corpus, (size, draws) in enumerate(zip(self._pairs, self._draws, strict=True)):
            if draws % size == 0:
                pairs = np.tile(np.arange(size), draws // size)
            else:  # the epoch's part of an endless sequence of passes through the corpus
                first, start = divmod(epoch * draws, size)
                passes = [
                    _generator_of_pass(self._seed, corpus, i).permutation(size)
                    for i in range(first, first - (-(start + draws) // size))
                ]
                pairs = np.concatenate(passes)[start : start + draws]
            drawn.append(begin + pairs)
            begin += size
        together = np.concatenate(drawn)
        together = together[generator.permutation(len(together))]
        return self.corpus, together[number * self._portion : (number + 1) * self._portion], generator


class BlockOrder:
    """A random order of blocks, and of the pairs within a portion, for corpora that are read portion by portion.

    Each corpus is read in an endless sequence of passes, each through all blocks in a new random order. An epoch is the
    next part of this sequence, and each portion, of at most `portion` pairs, gets the same share of every corpus's
    part. `draws` are the numbers of pairs of each corpus in an epoch.
    """

    corpus = None  # each portion has a corpus of its own

    def __init__(self, corpora: Sequence[Corpus], draws: Sequence[int], seed: int, portion: int) -> None:
        self._corpora, self._draws, self._seed = corpora, draws, seed
        number = -(-sum(draws) // portion)
        # Where each portion begins and ends in the epoch's part of each corpus: [portions + 1, corpora].
        self._bounds = [[pairs * i // number for pairs in draws] for i in range(number + 1)]
        self.sizes = np.diff([sum(bounds) for bounds in self._bounds]).tolist()  # [portions]

    def portion(self, epoch: int, number: int) -> Portion:
        """Reads a portion; see `WholeOrder.portion`."""
        parts = []
        for index, (corpus, draws) in enumerate(zip(self._corpora, self._draws, strict=True)):
            begin, end = (epoch * draws + self._bounds[i][index] for i in (number, number + 1))
            parts.append(corpus.select(np.sort(self._pairs(index, begin, end))))  # sorted, for few long reads
        together = ParallelCorpus.concatenate(parts)
        generator = np.random.default_rng([self._seed, epoch, number])
        return together, generator.permutation(len(together)), generator

    def _pairs(self, index: int, begin: int, end: int) -> np.ndarray:
        """Returns the pairs from `begin` to `end` in the endless sequence of a corpus, int64 array `[end - begin]`."""
        starts, size = self._corpora[index].block_starts, len(self._corpora[index])
        pairs = []
        for number in range(begin // size, -(-end // size)):
            blocks = _generator_of_pass(self._seed, index, number).permutation(len(starts) - 1)
            ends = np.cumsum(np.diff(starts)[blocks])  # in the pass
            first, last = max(begin - number * size, 0), min(end - number * size, size)
            within = np.searchsorted(ends, [first, last - 1], side="right")
            for block in range(within[0], within[1] + 1):
                begins_at = ends[block] - (starts[blocks[block] + 1] - starts[blocks[block]])
                kept = slice(max(first - begins_at, 0), last - begins_at)
                pairs.append(np.arange(starts[blocks[block]], starts[blocks[block] + 1])[kept])
        return np.concatenate([np.zeros(0, int), *pairs])


def _generator_of_pass(seed: int, corpus: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(corpus, number)))
