"""Significance tests of differences between systems: bootstrap, McNemar's and Welch's tests, Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.base import Metric

from keras_nmt.errors import UserError, check_no_string, check_positive, check_seed, require
from keras_nmt.evaluation.metrics import DEFAULT_METRICS, check_tokenizer, make_metrics, reference_streams

Lines = Sequence[str]
FEWEST = 30  # sentences with a count above 0 that a bootstrap needs
SAMPLES, SEED = 1000, 12345  # sacreBLEU's defaults
MAX_DRAWN = 5_000_000  # sentences drawn at once, which bounds the memory
Name = TypeVar("Name", bound=Hashable)


class PairedComparison(NamedTuple):
    """Comparison of a system with a baseline in one metric.

    Attributes:
        name: String, sacreBLEU's name of the metric.
        system: Float, corpus score of the system.
        baseline: Float, corpus score of the baseline.
        delta: Float, `system - baseline`.
        p_value: Float, the probability that chance alone gives a difference at least as large, in either direction.
            None for fewer than 30 lines with a reference, which vary too little between draws.
        system_interval: Float, half the width of the system's 95% confidence interval.
        baseline_interval: Float, half the width of the baseline's interval.
        signature: String, sacreBLEU's signature with the number of samples and the seed.
    """

    name: str
    system: float
    baseline: float
    delta: float
    p_value: float | None
    system_interval: float
    baseline_interval: float
    signature: str

    def __str__(self) -> str:
        if self.p_value is None:
            p = "too few sentences for p"
        else:
            p = "p < 0.0001" if self.p_value < 0.00005 else f"p = {self.p_value:.4f}"
        return (
            f"{self.name}|{self.signature} = {self.system:.2f} ± {self.system_interval:.2f}, "
            f"baseline {self.baseline:.2f} ± {self.baseline_interval:.2f}, "
            f"difference {self.delta:+.2f} ({p})"
        )


def paired_bootstrap(
    system: Sequence[str],
    baseline: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    samples: int = SAMPLES,
    seed: int = SEED,
    metrics: Sequence[str] = DEFAULT_METRICS,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> dict[str, PairedComparison]:
    """Tests whether a system differs significantly from a baseline, by paired bootstrap resampling of the test set.

    The p-value is two-sided; see `significance`. sacreBLEU's own p-value counts only samples with a larger absolute
    difference: where few lines differ, it can be a quarter as large, and equal outputs get 0.001 (sacrebleu 2.6.0).
    The test accounts for the choice of the sentences, but not for the seed of the training: to compare several runs,
    use `paired_bootstrap_of_runs`.

    Args:
        system: Sequence of strings, the system's output.
        baseline: Sequence of strings, the output of the system to compare with.
        references: Sequence of strings; for several references, a sequence of such sequences.
        samples: Integer, the number of resampled test sets. Defaults to 1000.
        seed: Integer of at least 0. The same seed draws the same samples. Defaults to sacreBLEU's 12345.
        metrics, lowercase, tokenize: As in `corpus_scores`.

    Returns:
        Dictionary from a metric to its `PairedComparison`, in the order of `metrics`.

    Raises:
        UserError: There are no lines, the numbers of lines differ, a metric or the tokenizer is unknown, or `samples`
            or `seed` is out of its range.

    Example:

    >>> references = ["a cat sits on the mat", "two men play the guitar"] * 15
    >>> worse = ["a cat sits on the mat", "two men guitar"] * 15
    >>> comparison = paired_bootstrap(references, worse, references, samples=50, metrics=["chrf"])["chrf"]
    >>> comparison.delta > 0 and comparison.p_value < 0.05
    True

    Reference:
        [Koehn, 2004](https://aclanthology.org/W04-3250/).
    """
    check_positive(samples=samples)
    check_seed(seed=seed)
    streams = reference_streams(references, system=system, baseline=baseline)
    comparisons = {}
    for name, metric in make_metrics(metrics, streams[0], lowercase=lowercase, tokenize=tokenize).items():
        score = score_of(metric)
        statistics = [statistics_of(metric, lines, streams) for lines in (system, baseline)]
        system_score, other = (metric._compute_score_from_stats(x.sum(0).tolist()) for x in statistics)
        difference = float(system_score.score - other.score)
        drawn = [score(sums) for sums in drawn_sums(statistics, samples, seed)]
        halves = [np.subtract(*np.quantile(scores, [0.975, 0.025])) / 2 for scores in drawn]
        signature = metric.get_signature()
        signature.update("bs", samples)
        signature.update("seed", seed)
        comparisons[name] = PairedComparison(
            name=system_score.name,
            system=float(system_score.score),
            baseline=float(other.score),
            delta=difference,
            p_value=two_sided_p(difference, drawn[0] - drawn[1]) if _num_counted(streams) >= FEWEST else None,
            system_interval=float(halves[0]),
            baseline_interval=float(halves[1]),
            signature=str(signature),
        )
    return comparisons


class RunsComparison(NamedTuple):
    """Difference in BLEU between two systems that were trained several times.

    Attributes:
        difference: Float, the mean over the runs.
        differences: Tuple of floats, the difference of each run.
        p_value: Float, the probability that the choice of the sentences alone gives a difference at least as large, in
            either direction. None for one run, because the result would hold for this run only, and for fewer than 30
            lines with a reference, which vary too little between draws.
        interval: Tuple of two floats, the 95% interval of the mean over other sentences and other runs. None where
            there is no p.
        p_value_of_runs: Float, the probability that the choice of the runs alone, as by their seeds, gives a difference
            at least as large; see `welch`. None where there is no p, and where the runs of each system are equal.
    """

    difference: float
    differences: tuple[float, ...]
    p_value: float | None
    interval: tuple[float, float] | None
    p_value_of_runs: float | None


def paired_bootstrap_of_runs(
    systems: Sequence[Lines] | Mapping[str, Sequence[Lines]],
    baselines: Sequence[Lines] | Mapping[str, Sequence[Lines]],
    references: Lines | Mapping[str, Lines],
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
    samples: int = SAMPLES,
    seed: int = SEED,
) -> RunsComparison:
    """Compares the BLEU of two systems, each trained several times.

    The difference is the mean over the runs and, if there are several translation directions, over the directions. For
    the p-value, the bootstrap draws sentences, each with the translations of all runs, because the outputs of several
    runs are not independent; see `significance`. It says nothing of other runs: two trainings of one configuration may
    differ with a small p. For the interval, it also draws the pairs of runs. With few runs it is too narrow: the true
    difference lies between those of two runs in half of the cases, between those of three in three quarters.
    `p_value_of_runs` is that of `welch` over the runs' scores.

    Directions whose test data have the same number of lines get the same line numbers in each draw, because these lines
    may be translations of each other; this does no harm to unrelated lines.

    Args:
        systems: List of the system's outputs, one list of lines per run; or a dictionary of such lists by direction.
        baselines: List of the baseline's outputs, with the same number of runs in the same order; or a dictionary of
            such lists by direction.
        references: List of references, one string per line; or a dictionary of such lists by direction.
        lowercase: Boolean, whether BLEU ignores case. Defaults to False.
        tokenize: String, sacreBLEU's tokenizer. Defaults to "13a".
        samples: Integer, number of resampled test sets. Defaults to 1000.
        seed: Integer, seed of the samples. Defaults to 12345.

    Returns:
        A `RunsComparison`.

    Raises:
        UserError: There are no runs or no lines, the numbers of runs or lines or the directions differ, `samples` or
            `seed` is out of its range, or the tokenizer is unknown.

    Example:

    >>> references = ["a cat sits on the mat", "two men play the guitar"] * 15
    >>> worse = ["a cat sits on the mat", "two men play guitar"] * 15
    >>> comparison = paired_bootstrap_of_runs([references, references], [worse, worse], references)
    >>> comparison.differences[0] == comparison.difference and comparison.p_value < 0.05
    True

    Reference:
        [Koehn, 2004](https://aclanthology.org/W04-3250/).
    """
    check_positive(samples=samples)
    check_seed(seed=seed)
    if not isinstance(references, Mapping):
        references = {"": references}
    ours, theirs = (runs if isinstance(runs, Mapping) else {"": runs} for runs in (systems, baselines))
    if not set(ours) == set(theirs) == set(references) or not references:
        raise UserError(
            "System, baseline and references must have the same directions. "
            f"Received: system {', '.join(ours)}; baseline {', '.join(theirs)}; references {', '.join(references)}"
        )
    runs = {len(of[name]) for of in (ours, theirs) for name in references}
    for name, lines in references.items():
        for run in (*ours[name], *theirs[name], lines):
            check_no_string(**{"lines of a run": run})
        lengths = sorted({len(run) for run in (*ours[name], *theirs[name], lines)})
        if len(runs) != 1 or 0 in runs or len(lengths) != 1 or lengths == [0]:
            raise UserError(
                "System and baseline must have the same number of runs, each with one line for each reference. "
                f"Received: {len(ours[name])} and {len(theirs[name])} runs, lines: {', '.join(map(str, lengths))}"
            )
    check_tokenizer(tokenize)
    metric = BLEU(lowercase=lowercase, tokenize=tokenize)
    counts = [
        np.array([bleu_counts(run, lines, metric) for run in of[name]])  # [runs, n, 10]
        for name, lines in references.items()
        for of in (ours, theirs)
    ]
    scores = [bleu_of_counts(x.sum(axis=1)) for x in counts]
    system, baseline = np.mean(scores[::2], axis=0), np.mean(scores[1::2], axis=0)  # [runs]
    differences = system - baseline
    difference = float(differences.mean())
    # Directions of equal length share their draws, so that their lines count once.
    counted: dict[int, int] = {}
    for lines in references.values():
        counted[len(lines)] = max(counted.get(len(lines), 0), _num_counted([lines]))
    if len(differences) == 1 or sum(counted.values()) < FEWEST:
        return RunsComparison(difference, tuple(differences.tolist()), None, None, None)
    scores_of_draws = [bleu_of_counts(x) for x in drawn_sums(counts, samples, seed)]
    drawn = np.mean(scores_of_draws[::2], axis=0) - np.mean(scores_of_draws[1::2], axis=0)  # [samples, runs]
    chosen = np.random.default_rng(seed).integers(drawn.shape[1], size=drawn.shape)
    low, high = np.quantile(np.take_along_axis(drawn, chosen, axis=1).mean(axis=1), [0.025, 0.975])
    p_value = two_sided_p(difference, drawn.mean(axis=1))
    of_runs = welch(system, baseline)
    return RunsComparison(difference, tuple(differences.tolist()), p_value, (float(low), float(high)), of_runs)


def welch(system: np.ndarray, baseline: np.ndarray) -> float | None:
    """Returns the two-sided p-value of Welch's t test: whether the means of two systems' runs differ.

    None where neither system's runs differ from each other, as copies of one run: they do not tell how runs vary.

    Each system has the scores of two or more runs, float arrays `[n]` and `[m]`. The test takes them for draws from a
    normal distribution, and lets the two systems have other deviations. With few runs it finds large differences only:
    with three each, those of some 2.3 to 3.5 standard deviations.

    Example:

    >>> round(welch(np.array([30.0, 30.5, 31.0]), np.array([28.0, 29.0, 29.5])), 3)
    0.042

    Reference:
        [Welch, 1947](https://doi.org/10.1093/biomet/34.1-2.28).
    """
    from scipy import stats

    if np.ptp(system) == np.ptp(baseline) == 0:
        return None
    # SciPy's test of arrays would also warn where one of them has no deviation.
    moments = [x for scores in (system, baseline) for x in (scores.mean(), scores.std(ddof=1), len(scores))]
    return float(stats.ttest_ind_from_stats(*moments, equal_var=False).pvalue)


def significance(system: np.ndarray, baseline: np.ndarray, *, samples: int = SAMPLES, seed: int = SEED) -> float | None:
    """Returns the probability that chance alone gives a difference at least as large, on the same items.

    Items that are right or wrong are compared by McNemar's exact test. BLEU, and quotients of sums over sentences, such
    as the accuracy on the subwords of a text, are compared by paired bootstrap over sentences, because the subwords of
    a sentence are not independent, and two models may have different subwords. The p-value is the share of draws whose
    distance from their mean is at least the difference, in either direction. With several runs, a draw takes sentences
    with the results of all runs, and the mean of the runs' quotients or BLEU is tested.

    The bootstrap needs 30 sentences with a count above 0 in each model. Fewer sentences vary too little between draws,
    so that more than one in twenty of the differences by chance alone would have a p below 0.05.

    Args:
        system: Boolean array `[n]`, whether each item is right; or array `[n, 2]`, a sum and a count for each sentence;
            or array `[n, 10]`, BLEU's counts for each sentence. Of several runs `[runs, n, 2]` or `[runs, n, 10]`.
        baseline: Array of the same kind, of the model to compare with, also of another number of runs.
        samples: Integer, the number of resampled sets of sentences. Defaults to 1000.
        seed: Integer, the seed of the samples. Defaults to 12345.

    Returns:
        The two-sided p-value. None if there are no items, if the numbers of items differ, if fewer than 30 sentences
        count for the bootstrap, or if the difference is not a number.

    Raises:
        UserError: The arrays are of different kinds, or `seed` is out of its range.

    Example:

    >>> significance(np.array([True] * 6), np.array([False] * 6))
    0.03125

    Reference:
        [Dietterich, 1998](https://doi.org/10.1162/089976698300017197), section 3.1;
        [Koehn, 2004](https://aclanthology.org/W04-3250/);
        [Efron and Tibshirani, 1993](https://doi.org/10.1201/9780429246593), section 16.4.
    """
    check_seed(seed=seed)
    kinds = [(str(x.dtype), "right or wrong" if x.ndim == 1 else x.shape[-1]) for x in (system, baseline)]
    if kinds[0] != kinds[1]:
        raise UserError(f"The samples of both models must be of the same kind. Received: {kinds[0]} and {kinds[1]}")
    numbers = [len(x) if x.ndim == 1 else x.shape[-2] for x in (system, baseline)]
    if numbers[0] != numbers[1] or not numbers[0]:
        return None
    if system.dtype == bool:
        from scipy import stats

        better, worse = int(np.sum(system & ~baseline)), int(np.sum(~system & baseline))
        return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0
    # Column 1 has the counts, or the lengths of references.
    if min(np.sum(sums[..., 1] > 0, axis=-1).min() for sums in (system, baseline)) < FEWEST:
        return None
    score = quotient if system.shape[-1] == 2 else bleu_of_counts
    both = [x.reshape(-1, *x.shape[-2:]) for x in (system, baseline)]  # [runs, n, k]
    drawn = [score(sums).mean(axis=-1) for sums in drawn_sums(both, samples, seed)]  # [samples]
    difference = float(np.subtract(*(score(sums.sum(axis=-2)).mean() for sums in both)))
    return two_sided_p(difference, drawn[0] - drawn[1]) if math.isfinite(difference) else None


def two_sided_p(difference: float, drawn: np.ndarray) -> float:
    """Returns the p-value of a difference, from the differences in resampled data; 1 if the difference is 0."""
    drawn = drawn[np.isfinite(drawn)]  # a draw may contain no sentence that counts
    if difference == 0 or not len(drawn):
        return 1.0
    # The tolerance is for rounding errors: a draw at exactly this distance must count.
    as_far = np.sum(np.abs(drawn - drawn.mean()) >= abs(difference) * (1 - 1e-9))
    return float((as_far + 1) / (len(drawn) + 1))


def show_p(p: float | None) -> str:
    """Returns a p-value with three digits, as "<0.001" where these would be zeros; "" without one.

    Example:

    >>> show_p(0.0312), show_p(1e-9), show_p(None)
    ('0.031', '<0.001', '')
    """
    return "" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Corrects p-values for the number of tests, by Holm's method.

    Raises:
        UserError: A value is not between 0 and 1.

    Example:

    >>> holm({"a": 0.25, "b": 0.0625, "c": 0.375})
    {'b': 0.1875, 'a': 0.5, 'c': 0.5}

    Reference:
        [Holm, 1979](https://www.jstor.org/stable/4615733).
    """
    problem = "A p-value must be between 0 and 1: leave out tests without one"
    for name, p in p_values.items():
        require(0 <= p <= 1, f"{problem}. Received: {name}={p}")  # NaN would move the others
    corrected, largest = {}, 0.0
    for i, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        corrected[name] = largest = min(1.0, max(largest, (len(p_values) - i) * p))
    return corrected


def _num_counted(streams: Sequence[Sequence[str]]) -> int:
    """Returns the number of lines that have a reference in one of the streams."""
    return sum(any(map(str.strip, references)) for references in zip(*streams, strict=True))


def drawn_sums(statistics: Sequence[np.ndarray], samples: int, seed: int) -> list[np.ndarray]:
    """Returns sums of statistics over resampled sentences: arrays `[samples, ..., k]` from those `[..., n, k]`.

    Arrays with the same number of sentences n get the same draws.
    """
    generator = np.random.default_rng(seed)
    sums: list[list[np.ndarray]] = [[] for _ in statistics]
    for n in dict.fromkeys(x.shape[-2] for x in statistics):
        at_once = max(1, MAX_DRAWN // n)
        for start in range(0, samples, at_once):
            rows = generator.integers(n, size=(min(at_once, samples - start), n))
            cells = rows + n * np.arange(len(rows))[:, None]
            times = np.bincount(cells.ravel(), minlength=rows.size).reshape(rows.shape).astype(float)  # [samples, n]
            for x, parts in zip(statistics, sums, strict=True):
                if x.shape[-2] == n:
                    parts.append(np.tensordot(times, x, axes=(1, -2)))  # [samples, ..., k]
    return [np.concatenate(parts) for parts in sums]


def statistics_of(metric: Metric, hypotheses: Sequence[str], streams: Sequence[Sequence[str]]) -> np.ndarray:
    """Returns the statistics of each sentence, `[sentences, k]`, whose sums give the metric's corpus score."""
    return np.array(metric._extract_corpus_statistics(list(hypotheses), [list(stream) for stream in streams]), float)


def score_of(metric: Metric) -> Callable[[np.ndarray], np.ndarray]:
    """Returns the function from sums of a metric's statistics `[..., k]` to scores `[...]`."""
    if isinstance(metric, BLEU):
        return bleu_of_counts  # computes all draws at once
    return lambda sums: np.apply_along_axis(lambda x: metric._compute_score_from_stats(x.tolist()).score, -1, sums)


def quotient(sums: np.ndarray) -> np.ndarray:
    """Divides sums by counts: `[..., 2]` to `[...]`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def bleu_counts(hypotheses: Sequence[str], references: Sequence[str], metric: BLEU | None = None) -> np.ndarray:
    """Returns BLEU's counts by sentence, `[sentences, 10]`: both lengths, four matching n-grams, four n-grams."""
    return statistics_of(BLEU() if metric is None else metric, hypotheses, [references])


def bleu_of_counts(sums: np.ndarray) -> np.ndarray:
    """Returns BLEU from sums of the counts that `bleu_counts` returns, `[..., 10]` to `[...]`."""
    length, reference_length = sums[..., 0], sums[..., 1]
    matches, ngrams = sums[..., 2:6], sums[..., 6:]
    none = matches == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        # sacreBLEU's smoothing: where no n-gram of some length matches, the count is 1/2, then 1/4 and so on.
        precisions = np.where(none, 0.5 ** np.cumsum(none, axis=-1), matches) / ngrams
        brevity = np.exp(np.minimum(0, 1 - reference_length / length))
        scores = 100 * brevity * np.exp(np.log(precisions).mean(axis=-1))
    return np.where(matches.any(axis=-1) & (ngrams > 0).all(axis=-1), scores, 0.0)
