"""The candidates of a batch: the target subwords that a search with a shortlist considers."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.inference._functions import IDS, WeightFunction, values_of
from keras_nmt.inference.shortlist import Shortlist

ALWAYS = 300  # the most frequent subwords, which every batch gets before those of the table
RESERVED = (PAD, UNK, BOS, EOS)
# Ranks of candidates, far above the expected numbers of the table.
FREQUENT = 1e6
FORCED = 1e7
TOO_MANY_FORCED = "The prefixes of a batch have more subwords than `shortlist_size`"


class Candidates:
    """Selects the candidates of a batch of source sentences.

    Candidates are, in this order and as many as fit: the reserved ids and the subwords of prefixes; the `ALWAYS` most
    frequent subwords; the subwords of the table by their expected number in the batch, the sum of their probabilities
    over all source subwords; the other subwords by frequency.

    Args:
        shortlist: `Shortlist`.
        size: Integer, the number of candidates, which is the same for all batches, as XLA requires.
    """

    def __init__(self, shortlist: Shortlist, size: int) -> None:
        self.size = min(size, len(shortlist.frequent))
        # An export stores variables once, and outside of its graph.
        tables = {
            "candidates": shortlist.candidates,
            "probabilities": shortlist.probabilities,
            "ranks": _ranks(shortlist.frequent),
        }
        self.weights = [
            keras.Variable(x, dtype=x.dtype.name, trainable=False, name=f"shortlist_{name}")
            for name, x in tables.items()
        ]
        self._traced = WeightFunction(self.select, self.weights, [IDS, IDS])

    def __call__(self, source: tf.Tensor, prefix: tf.Tensor | None) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the candidates `[N]`, ascending, for source ids `[B, S]` and prefixes `[B, P]`.

        They are the `vocabulary` of the search's logits. The second result is the number of forced subwords; if it is
        larger than `size`, some of them are missing.
        """
        return self._traced(source, tf.zeros([0, 0], tf.int32) if prefix is None else prefix)

    def select(self, source: tf.Tensor, prefix: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Computes the same operator by operator."""
        source = tf.raw_ops.UniqueV2(x=source, axis=[0]).y  # a batch may be padded with copies of a sentence
        words, _, counts = tf.unique_with_counts(tf.reshape(source, [-1]))
        candidates, probabilities, ranks = values_of(self.weights)
        ids = tf.gather(candidates, words)  # [words, k]
        numbers = tf.cast(counts, tf.float32)[:, None] * tf.gather(probabilities, words)
        expected = tf.scatter_nd(tf.reshape(ids, [-1, 1]), tf.reshape(numbers, [-1]), tf.shape(ranks))  # [Vt]
        ranks = tf.where(expected > 0, tf.maximum(ranks, expected), ranks)
        forced = tf.reshape(prefix, [-1, 1])
        ranks = tf.tensor_scatter_nd_max(ranks, forced, tf.fill([tf.shape(forced)[0]], FORCED))
        chosen = tf.sort(tf.math.top_k(ranks, self.size).indices)
        return tf.ensure_shape(chosen, [self.size]), tf.math.count_nonzero(ranks >= FORCED, dtype=tf.int32)


def _ranks(frequent: np.ndarray) -> np.ndarray:
    """Returns the ranks of all target subwords without the table, float32 `[Vt]`.

    Those of the most frequent subwords are near `FREQUENT`, those of the others are below 0.
    """
    places = np.empty(len(frequent), "float32")
    places[frequent] = np.arange(len(frequent))
    ranks = np.where(places < ALWAYS, FREQUENT - places, -places - 1).astype("float32")
    ranks[list(RESERVED)] = FORCED
    return ranks
