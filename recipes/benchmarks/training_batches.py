"""Batches of the benchmark of training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from contender import Work

from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN

SUBWORDS = 10000  # the maximum that is trained; Multi30k allows some 20,000
BATCH = ("source", "target_input", "target_output")
ROW_MULTIPLE = 8  # of `TrainingBatches`
FIRST_WORD = max(PAD, UNKNOWN, BEGIN, END) + 1


def training_batches(work: Work) -> Any:
    """The batches of the corpus, as `Trainer` reads them."""
    from keras_nmt.data import ParallelCorpus, TrainingBatches

    with np.load(work.corpus) as file:
        numbers = [file[name] for name in ("source", "source_lengths", "target", "target_lengths")]
    size = len(numbers[1])
    corpus = ParallelCorpus.from_arrays(
        numbers[0], numbers[1], numbers[2], numbers[3], np.arange(1, size + 1, dtype=np.int32), size
    )
    buckets = [work.length] if work.length else None
    return TrainingBatches(corpus, batch_size=work.batch_size, length_buckets=buckets, seed=1)


def write_batches(work: Work, texts: Sequence[Path], updates: int) -> int:
    """Segments the texts into subwords and writes the corpus and the first batches.

    Args:
        work: Files and sizes.
        texts: Source and target.
        updates: Measured batches per round; the first batch is not measured.

    Returns:
        The number of target tokens of the measured batches.
    """
    from keras_nmt.data import read_parallel
    from keras_nmt.text import SubwordTokenizer, train_subwords

    size = min(work.vocabulary_size, SUBWORDS)
    subwords = SubwordTokenizer(train_subwords(texts, work.corpus.with_suffix(".model"), vocabulary_size=size))
    corpus = read_parallel(texts[0], texts[1], subwords, subwords)
    np.savez(
        work.corpus,
        source=corpus.source.values,
        source_lengths=corpus.source_lengths,
        target=corpus.target.values,
        target_lengths=corpus.target_lengths,
    )
    batches = list(training_batches(work).dataset().take(updates + 1).as_numpy_iterator())
    np.savez(work.batches, *(batch[name] for batch in batches for name in BATCH))
    return sum(int((batch["target_output"] != PAD).sum()) for batch in batches[1:])


def write_random_batches(work: Work, updates: int) -> int:
    """Writes a corpus and batches as `write_batches` does: random sentences of one length, without TensorFlow.

    All batches have the same shape, so one program serves all.
    """
    rows = max(ROW_MULTIPLE, work.batch_size // work.length // ROW_MULTIPLE * ROW_MULTIPLE)
    random = np.random.default_rng(1)
    shape = ((updates + 1) * rows, work.length - 1)  # without END
    source, target = (random.integers(FIRST_WORD, work.vocabulary_size, shape, np.int32) for _ in range(2))
    lengths = np.full(len(source), work.length - 1, np.int32)
    np.savez(work.corpus, source=source.ravel(), source_lengths=lengths, target=target.ravel(), target_lengths=lengths)
    end, begin = np.full((len(source), 1), END, np.int32), np.full((len(source), 1), BEGIN, np.int32)
    sides = np.hstack([source, end]), np.hstack([begin, target]), np.hstack([target, end])  # [pairs, length] each
    np.savez(work.batches, *(side[rows * number :][:rows] for number in range(updates + 1) for side in sides))
    return updates * rows * work.length
