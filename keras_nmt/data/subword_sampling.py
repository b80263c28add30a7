"""Subword regularisation of a parallel corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.errors import UserError
from keras_nmt.text import SubwordTokenizer


class SubwordSampling:
    r"""Subword regularisation: training segments a text into different subwords each time.

    `TrainingBatches` segments the pairs of a corpus with this object. Read the corpus by `read_parallel` with
    `keep_text=True`.

    Args:
        source_tokenizer: SubwordTokenizer of the source text.
        target_tokenizer: SubwordTokenizer of the target text.
        alpha: Float above 0 and at most 1, see `SubwordTokenizer.sample`. Usual values are 0.1 for BPE models, where
            alpha is the probability that a merge is dropped, and 0.2 for unigram models, where alpha smooths
            probabilities.
        max_length: Integer, the longest segmentation in subwords, end included. A pair with a longer segmentation keeps
            the segmentation of the corpus. Defaults to 256.

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
            raise UserError(f"The longest sentence has at least 2 subwords, end included. Received: {max_length=}")
        self._tokenizers = source_tokenizer, target_tokenizer
        self.alpha = alpha
        self.max_length = max_length

    def segment(
        self, corpus: ParallelCorpus, pairs: np.ndarray, seeds: Sequence[int], max_length: int | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Segments pairs of a corpus. The result depends only on the arguments.

        Args:
            corpus: ParallelCorpus with its text.
            pairs: int64 array `[n]`, indices of pairs in the corpus. They may repeat.
            seeds: Sequence of integers that are not negative. They determine the segmentation.
            max_length: Integer, in place of the constructor's. Defaults to the constructor's.

        Returns:
            source_ids: int32 array `[source subwords]`, one source sentence after the other.
            source_lengths: int64 array `[n]`, the number of subwords of each source sentence.
            target_ids: int32 array `[target subwords]`, one target sentence after the other.
            target_lengths: int64 array `[n]`.
        """
        assert corpus.text is not None
        sides = [
            tokenizer.sample(text[pairs].tolist(), self.alpha, np.random.SeedSequence(seeds, spawn_key=(side,)))
            for side, (tokenizer, text) in enumerate(zip(self._tokenizers, corpus.text, strict=True))
        ]
        too_long = np.maximum(sides[0][1], sides[1][1]) >= (max_length or self.max_length)
        with tf.device("CPU"):
            (source_ids, source_lengths), (target_ids, target_lengths) = (
                _replace(*sampled, too_long, tf.gather(usual, pairs[too_long]))
                for sampled, usual in zip(sides, (corpus.source, corpus.target), strict=True)
            )
        return source_ids, source_lengths, target_ids, target_lengths


def _replace(
    ids: np.ndarray, lengths: np.ndarray, rows: np.ndarray, by: tf.RaggedTensor
) -> tuple[np.ndarray, np.ndarray]:
    """Replaces some rows of flat ids by other rows."""
    replaced = lengths.copy()
    replaced[rows] = by.row_lengths().numpy()
    result, is_replaced = np.empty(replaced.sum(), np.int32), np.repeat(rows, replaced)
    result[is_replaced] = by.values.numpy()
    result[~is_replaced] = ids[~np.repeat(rows, lengths)]
    return result, replaced
