"""Evaluations during training, and the comparison of their scores."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

from keras_nmt.errors import check_positive, require
from keras_nmt.evaluation.metrics import METRICS
from keras_nmt.training.checkpoints import Progress

LOSSES = ("loss", "nll", "perplexity")
CHANCE = 1.0  # a lower BLEU is chance: a few n-grams among thousands


@dataclasses.dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The evaluations of `Trainer`. The run is saved at each evaluation.

    Args:
        evaluate: Function without arguments that evaluates the model and returns metrics by name.
        every: Integer, number of updates between evaluations. It may change when a run is resumed.
        best_metric: String, the metric that decides which weights are best. Lower is better for "loss", "nll",
            "perplexity" and metrics of `keras_nmt.evaluation` such as "ter", also of one task, such as "loss_de-en";
            higher for all others. Defaults to "bleu".
        patience: Integer, number of evaluations without a new best after which the run ends. While the best BLEU is
            below 1 of 100, such as at the start, BLEU is mostly chance: then only evaluations count in which no other
            metric is better than before, and none if BLEU is the only metric. Defaults to `None`, never.
        scored_by: String that describes how scores are computed, such as the tokenizer of BLEU. If it or `best_metric`
            has changed when a run is resumed, the kept weights are evaluated again, to be comparable. Defaults to "".

    Raises:
        UserError: A number is below 1.
    """

    evaluate: Callable[[], Mapping[str, float]]
    every: int
    best_metric: str = "bleu"
    patience: int | None = None
    scored_by: str = ""

    def __post_init__(self) -> None:
        check_positive(every=self.every, patience=self.patience)

    @property
    def higher_is_better(self) -> bool:
        """Whether the higher of two values of `best_metric` is the better one."""
        return _higher_is_better(self.best_metric)

    def is_better(self, score: float, other: float, metric: str | None = None) -> bool:
        """Tells whether a value of a metric, by default of `best_metric`, is better than another one."""
        if not math.isfinite(other):
            return math.isfinite(score)
        return score > other if _higher_is_better(metric or self.best_metric) else score < other

    @property
    def scoring(self) -> str:
        """A description of how scores are computed. Two scores can be compared only if it is equal."""
        return f"{self.best_metric} ({self.scored_by})"

    def record(self, metrics: Mapping[str, float], progress: Progress, update: int | None = None) -> None:
        """Records in `progress` whether an update, by default the current one, is the best so far."""
        best_score = metrics.get(self.best_metric, math.nan)
        problem = f"`evaluate` must return a finite number for `best_metric`, here {self.best_metric}"
        received = ", ".join(f"{name}={value:g}" for name, value in metrics.items())
        require(math.isfinite(best_score), f"{problem}. Received: {received}")
        best, better = progress.best_metrics, set()
        for name, score in metrics.items():
            if math.isfinite(score) and (name not in best or self.is_better(score, best[name], name)):
                best[name] = score
                better.add(name)
        others = {name for name in metrics if not _is_bleu(name)}
        if self.best_metric in better:
            progress.best_score = best_score
            progress.best_update = progress.update if update is None else update
            progress.evaluations_since_best = 0
        elif not (_is_bleu(self.best_metric) and best[self.best_metric] < CHANCE and (better & others or not others)):
            progress.evaluations_since_best += 1


def _is_bleu(name: str) -> bool:
    return name.split("_")[0] == "bleu"


def _higher_is_better(name: str) -> bool:
    kind = name.split("_")[0]
    return kind not in LOSSES and not (kind in METRICS and METRICS[kind].lower_is_better)
