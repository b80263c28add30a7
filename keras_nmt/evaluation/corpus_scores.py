"""Corpus scores by sacreBLEU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keras_nmt.evaluation.metrics import METRICS, check_against, make_metrics, reference_streams


class MetricScore(NamedTuple):
    """A corpus score with the signature of its computation.

    Attributes:
        name: String, sacreBLEU's name of the metric: `BLEU`, `chrF2`, `TER`.
        score: Float from 0 to 100. Higher is better; for TER lower, which can exceed 100.
        signature: String, sacreBLEU's signature, such as `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`.
    """

    name: str
    score: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name}|{self.signature} = {self.score:.2f}"


def corpus_scores(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    metrics: Sequence[str] = METRICS,
    lowercase: bool = False,
    tokenize: str = "13a",
    chrf_word_order: int = 0,
) -> dict[str, MetricScore]:
    """BLEU, chrF and TER of a system's detokenised output, by sacreBLEU.

    Args:
        hypotheses: Sequence of strings, the system's output.
        references: Sequence of strings; or a sequence of such sequences, for several references.
        metrics: Sequence of some of `"bleu"`, `"chrf"`, `"ter"`, `"chrf++"`. Defaults to the first three.
        lowercase: Boolean, whether BLEU and chrF ignore case. TER always does, as by sacreBLEU's default. Defaults to
            False.
        tokenize: String, sacreBLEU's tokenizer for BLEU. Defaults to `"13a"`.
        chrf_word_order: Integer, the longest word n-grams of chrF: 0 for chrF, 2 for chrF++. Defaults to 0.

    Returns:
        Dictionary from a metric to its `MetricScore`, in the order of `metrics`.

    Raises:
        UserError: There is nothing to score, numbers of lines differ, or a metric or the tokenizer is unknown.

    Example:

    >>> scores = corpus_scores(["A dog runs through the snow."], ["A dog runs through deep snow."])
    >>> round(scores["bleu"].score, 1)
    48.9
    >>> scores["bleu"].signature.split("|")[:4]
    ['nrefs:1', 'case:mixed', 'eff:no', 'tok:13a']

    Reference:
        [Post, 2018](https://arxiv.org/abs/1804.08771).
    """
    streams = reference_streams(references)
    check_against({"hypotheses": hypotheses}, streams)
    scores = {}
    made = make_metrics(metrics, streams[0], lowercase=lowercase, tokenize=tokenize, chrf_word_order=chrf_word_order)
    for name, metric in made.items():
        result = metric.corpus_score(list(hypotheses), streams)
        scores[name] = MetricScore(result.name, float(result.score), str(metric.get_signature()))
    return scores
