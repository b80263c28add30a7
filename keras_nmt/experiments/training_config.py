"""The training of an experiment: batches, optimizer, learning rate, and the sections that are parts of `Trainer`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import keras
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

from keras_nmt.experiments.corpus_files import File
from keras_nmt.files.settings import check_rule, documented, setting
from keras_nmt.training import (
    InverseSquareRootSchedule,
    Logging,
    NoamSchedule,
    Saving,
    StopCriteria,
    TaskSchedule,
    UpdateConfig,
    WarmStart,
    make_optimizer,
)

TEMPERATURE = 5.0  # the default of `task_schedule`
WARMUP_STEPS = 4000  # the default, as in Vaswani et al., 2017
NOAM_SCALE = 1.0  # the default
# The lowest and highest learning rates that usually train translation models. Adam's steps are about as long as the
# rate, those of SGD depend on the gradient.
USUAL_PEAKS = {"adam": (1e-5, 1e-2), "adamw": (1e-5, 1e-2), "sgd": (1e-3, 10.0)}


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The training of an experiment; its sections are arguments of `Trainer`."""

    batch_size: Annotated[int, Field(gt=0, lt=2**31)] = setting(  # shapes are int32
        4096, "Size of an update's batch, over all replicas and accumulation steps."
    )
    batch_unit: Literal["tokens", "sentences"] = setting(
        "tokens", 'Unit of `batch_size`: "tokens" (positions of one side, padding included) or "sentences".'
    )
    length_buckets: Sequence[int] | None = setting(
        None, "Upper limits of the length buckets in subwords; by default those of `TrainingBatches`."
    )
    task_schedule: Literal["uniform", "weighted", "temperature"] = setting(
        "uniform",
        'Share of the directions in the updates: "uniform", "weighted" by `task_weights`, or "temperature", the number '
        "of sentences to the power of 1 / `temperature`.",
    )
    task_weights: dict[str, PositiveFloat] | None = setting(
        None,
        'Weight of each direction, for the schedule "weighted".',
        needs=("task_schedule", "weighted"),
        needed_with=("task_schedule", "weighted"),
    )
    temperature: PositiveFloat = setting(TEMPERATURE, "See `task_schedule`.", needs=("task_schedule", "temperature"))
    optimizer: Literal["adam", "adamw", "sgd"] = setting("adam", '"adam", "adamw" or "sgd".')
    beta_2: Annotated[float, Field(ge=0, lt=1)] | None = setting(
        None,
        'Decay of the second moment of "adam" and "adamw"; by default 0.98, as in Vaswani et al., 2017.',
        needs=("optimizer", "adam", "adamw"),
    )
    epsilon: PositiveFloat | None = setting(
        None,
        "Number added to the root of the second moment; by default 1e-9, as in the same paper.",
        needs=("optimizer", "adam", "adamw"),
    )
    schedule: Literal["noam", "inverse_square_root", "cosine", "constant"] = setting(
        "noam",
        'Learning-rate schedule: "noam", "inverse_square_root", "constant" or "cosine". The last needs `max_updates`: '
        "the update after it would have a rate of zero.",
    )
    learning_rate: PositiveFloat | None = setting(
        None,
        'Peak learning rate, such as 0.0003 with "adam" or 1 with "sgd", which all schedules but "noam" need. With '
        '"noam" a factor, by default 1: the peak is `learning_rate * (width * warmup_steps) ** -0.5`.',
        needed_with=("schedule", "inverse_square_root", "cosine", "constant"),
    )
    warmup_steps: Annotated[int, Field(ge=0, lt=2**31)] | None = setting(
        None, 'Updates of linear warm-up; by default 4000, or 0 with "constant".'
    )
    weight_decay: NonNegativeFloat | None = setting(
        None,
        'Decoupled weight decay, which "adamw" needs.',
        needs=("optimizer", "adamw"),
        needed_with=("optimizer", "adamw"),
    )
    clip: PositiveFloat | None = setting(None, "Largest global norm of the gradient; by default no clipping.")
    ema: Annotated[float, Field(ge=0, lt=1)] | None = setting(
        None,
        "Momentum of an exponential moving average of the weights, such as 0.999. Evaluations and checkpoints then use "
        "the averaged weights; see `Trainer`.",
    )
    label_smoothing: Annotated[float, Field(ge=0, lt=1)] = setting(0.1, "Probability spread over the vocabulary.")
    teacher: File | None = setting(
        None,
        "Word-level distillation: model directory whose probabilities the model learns in addition to the references; "
        "see `WordDistillation`. By default the model has the teacher's subwords; it must have the same.",
    )
    teacher_weight: Annotated[float, Field(gt=0, le=1)] | None = setting(
        None, "Share of the teacher's probabilities in the loss; by default 0.5.", needs=("teacher",)
    )
    teacher_temperature: PositiveFloat | None = setting(
        None, "Temperature of the probabilities of teacher and model; by default 1.", needs=("teacher",)
    )
    dtype: Literal["float32", "mixed_bfloat16", "mixed_float16"] = setting(
        "float32", '"float32", "mixed_bfloat16", or "mixed_float16" with loss scaling.'
    )
    replicas: PositiveInt | None = setting(
        None, "Number of replicas: GPUs, by default all, or logical CPU devices if there is no GPU."
    )
    deterministic: bool = setting(False, "Whether to use only deterministic operations.")
    update: UpdateConfig = dataclasses.field(default_factory=lambda: UpdateConfig(seed=1))
    stop: StopCriteria = dataclasses.field(default_factory=StopCriteria)
    saving: Saving = dataclasses.field(default_factory=Saving)
    start: WarmStart = dataclasses.field(default_factory=WarmStart)
    logging: Logging = dataclasses.field(default_factory=Logging)

    def __post_init__(self) -> None:
        check = functools.partial(check_rule, self)
        problem = "{accumulation_steps} must be at most {batch_size}: each of them is a part of the batch"
        check(self.update.accumulation_steps <= self.batch_size, problem, "update.accumulation_steps", "batch_size")
        problem = 'With {ema}, use final_weights="ema" instead of "last"; without, "last" instead of "ema"'
        other = "ema" if self.ema is None else "last"
        check(self.saving.final_weights != other, problem, "saving.final_weights", "ema")
        problem = "{warmup_steps} must be positive with this schedule"
        check(self.warmup > 0 or self.schedule == "constant", problem, "warmup_steps", "schedule")
        problem = f"The cosine schedule needs {{max_updates}}, larger than {{warmup_steps}}, by default {WARMUP_STEPS}"
        is_longer = self.schedule != "cosine" or self.warmup < (self.stop.max_updates or 0)
        check(is_longer, problem, "stop.max_updates", "warmup_steps")

    @property
    def warmup(self) -> int:
        """The number of updates of warm-up; by default 0 with a constant rate, else 4,000."""
        if self.warmup_steps is None:
            return 0 if self.schedule == "constant" else WARMUP_STEPS
        return self.warmup_steps

    def make_learning_rate(self, hidden_dim: int) -> float | keras.optimizers.schedules.LearningRateSchedule:
        """Makes the learning-rate schedule for a model of the width `hidden_dim`."""
        rate, warmup = self.learning_rate, self.warmup
        if self.schedule == "noam":
            return NoamSchedule(hidden_dim, warmup, NOAM_SCALE if rate is None else rate)
        assert rate is not None  # needed for all other schedules
        if self.schedule == "inverse_square_root":
            return InverseSquareRootSchedule(rate, warmup)
        if self.schedule == "cosine" and self.stop.max_updates is not None:
            decay = keras.optimizers.schedules.CosineDecay
            return decay(rate / warmup, self.stop.max_updates - warmup, warmup_target=rate, warmup_steps=warmup)
        if warmup > 1:  # rises from rate / warmup at the first update to rate at update `warmup`
            return keras.optimizers.schedules.PolynomialDecay(rate / warmup, warmup - 1, rate)
        return rate

    def peak_rate(self, hidden_dim: int) -> float:
        """Returns the highest learning rate of the schedule."""
        rate, warmup = self.make_learning_rate(hidden_dim), self.warmup
        # Keras counts updates from 0. Its cosine schedule reaches the peak one update later than the other schedules.
        return rate if isinstance(rate, float) else max(float(rate(step)) for step in (max(warmup - 1, 0), warmup))

    def warnings(self, hidden_dim: int) -> list[str]:
        """Returns warnings if the run does not reach the peak, or if models usually do not train at the peak."""
        lines = []
        max_updates, peak = self.stop.max_updates, self.peak_rate(hidden_dim)
        if self.warmup > (max_updates or self.warmup):
            lines.append(
                "Warning: the run ends before the learning rate reaches its peak: set `warmup_steps` to about a tenth "
                f"of the updates. Received: warmup_steps={self.warmup}, max_updates={max_updates}"
            )
        lowest, highest = USUAL_PEAKS[self.optimizer]
        if not lowest <= peak <= highest:
            is_factor = self.schedule == "noam"
            factor = f"; with noam, `learning_rate` is a factor, by default {NOAM_SCALE:g}" if is_factor else ""
            lines.append(
                f"Warning: the highest learning rate is {peak:.2g}; with {self.optimizer}, peaks from {lowest:g} to "
                f"{highest:g} are usual{factor}. Received: schedule={self.schedule!r}, "
                f"learning_rate={self.learning_rate}, warmup_steps={self.warmup}"
            )
        return lines

    def make_optimizer(self, hidden_dim: int) -> keras.optimizers.Optimizer:
        """Makes the optimizer, in the strategy's scope, for a model of the width `hidden_dim`."""
        moments = {name: value for name in ("beta_2", "epsilon") if (value := getattr(self, name)) is not None}
        optimizer = make_optimizer(
            self.optimizer,
            self.make_learning_rate(hidden_dim),
            weight_decay=self.weight_decay,
            clip=self.clip,
            ema=self.ema,
            **moments,
        )
        return keras.optimizers.LossScaleOptimizer(optimizer) if self.dtype == "mixed_float16" else optimizer

    def weights_of_tasks(self, sizes: Mapping[str, int]) -> dict[str, float]:
        """Returns the weights of the trained directions, from the number of sentences of each direction."""
        if self.task_weights is not None:
            return {name: self.task_weights[name] for name in sizes}
        if self.task_schedule == "temperature":
            return TaskSchedule.by_temperature(sizes, self.temperature).weights
        return dict.fromkeys(sizes, 1.0)
