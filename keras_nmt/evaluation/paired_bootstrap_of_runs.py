"""The significance of a difference between systems that were trained several times."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence

import numpy as np
from sacrebleu.metrics.bleu import BLEU

from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import check_tokenizer

SMOOTHING = BLEU().smooth_method
Lines = Sequence[str]


def paired_bootstrap_of_runs(
    systems: Sequence[Lines] | Mapping[str, Sequence[Lines]],
    baselines: Sequence[Lines] | Mapping[str, Sequence[Lines]],
    references: Lines | Mapping[str, Lines],
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
    samples: int = 1000,
    seed: int = 12345,
) -> float:
    """Tests whether a difference in BLEU between two systems, each trained several times, may come by chance.

    The bootstrap draws sentences, each with all of its translations, because the outputs of several runs are not
    independent. A system's BLEU is computed on all its runs' outputs together; for several directions of translation,
    it is the mean over the directions. A draw has the same line numbers in all directions whose test data have the same
    number of lines, because the lines may be translations of each other; unrelated lines stay uncorrelated. With one
    run each of one direction, the p-value equals that of `paired_bootstrap`. The test covers the choice of the test
    sentences; the deviation over seeds shows how much runs differ.

    Args:
        systems: List of the outputs of the system, one list of lines per run; or a dictionary of such lists by
            direction.
        baselines: List of the outputs of the baseline; or a dictionary of such lists by direction.
        references: List of references, one string per line; or a dictionary of such lists by direction.
        lowercase: Boolean, whether BLEU ignores case. Defaults to False.
        tokenize: String, as in `corpus_scores`. Defaults to "13a".
        samples: Integer, number of resampled test sets. Defaults to 1000.
        seed: Integer, seed of the samples. Defaults to sacreBLEU's 12345.

    Returns:
        The p-value; 1 if the scores are equal.

    Raises:
        UserError: There are no runs, nothing to score, numbers of lines or directions that differ, `samples` is not
            a positive integer, or the tokenizer is unknown.

    Example:

    >>> references = ["a cat sits on the mat", "two men play the guitar"] * 10
    >>> worse = ["a cat sits on the mat", "two men play guitar"] * 10
    >>> paired_bootstrap_of_runs([references, references], [worse, worse], references) < 0.05
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
    for name, lines in references.items():
        lengths = sorted({len(run) for run in (*ours[name], *theirs[name], lines)})
        if not ours[name] or not theirs[name] or len(lengths) != 1 or lengths == [0]:
            raise UserError(
                "System and baseline must have runs, with a line for each reference. Received: "
                f"{len(ours[name])} and {len(theirs[name])} runs, lines: {', '.join(map(str, lengths))}"
            )
    check_tokenizer(tokenize)
    metric = BLEU(lowercase=lowercase, tokenize=tokenize)
    counts = {
        name: [np.sum([bleu_counts(run, lines, metric) for run in runs[name]], axis=0) for runs in (ours, theirs)]
        for name, lines in references.items()
    }
    difference = abs(_difference(counts, {}))
    if difference == 0:
        return 1.0
    generator = np.random.default_rng(seed)
    drawn = {
        size: generator.choice(size, size=(samples, size))
        for size in dict.fromkeys(len(lines) for lines in references.values())
    }
    differences = np.array(
        [abs(_difference(counts, {size: rows[i] for size, rows in drawn.items()})) for i in range(samples)]
    )
    more = np.sum(differences - differences.mean() > difference)
    return float((more + 1) / (samples + 1))


def _difference(counts: Mapping[str, list[np.ndarray]], drawn: Mapping[int, np.ndarray]) -> float:
    """The mean over directions of the difference in BLEU, on all rows or on the drawn rows for each number of lines."""
    differences = []
    for both in counts.values():
        rows = drawn.get(len(both[0]), slice(None))
        ours, theirs = (bleu_of_counts(side[rows].sum(0)) for side in both)
        differences.append(ours - theirs)
    return sum(differences) / len(differences)


def bleu_counts(hypotheses: Sequence[str], references: Sequence[str], metric: BLEU | None = None) -> np.ndarray:
    """BLEU's counts by sentence, `[sentences, 10]`: both lengths, matching n-grams, all n-grams."""
    metric = BLEU() if metric is None else metric
    scores = (metric.corpus_score([line], [[other]]) for line, other in zip(hypotheses, references, strict=True))
    return np.array([[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores])


def bleu_of_counts(counts: np.ndarray) -> float:
    """BLEU of counts `[10]`, sums of those that `bleu_counts` returns."""
    system_length, reference_length, *ngrams = counts.tolist()
    # Smoothed like the corpus score, which matters if no n-gram of some length matches.
    return BLEU.compute_bleu(ngrams[:4], ngrams[4:], system_length, reference_length, smooth_method=SMOOTHING).score
