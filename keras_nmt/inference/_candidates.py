"""The candidates of a batch: the target subwords that a search considers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN
from keras_nmt.inference._functions import IDS, function
from keras_nmt.inference.shortlist import Shortlist

ALWAYS = 300  # most frequent subwords, which every batch has before those of the table
RESERVED = (PAD, UNKNOWN, BEGIN, END)
# Ranks of candidates: expected numbers of a table are far smaller.
FREQUENT = 1e6
FORCED = 1e7
TOO_MANY_FORCED = "The prefixes of a batch have more subwords than `shortlist_size`"


class Candidates:
    """Selects the candidates of a batch of source sentences.

    Candidates are, in this order and as many as there is room for: the reserved ids and the subwords of prefixes; the
    `ALWAYS` most frequent subwords; the subwords of the table, by the number that the table expects in the batch, which
    is the sum of their probabilities over all source subwords; the other subwords by frequency.

    Args:
        shortlist: `Shortlist`.
        size: Integer, the number of candidates, which is the same for all batches, as XLA requires.
    """

    def __init__(self, shortlist: Shortlist, size: int) -> None:
        self.size = min(size, len(shortlist.frequent))
        # Variables, which an export stores once and outside of its graph.
        self._candidates = tf.Variable(shortlist.candidates, trainable=False, name="shortlist_candidates")
        self._probabilities = tf.Variable(shortlist.probabilities, trainable=False, name="shortlist_probabilities")
        self._ranks = tf.Variable(_ranks(shortlist.frequent), trainable=False, name="shortlist_ranks")
        self._traced = function(self.select, IDS, IDS)

    def __call__(self, source: tf.Tensor, prefix: tf.Tensor | None) -> tf.Tensor:
        """The candidates `[N]`, in ascending order, of source ids `[B, S]` and of prefixes `[B, P]`.

        The reserved ids are the lowest, so that they have the same numbers among the candidates.
        """
        return self._traced(source, tf.zeros([0, 0], tf.int32) if prefix is None else prefix)

    def select(self, source: tf.Tensor, prefix: tf.Tensor) -> tf.Tensor:
        """The same, operator by operator."""
        source = tf.raw_ops.UniqueV2(x=source, axis=[0]).y  # a batch may be padded by copies of a sentence
        words, _, counts = tf.unique_with_counts(tf.reshape(source, [-1]))
        ids = tf.gather(self._candidates, words)  # [words, k]
        numbers = tf.cast(counts, tf.float32)[:, None] * tf.gather(self._probabilities, words)
        expected = tf.scatter_nd(tf.reshape(ids, [-1, 1]), tf.reshape(numbers, [-1]), tf.shape(self._ranks))  # [Vt]
        ranks = tf.where(expected > 0, tf.maximum(self._ranks, expected), self._ranks)
        forced = tf.reshape(prefix, [-1, 1])
        ranks = tf.tensor_scatter_nd_max(ranks, forced, tf.fill([tf.shape(forced)[0]], FORCED))
        count = tf.math.count_nonzero(ranks >= FORCED, dtype=tf.int32)
        check = tf.debugging.Assert(
            count <= self.size, [f"{TOO_MANY_FORCED}. Received: shortlist_size={self.size}, subwords:", count]
        )
        with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
            chosen = tf.math.top_k(ranks, self.size).indices
        return tf.ensure_shape(tf.sort(chosen), [self.size])


def candidate_numbers(candidates: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
    """The numbers among the candidates `[N]` of ids that are candidates: int32 tensors of one shape."""
    return tf.reshape(tf.searchsorted(candidates, tf.reshape(ids, [-1])), tf.shape(ids))


def _ranks(frequent: np.ndarray) -> np.ndarray:
    """A number for each target subword that orders candidates without the table, float32 `[Vt]`.

    The numbers of the most frequent are near `FREQUENT`, those of the others are below 0.
    """
    places = np.empty(len(frequent), "float32")
    places[frequent] = np.arange(len(frequent))
    ranks = np.where(places < ALWAYS, FREQUENT - places, -places - 1).astype("float32")
    ranks[list(RESERVED)] = FORCED
    return ranks
