"""Batches for training: shuffled, bucketed by length, sharded, and resumable at any update."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import tensorflow as tf

from keras_nmt.data.epoch_order import BlockOrder, Corpus, WholeOrder
from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.data.prepared_corpus import PreparedCorpus
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray
from keras_nmt.data.subword_sampling import SubwordSampling
from keras_nmt.errors import UserError, check_choice, check_positive, check_seed, require
from keras_nmt.ids import BOS, EOS, PAD

ROW_MULTIPLE = 8  # batches have a multiple of 8 rows, so that 2, 4 or 8 parts have equal sizes
BATCH_UNITS = ("tokens", "sentences")
PORTION = 2**17  # pairs that are read or segmented at once; two portions are in memory
PORTION_UPDATES = 64  # smallest number of updates of a portion that is read, so that few of its batches mix lengths
WHOLE = 2**19  # prepared corpora that have more pairs in total are read portion by portion
TYPICAL = 2**14  # pairs that are segmented to estimate the lengths of all pairs
LARGEST = 2**31 - 1  # pairs of an epoch, and positions of a bucket


class TrainingBatches:
    """Batches of a corpus: an endless, reproducible sequence of updates.

    Pairs are grouped in buckets by the length of their longer side, including BOS or EOS. Both sides are padded to the
    bucket's edge, so that there is one batch shape per bucket. In an epoch, each pair occurs exactly once. The order of
    the batches, and of the pairs within a bucket, is random, and depends only on `seed` and the epoch's number. Pairs
    that do not fill a batch of their bucket move to the next longer bucket. So an epoch, or each of its portions, has
    at most one short batch; padding fills its missing rows. All epochs have equally many batches of each shape.

    With several corpora, the weight of a corpus is the number of times that its pairs occur in an epoch. If it is not a
    whole number, successive epochs continue through the corpus, in a new random order for each pass, so that the counts
    of its pairs differ by at most one.

    With `sampling`, each occurrence of a pair gets a new segmentation and new noise. A portion of 131,072 pairs is
    segmented at once, one portion ahead of training, and has its own batches. The number of batches in an epoch, and
    their rows, are fixed; only lengths vary. The pairs of a portion fill its batches in the order of their buckets, and
    a batch with longer pairs than usual is padded to the edge of a longer bucket.

    Prepared corpora of more than 524,288 pairs in total are read in portions of 131,072 pairs, or of 64 updates if this
    is more. A portion consists of random blocks of 1,024 pairs, in proportion from each corpus, and its pairs are
    shuffled. Each pair still occurs once per epoch, in an order that depends only on `seed` and the epoch. A smaller
    prepared corpus has the same batches as the same corpus in memory.

    If all corpora have `links`, for guided alignment, the batches have them, too.

    Args:
        corpus: ParallelCorpus or PreparedCorpus, or a sequence of them.
        batch_size: Integer, the size of one update's batch over all replicas, workers and accumulation steps.
        batch_unit: String, the unit of `batch_size`. "tokens": positions on one side, including padding; a batch has as
            many rows as fit, in multiples of 8, and at least 8. "sentences": rows. No batch has more rows than an epoch
            has pairs, rounded up to a multiple of 8. Defaults to "tokens".
        length_buckets: Sequence of the buckets' edges, ascending. The last one must be at least the longest sentence's
            length plus 1. With None, an edge every 2 positions up to 32, then edges that grow by about 15%, so that
            about a tenth is padding. Defaults to None.
        seed: Integer of at least 0 and below 2**32, which determines the order. Defaults to 0.
        weights: Sequence of floats, the number of times that each corpus occurs in an epoch. Defaults to 1 for each.
        sampling: SubwordSampling, which segments the pairs of corpora with text; or None for the segmentation in the
            corpora. Defaults to None.

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
        corpus: Corpus | Sequence[Corpus],
        *,
        batch_size: int,
        batch_unit: str = "tokens",
        length_buckets: Sequence[int] | None = None,
        seed: int = 0,
        weights: Sequence[float] | None = None,
        sampling: SubwordSampling | None = None,
    ) -> None:
        check_choice("batch_unit", batch_unit, BATCH_UNITS)
        check_positive(batch_size=batch_size)
        require(batch_size < 2**31, "{batch_size} must be below 2**31: shapes are int32", batch_size=batch_size)
        check_seed(seed=seed)
        corpora = [corpus] if isinstance(corpus, ParallelCorpus | PreparedCorpus) else list(corpus)
        problem = f"Each corpus must have at least one pair. Received: corpora of sizes {list(map(len, corpora))}"
        require(all(map(len, corpora)) and corpora, problem)
        weights = [1.0] * len(corpora) if weights is None else list(weights)
        if len(weights) != len(corpora) or not all(0 < weight < np.inf for weight in weights):
            raise UserError(f"Each of the {len(corpora)} corpora must have a weight above 0. Received: {weights=}")
        problem = "Subword sampling and noise need the text: read the corpus with keep_text=True. Received: text=None"
        require(sampling is None or all(corpus.has_text for corpus in corpora), problem)
        links = [corpus for corpus in corpora if getattr(corpus, "links", None) is not None]
        if links and (len(links) < len(corpora) or sampling is not None):
            raise UserError(
                "All corpora or none must have alignments, and alignments exclude subword sampling and noise, which "
                f"change the subwords. Received: {len(links)} of {len(corpora)} corpora with alignments, "
                f"sampling={sampling is not None}"
            )
        self._has_links = bool(links)
        self.batch_size = batch_size
        self.batch_unit = batch_unit
        self.seed = seed
        self.num_pairs = sum(map(len, corpora))
        self._sampling = sampling
        sizes = list(map(len, corpora))
        self._draws = [max(1, round(size * weight)) for size, weight in zip(sizes, weights, strict=True)]
        draws = sum(self._draws)  # pairs per epoch
        problem = f"An epoch can have {LARGEST:,} pairs: lower the weights. Received: corpus_weights={list(weights)}"
        require(draws <= LARGEST, problem)
        self._order: WholeOrder | BlockOrder
        if self.num_pairs <= WHOLE or all(isinstance(corpus, ParallelCorpus) for corpus in corpora):
            loaded = [one.load() for one in corpora]
            together = loaded[0] if len(loaded) == 1 else ParallelCorpus.concatenate(loaded)
            corpora = list(loaded)
            self._order = WholeOrder(together, sizes, self._draws, seed, PORTION if sampling else None)
        else:
            self._order = BlockOrder(corpora, self._draws, seed, self._portion_of(corpora))

        # The lengths in an epoch: numbers of pairs by length, and how often each pair occurs. With sampling, they are
        # estimated from a random part of the pairs.
        occurrences = [number / size for size, number in zip(sizes, self._draws, strict=True)]
        counts = [one.length_counts for one in corpora]
        tokens = np.array([[side + len(one) for side in one.num_tokens] for one in corpora], float)  # with EOS
        longest = max(map(len, counts))  # with EOS
        edges = _edges(length_buckets, longest)
        if sampling is not None:
            if length_buckets is None:
                edges = _edges(None, max(longest, sampling.max_length))
            self._longest = max(longest, min(int(edges[-1]), sampling.max_length))
            part, drawn, _ = self._order.portion(0, 0)
            source, target = (side.lengths for side in self._segment(part, drawn[:TYPICAL], 0, 0))
            occurrences, counts = [draws / len(source)], [np.bincount(np.maximum(source, target))]
            tokens = np.array([[float((side + 1).sum()) for side in (source, target)]])
        self._tokens = (tokens * np.array(occurrences)[:, None]).sum(0)  # of an epoch, by side

        # Whether all epochs have exactly these numbers of pairs in each bucket, and not only about as many.
        has_all = all(number % size == 0 for number, size in zip(self._draws, sizes, strict=True))
        self._is_exact = sampling is None and isinstance(self._order, WholeOrder) and has_all
        shares = _shares(edges, counts, occurrences)
        if sampling is None:  # drop buckets without pairs
            edges, shares = edges[shares > 0], shares[shares > 0]
        self._edges = edges  # [buckets]
        self._usual = np.minimum(edges, edges[shares > 0][-1])  # [buckets], the usual lengths of batches
        self._rows = np.array([self._rows_at(int(edge)) for edge in edges])
        self._portion_batches = [self._batches_of(size, shares / draws) for size in self._order.sizes]  # of [buckets]
        self._num_batches = np.sum(self._portion_batches, axis=0)

    def _portion_of(self, corpora: Sequence[Corpus]) -> int:
        """Returns the number of pairs of a portion, for corpora that are read portion by portion."""
        rows = self.batch_size
        if self.batch_unit == "tokens":
            positions = sum(int(one.length_counts @ np.arange(len(one.length_counts))) for one in corpora)
            rows = self.batch_size * self.num_pairs // positions
        return max(PORTION, PORTION_UPDATES * rows)

    def _batches_of(self, size: int, shares: np.ndarray) -> np.ndarray:
        """Returns the number of batches of each bucket, for `size` pairs with these shares of the buckets."""
        # Batches are full, because the rest of a bucket moves to the next one; only one may be short. The longest
        # bucket, whose batches have the fewest rows, has a batch also if such pairs are rarer than portions.
        sizes = np.diff(np.round(np.cumsum(shares) * size), prepend=0).astype(int)
        num_batches, left_over = np.zeros_like(self._rows), 0
        for bucket, rows in enumerate(self._rows.tolist()):
            num_batches[bucket], left_over = divmod(left_over + int(sizes[bucket]), rows)
        first = int(np.argmax(num_batches > 0))
        may_be_longer = not self._is_exact and not num_batches[-1] and self._rows[-1] < self._rows[first]
        num_batches[-1] += left_over > 0 or may_be_longer
        return num_batches

    def _rows_at(self, edge: int) -> int:
        max_rows = -(-sum(self._draws) // ROW_MULTIPLE) * ROW_MULTIPLE  # more rows than pairs would only be padding
        of_tokens = max(1, self.batch_size // edge // ROW_MULTIPLE) * ROW_MULTIPLE
        return min(self.batch_size if self.batch_unit == "sentences" else of_tokens, max_rows)

    @functools.cached_property
    def typical(self) -> ParallelCorpus:
        """Up to 16,384 random pairs, without sampling, kept because a portion of a corpus on disk is slow to read."""
        corpus, rows, _ = self._order.portion(0, 0)
        return corpus.select(rows[:TYPICAL])

    @property
    def updates_per_epoch(self) -> int:
        """Integer, the number of batches in every epoch."""
        return int(self._num_batches.sum())

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """List of the batch shapes, as (rows, source positions, target positions).

        With `sampling`, and of corpora that are read portion by portion, these are the usual shapes; longer ones occur.
        """
        return [
            (int(rows), int(length), int(length))
            for rows, length, number in zip(self._rows, self._usual, self._num_batches, strict=True)
            if number
        ]

    @property
    def largest_shapes(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """The batch shape with the most positions, and the one with the most pairs of positions.

        Where `shapes` are only the usual shapes, a batch may be padded to the next longer bucket, and the one with the
        fewest rows to the longest one.
        """
        shapes = self.shapes
        if not self._is_exact:
            longer = dict(zip(self._edges.tolist(), [*self._edges.tolist()[1:], int(self._edges[-1])], strict=True))
            shapes = [(rows, longer[edge], longer[edge]) for rows, edge, _ in shapes]
            shapes.append((int(self._rows[-1]), int(self._edges[-1]), int(self._edges[-1])))
        by_pairs = max(shapes, key=lambda shape: shape[0] * shape[1] ** 2)
        return max(shapes, key=lambda shape: shape[0] * shape[1]), by_pairs

    @property
    def padding(self) -> dict[str, float]:
        """Dictionary of the shares of padding in an epoch, with filler rows: "source", "target" and "both"."""
        positions = int((self._rows * self._usual * self._num_batches).sum())
        source, target = (1 - tokens / positions for tokens in self._tokens)
        return {"source": source, "target": target, "both": (source + target) / 2}

    def summary(self) -> str:
        """Returns one line with the number of updates per epoch, their shapes, and the share of padding."""
        shapes = self.shapes
        return (
            f"{self.updates_per_epoch:,} updates per epoch, {len(shapes)} shapes from {shapes[0][0]} x {shapes[0][2]} "
            f"to {shapes[-1][0]} x {shapes[-1][2]}, {self.padding['both']:.1%} padding"
        )

    def _segment(self, corpus: ParallelCorpus, pairs: np.ndarray, epoch: int, portion: int) -> tuple[RaggedArray, ...]:
        assert self._sampling is not None
        return self._sampling.segment(corpus, pairs, (self.seed, epoch, portion), self._longest)

    def _plan(self, epoch: int, portion: int) -> tuple[ParallelCorpus, tuple[np.ndarray, ...]]:
        """Plans the batches of a portion of an epoch. The result depends only on the seed and the arguments.

        Returns:
            The corpus of the portion's pairs, and four int64 arrays:

            - rows `[rows]`, the rows of all batches: numbers of pairs in that corpus, -1 for filler rows;
            - begins `[updates]`, where each batch begins in `rows`;
            - sizes `[updates]`, the number of rows of each batch;
            - lengths `[updates]`, the length to which each batch is padded.
        """
        corpus, rows, generator = self._order.portion(epoch, portion)
        if self._sampling is not None:
            block = PairBlock(corpus.line_numbers[rows], self._segment(corpus, rows, epoch, portion))
            corpus = ParallelCorpus.from_block(block, corpus.num_read)
            rows = np.arange(len(rows))
        longer = np.maximum(corpus.source_lengths, corpus.target_lengths)
        buckets = np.searchsorted(self._edges, longer[rows] + 1)
        # With the rows ordered by bucket, each batch is one slice: the rest of a bucket precedes the next bucket.
        order = np.argsort(buckets, kind="stable")
        rows, buckets = rows[order], buckets[order]
        num_batches = self._portion_batches[portion]
        usual = np.repeat(np.arange(len(self._rows)), num_batches)
        sizes = self._rows[usual]
        ends = np.cumsum(sizes)
        # Filler rows are at the end; or, if there may be more long pairs than usual, among the shortest pairs, so that
        # all rows of the longest batches have pairs.
        fillers = int(ends[-1]) - len(rows)
        before = 0 if self._is_exact else min(fillers, int(sizes[0]) - 1)
        rows = np.concatenate([np.full(before, -1), rows, np.full(fillers - before, -1)])
        longest = buckets[np.clip(ends - before, 1, len(buckets)) - 1]  # of each batch
        lengths = np.maximum(self._usual[usual], self._edges[longest])
        order = generator.permutation(len(usual))
        return corpus, (rows, (ends - sizes)[order], sizes[order], lengths[order])

    def dataset(
        self, start: int = 0, parts: int = 1, shard_index: int = 0, num_shards: int = 1
    ) -> tf.data.Dataset[dict[str, tf.Tensor]]:
        """Makes the endless dataset of all updates from `start` on, in order.

        Each update's batch is split into `parts` slices with the same number of rows, one for each replica and
        accumulation step. The elements of shard `shard_index` are `parts / num_shards` successive slices of each
        update. The updates do not depend on the number of parts and shards. If the number of rows is not a multiple of
        `parts`, rows of padding are added at the end. A start at a late update is as fast as a start at 0.

        Args:
            start: Integer, the first update, in epoch `start // updates_per_epoch`. Defaults to 0.
            parts: Integer, the number of slices of an update's batch. Defaults to 1.
            shard_index: Integer, the number of the shard (a worker), from 0. Defaults to 0.
            num_shards: Integer, the number of shards. It must divide `parts`. Defaults to 1.

        Returns:
            A dataset of dictionaries:

            - "source": int32 tensor `[rows, length]`, ids, EOS, then PAD;
            - "target_input": int32 tensor `[rows, length]`, BOS, ids, then PAD;
            - "target_output": int32 tensor `[rows, length]`, ids, EOS, then PAD;
            - "line_numbers": int32 tensor `[rows]`, the lines of the pairs; -1 for rows of padding;
            - "links": int32 tensor `[rows, P]`, if the corpora have links: the links of the pairs, then -1. P is a
              multiple of `length`, and the same for all parts of an update.

        Raises:
            UserError: An argument is out of its range.
        """
        require(start >= 0, f"`start` must be at least 0. Received: {start=}")
        if num_shards < 1 or parts < 1 or parts % num_shards or not 0 <= shard_index < num_shards:
            raise UserError(
                "`num_shards` must divide `parts`, and `shard_index` must be from 0 to below `num_shards`. "
                f"Received: {parts=}, {shard_index=}, {num_shards=}"
            )
        num_portions, parts_here = len(self._portion_batches), parts // num_shards
        first_epoch, offset = divmod(start, self.updates_per_epoch)
        ends = np.cumsum([batches.sum() for batches in self._portion_batches])  # [portions]
        portion = int(np.searchsorted(ends, offset, side="right"))
        first, offset = first_epoch * num_portions + portion, offset - int(np.append(0, ends)[portion])
        # A corpus that is the same for all portions is a constant of the graph; otherwise each portion brings its own.
        fixed = _tensors(self._order.corpus) if self._order.corpus is not None and self._sampling is None else ()
        side = [tf.int32, tf.int64]  # values and row splits
        types = [tf.int64] * 4 + ([] if fixed else [tf.int32, *side * (3 if self._has_links else 2)])

        def plan(number: np.ndarray) -> tuple[np.ndarray, ...]:
            corpus, (rows, *batches) = self._plan(*divmod(int(number), num_portions))
            skipped = offset if number == first else 0
            corpus_tensors = () if fixed else tuple(tensor.numpy() for tensor in _tensors(corpus))
            return rows, *(x[skipped:] for x in batches), *corpus_tensors

        def plan_portion(number: tf.Tensor) -> tuple[tf.Tensor, ...]:
            tensors = tf.numpy_function(plan, [number], types)
            for tensor in tensors:
                tensor.set_shape([None])
            return tuple(tensors)

        def batches(
            rows: tf.Tensor, begins: tf.Tensor, sizes: tf.Tensor, lengths: tf.Tensor, *corpus_tensors: tf.Tensor
        ) -> tf.data.Dataset:
            """Makes the parts of one portion's batches."""
            line_numbers, *sides = corpus_tensors or fixed
            source, target = (sides[0], sides[1]), (sides[2], sides[3])
            links = (sides[4], sides[5]) if self._has_links else None

            def part_of(number: tf.Tensor) -> dict[str, tf.Tensor]:
                update, part = number // parts_here, number % parts_here + shard_index * parts_here
                size = -(-sizes[update] // parts)
                positions = part * size + tf.range(size)  # [size], in the batch
                chosen = tf.gather(rows, begins[update] + tf.minimum(positions, sizes[update] - 1))
                chosen = tf.where(positions < sizes[update], chosen, -1)
                length = lengths[update]
                lines = tf.gather(line_numbers, tf.maximum(chosen, 0))
                begin = tf.where(chosen < 0, PAD, BOS)[:, None]
                aligned = {}
                if links is not None:
                    pairs = tf.maximum(rows[begins[update] : begins[update] + sizes[update]], 0)
                    longest = tf.reduce_max(tf.gather(links[1], pairs + 1) - tf.gather(links[1], pairs))
                    # Few different widths, because XLA compiles a program for each.
                    width = tf.maximum(-(-longest // length), 1) * length
                    aligned["links"] = _rows(links, chosen, width, end=-1, pad=-1)
                return {
                    **aligned,
                    "source": _rows(source, chosen, length, end=EOS),
                    "target_input": tf.concat([begin, _rows(target, chosen, length - 1, end=PAD)], axis=1),
                    "target_output": _rows(target, chosen, length, end=EOS),
                    "line_numbers": tf.where(chosen < 0, -1, lines),
                }

            numbers = tf.data.Dataset.range(tf.size(begins, tf.int64) * parts_here)
            return numbers.map(part_of, num_parallel_calls=2)

        options = tf.data.Options()
        options.deterministic = True
        # There is nothing to tune, and the end of a run might wait for tf.data's tuner: it sleeps for up to a minute,
        # and is not always woken when an iterator is deleted.
        options.autotune.enabled = False
        # A strategy must not shard the dataset again.
        options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
        portions = tf.data.Dataset.range(first, np.iinfo(np.int64).max).map(plan_portion).prefetch(1)
        return portions.flat_map(batches).prefetch(8).with_options(options)


def _shares(edges: np.ndarray, counts: Sequence[np.ndarray], occurrences: Sequence[float]) -> np.ndarray:
    """Returns the number of pairs of each bucket in an epoch, float64 array `[buckets]`."""
    shares = np.zeros(len(edges))
    for one, occurrence in zip(counts, occurrences, strict=True):
        buckets = np.searchsorted(edges, np.arange(len(one)) + 1)
        for bucket, number in enumerate(np.bincount(buckets, one, len(edges)).astype(int).tolist()):
            # Added pair by pair: other rounding errors could change the number of batches of runs that are resumed.
            for begin in range(0, number, PORTION):
                added = np.full(min(PORTION, number - begin) + 1, occurrence)
                added[0] = shares[bucket]
                shares[bucket] = np.add.accumulate(added)[-1]
    return shares


def _tensors(corpus: ParallelCorpus) -> tuple[tf.Tensor, ...]:
    """Returns line numbers, then ids and row splits of the source, of the target, and of the links if there are any."""
    with tf.device("CPU"):
        lines = tf.constant(corpus.line_numbers, tf.int32)
    sides = [side for side in (corpus.source, corpus.target, corpus.links) if side is not None]
    return lines, *(part for side in sides for part in (side.values, side.row_splits))


def _edges(length_buckets: Sequence[int] | None, longest: int) -> np.ndarray:
    """Returns the checked edges, or the default edges up to the longest sentence, int64 array `[buckets]`."""
    if length_buckets is None:
        edges = list(range(4, 33, 2))
        while edges[-1] < longest:
            edges.append(2 * round(edges[-1] * 1.15 / 2))
        return np.minimum(np.array(edges), longest)[: int(np.searchsorted(edges, longest)) + 1]
    edges = [int(edge) for edge in length_buckets]
    if not edges or edges[0] < 1 or any(a >= b for a, b in pairwise(edges)):
        raise UserError(f"`length_buckets` must be positive and ascending. Received: length_buckets={edges}")
    if edges[-1] > LARGEST:
        raise UserError(f"`length_buckets` can be at most {LARGEST:,}. Received: length_buckets={edges}")
    if edges[-1] < longest:
        raise UserError(
            f"`length_buckets` must reach the longest sentence, {longest} subwords with EOS: add a larger one, or read "
            f"the corpus with max_length={edges[-1]}. Received: length_buckets={edges}"
        )
    return np.array(edges)


def _rows(
    sentences: tuple[tf.Tensor, tf.Tensor], rows: tf.Tensor, length: tf.Tensor, end: int, pad: int = PAD
) -> tf.Tensor:
    """Gathers sentences, int32 tensor `[rows, length]`: ids, `end`, then `pad`; only `pad` for the row -1."""
    ids, row_splits = sentences
    row = tf.maximum(rows, 0)
    begins = tf.gather(row_splits, row)
    ends = tf.gather(row_splits, row + 1)
    sizes = tf.where(rows < 0, tf.constant(-1, tf.int64), ends - begins)[:, None]
    position = tf.range(length)[None]  # [1, length]
    last = tf.maximum(tf.size(ids, tf.int64) - 1, 0)
    chosen = tf.gather(ids, tf.minimum(begins[:, None] + position, last))
    return tf.where(position < sizes, chosen, tf.where(position == sizes, end, pad))
