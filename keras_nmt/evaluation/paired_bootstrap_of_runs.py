"""Paired bootstrap resampling of two systems with several training runs each."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np
from sacrebleu.metrics.bleu import BLEU

from keras_nmt.errors import UserError

SMOOTHING = BLEU().smooth_method


def paired_bootstrap_of_runs(
    systems: Sequence[Sequence[str]],
    baselines: Sequence[Sequence[str]],
    references: Sequence[str],
    *,
    samples: int = 1000,
    seed: int = 12345,
) -> float:
    """The probability that BLEU differs as much as between two systems, each trained several times, by chance.

    Each sample draws sentences, and each sentence with all of its translations, because translations of one sentence by
    several runs are not independent. A system's BLEU is that of the outputs of all its runs together. For one run each,
    the test is that of `paired_bootstrap`. The test covers the choice of test sentences; the variation between seeds is
    covered by the standard deviation of the runs' scores.

    Args:
        systems: Sequence of the system's outputs, one sequence of strings a run.
        baselines: Sequence of the baseline's outputs, one sequence of strings a run.
        references: Sequence of strings.
        samples: Integer, the number of resampled test sets. Defaults to 1000.
        seed: Integer, seed of the samples. Defaults to sacreBLEU's 12345.

    Returns:
        Float, the p-value; 1 if the scores are equal.

    Raises:
        UserError: There are no runs, nothing to score, numbers of lines differ, or `samples` is no positive integer.

    Example:

    >>> references = ["a cat sits on the mat", "two men play the guitar"] * 10
    >>> worse = ["a cat sits on the mat", "two men play guitar"] * 10
    >>> paired_bootstrap_of_runs([references, references], [worse, worse], references) < 0.05
    True

    Reference:
        [Koehn, 2004](https://aclanthology.org/W04-3250/).
    """
    lengths = sorted({len(lines) for lines in (*systems, *baselines, references)})
    if not systems or not baselines or len(lengths) != 1 or lengths == [0]:
        raise UserError(
            "Both systems need runs, and each run a line for each reference. "
            f"Received: {len(systems)} and {len(baselines)} runs, lines: {', '.join(map(str, lengths))}"
        )
    if isinstance(samples, bool) or not isinstance(samples, numbers.Integral) or samples < 1:
        raise UserError(f"`samples` must be a positive integer. Received: samples={samples!r}")
    metric = BLEU()
    ours, theirs = (np.sum([_counts(metric, run, references) for run in runs], axis=0) for runs in (systems, baselines))
    difference = abs(_bleu(ours.sum(0)) - _bleu(theirs.sum(0)))
    if difference == 0:
        return 1.0
    drawn = np.random.default_rng(seed).choice(len(references), size=(samples, len(references)))
    differences = np.array([abs(_bleu(ours[rows].sum(0)) - _bleu(theirs[rows].sum(0))) for rows in drawn])
    more = np.sum(differences - differences.mean() > difference)
    return float((more + 1) / (samples + 1))


def _counts(metric: BLEU, hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """[sentences, 10], the numbers that BLEU sums over sentences: both lengths, matching n-grams, all n-grams."""
    scores = (metric.corpus_score([line], [[other]]) for line, other in zip(hypotheses, references, strict=True))
    return np.array([[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores])


def _bleu(counts: np.ndarray) -> float:
    system_length, reference_length, *ngrams = counts.tolist()
    # The corpus score's smoothing matters where no n-gram of some length matches.
    return BLEU.compute_bleu(ngrams[:4], ngrams[4:], system_length, reference_length, smooth_method=SMOOTHING).score
