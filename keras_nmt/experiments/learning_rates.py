"""The learning rate of an experiment: its schedule, its defaults, and warnings of rates that train nothing."""

from __future__ import annotations

import keras

from keras_nmt.errors import UserError
from keras_nmt.experiments.experiment_settings import ExperimentSettings
from keras_nmt.training import InverseSquareRootSchedule, NoamSchedule, make_optimizer

WARMUP_STEPS = 4000  # by default, as in Vaswani et al., 2017
NOAM_SCALE = 1.0  # by default
# The lowest and the highest peak, by optimizer, that trains translation models: Adam's steps are about as long as the
# rate, SGD's depend on the gradient.
USUAL_PEAKS = {"adam": (1e-5, 1e-2), "adamw": (1e-5, 1e-2), "sgd": (1e-3, 10.0)}


def warmup_steps(experiment: ExperimentSettings) -> int:
    """The updates of warm-up of an experiment: by default none with a constant rate, else 4,000."""
    if experiment.warmup_steps is None:
        return 0 if experiment.schedule == "constant" else WARMUP_STEPS
    return experiment.warmup_steps


def check_learning_rate(experiment: ExperimentSettings) -> None:
    """Checks that the schedule of an experiment has the settings that it needs.

    Raises:
        UserError: The schedule has no rate, or its warm-up does not fit.
    """
    e, warmup = experiment, warmup_steps(experiment)
    if e.learning_rate is None and e.schedule != "noam":
        example = "1 with sgd" if e.optimizer == "sgd" else f"0.0003 with {e.optimizer}"
        raise UserError(
            f"`learning_rate` is needed with this schedule, such as {example}. Received: schedule={e.schedule!r}"
        )
    if warmup == 0 and e.schedule != "constant":
        raise UserError(
            f"`warmup_steps` must be positive with this schedule. Received: warmup_steps=0, schedule={e.schedule!r}"
        )
    if e.schedule == "cosine" and warmup >= (e.max_updates or 0):
        raise UserError(
            "The cosine schedule ends at `max_updates`, which is needed and larger than `warmup_steps`. "
            f"Received: max_updates={e.max_updates}, warmup_steps={warmup}"
        )


def learning_rate(
    experiment: ExperimentSettings, hidden_dim: int
) -> float | keras.optimizers.schedules.LearningRateSchedule:
    """Makes the learning-rate schedule of an experiment for a model of the width `hidden_dim`."""
    e, rate, warmup = experiment, experiment.learning_rate, warmup_steps(experiment)
    if e.schedule == "noam":
        return NoamSchedule(hidden_dim, warmup, NOAM_SCALE if rate is None else rate)
    assert rate is not None  # `Experiment` needs a rate for all other schedules
    if e.schedule == "inverse_square_root":
        return InverseSquareRootSchedule(rate, warmup)
    if e.schedule == "cosine" and e.max_updates is not None:
        decay = keras.optimizers.schedules.CosineDecay
        return decay(rate / warmup, e.max_updates - warmup, warmup_target=rate, warmup_steps=warmup)
    if warmup > 1:  # from rate / warmup at the first update to rate at update `warmup`, and no further
        return keras.optimizers.schedules.PolynomialDecay(rate / warmup, warmup - 1, rate)
    return rate


def peak_rate(experiment: ExperimentSettings, hidden_dim: int) -> float:
    """The highest learning rate of an experiment's schedule."""
    rate, warmup = learning_rate(experiment, hidden_dim), warmup_steps(experiment)
    # Keras counts updates from 0, and its cosine is at the peak one update later than the other schedules.
    return rate if isinstance(rate, float) else max(float(rate(step)) for step in (max(warmup - 1, 0), warmup))


def warnings_of_learning_rate(experiment: ExperimentSettings, hidden_dim: int) -> list[str]:
    """Lines about a peak that the run does not reach, and about a peak at which models usually do not train."""
    e, lines = experiment, []
    warmup, peak = warmup_steps(e), peak_rate(e, hidden_dim)
    if warmup > (e.max_updates or warmup):
        lines.append(
            "Warning: the run ends before the learning rate is at its peak: set `warmup_steps` to about a tenth of the "
            f"updates. Received: warmup_steps={warmup}, max_updates={e.max_updates}"
        )
    lowest, highest = USUAL_PEAKS[e.optimizer]
    if not lowest <= peak <= highest:
        factor = f"; with noam, `learning_rate` is a factor, by default {NOAM_SCALE:g}" if e.schedule == "noam" else ""
        lines.append(
            f"Warning: the highest learning rate is {peak:.2g}; with {e.optimizer}, peaks from {lowest:g} to "
            f"{highest:g} are usual{factor}. Received: schedule={e.schedule!r}, learning_rate={e.learning_rate}, "
            f"warmup_steps={warmup}"
        )
    return lines


def make_optimizer_of(experiment: ExperimentSettings, hidden_dim: int) -> keras.optimizers.Optimizer:
    """Makes the optimizer of an experiment, in the strategy's scope, for a model of the width `hidden_dim`."""
    e = experiment
    moments = {name: value for name in ("beta_2", "epsilon") if (value := getattr(e, name)) is not None}
    optimizer = make_optimizer(
        e.optimizer, learning_rate(e, hidden_dim), weight_decay=e.weight_decay, clip=e.clip, ema=e.ema, **moments
    )
    return keras.optimizers.LossScaleOptimizer(optimizer) if e.dtype == "mixed_float16" else optimizer
