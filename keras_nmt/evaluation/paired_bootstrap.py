"""Paired bootstrap resampling of two systems' outputs, of one run or of several."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics import BLEU

from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import METRICS, check_against, check_tokenizer, make_metrics, reference_streams
from keras_nmt.evaluation.significance import (
    SAMPLES,
    SEED,
    bleu_counts,
    bleu_of_counts,
    drawn_sums,
    score_of,
    statistics_of,
    two_sided_p,
)

Lines = Sequence[str]


class PairedComparison(NamedTuple):
    """Comparison of a system with a baseline in one metric.

    Attributes:
        name: String, sacreBLEU's name of the metric.
        system: Float, corpus score of the system.
        baseline: Float, corpus score of the baseline.
        delta: Float, `system - baseline`.
        p_value: Float, the probability that a difference at least as large in either direction arises by chance.
        system_interval: Float, half the width of the system's 95% confidence interval.
        baseline_interval: Float, half the width of the baseline's interval.
        signature: String, sacreBLEU's signature with the number of samples and the seed.
    """

    name: str
    system: float
    baseline: float
    delta: float
    p_value: float
    system_interval: float
    baseline_interval: float
    signature: str

    def __str__(self) -> str:
        return (
            f"{self.name}|{self.signature} = {self.system:.2f} ± {self.system_interval:.2f}, "
            f"baseline {self.baseline:.2f} ± {self.baseline_interval:.2f}, "
            f"difference {self.delta:+.2f} (p = {self.p_value:.4f})"
        )


def paired_bootstrap(
    system: Sequence[str],
    baseline: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    samples: int = SAMPLES,
    seed: int = SEED,
    metrics: Sequence[str] = METRICS,
    lowercase: bool = False,
    tokenize: str = "13a",
    chrf_word_order: int = 0,
) -> dict[str, PairedComparison]:
    """Tests whether a system differs significantly from a baseline: paired bootstrap resampling of the test set.

    p is two-sided; see `significance`. sacreBLEU's p is of the absolute difference, and up to half as large. The test
    covers the choice of the sentences, not what another seed of the training would give: compare several runs by
    `paired_bootstrap_of_runs`.

    Args:
        system: Sequence of strings, the system's output.
        baseline: Sequence of strings, the output of the system to compare with.
        references: Sequence of strings; or a sequence of such sequences, for several references.
        samples: Integer, the number of resampled test sets. Defaults to 1000.
        seed: Integer, at least 1. The same seed draws the same samples. Defaults to sacreBLEU's 12345.
        metrics: Sequence of some of `"bleu"`, `"chrf"`, `"ter"`, `"chrf++"`. Defaults to the first three.
        lowercase: Boolean, as in `corpus_scores`.
        tokenize: String, as in `corpus_scores`.
        chrf_word_order: Integer, as in `corpus_scores`.

    Returns:
        Dictionary from a metric to its `PairedComparison`, in the order of `metrics`.

    Raises:
        UserError: There is nothing to score, numbers of lines differ, a metric or the tokenizer is unknown, or
            `samples` or `seed` is below 1.

    Example:

    >>> references = ["a cat sits on the mat", "two men play the guitar"] * 10
    >>> worse = ["a cat sits on the mat", "two men guitar"] * 10
    >>> comparison = paired_bootstrap(references, worse, references, samples=50, metrics=["chrf"])["chrf"]
    >>> comparison.delta > 0 and comparison.p_value < 0.05
    True

    Reference:
        [Koehn, 2004](https://aclanthology.org/W04-3250/).
    """
    if samples < 1 or seed < 1:
        raise UserError(f"`samples` and `seed` must be at least 1. Received: samples={samples}, seed={seed}")
    streams = reference_streams(references)
    check_against({"system": system, "baseline": baseline}, streams)
    made = make_metrics(metrics, streams[0], lowercase=lowercase, tokenize=tokenize, chrf_word_order=chrf_word_order)
    comparisons = {}
    for name, metric in made.items():
        score = score_of(metric)
        statistics = [statistics_of(metric, lines, streams) for lines in (system, baseline)]
        own, other = (metric._compute_score_from_stats(x.sum(0).tolist()) for x in statistics)
        difference = float(own.score - other.score)
        drawn = [score(sums) for sums in drawn_sums(statistics, samples, seed)]
        halves = [np.subtract(*np.quantile(scores, [0.975, 0.025])) / 2 for scores in drawn]
        signature = metric.get_signature()
        signature.update("bs", samples)
        signature.update("seed", seed)
        comparisons[name] = PairedComparison(
            name=own.name,
            system=float(own.score),
            baseline=float(other.score),
            delta=difference,
            p_value=two_sided_p(difference, drawn[0] - drawn[1]),
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
        p_value: Float, the probability that a difference at least as large in either direction arises by the choice of
            the sentences. None for one run: it could say something of these runs only.
        interval: Tuple of two floats, the 95% interval of the mean, with other sentences and other runs. None for one
            run.
    """

    difference: float
    differences: tuple[float, ...]
    p_value: float | None
    interval: tuple[float, float] | None


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

    The difference is the mean over the runs and, for several directions of translation, over the directions. For p, the
    bootstrap draws sentences, each with the translations of all runs, because the outputs of several runs are not
    independent; see `significance`. For the interval, it draws the pairs of runs, too: with three runs, the interval is
    a rough one, and rather too narrow. A draw has the same line numbers in all directions whose test data have the same
    number of lines, because the lines may be translations of each other; unrelated lines stay uncorrelated.

    Args:
        systems: List of the outputs of the system, one list of lines per run; or a dictionary of such lists by
            direction.
        baselines: List of the outputs of the baseline, of as many runs in the same order; or a dictionary of such lists
            by direction.
        references: List of references, one string per line; or a dictionary of such lists by direction.
        lowercase: Boolean, whether BLEU ignores case. Defaults to False.
        tokenize: String, as in `corpus_scores`. Defaults to "13a".
        samples: Integer, number of resampled test sets. Defaults to 1000.
        seed: Integer, seed of the samples. Defaults to 12345.

    Returns:
        A `RunsComparison`.

    Raises:
        UserError: There are no runs, nothing to score, numbers of runs, lines or directions that differ, `samples` is
            not a positive integer, or the tokenizer is unknown.

    Example:

    >>> references = ["a cat sits on the mat", "two men play the guitar"] * 10
    >>> worse = ["a cat sits on the mat", "two men play guitar"] * 10
    >>> found = paired_bootstrap_of_runs([references, references], [worse, worse], references)
    >>> found.differences[0] == found.difference and found.p_value < 0.05
    True

    Reference:
        [Koehn, 2004](https://aclanthology.org/W04-3250/).
    """
    if not isinstance(references, Mapping):
        references = {"": references}
    ours, theirs = (runs if isinstance(runs, Mapping) else {"": runs} for runs in (systems, baselines))
    if isinstance(samples, bool) or not isinstance(samples, numbers.Integral) or samples < 1:
        raise UserError(f"`samples` must be a positive integer. Received: samples={samples!r}")
    if not set(ours) == set(theirs) == set(references) or not references:
        raise UserError(
            "System and baseline must have runs in the same directions. "
            f"Received: {', '.join(ours)} and {', '.join(theirs)}, references of {', '.join(references)}"
        )
    runs = {len(of[name]) for of in (ours, theirs) for name in references}
    for name, lines in references.items():
        lengths = sorted({len(run) for run in (*ours[name], *theirs[name], lines)})
        if len(runs) != 1 or 0 in runs or len(lengths) != 1 or lengths == [0]:
            raise UserError(
                "System and baseline must have as many runs, with a line for each reference. Received: "
                f"{len(ours[name])} and {len(theirs[name])} runs, lines: {', '.join(map(str, lengths))}"
            )
    check_tokenizer(tokenize)
    metric = BLEU(lowercase=lowercase, tokenize=tokenize)
    counts = [
        np.array([bleu_counts(run, lines, metric) for run in of[name]])  # [runs, n, 10]
        for name, lines in references.items()
        for of in (ours, theirs)
    ]
    differences = _mean_difference([bleu_of_counts(x.sum(axis=1)) for x in counts])  # [runs]
    found = float(differences.mean())
    if len(differences) == 1:
        return RunsComparison(found, (found,), None, None)
    drawn = _mean_difference([bleu_of_counts(x) for x in drawn_sums(counts, samples, seed)])  # [samples, runs]
    chosen = np.random.default_rng(seed).integers(drawn.shape[1], size=drawn.shape)
    low, high = np.quantile(np.take_along_axis(drawn, chosen, axis=1).mean(axis=1), [0.025, 0.975])
    p_value = two_sided_p(found, drawn.mean(axis=1))
    return RunsComparison(found, tuple(differences.tolist()), p_value, (float(low), float(high)))


def _mean_difference(scores: list[np.ndarray]) -> np.ndarray:
    """The mean over directions of the differences of scores: of the system, the baseline, the system and so on."""
    return np.mean([ours - theirs for ours, theirs in zip(scores[::2], scores[1::2], strict=True)], axis=0)
