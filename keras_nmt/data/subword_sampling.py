"""Text cut into subwords at random."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.errors import UserError
from keras_nmt.text import SubwordTokenizer

BLOCK = 1024  # pairs that are drawn with one seed


class SubwordSampling:
    r"""Subword regularisation: the same text is cut into other subwords each time it is seen in training.

    `TrainingBatches` segments pairs of a corpus with it, which `read_parallel` has read with `keep_text=True`. It takes
    one thread some 20 to 30 microseconds a sentence, beside the training.

    Args:
        source_tokenizer: Cuts the source text.
        target_tokenizer: Cuts the target text.
        alpha: In (0, 1]. Of unigram models the smoothing of probabilities, such as 0.2: the smaller, the more subwords;
            of BPE models the probability that a merge is left out, such as 0.1; see `SubwordTokenizer.sample`.
        max_length: The longest segmentation, in subwords with the end. Pairs that come out longer stay as they are.

    Raises:
        UserError: An argument is out of its range.

    Example:
        >>> import os, tempfile
        >>> from keras_nmt.data import read_parallel
        >>> from keras_nmt.text import train_subwords
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     text = os.path.join(folder, "text.txt")
        ...     _ = open(text, "w").write("the cat sat\nthe mat sat\n")
        ...     tokenizer = SubwordTokenizer(train_subwords([text], os.path.join(folder, "m"), vocabulary_size=20))
        ...     corpus = read_parallel(text, text, tokenizer, tokenizer, keep_text=True)
        >>> sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5)
        >>> ids, lengths, _, _ = sampling.segment(corpus, np.array([0, 0, 0]), seeds=(1, 0))
        >>> tokenizer.detokenize([ids[: lengths[0]]]).numpy().tolist()
        [b'the cat sat']

    Reference:
        [Kudo, 2018](https://arxiv.org/abs/1804.10959); BPE-dropout:
        [Provilkov et al., 2020](https://arxiv.org/abs/1910.13267).
    """

    def __init__(
        self,
        source_tokenizer: SubwordTokenizer,
        target_tokenizer: SubwordTokenizer,
        *,
        alpha: float,
        max_length: int = 256,
    ) -> None:
        if not 0 < alpha <= 1:
            raise UserError(f"The alpha of subword sampling is in (0, 1]. Received: {alpha=}")
        if max_length < 2:
            raise UserError(f"The longest sentence has 2 subwords or more, its end counted. Received: {max_length=}")
        self._tokenizers = source_tokenizer, target_tokenizer
        self.alpha = alpha
        self.max_length = max_length

    def segment(
        self, corpus: ParallelCorpus, pairs: np.ndarray, seeds: Sequence[int], max_length: int | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Segments pairs of a corpus: a function of the arguments alone.

        Args:
            corpus: The corpus, with its text.
            pairs: Their indices in the corpus, which may repeat: [n].
            seeds: What determines the segmentation: not negative.
            max_length: In place of that of the constructor.

        Returns:
            source_ids: The source sentences one after the other: int32 [source subwords].
            source_lengths: The number of subwords of each: int64 [n].
            target_ids: The target sentences, likewise.
            target_lengths: Their lengths.
        """
        assert corpus.text is not None
        longest = (max_length or self.max_length) - 1
        blocks: list[list[np.ndarray]] = []
        for begin in range(0, len(pairs), BLOCK):
            block = pairs[begin : begin + BLOCK]
            states = np.random.SeedSequence(seeds, spawn_key=(begin,)).generate_state(2).tolist()
            sides = [
                tokenizer.sample(text[block].tolist(), self.alpha, state % (2**32 - 1))
                for tokenizer, text, state in zip(self._tokenizers, corpus.text, states, strict=True)
            ]
            lengths = [np.fromiter(map(len, side), np.int64, len(block)) for side in sides]
            for i in np.flatnonzero(np.maximum(*lengths) > longest):
                for side, length, usual in zip(sides, lengths, (corpus.source, corpus.target), strict=True):
                    side[i] = usual[block[i]].numpy().tolist()
                    length[i] = len(side[i])
            ids = [np.fromiter(chain.from_iterable(side), np.int32) for side in sides]
            blocks.append([ids[0], lengths[0], ids[1], lengths[1]])
        source_ids, source_lengths, target_ids, target_lengths = map(np.concatenate, zip(*blocks, strict=True))
        return source_ids, source_lengths, target_ids, target_lengths
