"""Batches for training: shuffled, bucketed by length, sharded, and resumable at any update."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import tensorflow as tf

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.errors import UserError
from keras_nmt.ids import BEGIN, END, PAD

ROW_MULTIPLE = 8  # batches by tokens hold a multiple of this many rows: 2, 4 or 8 parts of one are of equal size
BATCH_UNITS = ("tokens", "sentences")


class TrainingBatches:
    """Cuts a corpus into batches: an endless, reproducible sequence of updates.

    Pairs are put in buckets by the length of their longer side, begin or end counted, and padded on both sides to the
    bucket's edge: one batch shape a bucket. An epoch is a random order of the batches, and of the pairs within a
    bucket, that depends on `seed` and the epoch's number alone. Each pair occurs exactly once an epoch. What does not
    fill a batch of its bucket moves on to the next longer bucket, so that an epoch has at most one short batch; its
    missing rows are filled with padding. All epochs have the same number of batches of each shape.

    Args:
        corpus: The pairs.
        batch_size: The size of one update's batch, over all replicas, workers and accumulation steps.
        batch_unit: What `batch_size` counts. "tokens": positions on one side, padding included; a batch then has as
            many rows as fit, in multiples of 8, and never less than 8 however small `batch_size`. "sentences": rows.
        length_buckets: The buckets' edges, ascending; the last one at least the longest sentence's length plus 1.
            None: every 2 positions up to 32, then growing by about 15%, which keeps padding near a tenth.
        seed: Determines the order. Not negative.

    Raises:
        UserError: An argument is wrong.

    Example:
        >>> corpus = ParallelCorpus.from_lists([[4, 5], [6]], [[7], [8, 9]])
        >>> batches = TrainingBatches(corpus, batch_size=2, batch_unit="sentences", seed=1)
        >>> batches.updates_per_epoch, batches.shapes
        (1, [(2, 3, 3)])
        >>> batch = next(iter(batches.dataset()))
        >>> order = batch["line_numbers"].numpy().argsort()
        >>> batch["source"].numpy()[order].tolist()
        [[4, 5, 3], [6, 3, 0]]
        >>> batch["target_input"].numpy()[order].tolist(), batch["target_output"].numpy()[order].tolist()
        ([[2, 7, 0], [2, 8, 9]], [[7, 3, 0], [8, 9, 3]])
    """

    def __init__(
        self,
        corpus: ParallelCorpus,
        *,
        batch_size: int,
        batch_unit: str = "tokens",
        length_buckets: Sequence[int] | None = None,
        seed: int = 0,
    ) -> None:
        if batch_unit not in BATCH_UNITS:
            raise UserError(f"The batch unit is one of {BATCH_UNITS}. Received: {batch_unit=}")
        if batch_size < 1:
            raise UserError(f"The batch size is at least 1. Received: {batch_size=}")
        if seed < 0:
            raise UserError(f"The seed is not negative. Received: {seed=}")
        if len(corpus) == 0:
            raise UserError("The corpus holds no pair. Received: len(corpus)=0")
        self.corpus = corpus
        self.batch_size = batch_size
        self.batch_unit = batch_unit
        self.seed = seed

        lengths = np.maximum(corpus.source_lengths, corpus.target_lengths) + 1
        edges = _edges(length_buckets, int(lengths.max()))
        occurring, self._buckets = np.unique(np.searchsorted(edges, lengths), return_inverse=True)  # buckets: [pairs]
        self._edges = edges[occurring]  # [buckets]; only those that some pair is in
        self._rows = np.array([self._rows_at(int(edge)) for edge in self._edges])

        # Full batches a bucket, when what is left over moves on; the last bucket's last batch may be short.
        self._num_batches = np.zeros_like(self._rows)
        left_over = 0
        for bucket, size in enumerate(np.bincount(self._buckets)):
            self._num_batches[bucket], left_over = divmod(left_over + int(size), int(self._rows[bucket]))
        self._num_batches[-1] += left_over > 0

    def _rows_at(self, edge: int) -> int:
        if self.batch_unit == "sentences":
            return self.batch_size
        most = -(-len(self.corpus) // ROW_MULTIPLE)  # more rows than pairs would be padding alone
        return min(max(1, self.batch_size // edge // ROW_MULTIPLE), most) * ROW_MULTIPLE

    @property
    def updates_per_epoch(self) -> int:
        """The number of batches in an epoch: the same in all of them."""
        return int(self._num_batches.sum())

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """The shapes that occur, as (rows, source positions, target positions) of an update's whole batch."""
        return [
            (int(rows), int(edge), int(edge))
            for rows, edge, number in zip(self._rows, self._edges, self._num_batches, strict=True)
            if number
        ]

    @property
    def padding(self) -> dict[str, float]:
        """The share of padding among an epoch's positions, filler rows included: "source", "target" and "both"."""
        positions = int((self._rows * self._edges * self._num_batches).sum())
        source = 1 - (int(self.corpus.source_lengths.sum()) + len(self.corpus)) / positions
        target = 1 - (int(self.corpus.target_lengths.sum()) + len(self.corpus)) / positions
        return {"source": source, "target": target, "both": (source + target) / 2}

    def summary(self) -> str:
        """One line that says how many updates an epoch has, their shapes and how much of them is padding.

        Returns:
            The line.
        """
        shapes = self.shapes
        return (
            f"{self.updates_per_epoch:,} updates an epoch, {len(shapes)} shapes from {shapes[0][0]} x {shapes[0][2]} "
            f"to {shapes[-1][0]} x {shapes[-1][2]}, {self.padding['both']:.1%} padding"
        )

    def epoch_plan(self, epoch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Decides which pairs make up which batch of an epoch: a function of `seed` and `epoch` alone.

        Args:
            epoch: The epoch's number, from 0.

        Returns:
            pairs: The pairs' indices in the corpus, batch after batch, -1 for filler rows: int64 [rows].
            begins: Where each batch begins in `pairs`: int64 [updates].
            buckets: The bucket of each batch: int64 [updates].
        """
        generator = np.random.default_rng([self.seed, epoch])
        shuffled = generator.permutation(len(self.corpus))
        # What a bucket leaves over heads the next one, so ordering all pairs by bucket has every batch in one piece.
        pairs = shuffled[np.argsort(self._buckets[shuffled], kind="stable")]
        pairs = np.append(pairs, np.full(int((self._rows * self._num_batches).sum()) - len(pairs), -1))
        buckets = np.repeat(np.arange(len(self._rows)), self._num_batches)
        begins = np.cumsum(np.append(0, self._rows[buckets]))[:-1]
        order = generator.permutation(len(buckets))
        return pairs.astype(np.int64), begins[order].astype(np.int64), buckets[order].astype(np.int64)

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        """Makes the endless dataset of updates `start`, `start` + 1, and so on, in order.

        Each update's batch is cut into `parts` slices of as many rows, one for each replica and accumulation step;
        shard `shard_index` gets the `shard_index`-th run of `parts / num_shards` of them, as successive elements. The
        updates are the same whatever the numbers of parts and shards; rows of padding are added at the end of a batch
        whose rows do not divide by `parts`. Starting late costs no more than starting at 0.

        Args:
            start: The first update, from 0; in epoch `start // updates_per_epoch`.
            parts: The number of slices of an update's batch.
            shard_index: The number of the shard, from 0: a worker's.
            num_shards: The number of shards; divides `parts`.

        Returns:
            A dataset of dictionaries:

            - "source": int32 [rows, length], ids that end with the end, then pad;
            - "target_input": int32 [rows, length], begin, then ids, then pad;
            - "target_output": int32 [rows, length], ids that end with the end, then pad;
            - "line_numbers": int32 [rows], the lines the pairs came from; -1 for rows that hold padding alone.

        Raises:
            UserError: An argument is out of its range.
        """
        if start < 0:
            raise UserError(f"Updates count from 0. Received: {start=}")
        if num_shards < 1 or parts < 1 or parts % num_shards or not 0 <= shard_index < num_shards:
            raise UserError(
                "The parts of a batch are shared out evenly among shards that count from 0. "
                f"Received: {parts=}, {shard_index=}, {num_shards=}"
            )
        first_epoch, offset = divmod(start, self.updates_per_epoch)
        parts_here = parts // num_shards
        with tf.device("CPU"):
            rows_of, edges = tf.constant(self._rows, tf.int64), tf.constant(self._edges, tf.int64)
            line_numbers = tf.constant(self.corpus.line_numbers, tf.int32)
            source, target = self.corpus.source, self.corpus.target

        def plan(epoch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            pairs, begins, buckets = self.epoch_plan(int(epoch))
            first = offset if epoch == first_epoch else 0
            return pairs, begins[first:], buckets[first:]

        def plan_epoch(epoch: tf.Tensor) -> tuple[tf.Tensor, ...]:
            tensors = tf.numpy_function(plan, [epoch], [tf.int64] * 3)
            for tensor in tensors:
                tensor.set_shape([None])
            return tuple(tensors)

        def slices(pairs: tf.Tensor, begins: tf.Tensor, buckets: tf.Tensor) -> tf.data.Dataset:
            """The parts of one epoch's batches: (indices of pairs, -1 for filler; length)."""

            def cut(number: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
                update, part = number // parts_here, number % parts_here + shard_index * parts_here
                bucket = buckets[update]
                rows = rows_of[bucket]
                size = -(-rows // parts)
                positions = part * size + tf.range(size)  # [size], in the batch
                chosen = tf.gather(pairs, begins[update] + tf.minimum(positions, rows - 1))
                return tf.where(positions < rows, chosen, -1), edges[bucket]

            return tf.data.Dataset.range(tf.size(begins, tf.int64) * parts_here).map(cut)

        def assemble(pairs: tf.Tensor, length: tf.Tensor) -> dict[str, tf.Tensor]:
            begin = tf.where(pairs < 0, PAD, BEGIN)[:, None]
            return {
                "source": _rows(source, pairs, length, end=END),
                "target_input": tf.concat([begin, _rows(target, pairs, length - 1, end=PAD)], axis=1),
                "target_output": _rows(target, pairs, length, end=END),
                "line_numbers": tf.where(pairs < 0, -1, tf.gather(line_numbers, tf.maximum(pairs, 0))),
            }

        options = tf.data.Options()
        options.deterministic = True
        # Sharded here already: a strategy that is given the dataset leaves it whole.
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
        epochs = tf.data.Dataset.range(first_epoch, np.iinfo(np.int64).max).map(plan_epoch).prefetch(1)
        return epochs.flat_map(slices).map(assemble, num_parallel_calls=2).prefetch(8).with_options(options)


def _edges(length_buckets: Sequence[int] | None, longest: int) -> np.ndarray:
    """The buckets' edges, checked, or the default ones up to the longest sentence: int64 [buckets]."""
    if length_buckets is None:
        edges = list(range(4, 33, 2))
        while edges[-1] < longest:
            edges.append(2 * round(edges[-1] * 1.15 / 2))
        return np.minimum(np.array(edges), longest)[: int(np.searchsorted(edges, longest)) + 1]
    edges = [int(edge) for edge in length_buckets]
    if not edges or edges[0] < 1 or any(a >= b for a, b in pairwise(edges)):
        raise UserError(f"Length buckets are positive and ascending. Received: length_buckets={edges}")
    if edges[-1] < longest:
        raise UserError(
            f"The last length bucket is shorter than the longest sentence, {longest} with its end: add a larger one, "
            f"or read the corpus with max_length={edges[-1]}. Received: length_buckets={edges}"
        )
    return np.array(edges)


def _rows(sentences: tf.RaggedTensor, pairs: tf.Tensor, length: tf.Tensor, end: int) -> tf.Tensor:
    """Gathers sentences into rows [pairs, length]: ids, `end`, then pad; all pad where the pair is -1."""
    row = tf.maximum(pairs, 0)
    begins = tf.gather(sentences.row_splits, row)
    ends = tf.gather(sentences.row_splits, row + 1)
    sizes = tf.where(pairs < 0, tf.constant(-1, tf.int64), ends - begins)[:, None]
    position = tf.range(length)[None]  # [1, length]
    last = tf.maximum(tf.size(sentences.values, tf.int64) - 1, 0)
    ids = tf.gather(sentences.values, tf.minimum(begins[:, None] + position, last))
    return tf.where(position < sizes, ids, tf.where(position == sizes, end, PAD))
