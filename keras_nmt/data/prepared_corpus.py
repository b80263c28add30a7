"""A parallel corpus on disk."""

from __future__ import annotations

import os

import numpy as np

from keras_nmt.data.parallel_corpus import ParallelCorpus, corpus_summary
from keras_nmt.errors import UserError
from keras_nmt.files.prepared_folder import prepared_side
from keras_nmt.text import SubwordTokenizer


class PreparedCorpus:
    """A corpus that `keras-nmt prepare` has written, as `ParallelCorpus` but on disk.

    Pairs are read when `select` asks for them, so memory does not grow with the corpus.

    Args:
        source: String or path of the source side of a prepared corpus, such as "prepared/de".
        target: String or path of the target side of the same corpus, such as "prepared/en".
        text: Boolean, whether `select` and `load` read the text too, for `SubwordSampling`. Defaults to False.

    Raises:
        UserError: The paths are no sides of one prepared corpus, or the corpus is damaged or without text.
    """

    def __init__(self, source: str | os.PathLike[str], target: str | os.PathLike[str], *, text: bool = False) -> None:
        sides = [prepared_side(path) for path in (source, target)]
        if sides[0] is None or sides[1] is None or sides[0][0].path != sides[1][0].path:
            raise UserError(
                "Both sides of a corpus are text files, or sides of one prepared corpus. "
                f"Received: {os.fspath(source)!r} and {os.fspath(target)!r}"
            )
        self.folder = sides[0][0]
        self._sides = sides[0][1], sides[1][1]
        self.has_text = text
        if text and not self.folder.has_text:
            raise UserError(
                f"Subword sampling needs the text: prepare the corpus with --keep-text. Received: {self.folder.path}"
            )

    def check(
        self, source: SubwordTokenizer, target: SubwordTokenizer, *, max_length: int | None, max_ratio: float | None
    ) -> None:
        """Checks that the corpus is as `read_parallel` would read the same text with these arguments.

        Args:
            source: SubwordTokenizer of the source.
            target: SubwordTokenizer of the target.
            max_length: Integer, the longest sentence in subwords, end included; or None for no limit.
            max_ratio: Float, the largest ratio of lengths; or None for no limit.

        Raises:
            UserError: The corpus was prepared with other subwords, or has pairs that the limits exclude.
        """
        for side, tokenizer in zip(self._sides, (source, target), strict=True):
            digest = tokenizer.digest
            if digest != self.folder.subwords_digest(side):
                raise UserError(
                    "The corpus was prepared with other subwords than the run's: set `subwords` to "
                    f"{self.folder.subwords_path(side)}, or prepare the corpus again. Received: {side} with the "
                    f"digest {self.folder.subwords_digest(side)[:16]} instead of {digest[:16]}"
                )
        longest = len(self.length_counts)  # with the end
        if max_length is not None and longest > max_length:
            raise UserError(
                f"A prepared corpus has longer sentences than `max_length` allows: raise it to {longest}, or prepare "
                f"the corpus with --max-length {max_length}. Received: {self.folder.path}, {max_length=}"
            )
        ratio = self.folder.manifest["max_ratio"]
        if max_ratio is not None and (ratio is None or ratio > max_ratio):
            raise UserError(
                f"A corpus was prepared with a larger ratio of lengths than `max_ratio` allows: set `max_ratio` to "
                f"{ratio}, or prepare the corpus again. Received: {self.folder.path}, {max_ratio=}"
            )

    def __len__(self) -> int:
        return len(self.folder)

    @property
    def num_read(self) -> int:
        """Integer, the number of pairs read, including dropped ones."""
        return int(self.folder.manifest["read"])

    @property
    def length_counts(self) -> np.ndarray:
        """int64 array `[longest + 1]`, the number of pairs by the length of their longer side."""
        return self.folder.length_counts(*self._sides)

    @property
    def num_tokens(self) -> tuple[int, int]:
        """Tuple of integers, the numbers of source and of target subwords."""
        source, target = (int(self.folder.manifest["tokens"][side]) for side in self._sides)
        return source, target

    @property
    def block_starts(self) -> np.ndarray:
        """int64 array `[blocks + 1]`, the first pair of each block, and the number of pairs."""
        return self.folder.block_starts

    def select(self, pairs: np.ndarray) -> ParallelCorpus:
        """A corpus in memory of the pairs of these numbers, int64 array, in this order.

        Raises:
            UserError: A shard is damaged.
        """
        block = self.folder.read(pairs, self._sides, self.has_text)
        return ParallelCorpus.from_block(block, self.num_read, self.folder.manifest["dropped"])

    def load(self) -> ParallelCorpus:
        """The whole corpus in memory."""
        return self.select(np.arange(len(self)))

    def summary(self) -> str:
        """One line with the numbers of pairs read, kept and dropped, and the mean lengths."""
        return corpus_summary(len(self), self.num_read, self.folder.manifest["dropped"], self.num_tokens)
