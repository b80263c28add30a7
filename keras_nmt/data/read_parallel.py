"""Parallel text files to a corpus of ids."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import zip_longest

import numpy as np
import tensorflow as tf

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.errors import UserError
from keras_nmt.text import SubwordTokenizer, read_blocks

RATIO_FLOOR = 4  # shorter sentences count as this long: "Yes." may well become eleven subwords elsewhere


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
    r"""Reads two text files that are translations of each other, line by line, and cuts them into subwords.

    The subwords are cut in the graph, by a parallel `tf.data` map. A pair is dropped, and counted, for the first of
    these reasons that holds:

    - "empty": a side has no subword (nothing, or only spaces);
    - "too long": a side has more than `max_length` subwords, its end counted;
    - "badly matched": a side has more than `max_ratio` times the subwords of the other, where less than 4 count as 4.

    Args:
        source_file: The source sentences, UTF-8, one a line, plain or gzip.
        target_file: Their translations, as many lines.
        source_tokenizer: Cuts the source text.
        target_tokenizer: Cuts the target text; the same object where the vocabulary is joint.
        max_length: The longest sentence kept, in subwords with the end. None: any.
        max_ratio: How many times as long one side may be as the other. None: any.
        keep_text: Whether the corpus has the text, too; see `SubwordSampling`.

    Returns:
        The corpus, in the order of the files.

    Raises:
        OSError: A file cannot be opened.
        UserError: A file is empty or not UTF-8, the files have different numbers of lines, or no pair is left.

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
    if max_length is not None and max_length < 2:
        raise UserError(f"The longest sentence has 2 subwords or more, its end counted. Received: {max_length=}")
    if max_ratio is not None and max_ratio < 1:
        raise UserError(f"The ratio of the longer to the shorter sentence is 1 or more. Received: {max_ratio=}")

    failures: list[Exception] = []  # tf.data would wrap them in an error of its own
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
        longer, shorter = np.maximum(source_lengths, target_lengths), np.minimum(source_lengths, target_lengths)
        keep = np.ones(len(longer), bool)
        for reason, is_wrong in (
            ("empty", shorter == 0),
            ("too long", longer + 1 > (max_length or np.inf)),
            ("badly matched", longer > (max_ratio or np.inf) * np.maximum(shorter, RATIO_FLOOR)),
        ):
            dropped[reason] += int((keep & is_wrong).sum())
            keep &= ~is_wrong
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
        num_read += len(longer)
    if failures:
        raise failures[0]
    if num_read == sum(dropped.values()):
        raise UserError(
            f"No pair is left of {num_read}: dropped {dropped}. "
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
    """Blocks of as many lines of either file; an error ends them and is put in `failures`."""
    num_source = num_target = 0
    try:
        nothing: list[str] = []
        for source, target in zip_longest(read_blocks(source_file), read_blocks(target_file), fillvalue=nothing):
            num_source += len(source)
            num_target += len(target)
            if num_source == num_target:
                yield np.array(source, object), np.array(target, object)
        for file, num_lines in ((source_file, num_source), (target_file, num_target)):
            if num_lines == 0:
                raise UserError(f"The file is empty. Received: {os.fspath(file)!r}")
        if num_source != num_target:
            raise UserError(
                "The two files differ in their number of lines. Received: "
                f"{os.fspath(source_file)!r} with {num_source} lines, {os.fspath(target_file)!r} with {num_target}"
            )
    except (UserError, OSError) as error:
        failures.append(error)
