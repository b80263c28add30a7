"""Parallel text files to a corpus of ids."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.errors import UserError
from keras_nmt.files.length_limits import check_length_limits, drop_pairs, outside_limits
from keras_nmt.files.read_paired_blocks import read_paired_blocks
from keras_nmt.text import SubwordTokenizer


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
    r"""Reads two text files that are translations of each other, line by line, and segments them into subwords.

    A parallel `tf.data` map tokenizes the text. A pair is dropped, and counted, for the first of these reasons that
    applies:

    - "empty": a side has no subword (an empty line, or only spaces);
    - "too long": a side has more than `max_length` subwords, end included;
    - "badly matched": a side has more than `max_ratio` times as many subwords as the other side; fewer than 4 subwords
      count as 4.

    Args:
        source_file: String or path of the source sentences: UTF-8, one per line of at most 1 MiB, plain or gzip.
        target_file: String or path of the translations, with the same number of lines.
        source_tokenizer: SubwordTokenizer of the source text.
        target_tokenizer: SubwordTokenizer of the target text, the same object for a joint vocabulary.
        max_length: Integer, the longest sentence kept in subwords, end included; or None for no limit. Defaults to 256.
        max_ratio: Float, the largest ratio of lengths kept; or None for no limit. Defaults to 3.
        keep_text: Boolean, whether the corpus keeps the text too, for `SubwordSampling`. Defaults to False.

    Returns:
        The `ParallelCorpus`, in the order of the files.

    Raises:
        OSError: A file cannot be opened.
        UserError: A file is empty, a line is not UTF-8 or too long, the files have different numbers of lines, or no
            pair is left.

    Example:

    >>> import os, tempfile
    >>> from keras_nmt.text import train_subwords
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = os.path.join(folder, "text.txt")
    ...     _ = open(text, "w").write("the cat sat\n\nthe mat sat\n")
    ...     model = train_subwords([text], os.path.join(folder, "subwords.model"), vocabulary_size=20)
    ...     tokenizer = SubwordTokenizer(model)
    ...     corpus = read_parallel(text, text, tokenizer, tokenizer)
    >>> corpus.line_numbers.tolist(), corpus.dropped
    ([1, 3], {'empty': 1, 'too long': 0, 'badly matched': 0})
    """
    check_length_limits(max_length, max_ratio)
    failures: list[Exception] = []  # `tf.data` would replace these by its own error
    strings = tf.TensorSpec([None], tf.string)
    blocks = tf.data.Dataset.from_generator(
        lambda: _paired_blocks(source_file, target_file, failures), output_signature=(strings, strings)
    )

    def tokenize(source: tf.Tensor, target: tf.Tensor) -> tuple[tf.Tensor, ...]:
        sides = source_tokenizer.tokenize(source), target_tokenizer.tokenize(target)
        ids = tuple(part for side in sides for part in (side.values, side.row_lengths()))
        return (*ids, source, target) if keep_text else ids

    kept: list[tuple[np.ndarray, ...]] = []
    dropped = {"empty": 0, "too long": 0, "badly matched": 0}
    num_read = 0
    for source_ids, source_lengths, target_ids, target_lengths, *text in (
        blocks.map(tokenize, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True).prefetch(2).as_numpy_iterator()
    ):
        keep = np.ones(len(source_lengths), bool)
        limits = outside_limits(source_lengths, target_lengths, max_length, max_ratio)
        for reason, number in drop_pairs(keep, limits).items():
            dropped[reason] += number
        kept.append(
            (
                source_ids[np.repeat(keep, source_lengths)],
                source_lengths[keep],
                target_ids[np.repeat(keep, target_lengths)],
                target_lengths[keep],
                num_read + 1 + np.flatnonzero(keep),
                *(side[keep] for side in text),
            )
        )
        num_read += len(keep)
    if failures:
        raise failures[0]
    if num_read == sum(dropped.values()):
        raise UserError(
            f"No pair is left of {num_read}: dropped {dropped}. Check that the files match, or relax the limits. "
            f"Received: source_file={os.fspath(source_file)!r}, target_file={os.fspath(target_file)!r}, "
            f"{max_length=}, {max_ratio=}"
        )
    source_ids, source_lengths, target_ids, target_lengths, line_numbers, *texts = (
        np.concatenate(parts) for parts in zip(*kept, strict=True)
    )
    text = (texts[0], texts[1]) if keep_text else None
    return ParallelCorpus.from_arrays(
        source_ids, source_lengths, target_ids, target_lengths, line_numbers, num_read, dropped, text
    )


def _paired_blocks(
    source_file: str | os.PathLike[str], target_file: str | os.PathLike[str], failures: list[Exception]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields pairs of blocks as arrays. An error ends the blocks and is added to `failures`."""
    try:
        for source, target in read_paired_blocks(source_file, target_file):
            yield np.array(source, object), np.array(target, object)
    except (UserError, OSError) as error:
        failures.append(error)
