"""A parallel corpus in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.files.pair_block import PairBlock
from keras_nmt.files.prepared_folder import BLOCK


@dataclass(frozen=True, eq=False)
class ParallelCorpus:
    """Pairs of sentences as subword ids in memory: for each side one flat array of ids with the sentences' lengths.

    `keras_nmt.data.read_parallel` makes a corpus from files, `ParallelCorpus.from_lists` from lists of ids.

    Args:
        source: `tf.RaggedTensor` `[pairs, (subwords)]`, int32, the source sentences without begin and end.
        target: `tf.RaggedTensor` `[pairs, (subwords)]`, int32, the target sentences.
        line_numbers: int32 array `[pairs]`, the line of each pair in its file, counted from 1.
        num_read: Integer, the number of pairs read, including dropped ones.
        dropped: Dictionary from a reason to the number of pairs dropped for this reason. Defaults to none.
        text: Tuple of two arrays of bytes objects `[pairs]`, the source and the target text; or None if the text is not
            kept. Defaults to None.

    Example:

    >>> corpus = ParallelCorpus.from_lists([[4, 5], [6]], [[7], [8, 9]])
    >>> len(corpus), corpus.source_lengths.tolist(), corpus.target_lengths.tolist()
    (2, [2, 1], [1, 2])
    """

    source: tf.RaggedTensor = field(repr=False)
    target: tf.RaggedTensor = field(repr=False)
    line_numbers: np.ndarray = field(repr=False)
    num_read: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    text: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)

    @classmethod
    def from_lists(cls, source: Sequence[Sequence[int]], target: Sequence[Sequence[int]]) -> ParallelCorpus:
        """Makes a corpus from lists of ids without begin and end. Line numbers count from 1.

        Args:
            source: Sequence of source sentences, each a sequence of ids.
            target: Sequence of the same number of target sentences.

        Returns:
            The corpus.

        Raises:
            UserError: The lists are empty or of different lengths, or a sentence is empty.
        """
        if len(source) != len(target) or len(source) == 0:
            raise UserError(
                "A corpus has at least one pair, and as many targets as sources. "
                f"Received: len(source)={len(source)}, len(target)={len(target)}"
            )
        if not all(map(len, source)) or not all(map(len, target)):
            raise UserError("A sentence has at least one id. Received: an empty sentence")

        def flatten(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
            flat = [np.asarray(row, np.int32) for row in rows]
            return np.concatenate(flat), np.array([len(row) for row in flat])

        return cls.from_arrays(
            *flatten(source), *flatten(target), np.arange(1, len(source) + 1, dtype=np.int32), len(source)
        )

    @classmethod
    def from_arrays(
        cls,
        source_ids: np.ndarray,
        source_lengths: np.ndarray,
        target_ids: np.ndarray,
        target_lengths: np.ndarray,
        line_numbers: np.ndarray,
        num_read: int,
        dropped: Mapping[str, int] | None = None,
        text: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> ParallelCorpus:
        """Makes a corpus from flat arrays of ids and the sentences' lengths.

        Args:
            source_ids: Array `[source subwords]`, one source sentence after the other.
            source_lengths: Array `[pairs]`, the number of subwords of each source sentence.
            target_ids: Array `[target subwords]`, one target sentence after the other.
            target_lengths: Array `[pairs]`.
            line_numbers: Array `[pairs]`, the line of each pair in its file, counted from 1.
            num_read: Integer, the number of pairs read, including dropped ones.
            dropped: Dictionary from a reason to the number of pairs dropped for this reason. Defaults to none.
            text: Tuple of two arrays [pairs], the text of both sides. Defaults to None.

        Returns:
            The corpus.
        """
        with tf.device("CPU"):  # on a GPU, a corpus would waste memory
            source = tf.RaggedTensor.from_row_lengths(source_ids.astype(np.int32), source_lengths.astype(np.int64))
            target = tf.RaggedTensor.from_row_lengths(target_ids.astype(np.int32), target_lengths.astype(np.int64))
        return cls(source, target, line_numbers.astype(np.int32), num_read, dict(dropped or {}), text)

    @classmethod
    def from_block(cls, block: PairBlock, num_read: int, dropped: Mapping[str, int] | None = None) -> ParallelCorpus:
        """Makes a corpus from a block of pairs.

        Args:
            block: PairBlock, with both sides.
            num_read: Integer, the number of pairs read, including dropped ones.
            dropped: Dictionary from a reason to the number of pairs dropped for this reason. Defaults to none.

        Returns:
            The corpus.
        """
        (source, target), text = block.ids, block.text
        return cls.from_arrays(
            source.values,
            source.lengths,
            target.values,
            target.lengths,
            block.lines,
            num_read,
            dropped,
            None if text is None else (text[0].to_bytes(), text[1].to_bytes()),
        )

    @classmethod
    def concatenate(cls, corpora: Sequence[ParallelCorpus]) -> ParallelCorpus:
        """Concatenates corpora. Line numbers continue from corpus to corpus.

        Args:
            corpora: Sequence of at least one ParallelCorpus.

        Returns:
            The corpus.

        Example:

        >>> corpus = ParallelCorpus.from_lists([[4, 5]], [[7]])
        >>> ParallelCorpus.concatenate([corpus, corpus]).line_numbers.tolist()
        [1, 2]
        """
        before = np.cumsum([0, *(corpus.num_read for corpus in corpora)])
        texts = [corpus.text for corpus in corpora if corpus.text is not None]
        sources, targets = zip(*texts, strict=True) if len(texts) == len(corpora) else ((), ())
        with tf.device("CPU"):
            return cls(
                tf.concat([corpus.source for corpus in corpora], 0),
                tf.concat([corpus.target for corpus in corpora], 0),
                np.concatenate([c.line_numbers + n for n, c in zip(before, corpora, strict=False)]).astype(np.int32),
                sum(corpus.num_read for corpus in corpora),
                {
                    reason: sum(corpus.dropped[reason] for corpus in corpora if reason in corpus.dropped)
                    for reason in dict.fromkeys(reason for corpus in corpora for reason in corpus.dropped)
                },
                (np.concatenate(sources), np.concatenate(targets)) if sources else None,
            )

    def __len__(self) -> int:
        return len(self.line_numbers)

    @cached_property
    def source_lengths(self) -> np.ndarray:
        """int64 array `[pairs]`, the number of subwords of each source sentence, without the end."""
        return self.source.row_lengths().numpy()

    @cached_property
    def target_lengths(self) -> np.ndarray:
        """int64 array `[pairs]`, the number of subwords of each target sentence, without begin and end."""
        return self.target.row_lengths().numpy()

    @cached_property
    def length_counts(self) -> np.ndarray:
        """int64 array `[longest + 1]`, the number of pairs by the length of their longer side."""
        return np.bincount(np.maximum(self.source_lengths, self.target_lengths))

    @property
    def num_tokens(self) -> tuple[int, int]:
        """Tuple of integers, the numbers of source and of target subwords."""
        return int(self.source_lengths.sum()), int(self.target_lengths.sum())

    @property
    def has_text(self) -> bool:
        """Boolean, whether the text is kept."""
        return self.text is not None

    @property
    def block_starts(self) -> np.ndarray:
        """int64 array `[blocks + 1]`, the first pair of each block of 1,024 pairs, and the number of pairs."""
        return np.append(np.arange(0, len(self), BLOCK), len(self))

    def select(self, pairs: np.ndarray) -> ParallelCorpus:
        """A corpus of the pairs of these numbers, int64 array, in this order."""
        with tf.device("CPU"):
            return ParallelCorpus(
                tf.gather(self.source, pairs),
                tf.gather(self.target, pairs),
                self.line_numbers[pairs],
                self.num_read,
                self.dropped,
                None if self.text is None else (self.text[0][pairs], self.text[1][pairs]),
            )

    def load(self) -> ParallelCorpus:
        """The corpus in memory: this object."""
        return self

    def summary(self) -> str:
        """One line with the numbers of pairs read, kept and dropped, and the mean lengths."""
        return corpus_summary(len(self), self.num_read, self.dropped, self.num_tokens)


def corpus_summary(num_pairs: int, num_read: int, dropped: Mapping[str, int], num_tokens: tuple[int, int]) -> str:
    """One line with the numbers of pairs read, kept and dropped, and the mean lengths."""
    shown = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items()) or "none"
    source, target = (number / num_pairs for number in num_tokens)
    return (
        f"{num_read:,} pairs read, {num_pairs:,} kept; dropped: {shown}; "
        f"subwords a sentence: source {source:.1f}, target {target:.1f}"
    )
