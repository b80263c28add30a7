"""Optimizers, learning-rate schedules, and moving averages of the weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import keras
import tensorflow as tf
from keras import ops

from keras_nmt.errors import check_choice, require


def make_optimizer(
    name: str = "adam",
    learning_rate: float | keras.optimizers.schedules.LearningRateSchedule = 1e-3,
    *,
    beta_1: float = 0.9,
    beta_2: float = 0.98,
    epsilon: float = 1e-9,
    momentum: float = 0.0,
    weight_decay: float | None = None,
    clip: float | None = None,
    ema: float | None = None,
) -> keras.optimizers.Optimizer:
    """Makes a Keras optimizer, by default with the numbers of the Transformer's paper. Call it in the strategy's scope.

    Args:
        name: String, "adam", "adamw" or "sgd". Defaults to "adam".
        learning_rate: Float or schedule. Defaults to 0.001.
        beta_1: Float, decay of the first moment of "adam" and "adamw". Defaults to 0.9.
        beta_2: Float, decay of the second moment of "adam" and "adamw". Defaults to 0.98.
        epsilon: Float, added to the root of the second moment of "adam" and "adamw". Defaults to 1e-9.
        momentum: Float, momentum of "sgd". Defaults to 0.
        weight_decay: Float, decoupled weight decay of "adamw". It must be given for "adamw" only.
        clip: Float, largest global norm of the gradient. `Trainer` clips the gradient of the whole update, summed over
            micro-batches and replicas. Defaults to `None`, no clipping.
        ema: Float in [0, 1), momentum of an exponential moving average of the weights: after each update, an average is
            `ema` times the average before plus `1 - ema` times the weight; after the first update, it is the weight. It
            covers about `1 / (1 - ema)` updates. Defaults to `None`, no average.

    Returns:
        A Keras optimizer. "adam" and "adamw" update a variable in one pass over memory.

    Raises:
        UserError: The name is unknown, `ema` is out of its range, or `weight_decay` does not belong to the optimizer.

    Example:

    >>> make_optimizer("adam", 2e-4, clip=1.0).global_clipnorm
    1.0
    """
    check_choice("name", name, ("adam", "adamw", "sgd"))
    problem = '{weight_decay} must be used together with "adamw"'
    require((weight_decay is not None) == (name == "adamw"), problem, name=name, weight_decay=weight_decay)
    require(ema is None or 0 <= ema < 1, f"`ema` must be at least 0 and below 1. Received: ema={ema}")
    options = {"global_clipnorm": clip, "use_ema": ema is not None, "ema_momentum": ema or 0.0}
    if name == "adam":
        return FusedAdam(learning_rate, beta_1, beta_2, epsilon, **options)
    if name == "adamw":
        betas = {"beta_1": beta_1, "beta_2": beta_2, "epsilon": epsilon}
        return FusedAdamW(learning_rate, weight_decay=weight_decay, **betas, **options)
    return keras.optimizers.SGD(learning_rate, momentum=momentum, **options)


@keras.saving.register_keras_serializable(package="keras_nmt")
class NoamSchedule(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up, then decay with the inverse square root of the update, scaled by the width of the model.

    The rate at update `t` (counted from 1) is `scale * hidden_dim^-0.5 * min(t^-0.5, t * warmup_steps^-1.5)`.

    Args:
        hidden_dim: Integer, width of the model.
        warmup_steps: Integer, number of updates over which the rate rises. Defaults to 4000.
        scale: Float, factor of the rate. Defaults to 1.

    Example:

    >>> schedule = NoamSchedule(512, warmup_steps=4000)
    >>> round(float(schedule(3999)), 6)  # Keras counts from 0: this is update 4000, the peak
    0.000699

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), equation 3.
    """

    def __init__(self, hidden_dim: int, warmup_steps: int = 4000, scale: float = 1.0) -> None:
        super().__init__()
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
            raise ValueError(f"`warmup_steps` must be at least 1. Received: warmup_steps={warmup_steps}")
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps

    def __call__(self, step: Any) -> Any:
        update = ops.cast(step, "float32") + 1.0
        return self.learning_rate * ops.minimum(update / self.warmup_steps, ops.sqrt(self.warmup_steps / update))

    def get_config(self) -> dict[str, Any]:
        return {"learning_rate": self.learning_rate, "warmup_steps": self.warmup_steps}


class FusedAdam(keras.optimizers.Adam):
    """Keras' Adam, which updates a variable by one operation instead of a dozen passes over memory.

    Formula, options, variables and saved state are those of Keras. There is no `amsgrad`.

    After `count_own_updates`, the bias of a variable's moments is corrected by the number t_v of the variable's own
    updates, 1 - beta^{t_v}, instead of the number t of all calls of `apply`. Each t_v is an additional variable of the
    optimizer. Training several tasks needs this, because the moments of a variable change only in updates of its own
    tasks: with t, the first steps of a variable that is trained late would have the wrong size.
    """

    _own_updates: list[Any] | None = None

    def count_own_updates(self) -> None:
        """Counts the updates of each variable from now on. Call it in the strategy's scope, on a built optimizer."""
        if self._own_updates is None:
            self._own_updates = [
                self.add_variable(shape=(), initializer="zeros", dtype="int64", name=f"{variable.name}_own_updates")
                for variable in self._trainable_variables
            ]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)  # private, as are the lists of moments
        momentum, velocity = self._momentums[index], self._velocities[index]
        step = tf.cast(self.iterations + 1, dtype)
        if self._own_updates is not None:
            num_updates = self._own_updates[index]
            self.assign_add(num_updates, 1)
            step = tf.cast(tf.convert_to_tensor(num_updates.value), dtype)  # t_v
        tf.raw_ops.ResourceApplyAdam(
            # With replicas, this is the handle of the variable on the current replica.
            var=variable.handle,
            m=momentum.value.handle,
            v=velocity.value.handle,
            beta1_power=tf.pow(tf.cast(self.beta_1, dtype), step),
            beta2_power=tf.pow(tf.cast(self.beta_2, dtype), step),
            lr=tf.cast(learning_rate, dtype),
            beta1=tf.cast(self.beta_1, dtype),
            beta2=tf.cast(self.beta_2, dtype),
            epsilon=tf.cast(self.epsilon, dtype),
            grad=tf.cast(tf.convert_to_tensor(gradient), dtype),
        )


class FusedAdamW(FusedAdam, keras.optimizers.AdamW):
    """`FusedAdam` with the decoupled weight decay of Keras' AdamW."""


@contextlib.contextmanager
def averaged_weights(optimizer: keras.optimizers.Optimizer) -> Iterator[None]:
    """Sets the trained variables to their averages in a block, and restores their values after it, bit for bit.

    (Keras' `SwapEMAWeights` exchanges values by sums and differences, whose rounding changes the weights.) Call it in
    cross-replica context, outside of graphs. If the optimizer keeps no averages, the block changes nothing.

    Args:
        optimizer: Optimizer, built.
    """
    inner, pairs = unscaled(optimizer), []
    # Before the first update, the averages of Keras are zero.
    if inner.use_ema and int(tf.convert_to_tensor(inner.iterations.value)) > 0:
        pairs = list(zip(inner._trainable_variables, inner._model_variables_moving_average, strict=True))
    values = [tf.identity(variable.value) for variable, _ in pairs]
    try:
        for variable, average in pairs:
            variable.value.assign(tf.convert_to_tensor(average.value))
        yield
    finally:
        for (variable, _), value in zip(pairs, values, strict=True):
            variable.value.assign(value)


def unscaled(optimizer: keras.optimizers.Optimizer) -> keras.optimizers.Optimizer:
    """Returns the optimizer inside a `LossScaleOptimizer`, or any other optimizer itself."""
    return getattr(optimizer, "inner_optimizer", optimizer)
