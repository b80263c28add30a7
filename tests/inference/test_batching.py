"""Any number of rows: their buckets, groups and parts, and that nobody can tell."""

import threading
import time

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.files.search_options import SearchOptions
from keras_nmt.ids import EOS
from keras_nmt.inference import batching
from keras_nmt.inference.batching import STEP_COST, Rows, bucket_sizes, by_group, part_size

OPTIONS = SearchOptions(length_buckets=(8, 16, 64), batch_buckets=(1, 4, 16), max_batch_tokens=256)
LENGTHS = st.lists(st.integers(0, 80), max_size=3 * 16 + 1)
BUCKETS = st.sets(st.integers(1, 50), min_size=1, max_size=4).map(lambda sizes: tuple(sorted(sizes)))
SPECS = [tf.TensorSpec([None, 2, None], tf.float32), tf.TensorSpec([None], tf.string)]


@settings(max_examples=40)
@given(buckets=BUCKETS)
def test_a_length_gets_the_smallest_bucket_that_fits(buckets):
    sizes = range(buckets[-1] + 1)
    expected = [min(bucket for bucket in buckets if bucket >= size) for size in sizes]
    assert bucket_sizes(tf.constant(sizes), buckets).numpy().tolist() == expected


def bucket(size, buckets):
    return min(x for x in buckets if x >= size)


def sizes_of_parts(lengths, groups, compiled):
    """The sizes of all parts of rows in order."""
    start, sizes = 0, []
    while start < len(lengths):
        groups_given = None if groups is None else tf.constant(groups)
        sizes.append(int(part_size(tf.constant(lengths), groups_given, tf.constant(start), OPTIONS, compiled)))
        start += sizes[-1]
    return sizes


@settings(max_examples=30)
@given(lengths=LENGTHS.map(lambda x: sorted((min(y, 64) or 1 for y in x), reverse=True)), compiled=st.booleans())
def test_a_part_fits_into_memory_and_ends_where_cost_is_least(lengths, compiled):
    if compiled:
        lengths = [bucket(length, (8, 16, 64)) for length in lengths]
    start = 0
    for size in sizes_of_parts(lengths, None, compiled):
        longest = lengths[start]
        most = max([x for x in (1, 4, 16) if x * longest <= 256], default=1)
        window = lengths[start : start + most]

        def cost(rows):
            return rows[0] * (STEP_COST + (bucket(len(rows), (1, 4, 16)) if compiled else len(rows))) if rows else 0

        costs = [cost(window[:i]) + cost(window[i:]) for i in range(1, len(window) + 1)]
        assert costs[size - 1] == min(costs)
        start += size
    assert start == len(lengths)


def test_one_long_row_does_not_hold_up_many_short_ones():
    assert sizes_of_parts([64] + [8] * 32, None, compiled=False) == [1, 16, 16]
    assert sizes_of_parts([64] + [8] * 32, None, compiled=True) == [1, 16, 16]
    # Few rows are cheaper together, and rows of the same length always are.
    assert sizes_of_parts([16, 16, 8], None, compiled=False) == [3]
    assert sizes_of_parts([16] * 16, None, compiled=True) == [16]


def test_parts_shrink_as_the_beam_grows():
    for hypotheses, rows in ((64, 16), (65, 4), (256, 4), (300, 1), (5000, 1)):
        size = part_size(tf.fill([16], 8), None, tf.constant(0), OPTIONS, False, hypotheses)
        assert int(size) == rows
        assert rows * hypotheses <= batching.MOST_HYPOTHESES or rows == 1
    options = SearchOptions(batch_buckets=(64,))  # without small buckets, a part still fits into memory
    for hypotheses, length, rows in ((1, 256, 16), (64, 8, 16), (1, 9000, 1)):
        lengths = tf.fill([64], length)
        assert int(part_size(lengths, None, tf.constant(0), options, False, hypotheses)) == rows
        assert int(part_size(lengths, None, tf.constant(0), options, True, hypotheses)) == 64  # padded to it anyway


def test_a_part_has_rows_of_one_group():
    assert sizes_of_parts([8] * 7, [0, 0, 1, 1, 1, 3, 3], compiled=False) == [2, 3, 2]
    assert sizes_of_parts([16, 8, 16, 8], [0, 0, 2, 2], compiled=True) == [2, 2]


@settings(max_examples=30)
@given(lengths=LENGTHS, compiled=st.booleans(), grouped=st.booleans(), data=st.data())
def test_each_needed_row_is_computed_once_and_in_order(lengths, compiled, grouped, data):
    groups = data.draw(st.lists(st.integers(0, 2), min_size=len(lengths), max_size=len(lengths)))
    tokens = tf.ragged.constant([list(range(4, 4 + length)) for length in lengths], tf.int32, ragged_rank=1)
    rows = Rows([tokens], [], tf.constant(groups, tf.int32) if grouped else None, OPTIONS, compiled)
    assert rows.truncated.numpy().tolist() == [length >= 64 for length in lengths]
    assert rows.lengths[0].numpy().tolist() == [min(length, 63) for length in lengths]
    seen = []

    def body(chosen):
        ids = rows.ids(0, chosen).numpy()
        numbers = chosen.numpy().tolist()
        assert len(numbers) in (1, 4, 16) or not compiled
        assert ids.shape[1] in (8, 16, 64) or not compiled
        assert ids.size <= 256 or len(numbers) == 1
        for row, of_row in zip(numbers, ids, strict=True):
            length = min(lengths[row], 63)
            assert of_row.tolist() == [*range(4, 4 + length), EOS, *[0] * (len(of_row) - length - 1)]
        assert len({groups[row] for row in numbers}) == 1 or not grouped
        seen.extend(dict.fromkeys(numbers))
        return [tf.strings.as_string(chosen), tf.cast(chosen[:, None], tf.float32) * [1.0, 2.0]]

    columns = [((), tf.string), ((2,), tf.float32)]
    needed = data.draw(st.none() | st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths)))
    given = None if needed is None else tf.constant(needed, tf.bool, [len(lengths)])
    names, doubles = rows.compute(body, columns, given)
    found = [row for row in range(len(lengths)) if needed is None or needed[row]]
    assert sorted(seen) == found
    assert names.numpy().tolist() == [str(row).encode() if row in found else b"" for row in range(len(lengths))]
    assert doubles.numpy().tolist() == [[row, 2 * row] if row in found else [0, 0] for row in range(len(lengths))]


def test_some_parts_are_computed_at_the_same_time_but_on_a_gpu_by_the_calling_thread(monkeypatch):
    # There, TensorFlow mixes up the eager tensors of several threads: translations ended with errors of shapes.
    threads, together = [], threading.Barrier(batching.PARTS_AT_ONCE)

    def body(chosen):
        threads.append(threading.current_thread())
        if threads[-1] is not threading.main_thread():
            together.wait(60)
        return [chosen]

    # The first part of a kind is computed before all others: when operators are new, threads may crash the process.
    for device, parts, here in (("CPU", 13, 1), ("CPU", 12, 0), ("GPU", 12, 12)):
        monkeypatch.setattr(tf.config, "list_logical_devices", lambda kind, device=device: ["0"] * (kind == device))
        threads.clear()
        rows = Rows([tf.ragged.constant([[4] * 60] * 4 * parts, tf.int32)], [], None, OPTIONS, False)  # of 4 rows each
        assert rows.compute(body, [((), tf.int32)])[0].numpy().tolist() == list(range(4 * parts))
        assert [x is threading.main_thread() for x in threads] == [True] * here + [False] * (parts - here)
        assert len(set(threads) - {threading.main_thread()}) in (0, batching.PARTS_AT_ONCE)


def test_the_first_part_of_a_kind_is_alone_whoever_computes():
    seen = []

    def body(chosen):
        seen.append("begun")
        time.sleep(0.1)
        seen.append("ended")
        return [chosen]

    rows = Rows([tf.ragged.constant([[4]], tf.int32)], [], None, OPTIONS, False)
    callers = [threading.Thread(target=rows.compute, args=[body, [((), tf.int32)]]) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(seen) == 8
    assert seen[:2] == ["begun", "ended"]


def test_after_an_error_no_further_part_begins():
    begun = []

    def fail(chosen):
        begun.append(chosen)
        if len(begun) == 1:  # the first part has no others beside it
            return [chosen]
        time.sleep(0.2)  # longer than it takes to hand in fifty parts, also on a busy machine
        raise ValueError("of a part")

    rows = Rows([tf.ragged.constant([[4] * 60] * 200, tf.int32)], [], None, OPTIONS, False)  # fifty parts
    with pytest.raises(ValueError, match="of a part"):
        rows.compute(fail, [((), tf.int32)])
    assert len(begun) < 50


@tf.function(autograph=False, reduce_retracing=True)
def _grouped(group, values):
    def branch(i):
        def compute(rows):
            present = tf.debugging.assert_positive(tf.size(rows))  # of a group without rows nothing is run
            with tf.control_dependencies([present]):
                return [tf.gather(values, rows) + tf.cast(i, tf.float32), tf.strings.as_string(rows) + f" in {i}"]

        return compute

    return by_group(group, [branch(i) for i in range(3)], SPECS)


@settings(max_examples=12)
@given(group=st.lists(st.integers(0, 2), min_size=1, max_size=9), length=st.integers(1, 4))
def test_each_row_is_computed_by_the_branch_of_its_group_and_in_order(group, length):
    values = np.arange(len(group) * 2 * length, dtype="float32").reshape(len(group), 2, length)
    numbers, names = _grouped(tf.constant(group), tf.constant(values))
    np.testing.assert_array_equal(numbers, values + np.array(group, "float32")[:, None, None])
    assert names.numpy().tolist() == [f"{row} in {i}".encode() for row, i in enumerate(group)]
