"""Evaluation: scores by sacreBLEU and COMET, and significance tests.

To add a metric, add an entry to `METRICS` in `keras_nmt/evaluation/metrics.py`. A name is imported on
first use, because the command line reads the names of the metrics without sacreBLEU and Keras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.evaluation.bootstrap import (
        PairedComparison,
        RunsComparison,
        holm,
        paired_bootstrap,
        paired_bootstrap_of_runs,
        significance,
    )
    from keras_nmt.evaluation.comet import CometScores, comet_scores
    from keras_nmt.evaluation.metrics import MetricScore, corpus_scores

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bootstrap": ["PairedComparison", "RunsComparison", "holm", "paired_bootstrap", "paired_bootstrap_of_runs"]
        + ["significance"],
        "comet": ["CometScores", "comet_scores"],
        "metrics": ["MetricScore", "corpus_scores"],
    },
)

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
