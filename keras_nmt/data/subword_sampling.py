"""Changes the training text in each epoch: subword regularisation, and noise on the sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.data.sentence_pairs import RaggedArray, check_length_limits
from keras_nmt.data.source_noise import SourceNoise
from keras_nmt.data.subword_sampler import SPACE
from keras_nmt.data.subword_tokenizer import SubwordTokenizer
from keras_nmt.errors import UserError, require


class SubwordSampling:
    r"""Subword regularisation: a text gets different subwords in each epoch. Optional noise changes the sources.

    `TrainingBatches` uses this object to segment the pairs of a corpus. The corpus must have its text: read it by
    `read_parallel` with `keep_text=True`.

    Args:
        source_tokenizer: SubwordTokenizer of the source text, of which `source` is used.
        target_tokenizer: SubwordTokenizer of the target text.
        alpha: Float above 0 and at most 1, see `SubwordTokenizer.sample`. Usual values are 0.1 for BPE models, where
            alpha is the probability that a merge is dropped, and 0.2 for unigram models, where alpha smooths
            probabilities. With None, the segmentation stays the same, for noise alone. Defaults to None.
        noise: `SourceNoise`, which changes the source text before it is segmented. Words with user-defined subwords
            stay. Defaults to None.
        max_length: Integer, the longest segmentation in subwords, including EOS. A pair with a longer segmentation
            keeps the text and the segmentation of the corpus. Defaults to 256.

    Raises:
        UserError: An argument is out of its range, or there is neither alpha nor noise.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import read_parallel, train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\nthe mat sat\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> corpus = read_parallel(text, text, tokenizer, tokenizer, keep_text=True)
    >>> sampling = SubwordSampling(tokenizer, tokenizer, alpha=0.5)
    >>> source, target = sampling.segment(corpus, np.array([0, 0, 0]), seeds=(1, 0))
    >>> tokenizer.detokenize([source.values[: source.lengths[0]]]).numpy().tolist()
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
        alpha: float | None = None,
        noise: SourceNoise | None = None,
        max_length: int = 256,
    ) -> None:
        if alpha is None and noise is None:
            raise UserError("Subword sampling needs `alpha` or `noise`. Received: alpha=None, noise=None")
        require(alpha is None or 0 < alpha <= 1, f"`alpha` must be above 0 and at most 1. Received: {alpha=}")
        check_length_limits(max_length, None)
        self._tokenizers = source_tokenizer.source, target_tokenizer
        self.alpha = alpha
        self.noise = noise
        self.max_length = max_length

    def segment(
        self, corpus: ParallelCorpus, pairs: np.ndarray, seeds: Sequence[int], max_length: int | None = None
    ) -> tuple[RaggedArray, RaggedArray]:
        """Segments pairs of a corpus. The result depends only on the arguments.

        Args:
            corpus: ParallelCorpus with its text.
            pairs: int64 array `[n]`, indices of pairs in the corpus. They may repeat.
            seeds: Sequence of integers of at least 0, which determine the segmentation.
            max_length: Integer, instead of the constructor's. Defaults to the constructor's.

        Returns:
            Two `RaggedArray`, the ids of the sources and of the targets, without BOS and EOS.
        """
        assert corpus.text is not None
        texts = [text[pairs].tolist() for text in corpus.text]
        if self.noise is not None:
            numbers = corpus.line_numbers[pairs].tolist()
            keep = {symbol.removeprefix(SPACE) for symbol in self._tokenizers[0].user_symbols} - {""}
            noisy = self.noise.apply([text.decode() for text in texts[0]], numbers, seeds, keep)
            texts[0] = [text.encode() for text in noisy]
        source, target = (self._segmented(side, lines, seeds) for side, lines in enumerate(texts))
        # After noise, a text may have only characters without subwords.
        is_wrong = (np.maximum(source.lengths, target.lengths) >= (max_length or self.max_length)) | (
            source.lengths == 0
        )
        rows, wrong = np.arange(len(pairs)), pairs[is_wrong]
        rows[is_wrong] = len(pairs) + np.arange(len(wrong))  # the rows of the corpus, behind those of the sample
        with tf.device("CPU"):
            usual = [_rows_of(tf.gather(side, wrong)) for side in (corpus.source, corpus.target)]
        return (
            RaggedArray.concatenate([source, usual[0]]).select(rows),
            RaggedArray.concatenate([target, usual[1]]).select(rows),
        )

    def _segmented(self, side: int, texts: list[bytes], seeds: Sequence[int]) -> RaggedArray:
        if self.alpha is not None:
            seed = np.random.SeedSequence(seeds, spawn_key=(side,))
            return RaggedArray(*self._tokenizers[side].sample(texts, self.alpha, seed))
        with tf.device("CPU"):
            return _rows_of(self._tokenizers[side].tokenize(texts))


def _rows_of(ids: tf.RaggedTensor) -> RaggedArray:
    return RaggedArray(ids.values.numpy(), ids.row_lengths().numpy())
