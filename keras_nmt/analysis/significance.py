"""Tests of differences between two models on the same items."""

from __future__ import annotations

import numpy as np

from keras_nmt.errors import UserError
from keras_nmt.evaluation.paired_bootstrap_of_runs import bleu_of_counts

FEWEST = 10  # sentences that count, for the bootstrap


def significance(system: np.ndarray, baseline: np.ndarray, *, samples: int = 1000, seed: int = 12345) -> float | None:
    """The probability that a difference at least as large arises by chance, on the same items.

    Items that are right or wrong are compared by McNemar's exact test. Quotients of sums over sentences, such as the
    accuracy on the subwords of a text, are compared by paired bootstrap over sentences, because the subwords of a
    sentence are not independent, and models may have other subwords. `over_seeds` makes items of several runs such
    quotients, of the runs that are right.

    The bootstrap needs ten sentences with a count above 0 in either model: fewer sentences hardly vary between draws,
    and any difference would seem significant.

    Args:
        system: Boolean array `[n]`, whether each item is right; or array `[n, 2]`, a sum and a count for each sentence;
            or array `[n, 10]`, BLEU's counts for each sentence.
        baseline: Array of the same kind, of the model to compare with.
        samples: Integer, the number of resampled sets of sentences. Defaults to 1000.
        seed: Integer, the seed of the samples. Defaults to 12345.

    Returns:
        The p-value, two-sided. None if there are no items, if numbers of items differ, so that there are no pairs, or
        if fewer than ten sentences count for the bootstrap.

    Raises:
        UserError: The arrays are of different kinds.

    Example:

    >>> significance(np.array([True] * 6), np.array([False] * 6))
    0.03125

    Reference:
        [Dietterich, 1998](https://doi.org/10.1162/089976698300017197), section 3.1;
        [Koehn, 2004](https://aclanthology.org/W04-3250/).
    """
    if system.dtype != baseline.dtype or system.ndim != baseline.ndim:
        raise UserError(
            "Samples of both models must be of one kind. "
            f"Received: {system.dtype} of rank {system.ndim}, {baseline.dtype} of rank {baseline.ndim}"
        )
    if len(system) != len(baseline) or not len(system):
        return None
    if system.dtype == bool:
        from scipy import stats

        better, worse = int(np.sum(system & ~baseline)), int(np.sum(~system & baseline))
        return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0

    if min(np.sum(sums[:, 1] > 0) for sums in (system, baseline)) < FEWEST:  # counts, or lengths of BLEU's references
        return None

    def score(sums: np.ndarray) -> np.ndarray:  # [..., 2 or 10] -> [...]
        if sums.shape[-1] > 2:
            return np.apply_along_axis(bleu_of_counts, -1, sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1])

    def difference(rows: np.ndarray) -> np.ndarray:  # [..., n] -> [...]
        return score(system[rows].sum(axis=-2)) - score(baseline[rows].sum(axis=-2))

    found = abs(float(difference(np.arange(len(system)))))
    if found == 0:
        return 1.0
    generator = np.random.default_rng(seed)
    at_once = max(1, 1_000_000 // len(system))
    drawn = np.concatenate(
        [
            difference(generator.integers(len(system), size=(min(at_once, samples - start), len(system))))
            for start in range(0, samples, at_once)
        ]
    )
    drawn = drawn[np.isfinite(drawn)]  # a draw may have none of the sentences that count
    more = np.sum(np.abs(drawn - drawn.mean()) > found)
    return float((more + 1) / (len(drawn) + 1))
