"""Paired bootstrap resampling of two systems' outputs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sacrebleu.significance import PairedTest

from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import METRICS, check_against, make_metrics, reference_streams


class PairedComparison(NamedTuple):
    """Comparison of a system with a baseline in one metric.

    Attributes:
        name: String, sacreBLEU's name of the metric.
        system: Float, corpus score of the system.
        baseline: Float, corpus score of the baseline.
        delta: Float, `system - baseline`.
        p_value: Float, the probability that a difference at least as large arises by chance.
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
    samples: int = 1000,
    seed: int = 12345,
    metrics: Sequence[str] = METRICS,
    lowercase: bool = False,
    tokenize: str = "13a",
    chrf_word_order: int = 0,
) -> dict[str, PairedComparison]:
    """Tests whether a system differs significantly from a baseline: sacreBLEU's paired bootstrap resampling.

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
    with _sacrebleu_seed(seed):
        test = PairedTest(
            [("baseline", list(baseline)), ("system", list(system))],
            made,
            streams,
            test_type="bs",
            n_samples=samples,
        )
        signatures, results = test()
    comparisons = {}
    # Both dictionaries have sacreBLEU's own names as keys, in the order of `metrics`.
    for name, (own_name, signature) in zip(made, signatures.items(), strict=True):
        before, after = results[own_name]
        comparisons[name] = PairedComparison(
            name=own_name,
            system=float(after.score),
            baseline=float(before.score),
            delta=float(after.score - before.score),
            # If the scores are equal, every sample has a difference at least as large; sacreBLEU counts larger ones.
            p_value=float(after.p_value) if after.score != before.score else 1.0,
            system_interval=float(after.ci),
            baseline_interval=float(before.ci),
            signature=str(signature),
        )
    return comparisons


@contextmanager
def _sacrebleu_seed(seed: int) -> Iterator[None]:
    """Sets sacreBLEU's seed, which sacreBLEU reads from the environment only."""
    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SACREBLEU_SEED"]
        else:
            os.environ["SACREBLEU_SEED"] = before
