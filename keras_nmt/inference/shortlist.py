"""Shortlists: the likely target subwords of each source subword, and of a batch."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import h5py
import numpy as np

from keras_nmt.errors import UserError, error_and_type, require
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.files.paths import check_regular
from keras_nmt.files.weights_file import arrays, check_digest, write_digest
from keras_nmt.ids import BOS, EOS, PAD, UNK

if TYPE_CHECKING:
    import tensorflow as tf

    from keras_nmt.data import SubwordTokenizer

ALWAYS = 300  # the most frequent subwords, which every batch gets before those of the table
RESERVED = (PAD, UNK, BOS, EOS)
# Ranks of candidates, far above the expected numbers of the table.
FREQUENT = 1e6
FORCED = 1e7
TOO_MANY_FORCED = "The prefixes and constraints of a batch have more subwords than `shortlist_size`"


@dataclasses.dataclass(frozen=True, eq=False)
class Shortlist:
    """A lexical table with the target subwords that a search considers. `AlignedSubwords` makes one.

    Attributes:
        candidates: int32 array `[Vs, k]`, the k likeliest target subwords of each source subword, likeliest first.
        probabilities: float32 array `[Vs, k]`, p(target subword | source subword), 0 for unused entries.
        frequent: int32 array `[Vt]`, all target subwords, the most frequent in the text first.
        subwords: Tuple of two strings, digests of the source and target subword models of the ids.

    Example:

    >>> shortlist = Shortlist(
    ...     candidates=np.array([[0], [0], [0], [0], [5]], "int32"),  # 5 for source subword 4
    ...     probabilities=np.array([[0], [0], [0], [0], [1]], "float32"),
    ...     frequent=np.array([5, 4, 0, 1, 2, 3], "int32"),
    ...     subwords=("", ""),
    ... )
    >>> shortlist.vocabulary_sizes
    (5, 6)

    Reference:
        [Jean et al., 2015](https://aclanthology.org/P15-1001), section 3.3.
    """

    candidates: np.ndarray
    probabilities: np.ndarray
    frequent: np.ndarray
    subwords: tuple[str, str]

    @property
    def vocabulary_sizes(self) -> tuple[int, int]:
        """The numbers of source and target subwords."""
        return len(self.candidates), len(self.frequent)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Shortlist:
        """Reads a file of `write`. Raises a `UserError` if it holds no shortlist or is damaged."""
        name = os.fspath(path)
        check_regular(path)
        with open(path, "rb") as stream:
            try:
                with h5py.File(stream, "r") as file:
                    require(check_digest(file), "the file has no digest")
                    by_name = arrays(file)
                    values = {key: by_name[key][()] for key in ("candidates", "probabilities", "frequent")}
                    shortlist = cls(**values, subwords=(str(file.attrs["source"]), str(file.attrs["target"])))
                    shortlist._check()
            except (OSError, KeyError, ValueError, TypeError) as error:
                raise UserError(
                    f"{name} must be a file of `keras-nmt shortlist`; make it again. Received: {error_and_type(error)}"
                ) from None
        return shortlist

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the shortlist to an HDF5 file with a digest, completely or not at all."""
        with atomic_path(path, suffix=".h5") as temporary, h5py.File(temporary, "w") as file:
            for name in ("candidates", "probabilities", "frequent"):
                file[name] = getattr(self, name)
            file.attrs["source"], file.attrs["target"] = self.subwords
            write_digest(file)

    def check_subwords(self, source: SubwordTokenizer, target: SubwordTokenizer) -> None:
        """Checks that the subwords of a model are those of the table."""
        if (source.digest, target.digest) != self.subwords:
            raise UserError(
                "The shortlist was made with other subword models: make one for this model with `keras-nmt shortlist`. "
                "Received: a shortlist of {} source and {} target subwords".format(*self.vocabulary_sizes)
            )

    def _check(self) -> None:
        """Raises a `ValueError` unless the arrays fit together and every id is in its vocabulary."""
        ids = self.frequent
        if self.candidates.ndim != 2 or self.candidates.shape != self.probabilities.shape:
            raise ValueError(f"shapes {self.candidates.shape} and {self.probabilities.shape}")
        if self.candidates.dtype != "int32" or ids.dtype != "int32" or self.probabilities.dtype != "float32":
            raise ValueError("arrays of other types")
        if not np.array_equal(np.sort(ids), np.arange(len(ids))) or not np.isin(self.candidates, ids).all():
            raise ValueError("ids outside the vocabulary")
        if not ((self.probabilities >= 0) & (self.probabilities <= 1)).all():
            raise ValueError("probabilities outside of 0 to 1")


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
        import keras

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

    def select(self, source: tf.Tensor, prefix: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the candidates int32 `[N]`, ascending, for source ids `[B, S]` and prefixes `[B, P]`.

        They are the `vocabulary` of the search's logits. The second result is the number of forced subwords; if it is
        larger than `size`, some of them are missing.
        """
        import tensorflow as tf

        source = tf.raw_ops.UniqueV2(x=source, axis=[0]).y  # a batch may be padded with copies of a sentence
        words, _, counts = tf.unique_with_counts(tf.reshape(source, [-1]))
        candidates, probabilities, ranks = (tf.convert_to_tensor(x.value) for x in self.weights)
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
