"""Significance of differences between systems: one two-sided test for every table of the package."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from keras_nmt.errors import UserError

FEWEST = 10  # sentences that count, for the bootstrap
SAMPLES, SEED = 1000, 12345  # sacreBLEU's defaults
AT_ONCE = 5_000_000  # drawn sentences
Name = TypeVar("Name", bound=Hashable)


def significance(system: np.ndarray, baseline: np.ndarray, *, samples: int = SAMPLES, seed: int = SEED) -> float | None:
    """The probability that a difference at least as large arises by chance, on the same items.

    Items that are right or wrong are compared by McNemar's exact test. Quotients of sums over sentences, such as the
    accuracy on the subwords of a text, and BLEU are compared by paired bootstrap over sentences, because the subwords
    of a sentence are not independent, and models may have other subwords. p is the share of draws that lie at least as
    far from their mean as the difference lies from zero, in either direction. `over_seeds` makes items of several runs
    such quotients, of the runs that are right.

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
        [Koehn, 2004](https://aclanthology.org/W04-3250/);
        [Efron and Tibshirani, 1993](https://doi.org/10.1201/9780429246593), section 16.4.
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
    score = quotient if system.shape[-1] == 2 else bleu_of_counts
    drawn = [score(sums) for sums in drawn_sums([system, baseline], samples, seed)]
    found = float(score(system.sum(0)) - score(baseline.sum(0)))
    return two_sided_p(found, drawn[0] - drawn[1])


def two_sided_p(found: float, drawn: np.ndarray) -> float:
    """The p-value of a difference, of the differences in resampled data; 1 if there is none."""
    drawn = drawn[np.isfinite(drawn)]  # a draw may have none of the sentences that count
    if found == 0 or not len(drawn):
        return 1.0
    # The last bits of sums depend on their order: a draw at exactly this distance counts.
    as_far = np.sum(np.abs(drawn - drawn.mean()) >= abs(found) * (1 - 1e-9))
    return float((as_far + 1) / (len(drawn) + 1))


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Corrects p-values for their number: the probability that any of the tests so small is one of chance.

    Example:

    >>> holm({"a": 0.25, "b": 0.0625, "c": 0.375})
    {'b': 0.1875, 'a': 0.5, 'c': 0.5}

    Reference:
        [Holm, 1979](https://www.jstor.org/stable/4615733).
    """
    corrected, largest = {}, 0.0
    for i, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        corrected[name] = largest = min(1.0, max(largest, (len(p_values) - i) * p))
    return corrected


def drawn_sums(statistics: Sequence[np.ndarray], samples: int, seed: int) -> list[np.ndarray]:
    """Sums of statistics over resampled sentences.

    Args:
        statistics: Arrays `[..., n, k]`, of n sentences. Arrays of equally many sentences are drawn together.
        samples: Integer, the number of draws.
        seed: Integer.

    Returns:
        List of arrays `[samples, ..., k]`.
    """
    generator = np.random.default_rng(seed)
    sums: list[list[np.ndarray]] = [[] for _ in statistics]
    for n in dict.fromkeys(x.shape[-2] for x in statistics):
        at_once = max(1, AT_ONCE // n)
        for start in range(0, samples, at_once):
            rows = generator.integers(n, size=(min(at_once, samples - start), n))
            cells = rows + n * np.arange(len(rows))[:, None]
            times = np.bincount(cells.ravel(), minlength=rows.size).reshape(rows.shape).astype(float)  # [samples, n]
            for x, found in zip(statistics, sums, strict=True):
                if x.shape[-2] == n:
                    found.append(np.tensordot(times, x, axes=(1, -2)))  # [samples, ..., k]
    return [np.concatenate(found) for found in sums]


def statistics_of(metric: Metric, hypotheses: Sequence[str], streams: Sequence[Sequence[str]]) -> np.ndarray:
    """Returns the statistics that sacreBLEU adds up over sentences for a score, `[sentences, k]`."""
    return np.array(metric._extract_corpus_statistics(list(hypotheses), [list(stream) for stream in streams]), float)


def score_of(metric: Metric) -> Callable[[np.ndarray], np.ndarray]:
    """The function from sums of a metric's statistics `[..., k]` to scores `[...]`."""
    if isinstance(metric, BLEU):
        return bleu_of_counts
    if isinstance(metric, TER):
        return lambda sums: 100 * quotient(sums)
    assert isinstance(metric, CHRF)
    return lambda sums: np.apply_along_axis(lambda x: metric._compute_f_score(x.tolist()), -1, sums)


def quotient(sums: np.ndarray) -> np.ndarray:
    """Quotients of sums and counts, `[..., 2]` to `[...]`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def bleu_counts(hypotheses: Sequence[str], references: Sequence[str], metric: BLEU | None = None) -> np.ndarray:
    """BLEU's counts by sentence, `[sentences, 10]`: both lengths, matching n-grams, all n-grams."""
    return statistics_of(BLEU() if metric is None else metric, hypotheses, [references])


def bleu_of_counts(sums: np.ndarray) -> np.ndarray:
    """BLEU of sums of those counts that `bleu_counts` returns, `[..., 10]` to `[...]`."""
    length, reference_length = sums[..., 0], sums[..., 1]
    matches, ngrams = sums[..., 2:6], sums[..., 6:]
    none = matches == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        # sacreBLEU's smoothing, which matters if no n-gram of some length matches: a half, a quarter and so on.
        precisions = np.where(none, 0.5 ** np.cumsum(none, axis=-1), matches) / ngrams
        brevity = np.exp(np.minimum(0, 1 - reference_length / length))
        scores = 100 * brevity * np.exp(np.log(precisions).mean(axis=-1))
    return np.where(matches.any(axis=-1) & (ngrams > 0).all(axis=-1), scores, 0.0)
