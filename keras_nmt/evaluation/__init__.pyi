from .bootstrap import (
    PairedComparison,
    RunsComparison,
    holm,
    paired_bootstrap,
    paired_bootstrap_of_runs,
    significance,
)
from .comet import CometScores, comet_scores
from .metrics import MetricScore, corpus_scores

__all__ = [
    "CometScores",
    "MetricScore",
    "PairedComparison",
    "RunsComparison",
    "comet_scores",
    "corpus_scores",
    "holm",
    "paired_bootstrap",
    "paired_bootstrap_of_runs",
    "significance",
]
