"""Parallel corpora on disk, which are read portion by portion, and their writer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_nmt.data.parallel_corpus import ParallelCorpus, corpus_summary
from keras_nmt.data.prepared_folder import SHARD_PAIRS, check_sides, id_type, prepared_side, write_manifest, write_shard
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray, check_length_limits
from keras_nmt.data.subword_tokenizer import SubwordTokenizer
from keras_nmt.errors import UserError, check_positive, require
from keras_nmt.files.atomic_files import atomic_folder


class PreparedCorpus:
    """A corpus on disk that `keras-nmt prepare` has written, with the methods of `ParallelCorpus`.

    `select` reads the pairs that it returns, so memory does not grow with the corpus.

    Args:
        source: String or path of the source side of a prepared corpus, such as "prepared/de".
        target: String or path of the target side of the same corpus, such as "prepared/en".
        text: Boolean, whether `select` and `load` also read the text, for `SubwordSampling`. Defaults to False.

    Raises:
        UserError: The paths are not two sides of one prepared corpus, or the corpus is damaged or has no text.
    """

    def __init__(self, source: str | os.PathLike[str], target: str | os.PathLike[str], *, text: bool = False) -> None:
        sides = [prepared_side(path) for path in (source, target)]
        if sides[0] is None or sides[1] is None or sides[0][0].path != sides[1][0].path:
            raise UserError(
                "The sides of a corpus must be two text files, or two sides of one prepared corpus. "
                f"Received: {os.fspath(source)!r} and {os.fspath(target)!r}"
            )
        self.folder = sides[0][0]
        self._sides = sides[0][1], sides[1][1]
        self.has_text = text
        problem = (
            f"Subword sampling and noise need text: prepare the corpus with --keep-text. Received: {self.folder.path}"
        )
        require(not text or self.folder.has_text, problem)

    def check(
        self, source: SubwordTokenizer, target: SubwordTokenizer, *, max_length: int | None, max_ratio: float | None
    ) -> None:
        """Checks that `read_parallel` would read the same corpus from the text, with these arguments.

        Args:
            source: SubwordTokenizer of the source.
            target: SubwordTokenizer of the target.
            max_length, max_ratio: As in `read_parallel`.

        Raises:
            UserError: The corpus was prepared with other subwords, or with weaker limits; or its target has a tag, or
                was prepared as a source and cleaned; or its source was prepared as a target and not cleaned.
        """
        (first, second), received = self.folder.sides, f"Received: {self.folder.path}"
        again = "prepare the corpus again with this side {}, or with subwords without `source_cleaning`"
        if self._sides[0] == self._sides[1]:
            again = "a language to itself needs text files, or subwords without `source_cleaning`"
        if self._sides[1] == first:  # the target here was the source
            tag = self.folder.manifest["options"].get("source_tag")
            prepared = f"The side {first}, the target here, was prepared"
            problem = f"{prepared} with the tag {tag} before each sentence: prepare the corpus again without --tag"
            require(tag is None, f"{problem}. {received}")
            problem = f"{prepared} as a source, with cleaned text: {again.format('second')}"
            require(not target.source.cleans, f"{problem}. {received}")
        if self._sides[0] == second:  # the source here was the target
            problem = f"The side {second}, the source here, was prepared as a target, with text that is not cleaned"
            require(not source.source.cleans, f"{problem}: {again.format('first')}. {received}")
        for side, tokenizer in zip(self._sides, (source, target), strict=True):
            digest = self.folder.manifest["subwords"][side]
            if digest != tokenizer.digest:
                raise UserError(
                    "The corpus was prepared with other subwords than the run's: set `subwords.models` to "
                    f"{self.folder.subwords_path(side)} (for two sides with models of their own also "
                    f"joint_vocabulary=false), or prepare the corpus again. Received: {side} with the "
                    f"digest {digest[:16]} instead of {tokenizer.digest[:16]}"
                )
        longest = len(self.length_counts)  # with EOS
        ratio, corpus = self.folder.manifest["max_ratio"], str(self.folder.path)
        problem = f"The corpus was prepared with a larger {{max_length}}: set it to {longest}, or prepare it again"
        is_shorter = max_length is None or longest <= max_length
        require(is_shorter, problem, corpus=corpus, max_length=max_length)
        problem = f"The corpus was prepared with a larger {{max_ratio}}: set it to {ratio}, or prepare it again"
        is_smaller = max_ratio is None or (ratio is not None and ratio <= max_ratio)
        require(is_smaller, problem, corpus=corpus, max_ratio=max_ratio)

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
        """Returns a corpus in memory of the pairs with these numbers, an int64 array, in this order.

        Raises:
            UserError: A shard is damaged.
        """
        block = self.folder.read(pairs, self._sides, self.has_text)
        return ParallelCorpus.from_block(block, self.num_read, self.folder.manifest["dropped"])

    def load(self) -> ParallelCorpus:
        """Reads the whole corpus into memory."""
        return self.select(np.arange(len(self)))

    def summary(self) -> str:
        """Returns one line with the numbers of pairs read, kept and dropped, and the mean lengths."""
        return corpus_summary(len(self), self.num_read, self.folder.manifest["dropped"], self.num_tokens)


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

    For a corpus that does not fit into memory, use `keras_nmt.preparation`.

    Args:
        corpus: ParallelCorpus. If it has its text, so will the prepared corpus.
        folder: String or path of the folder to make.
        source_tokenizer: SubwordTokenizer of the source.
        target_tokenizer: SubwordTokenizer of the target.
        sides: Sequence of two names, such as languages. Defaults to "source" and "target".
        max_ratio: Float, the `max_ratio` with which the corpus was read; or None for no limit. Defaults to None.
        shard_pairs: Integer, the number of pairs of a shard. Defaults to 1,048,576.

    Returns:
        The `PreparedCorpus`.

    Raises:
        OSError: A file cannot be written.
        UserError: The folder exists, the names of the sides are not valid, a number is out of its range, or the corpus
            is empty, or has more pairs than were read, alignments, or ids that a tokenizer does not have.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import read_parallel, train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> corpus = read_parallel(text, text, tokenizer, tokenizer)
    >>> prepared = write_prepared(corpus, text.parent / "prepared", tokenizer, tokenizer, max_ratio=3)
    >>> prepared.summary() == corpus.summary()
    True
    """
    check_sides(sides)
    check_length_limits(None, max_ratio)
    check_positive(shard_pairs=shard_pairs)
    problem = "A prepared corpus must have at least one pair, and none twice (`corpus_weights` draw pairs more often)"
    require(0 < len(corpus) <= corpus.num_read, f"{problem}. Received: {len(corpus)} of {corpus.num_read} pairs")
    problem = "A prepared corpus has no alignments: read the corpus without them. Received: corpus.links"
    require(corpus.links is None, problem)
    tokenizers = source_tokenizer, target_tokenizer
    for side, ids, tokenizer in zip(sides, (corpus.source, corpus.target), tokenizers, strict=True):
        highest = int(ids.values.numpy().max(initial=0))
        if highest >= tokenizer.vocabulary_size:
            raise UserError(
                f"The {side} tokenizer must be that of the corpus. Received: {tokenizer.vocabulary_size} subwords, and "
                f"the id {highest} in the corpus"
            )
    block = PairBlock(
        corpus.line_numbers,
        tuple(
            RaggedArray(ids.values.numpy().astype(id_type(tokenizer.vocabulary_size)), ids.row_lengths().numpy())
            for ids, tokenizer in zip((corpus.source, corpus.target), tokenizers, strict=True)
        ),
        None if corpus.text is None else tuple(RaggedArray.from_bytes(side.tolist()) for side in corpus.text),
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
