"""A corpus in memory to a prepared corpus on disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.data.prepared_corpus import PreparedCorpus
from keras_nmt.files.atomic_files import atomic_folder
from keras_nmt.files.pair_block import PairBlock, Rows
from keras_nmt.files.prepared_folder import SHARD_PAIRS, check_sides, id_type, write_manifest, write_shard
from keras_nmt.text import SubwordTokenizer


def write_prepared(
    corpus: ParallelCorpus,
    folder: str | os.PathLike[str],
    source_tokenizer: SubwordTokenizer,
    target_tokenizer: SubwordTokenizer,
    *,
    sides: Sequence[str] = ("source", "target"),
    max_ratio: float | None = None,
    shard_pairs: int = SHARD_PAIRS,
) -> PreparedCorpus:
    """Writes a corpus in memory as a prepared corpus, completely or not at all.

    `keras_nmt.preparation` prepares corpora that memory does not hold.

    Args:
        corpus: ParallelCorpus, with its text if the prepared corpus is to keep the text.
        folder: String or path of the folder to make.
        source_tokenizer: SubwordTokenizer of the source.
        target_tokenizer: SubwordTokenizer of the target.
        sides: Sequence of two names, such as languages. Defaults to "source" and "target".
        max_ratio: Float, the `max_ratio` with which the corpus was read; or None for any. Defaults to None.
        shard_pairs: Integer, the number of pairs of a shard. Defaults to 1,048,576.

    Returns:
        The `PreparedCorpus`.

    Raises:
        OSError: A file cannot be written.
        UserError: The folder exists, or a name is no name of a side.

    Example:

    >>> import os, tempfile
    >>> from keras_nmt.data import read_parallel
    >>> from keras_nmt.text import train_subwords
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = os.path.join(folder, "text.txt")
    ...     _ = open(text, "w").write("the cat sat\\nthe mat sat\\n")
    ...     tokenizer = SubwordTokenizer(train_subwords([text], os.path.join(folder, "m"), vocabulary_size=20))
    ...     corpus = read_parallel(text, text, tokenizer, tokenizer)
    ...     prepared = write_prepared(corpus, os.path.join(folder, "prepared"), tokenizer, tokenizer, max_ratio=3)
    ...     prepared.summary() == corpus.summary()
    True
    """
    check_sides(sides)
    tokenizers = source_tokenizer, target_tokenizer
    block = PairBlock(
        corpus.line_numbers,
        tuple(
            Rows(ids.values.numpy().astype(id_type(tokenizer.vocabulary_size)), ids.row_lengths().numpy())
            for ids, tokenizer in zip((corpus.source, corpus.target), tokenizers, strict=True)
        ),
        None if corpus.text is None else tuple(Rows.from_bytes(side.tolist()) for side in corpus.text),
    )
    with atomic_folder(folder) as temporary:
        shards = [
            write_shard(temporary, number, sides, block.select(np.arange(begin, min(begin + shard_pairs, len(block)))))
            for number, begin in enumerate(range(0, len(block), shard_pairs))
        ]
        write_manifest(
            temporary,
            shards,
            sides=sides,
            subwords=[tokenizer.proto for tokenizer in tokenizers],
            has_text=corpus.has_text,
            num_read=corpus.num_read,
            dropped=corpus.dropped,
            max_ratio=max_ratio,
        )
    return PreparedCorpus(*(Path(folder) / side for side in sides), text=corpus.has_text)
