"""Random corpora, the elements of batches as arrays, and those of one update joined."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from keras_nmt.data import ParallelCorpus, read_parallel
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray
from keras_nmt.ids import BOS, EOS, PAD

KEYS = ("source", "target_input", "target_output", "line_numbers")
Batch = dict[str, np.ndarray]


def take(dataset: tf.data.Dataset, number: int) -> list[Batch]:
    return list(itertools.islice(dataset.as_numpy_iterator(), number))


def same(left: list[Batch], right: list[Batch]) -> bool:
    return len(left) == len(right) > 0 and all(
        np.array_equal(a[key], b[key]) for a, b in zip(left, right, strict=True) for key in KEYS
    )


def join(parts: list[Batch], size: int) -> list[Batch]:
    """Concatenates every `size` successive elements to the batch of one update."""
    runs = [parts[i : i + size] for i in range(0, len(parts), size)]
    return [{key: np.concatenate([part[key] for part in run]) for key in KEYS} for run in runs]


def lines_of(batches: list[Batch]) -> list[int]:
    lines = np.concatenate([batch["line_numbers"] for batch in batches])
    return lines[lines > 0].tolist()


def make_corpus(num_pairs: int, longest: int = 20, seed: int = 0, size: int = 99) -> ParallelCorpus:
    """A corpus of random ids below `size`."""
    generator = np.random.default_rng(seed)
    sides = [
        [generator.integers(4, size, number).tolist() for number in generator.integers(1, longest, num_pairs)]
        for _ in range(2)
    ]
    return ParallelCorpus.from_lists(*sides)


def check_rows(corpus: Any, batch: Batch) -> Iterator[int]:
    """Checks each row against the corpus, and yields the line numbers of the pairs."""
    corpus = corpus.load()
    index = {int(line): n for n, line in enumerate(corpus.line_numbers)}
    source, target = corpus.source.to_list(), corpus.target.to_list()
    assert all(batch[key].dtype == np.int32 for key in KEYS)
    for row_source, row_input, row_output, line in zip(*(batch[key] for key in KEYS), strict=True):
        if line == -1:
            assert not np.concatenate([row_source, row_input, row_output]).any()
            continue
        yield int(line)
        pair = index[int(line)]

        def padded(ids: list[int], length: int) -> list[int]:
            return ids + [PAD] * (length - len(ids))

        assert row_source.tolist() == padded([*source[pair], EOS], len(row_source))
        assert row_input.tolist() == padded([BOS, *target[pair]], len(row_input))
        assert row_output.tolist() == padded([*target[pair], EOS], len(row_output))


def random_lines(number: int, seed: int = 1) -> list[str]:
    """Lines of one to eight words."""
    generator = np.random.default_rng(seed)
    words = ["cat", "mat", "that", "sat", "bat", "rat", "hat", "chat", "on", "the", "a", "is"]
    return [" ".join(generator.choice(words, size)) for size in generator.integers(1, 9, number)]


def corpus_of(folder: Path, source: list[str], target: list[str], tokenizer: Any, **options: Any) -> ParallelCorpus:
    """Reads the lines from files, with their text."""
    for name, lines in (("source", source), ("target", target)):
        (folder / name).write_text("\n".join(lines))
    options = {"max_ratio": None, "keep_text": True, **options}
    return read_parallel(folder / "source", folder / "target", tokenizer, tokenizer, **options)


def same_blocks(left: PairBlock, right: PairBlock) -> bool:
    pairs = zip(*(tf.nest.flatten(dataclasses.astuple(block)) for block in (left, right)), strict=True)
    return all(np.array_equal(a, b) and getattr(a, "dtype", None) == getattr(b, "dtype", None) for a, b in pairs)


def make_block(
    num_pairs: int, seed: int = 0, dtype: type = np.uint16, has_text: bool = True, has_keys: bool = False
) -> PairBlock:
    """Pairs of odd lines; the ids of the second side are of the dtype."""
    random = np.random.default_rng(seed)

    def rows(dtype: type, shortest: int = 0) -> RaggedArray:
        lengths = random.integers(shortest, 9, num_pairs)
        return RaggedArray(random.integers(4, 200, lengths.sum()).astype(dtype), lengths)

    return PairBlock(
        np.arange(num_pairs, dtype=np.int32) * 2 + 1,
        (rows(np.uint16, 1), rows(dtype, 1)),
        (rows(np.uint8), rows(np.uint8)) if has_text else None,
        random.integers(0, 2**63, (num_pairs, 4)).astype(np.uint64) if has_keys else None,
    )
