"""Evaluation: sacreBLEU's scores, tests of significance, and log-probabilities of given pairs."""

from keras_nmt.evaluation.corpus_scores import MetricScore, corpus_scores
from keras_nmt.evaluation.pair_log_probabilities import pair_log_probabilities
from keras_nmt.evaluation.paired_bootstrap import PairedComparison, paired_bootstrap
from keras_nmt.evaluation.paired_bootstrap_of_runs import paired_bootstrap_of_runs

__all__ = [
    "MetricScore",
    "PairedComparison",
    "corpus_scores",
    "pair_log_probabilities",
    "paired_bootstrap",
    "paired_bootstrap_of_runs",
]
