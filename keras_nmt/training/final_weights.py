"""The choice of a run's final weights among the kept checkpoints, by their scores on the development data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keras_nmt.training.checkpoints import Progress, Saving
from keras_nmt.training.evaluation import Evaluation

PLATEAU = 0.03  # a score that differs from the best by at most this part of the best belongs to the plateau


def chosen_updates(saving: Saving, progress: Progress, evaluation: Evaluation | None) -> list[int]:
    """The kept updates whose mean are the final weights, unless the best update alone is better.

    Of "average_last", an average of updates far below the best would be worse than the best: only those on the plateau
    count, or the best update where none of the last is there.

    Args:
        saving: `Saving`, which kind of final weights.
        progress: `Progress`, with the kept updates and their scores.
        evaluation: `Evaluation`, which says which scores are better, or None.
    """
    which, number = saving.final_checkpoints
    if which == "best" and evaluation is not None:
        return by_score(progress, evaluation)[: min(number, saving.keep_best)]
    kept = progress.saved[-saving.keep_last :][-number:]
    if saving.final != "average_last" or evaluation is None or not progress.scores:
        return kept
    best = by_score(progress, evaluation)[0]
    return plateau(kept, progress.scores, progress.scores[best]) or [best]


def plateau(updates: Sequence[int], scores: Mapping[int, float], best: float) -> list[int]:
    """The updates whose scores are on the plateau of the best score; a save without a score goes with the next one.

    Example:

    >>> plateau([100, 200, 250, 300], {100: 18.0, 200: 29.6, 300: 30.1}, 30.4)
    [200, 250, 300]
    """
    chosen, is_within = [], True
    for update in reversed(updates):
        if update in scores:
            is_within = abs(scores[update] - best) <= PLATEAU * abs(best)
        if is_within:
            chosen.append(update)
    return chosen[::-1]


def by_score(progress: Progress, evaluation: Evaluation) -> list[int]:
    """The kept updates with scores, the best first, and of equal ones the earlier first."""
    sign = -1 if evaluation.higher_is_better else 1
    return sorted(progress.scores, key=lambda update: (sign * progress.scores[update], update))


def comparison(saving: Saving, updates: Sequence[int], scores: tuple[float, float], best: int, is_better: bool) -> str:
    """A line on the mean of some updates and the best update alone: their two scores, and which is taken.

    `is_better` tells whether the best update is better than the mean.
    """
    mean = "the mean of updates " + ", ".join(map(str, updates)) if len(updates) > 1 else f"update {updates[0]}"
    taken = f"update {best}" if is_better and saving.final.startswith("average") else mean
    hint = ' (final="best" takes the better)' if is_better and taken == mean else ""
    difference = abs(scores[0] - scores[1])
    return (
        f"{scores[0]:.4g} for {mean}, {scores[1]:.4g} for update {best}, {difference:.2g} apart: {taken} is taken{hint}"
    )
