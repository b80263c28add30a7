"""Learning-rate schedules with a linear warm-up."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_nmt")
class NoamSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up, then decay with the inverse square root of the update, scaled by the width of the model.

    The rate at update `t` (counted from 1) is `scale * hidden_dim^-0.5 * min(t^-0.5, t * warmup_steps^-1.5)`.

    Args:
        hidden_dim: Integer, width of the model.
        warmup_steps: Integer, number of updates over which the rate rises. Defaults to 4000.
        scale: Float, factor of the rate. Defaults to 1.

    Raises:
        ValueError: An integer is below 1.

    Example:

    >>> schedule = NoamSchedule(512, warmup_steps=4000)
    >>> round(float(schedule(3999)), 6)  # Keras counts from 0: this is update 4000, the peak
    0.000699

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), equation 3.
    """

    def __init__(self, hidden_dim: int, warmup_steps: int = 4000, scale: float = 1.0) -> None:
        super().__init__()
        if hidden_dim < 1 or warmup_steps < 1:
            raise ValueError(
                "The width and the number of warm-up steps must be at least 1. "
                f"Received: hidden_dim={hidden_dim}, warmup_steps={warmup_steps}"
            )
        self.hidden_dim = hidden_dim
        self.warmup_steps = warmup_steps
        self.scale = scale

    def __call__(self, step: Any) -> Any:
        update = ops.cast(step, "float32") + 1.0
        rise = update * self.warmup_steps**-1.5
        return self.scale * self.hidden_dim**-0.5 * ops.minimum(ops.rsqrt(update), rise)

    def get_config(self) -> dict[str, Any]:
        return {"hidden_dim": self.hidden_dim, "warmup_steps": self.warmup_steps, "scale": self.scale}


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
