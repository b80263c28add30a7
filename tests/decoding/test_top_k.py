"""The largest logits."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.decoding.scores import NEG_INF, top_k


def check(logits: np.ndarray, k: int, values: np.ndarray, ids: np.ndarray) -> None:
    expected = np.argsort(-logits, axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(logits, expected, axis=-1))


@settings(max_examples=40, deadline=None)
@given(
    vocabulary_size=st.one_of(st.integers(8, 70), st.integers(250, 2100), st.sampled_from([256, 1024, 1025, 2048])),
    k=st.integers(1, 8),
    levels=st.sampled_from([1, 2, 20, 100_000]),
    seed=st.integers(0, 1000),
)
def test_the_largest_logits_with_the_lowest_ids_among_equals(vocabulary_size, k, levels, seed):
    logits = np.random.default_rng(seed).integers(0, levels, (2, 3, vocabulary_size)).astype("float32")
    values, ids = top_k(tf.constant(logits), k)
    assert ids.dtype == tf.int32
    check(logits, k, values, ids)


@pytest.mark.parametrize("levels", [2, 100_000])
def test_xla_gives_the_same_logits(levels):
    logits = np.random.default_rng(0).integers(0, levels, (2, 4, 3001)).astype("float32")
    check(logits, 8, *tf.function(lambda x: top_k(x, 8), jit_compile=True)(logits))


@settings(max_examples=10, deadline=None)
@given(vocabulary_size=st.integers(1025, 1087), k=st.integers(2, 4), seed=st.integers(0, 1000))
def test_the_last_token_of_a_short_block_is_taken_once(vocabulary_size, k, seed):
    logits = np.random.default_rng(seed).normal(size=(2, 3, vocabulary_size)).astype("float32")
    logits[..., -1] = 9.0  # entries past the end repeat this token's logit
    check(logits, k, *top_k(tf.constant(logits), k))


def test_filler_is_never_chosen():
    logits = np.where(np.arange(1001) == 7, 0, NEG_INF).astype("float32")[None, None]
    _, ids = top_k(tf.convert_to_tensor(logits), 4)
    assert ids[0, 0].numpy().tolist() == [7, 0, 1, 2]


def test_ids_are_in_the_vocabulary_even_if_logits_are_minus_infinity():
    logits = np.full((1, 1, 2001), -np.inf, "float32")
    logits[..., 1999] = 1.0
    _, ids = top_k(tf.constant(logits), 4)
    assert ids[0, 0, 0] == 1999
    assert ids.numpy().max() < 2001


def test_equal_logits_of_two_blocks_give_the_lower_ids():
    logits = np.zeros((1, 1, 1000), "float32")
    logits[..., [600, 601]] = [3.0, 1.0]  # the block with the largest logit has another logit,
    logits[..., 150] = 1.0  # equal to a logit with a lower id
    check(logits, 2, *top_k(tf.constant(logits), 2))
