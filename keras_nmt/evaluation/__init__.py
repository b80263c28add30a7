"""Evaluation: scores of sacreBLEU and COMET, tests of significance, and log-probabilities of given pairs."""

from keras_nmt.evaluation.comet_scores import CometScores, comet_scores
from keras_nmt.evaluation.corpus_scores import MetricScore, corpus_scores
from keras_nmt.evaluation.pair_log_probabilities import pair_log_probabilities
from keras_nmt.evaluation.paired_bootstrap import (
    PairedComparison,
    RunsComparison,
    paired_bootstrap,
    paired_bootstrap_of_runs,
)
from keras_nmt.evaluation.significance import holm, significance

__all__ = [
    "CometScores",
    "MetricScore",
    "PairedComparison",
    "RunsComparison",
    "comet_scores",
    "corpus_scores",
    "holm",
    "pair_log_probabilities",
    "paired_bootstrap",
    "paired_bootstrap_of_runs",
    "significance",
]
