"""Inverse-square-root decay after a linear warm-up to a given rate."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_nmt")
class InverseSquareRootSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up to `learning_rate`, then decay with the inverse square root of the update.

    The rate at update `t` (counted from 1) is `learning_rate * min(t / warmup_steps, (warmup_steps / t)^0.5)`.

    Args:
        learning_rate: Float, the highest rate, reached at update `warmup_steps`.
        warmup_steps: Integer, number of updates over which the rate rises. Defaults to 4000.

    Raises:
        ValueError: `warmup_steps` is below 1.

    Example:

    >>> schedule = InverseSquareRootSchedule(5e-4, warmup_steps=100)
    >>> [round(float(schedule(update - 1)), 6) for update in (50, 100, 400)]
    [0.00025, 0.0005, 0.00025]
    """

    def __init__(self, learning_rate: float, warmup_steps: int = 4000) -> None:
        super().__init__()
        if warmup_steps < 1:
            raise ValueError(f"The number of warm-up steps must be at least 1. Received: warmup_steps={warmup_steps}")
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps

    def __call__(self, step: Any) -> Any:
        update = ops.cast(step, "float32") + 1.0
        return self.learning_rate * ops.minimum(update / self.warmup_steps, ops.sqrt(self.warmup_steps / update))

    def get_config(self) -> dict[str, Any]:
        return {"learning_rate": self.learning_rate, "warmup_steps": self.warmup_steps}
