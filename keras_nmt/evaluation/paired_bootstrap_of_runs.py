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
    """How often a difference in BLEU as large as that of two systems, each trained several times, comes by chance.

    Sentences are drawn, and each with all of its translations: those of three runs are no three independent ones. The
    BLEU of a system is that of all its runs' outputs together. With one run each it is what `paired_bootstrap` tells.
    It is about the choice of the test sentences; how much runs differ by their seeds, their deviation tells.

    Args:
        systems: the system's outputs, one sequence of lines a run.
        baselines: the baseline's outputs, one sequence of lines a run.
        references: one string a line.
        samples: number of resampled test sets. Defaults to 1000.
        seed: seed of the samples. Defaults to sacreBLEU's 12345.

    Returns:
        The p-value; 1 where the scores are equal.

    Raises:
        UserError: there are no runs, nothing to score, or numbers of lines that differ; or `samples` is no positive
            integer.

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
            "There must be runs of both, with a line for each reference. "
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
    """What BLEU sums over sentences: both lengths, matching n-grams, all n-grams; [sentences, 10]."""
    scores = (metric.corpus_score([line], [[other]]) for line, other in zip(hypotheses, references, strict=True))
    return np.array([[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores])


def _bleu(counts: np.ndarray) -> float:
    system_length, reference_length, *ngrams = counts.tolist()
    # Smoothed as the score of the corpus is, which counts where no n-gram of some length matches.
    return BLEU.compute_bleu(ngrams[:4], ngrams[4:], system_length, reference_length, smooth_method=SMOOTHING).score
