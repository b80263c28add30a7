"""Batches of rows of texts: bucket sizes, rows of several languages, and parts of bounded size."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import itertools
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow as tf

from keras_nmt.files.search_options import SearchOptions
from keras_nmt.ids import EOS, PAD
from keras_nmt.inference._concurrency import alone_if_new
from keras_nmt.inference._tensors import bucket_sizes, has_unknown
from keras_nmt.progress import count_steps

Column = tuple[Sequence[int | tf.Tensor], tf.DType]  # dimensions of a tensor after the rows, and its type
STEP_COST = 8  # fixed cost of a decoder step (reading weights, starting operators), as a number of rows
# Most operators of a step are too small for several cores. So several parts at the same time, on a core each, take less
# time than one part on all cores. In an export there are fewer, because a server also computes several requests.
PARTS_AT_ONCE = 4
PARTS_OF_A_REQUEST_AT_ONCE = 2
OF_TEXTS = ("truncated", "has_unknown")  # outputs of a text, not of each of its hypotheses
MOST_HYPOTHESES = 1024  # of a part of several rows: a step has the logits of the whole vocabulary for each hypothesis


def part_size(
    lengths: tf.Tensor,
    groups: tf.Tensor | None,
    start: tf.Tensor,
    options: SearchOptions,
    compiled: bool,
    hypotheses: int = 1,
) -> tf.Tensor:
    """Returns the number of rows of the part that begins at the row `start`.

    A part has rows of one group, at most as many as `batch_buckets`, `max_batch_tokens` and `MOST_HYPOTHESES` allow,
    but at least one. The longest row determines the number of steps, so the part ends before rows that are so much
    shorter that a part of their own costs less. `groups` `[N]` ascend, or are None for one group; the padded `lengths`
    `[N]` descend within a group. A row has so many `hypotheses` at the same time.
    """
    longest = lengths[start]
    sizes = tf.constant(options.batch_buckets, tf.int32)
    fits = (sizes * longest <= options.max_batch_tokens) & (sizes * hypotheses <= MOST_HYPOTHESES)
    fitting = tf.math.count_nonzero(fits, dtype=tf.int32)
    most = sizes[tf.maximum(fitting - 1, 0)]
    if not compiled:  # compiled parts are padded to a bucket
        fewer = tf.minimum(options.max_batch_tokens // longest, MOST_HYPOTHESES // hypotheses)
        most = tf.where(fitting > 0, most, tf.clip_by_value(fewer, 1, most))
    stop = start + most
    window = lengths[start:stop]
    if groups is not None:
        window = window[: tf.math.count_nonzero(groups[start:stop] == groups[start], dtype=tf.int32)]
    heads = tf.range(tf.size(window)) + 1  # [n], possible sizes of the part
    tails = tf.size(window) - heads
    if compiled:
        heads, tails = bucket_sizes(heads, options.batch_buckets), bucket_sizes(tails, options.batch_buckets)
    after = tf.concat([window[1:], [0]], 0)  # the longest row of the tail, 0 if there is none
    costs = longest * (STEP_COST + heads) + after * (STEP_COST + tails)
    return tf.argmin(costs, output_type=tf.int32) + 1


class Rows:
    """Rows of subwords that are computed part by part: the model's memory is bounded for any number of rows.

    Args:
        tokens: List of `tf.RaggedTensor` `[N, (T)]`, the subwords of each side's texts.
        languages: List of int32 tensors `[N]`, the source and target language of each row; empty if the model has one
            direction.
        groups: int32 tensor `[N]`, the group of each row, or None for one group. A part has rows of one group.
        options: `SearchOptions`.
        compiled: Boolean, whether parts are padded to batch buckets and length buckets.
        hypotheses: Integer, the hypotheses that a row has at the same time. Defaults to 1.
        before: int32 tensor `[N]`, the number of subwords of the first side that stand before its text, such as a
            tag. Defaults to None: there are none.

    Attributes:
        lengths: List of int32 tensors `[N]`, the number of subwords of each side's texts after truncation.
        truncated: bool tensor `[N]`, whether a text was truncated.
        has_unknown: bool tensor `[N]`, whether the first side's text has an unknown subword.
    """

    def __init__(
        self,
        tokens: list[tf.RaggedTensor],
        languages: list[tf.Tensor],
        groups: tf.Tensor | None,
        options: SearchOptions,
        compiled: bool,
        hypotheses: int = 1,
        before: tf.Tensor | None = None,
    ) -> None:
        self.languages = languages
        self.groups = groups
        self._tokens = tokens
        self.options = options
        self.compiled = compiled
        self.hypotheses = hypotheses
        longest = options.length_buckets[-1] - 1  # EOS takes one position
        lengths = [tf.cast(x.row_lengths(), tf.int32) for x in tokens]
        self.truncated = tf.reduce_any(tf.stack(lengths) > longest, 0)
        self.has_unknown = has_unknown(tokens[0])
        self.lengths = [tf.minimum(x, longest) for x in lengths]
        self.before = tf.zeros_like(lengths[0]) if before is None else before

    def ids(self, side: int, chosen: tf.Tensor) -> tf.Tensor:
        """Returns the ids `[B, T]` of the chosen rows `[B]` with EOS, padded to the longest or to a length bucket."""
        tokens, lengths = tf.gather(self._tokens[side], chosen), tf.gather(self.lengths[side], chosen)
        columns = self.padded(tf.reduce_max(lengths)[None])[0]
        ids = tf.raw_ops.RaggedTensorToTensor(  # the operator also truncates
            shape=(tf.size(chosen), columns),
            values=tokens.flat_values,
            default_value=PAD,
            row_partition_tensors=[tokens.row_splits],
            row_partition_types=["ROW_SPLITS"],
        )
        ids = tf.where(tf.range(columns) == lengths[:, None], EOS, ids)
        return tf.ensure_shape(ids, [None, None])

    def compute(
        self,
        body: Callable[[tf.Tensor], Sequence[tf.Tensor]],
        columns: Sequence[Column],
        needed: tf.Tensor | None = None,
    ) -> list[tf.Tensor]:
        """Computes all rows, or those that are `needed` `[N]`, rows of similar length together.

        `body` is a function from the indices `[B]` of a part's rows to tensors `[B, ...]`, which `columns` describe. If
        it is compiled, the last index is repeated up to a batch bucket. In a graph, operations with a state would keep
        parts in order.

        Returns:
            The tensors `[N, ...]` in the order of the rows, with 0 or "" for rows that are not needed.
        """
        parts = _Parts(self, body, needed)
        results = [tf.zeros([tf.size(self.lengths[0]), *shape], dtype) for shape, dtype in columns]
        return parts.compute_eagerly(results) if tf.executing_eagerly() else parts.compute_in_graph(results)

    def width(self, side: int) -> tf.Tensor:
        """Returns the largest number of columns of a part's ids, an integer tensor; 1 without rows."""
        return self.padded(tf.reduce_max(tf.concat([self.lengths[side], [0]], 0))[None])[0]

    def padded(self, lengths: tf.Tensor) -> tf.Tensor:
        """Returns the padded lengths, with EOS, of rows with these numbers of subwords."""
        return bucket_sizes(lengths + 1, self.options.length_buckets) if self.compiled else lengths + 1


class _Parts:
    """The parts of `Rows.compute`, ordered by group and by length, the longest first."""

    def __init__(self, rows: Rows, body: Callable[[tf.Tensor], Sequence[tf.Tensor]], needed: tf.Tensor | None) -> None:
        self._rows = rows
        self._body = body
        lengths = tf.reduce_max(tf.stack(rows.lengths), 0)
        keys = lengths if rows.groups is None else lengths - rows.groups * rows.options.length_buckets[-1]
        order = tf.argsort(keys, direction="DESCENDING", stable=True)
        if needed is not None:
            order = tf.boolean_mask(order, tf.gather(needed, order))
        self._order = order  # [n], the indices of the rows
        self._count = tf.size(order)
        self._lengths = rows.padded(tf.gather(lengths, order))
        self._groups = None if rows.groups is None else tf.gather(rows.groups, order)

    def compute_in_graph(self, results: list[tf.Tensor]) -> list[tf.Tensor]:
        """Fills in the results by a loop over the parts, as an export does."""

        def next_part(start: tf.Tensor, *results: tf.Tensor) -> tuple[tf.Tensor, ...]:
            size = self._size_at(start)
            return start + size, *_filled(results, *self._compute_part(start, size))

        _, *results = tf.while_loop(
            lambda start, *_: start < self._count,
            next_part,
            (tf.constant(0), *results),
            parallel_iterations=PARTS_OF_A_REQUEST_AT_ONCE,
        )
        return results

    def compute_eagerly(self, results: list[tf.Tensor]) -> list[tf.Tensor]:
        """Fills in the results by several threads, and shows progress."""
        computed = []
        with count_steps(int(self._count), "lines") as advance, contextlib.closing(self._computed()) as parts:
            for part in parts:
                computed.append(part)
                advance(len(part[0]))
        if not computed:
            return results
        rows, made = zip(*computed, strict=True)
        # All parts at once, because filling in each would copy the whole results.
        return _filled(results, tf.concat(rows, 0), [tf.concat(x, 0) for x in zip(*made, strict=True)])

    def _computed(self) -> Generator[tuple[tf.Tensor, list[tf.Tensor]]]:
        parts = self._starts_and_sizes()
        # On a GPU, TensorFlow mixes up the eager tensors of several threads (tensorflow/tensorflow issue 123980).
        if tf.config.list_logical_devices("GPU"):
            yield from itertools.starmap(self._compute_part, parts)
            return
        with alone_if_new((self._body.__code__, self._rows.compiled)) as is_new:
            begun = [self._compute_part(*part) for part in itertools.islice(parts, int(is_new))]
        yield from begun
        with ThreadPoolExecutor(PARTS_AT_ONCE) as threads:
            # They trace functions in the context of the caller, such as `keras_nmt.layers.intervening`.
            futures = [threads.submit(contextvars.copy_context().run, self._compute_part, *part) for part in parts]
            try:
                for future in futures:
                    yield future.result()
            finally:  # after an error, no other part must begin
                for future in futures:
                    future.cancel()

    def _starts_and_sizes(self) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
        start = tf.constant(0)
        while start < self._count:
            yield start, (size := self._size_at(start))
            start += size

    def _size_at(self, start: tf.Tensor) -> tf.Tensor:
        rows = self._rows
        return part_size(self._lengths, self._groups, start, rows.options, rows.compiled, rows.hypotheses)

    def _compute_part(self, start: tf.Tensor, size: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """Returns the indices of a part's rows `[size]`, and their tensors `[size, ...]`."""
        padded = bucket_sizes(size[None], self._rows.options.batch_buckets)[0] if self._rows.compiled else size
        rows = tf.gather(self._order, start + tf.minimum(tf.range(padded), size - 1))
        return rows[:size], [x[:size] for x in self._body(rows)]


def _filled(results: Sequence[tf.Tensor], rows: tf.Tensor, made: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """Returns the results with the tensors that were made for some of their rows."""
    return [tf.tensor_scatter_nd_update(x, rows[:, None], new) for x, new in zip(results, made, strict=True)]


class Groups:
    """Groups languages with equal keys, such as the same subwords. `keys` has one for each language."""

    def __init__(self, keys: Sequence[Hashable]) -> None:
        distinct = list(dict.fromkeys(keys))
        self._group_of = [distinct.index(key) for key in keys]
        self.firsts = [self._group_of.index(group) for group in range(len(distinct))]  # first language of each group

    def of(self, languages: tf.Tensor) -> tf.Tensor:
        """Returns the group of each language: int32 tensor `[N]` -> int32 tensor `[N]`."""
        return tf.gather(tf.constant(self._group_of, tf.int32), languages)


def by_group(
    group: tf.Tensor, branches: Sequence[Callable[[tf.Tensor], Sequence[tf.Tensor]]], specs: Sequence[tf.TensorSpec]
) -> list[tf.Tensor]:
    """Computes the rows of each `group` `[N]` together, and returns tensors `[N, ...]` in the order of the rows.

    Each group has a function from the indices `[n]` of its rows to tensors `[n, ...]`, which have `specs` with at most
    one unknown dimension besides the first. Nothing is computed for a group without rows; N > 0.
    """
    indices = [tf.cast(tf.where(group == i)[:, 0], tf.int32) for i in range(len(branches))]

    def compute(rows: tf.Tensor, branch: Callable[..., Sequence[tf.Tensor]]) -> tuple[tf.Tensor, ...]:
        return tuple(tf.reshape(x, [-1]) for x in branch(rows))  # flat, because sizes of an empty result are unknown

    def nothing() -> tuple[tf.Tensor, ...]:
        return tuple(tf.zeros([0], spec.dtype) for spec in specs)

    parts = [
        tf.cond(tf.size(rows) > 0, functools.partial(compute, rows, branch), nothing)
        for rows, branch in zip(indices, branches, strict=True)
    ]
    order = tf.math.invert_permutation(tf.concat(indices, 0))
    results = []
    for spec, *flat in zip(specs, *parts, strict=True):
        sizes = [-1 if size is None else size for size in spec.shape[1:]]
        results.append(tf.gather(tf.reshape(tf.concat(flat, 0), [tf.shape(group)[0], *sizes]), order))
    return results


def rows_of(answers: Mapping[str, tf.Tensor], shape: tuple[int, int]) -> list[dict[str, Any]]:
    """Returns the outputs of each line, by name, as lists in the `shape` of lines and hypotheses."""
    columns = []
    for name, x in answers.items():
        of_tokens = x.shape[-1:] if name.startswith("token") else ()
        columns.append(x.numpy().reshape(shape[:1] if name in OF_TEXTS else (*shape, *of_tokens)).tolist())
    return [dict(zip(answers, row, strict=True)) for row in zip(*columns, strict=True)]
