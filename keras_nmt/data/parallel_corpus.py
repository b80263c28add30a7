"""Parallel corpora in memory, and their reader."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import tensorflow as tf

from keras_nmt.data.prepared_folder import BLOCK
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray, check_length_limits, drop_pairs, outside_limits
from keras_nmt.data.subword_tokenizer import SubwordTokenizer
from keras_nmt.errors import UserError, require
from keras_nmt.ids import UNK
from keras_nmt.text.text_files import read_paired_blocks

LINK_BASE = 2**16  # a link of target subword t and source subword s is the number t * LINK_BASE + s


@dataclass(frozen=True, eq=False)
class ParallelCorpus:
    """Sentence pairs as subword ids in memory.

    `keras_nmt.data.read_parallel` makes a corpus from files, `ParallelCorpus.from_lists` from lists of ids.

    Args:
        source: `tf.RaggedTensor` `[pairs, (subwords)]`, int32, the source sentences without BOS and EOS.
        target: `tf.RaggedTensor` `[pairs, (subwords)]`, int32, the target sentences.
        line_numbers: int32 array `[pairs]`, the line of each pair in its file, counted from 1.
        num_read: Integer, the number of pairs read, including dropped ones.
        dropped: Dictionary from a reason to the number of pairs dropped for it. Defaults to none.
        text: Tuple of two arrays of bytes objects `[pairs]`, the source and the target text, or None. Defaults to None.
        links: `tf.RaggedTensor` `[pairs, (links)]`, int32, the word alignments: target subword t and source subword s,
            from 0, as the number t * 65536 + s, see `keras_nmt.inference.alignment.subword_links`; or None. Defaults to
            None.

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
    links: tf.RaggedTensor | None = field(default=None, repr=False)

    @classmethod
    def from_lists(cls, source: Sequence[Sequence[int]], target: Sequence[Sequence[int]]) -> ParallelCorpus:
        """Makes a corpus from lists of ids without BOS and EOS, one list for each sentence.

        Raises:
            UserError: The lists are empty or of different lengths, a sentence is empty, or an id is no integer from 0.
        """
        is_right = len(source) == len(target) and len(source) != 0
        problem = "A corpus must have at least one pair, and a target for each source"
        require(is_right, f"{problem}. Received: len(source)={len(source)}, len(target)={len(target)}")
        for number, pair in enumerate(zip(source, target, strict=True), 1):
            if not all(map(len, pair)):
                raise UserError(f"A sentence must have at least one id. Received: an empty sentence in pair {number}")

        sides = tuple(
            RaggedArray(np.concatenate([_ids(row) for row in rows]), np.array([*map(len, rows)]))
            for rows in (source, target)
        )
        return cls.from_block(PairBlock(np.arange(1, len(source) + 1), sides), len(source))

    @classmethod
    def from_block(
        cls,
        block: PairBlock,
        num_read: int,
        dropped: Mapping[str, int] | None = None,
        text: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> ParallelCorpus:
        """Makes a corpus from a block of pairs. `text` defaults to that of the block; for the rest, see the class."""
        if block.text is not None:
            text = block.text[0].to_bytes(), block.text[1].to_bytes()
        with tf.device("CPU"):  # on a GPU, a corpus would waste memory
            source, target = (
                tf.RaggedTensor.from_row_lengths(side.values.astype(np.int32), side.lengths.astype(np.int64))
                for side in block.ids
            )
        return cls(source, target, block.lines.astype(np.int32), num_read, dict(dropped or {}), text)

    @classmethod
    def concatenate(cls, corpora: Sequence[ParallelCorpus]) -> ParallelCorpus:
        """Concatenates at least one corpus. Line numbers continue from corpus to corpus.

        Example:

        >>> corpus = ParallelCorpus.from_lists([[4, 5]], [[7]])
        >>> ParallelCorpus.concatenate([corpus, corpus]).line_numbers.tolist()
        [1, 2]
        """
        before = np.cumsum([0, *(corpus.num_read for corpus in corpora)])
        texts = [corpus.text for corpus in corpora if corpus.text is not None]
        sources, targets = zip(*texts, strict=True) if len(texts) == len(corpora) else ((), ())
        links = [corpus.links for corpus in corpora if corpus.links is not None]
        dropped: Counter[str] = Counter()
        for corpus in corpora:
            dropped.update(corpus.dropped)
        with tf.device("CPU"):
            return cls(
                tf.concat([corpus.source for corpus in corpora], 0),
                tf.concat([corpus.target for corpus in corpora], 0),
                np.concatenate([c.line_numbers + n for n, c in zip(before, corpora, strict=False)]).astype(np.int32),
                sum(corpus.num_read for corpus in corpora),
                dict(dropped),
                (np.concatenate(sources), np.concatenate(targets)) if sources else None,
                tf.concat(links, 0) if len(links) == len(corpora) else None,
            )

    def __len__(self) -> int:
        return len(self.line_numbers)

    @cached_property
    def source_lengths(self) -> np.ndarray:
        """int64 array `[pairs]`, the number of subwords of each source sentence, without EOS."""
        return np.diff(self.source.row_splits.numpy())  # NumPy: this may be in tf.data's thread, see `Rows.compute`

    @cached_property
    def target_lengths(self) -> np.ndarray:
        """int64 array `[pairs]`, the number of subwords of each target sentence, without BOS and EOS."""
        return np.diff(self.target.row_splits.numpy())

    @cached_property
    def length_counts(self) -> np.ndarray:
        """int64 array `[longest + 1]`, the number of pairs by the length of their longer side."""
        return np.bincount(np.maximum(self.source_lengths, self.target_lengths))

    @property
    def num_tokens(self) -> tuple[int, int]:
        """Tuple of integers, the numbers of source and of target subwords."""
        return int(self.source_lengths.sum()), int(self.target_lengths.sum())

    @property
    def unknown_shares(self) -> tuple[float, float]:
        """Tuple of floats, the shares of sources and of targets with characters without a subword.

        Example:

        >>> ParallelCorpus.from_lists([[4, 1], [6]], [[7], [8]]).unknown_shares
        (0.5, 0.0)
        """
        source, target = (tf.reduce_any(side == UNK, 1).numpy().mean() for side in (self.source, self.target))
        return float(source), float(target)

    @property
    def has_text(self) -> bool:
        """Boolean, whether the corpus has its text."""
        return self.text is not None

    @property
    def block_starts(self) -> np.ndarray:
        """int64 array `[blocks + 1]`, the first pair of each block of 1,024 pairs, and the number of pairs."""
        return np.append(np.arange(0, len(self), BLOCK), len(self))

    def select(self, pairs: np.ndarray) -> ParallelCorpus:
        """Returns a corpus of the pairs with these numbers, an int64 array, in this order."""
        with tf.device("CPU"):
            return ParallelCorpus(
                tf.gather(self.source, pairs),
                tf.gather(self.target, pairs),
                self.line_numbers[pairs],
                self.num_read,
                self.dropped,
                None if self.text is None else (self.text[0][pairs], self.text[1][pairs]),
                None if self.links is None else tf.gather(self.links, pairs),
            )

    def load(self) -> ParallelCorpus:
        """Returns this corpus, which is in memory already; see `PreparedCorpus.load`."""
        return self

    def summary(self) -> str:
        """Returns one line with the numbers of pairs read, kept and dropped, and the mean lengths."""
        return corpus_summary(len(self), self.num_read, self.dropped, self.num_tokens)


def corpus_summary(num_pairs: int, num_read: int, dropped: Mapping[str, int], num_tokens: tuple[int, int]) -> str:
    """Returns one line with the numbers of pairs read, kept and dropped, and the mean lengths."""
    shown = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items()) or "none"
    source, target = (number / num_pairs for number in num_tokens)
    return (
        f"{num_read:,} pairs read, {num_pairs:,} kept; dropped: {shown}; "
        f"subwords per sentence: source {source:.1f}, target {target:.1f}"
    )


def read_parallel(
    source_file: str | os.PathLike[str],
    target_file: str | os.PathLike[str],
    source_tokenizer: SubwordTokenizer,
    target_tokenizer: SubwordTokenizer,
    *,
    max_length: int | None = 256,
    max_ratio: float | None = 3.0,
    keep_text: bool = False,
) -> ParallelCorpus:
    r"""Reads two text files whose lines are translations of each other, and segments them into subwords.

    A pair is dropped, and counted, for the first of these reasons that applies:

    - "empty": a side has no subword (an empty line, or only spaces);
    - "too long": a side has more than `max_length` subwords, including EOS;
    - "badly matched": a side has more than `max_ratio` times as many subwords as the other side. Fewer than 4 subwords
      count as 4.

    Args:
        source_file: String or path of the source sentences: UTF-8, one per line of at most 1 MiB, plain or gzip.
        target_file: String or path of the translations, with the same number of lines.
        source_tokenizer: SubwordTokenizer of the source text, of which `source` is used.
        target_tokenizer: SubwordTokenizer of the target text, the same object for a joint vocabulary.
        max_length: Integer, the largest number of subwords of a sentence, including EOS; or None for no limit. Defaults
            to 256.
        max_ratio: Float, the largest ratio of lengths; or None for no limit. Defaults to 3.
        keep_text: Boolean, whether the corpus also keeps the text as it is, for `SubwordSampling`. Defaults to False.

    Returns:
        The `ParallelCorpus`, in the order of the files.

    Raises:
        OSError: A file cannot be opened.
        UserError: A file is empty, a line is too long or not UTF-8, the files have different numbers of lines, or all
            pairs are dropped.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\n\nthe mat sat\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> corpus = read_parallel(text, text, tokenizer, tokenizer)
    >>> corpus.line_numbers.tolist(), corpus.dropped
    ([1, 3], {'empty': 1, 'too long': 0, 'badly matched': 0})
    """
    check_length_limits(max_length, max_ratio)
    failures: list[Exception] = []  # `tf.data` would raise an error of its own instead
    strings = tf.TensorSpec([None], tf.string)
    blocks = tf.data.Dataset.from_generator(
        lambda: _paired_blocks(source_file, target_file, failures), output_signature=(strings, strings)
    )

    def tokenize(source: tf.Tensor, target: tf.Tensor) -> tuple[tf.Tensor, ...]:
        sides = source_tokenizer.source.tokenize(source), target_tokenizer.tokenize(target)
        ids = tuple(part for side in sides for part in (side.values, side.row_lengths()))
        return (*ids, source, target) if keep_text else ids

    kept: list[PairBlock] = []
    texts: list[list[np.ndarray]] = []
    dropped = {"empty": 0, "too long": 0, "badly matched": 0}
    num_read = 0
    for source_ids, source_lengths, target_ids, target_lengths, *text in (
        blocks.map(tokenize, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True).prefetch(2).as_numpy_iterator()
    ):
        lines, keep = num_read + 1 + np.arange(len(source_lengths)), np.ones(len(source_lengths), bool)
        limits = outside_limits(source_lengths, target_lengths, max_length, max_ratio)
        for reason, number in drop_pairs(keep, limits).items():
            dropped[reason] += number
        block = PairBlock(lines, (RaggedArray(source_ids, source_lengths), RaggedArray(target_ids, target_lengths)))
        kept.append(block.select(keep))
        texts.append([side[keep] for side in text])
        num_read += len(keep)
    if failures:
        raise failures[0]
    if num_read == sum(dropped.values()):
        raise UserError(
            f"No pair is left of {num_read}: check that the files match, or relax the limits. Received: {dropped=}, "
            f"source_file={os.fspath(source_file)!r}, target_file={os.fspath(target_file)!r}, "
            f"{max_length=}, {max_ratio=}"
        )
    joined = [np.concatenate(side) for side in zip(*texts, strict=True)]  # empty unless `keep_text`
    kept_text = (joined[0], joined[1]) if keep_text else None
    return ParallelCorpus.from_block(PairBlock.concatenate(kept), num_read, dropped, kept_text)


def _ids(row: Sequence[int]) -> np.ndarray:
    ids = np.asarray(row)
    if ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= 2**31:
        raise UserError(f"An id must be an integer of at least 0 and below 2**31. Received: a sentence {row!r:.80}")
    return ids.astype(np.int32)


def _paired_blocks(
    source_file: str | os.PathLike[str], target_file: str | os.PathLike[str], failures: list[Exception]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields pairs of blocks as arrays. After an error, which is added to `failures`, it yields no more."""
    try:
        for source, target in read_paired_blocks(source_file, target_file):
            yield np.array(source, object), np.array(target, object)
    except (UserError, OSError) as error:
        failures.append(error)
