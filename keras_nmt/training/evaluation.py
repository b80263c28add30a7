"""Evaluations during training, and which of them was the best."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from keras_nmt.errors import UserError, check_positive
from keras_nmt.training.checkpoints import Progress

LOWER_IS_BETTER = ("loss", "nll", "perplexity", "ter")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The evaluations of `Trainer`. The run is saved at each evaluation.

    Args:
        evaluate: Function without arguments that evaluates the model as it is and returns metrics by name.
        every: Integer, number of updates between evaluations. It may change when a run is resumed.
        best_metric: String, the metric that decides which weights are best. Lower is better for "loss", "nll",
            "perplexity" and "ter", also of one task, such as "loss_de-en"; higher for all others. Defaults to "bleu".
        patience: Integer, number of evaluations without a new best after which the run ends. Defaults to `None`, never.

    Raises:
        UserError: A number is below 1.
    """

    evaluate: Callable[[], Mapping[str, float]]
    every: int
    best_metric: str = "bleu"
    patience: int | None = None

    def __post_init__(self) -> None:
        check_positive(every=self.every, patience=self.patience)

    @property
    def higher_is_better(self) -> bool:
        """Whether the better of two values of `best_metric` is the higher."""
        return self.best_metric.split("_")[0] not in LOWER_IS_BETTER

    def record(self, metrics: Mapping[str, float], progress: Progress) -> None:
        """Records in `progress` whether the present update is the best so far."""
        if self.best_metric not in metrics:
            raise UserError(
                "The evaluation does not give the metric that decides which weights are best. "
                f"Received: best_metric={self.best_metric!r}, metrics={sorted(metrics)}"
            )
        score, sign = metrics[self.best_metric], 1 if self.higher_is_better else -1
        if progress.best_score is None or sign * score > sign * progress.best_score:
            progress.best_score, progress.best_update = score, progress.update
            progress.evaluations_since_best = 0
        else:
            progress.evaluations_since_best += 1
