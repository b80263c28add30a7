"""Optimizers by name."""

from __future__ import annotations

import keras

from keras_nmt.errors import UserError
from keras_nmt.training._fused_adam import FusedAdam, FusedAdamW


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
    """Makes a Keras optimizer; the defaults are those of the Transformer's paper. Call it in the strategy's scope.

    Args:
        name: String, "adam", "adamw" or "sgd". Defaults to "adam".
        learning_rate: Float or schedule. Defaults to 0.001.
        beta_1: Float, decay of the first moment of "adam" and "adamw". Defaults to 0.9.
        beta_2: Float, decay of the second moment of "adam" and "adamw". Defaults to 0.98.
        epsilon: Float, added to the root of the second moment of "adam" and "adamw". Defaults to 1e-9.
        momentum: Float, momentum of "sgd". Defaults to 0.
        weight_decay: Float, decoupled weight decay, which "adamw" needs and no other optimizer takes.
        clip: Float, largest global norm of the gradient. `Trainer` clips the gradient of the whole update, summed over
            micro-batches and replicas. Defaults to `None`, no clipping.
        ema: Float in [0, 1), momentum of an exponential moving average of the weights: after each update, an average is
            `ema` times the average before plus `1 - ema` times the weight; after the first update, the weight. The
            average covers about `1 / (1 - ema)` updates. Defaults to `None`, no average.

    Returns:
        A Keras optimizer; the update of "adam" and "adamw" is one pass over memory.

    Raises:
        UserError: The name is unknown, `ema` is out of its range, or the weight decay does not belong to the optimizer.

    Example:

    >>> make_optimizer("adam", 2e-4, clip=1.0).global_clipnorm
    1.0
    """
    if (weight_decay is not None) != (name == "adamw") and name in ("adam", "adamw", "sgd"):
        raise UserError(
            'Weight decay goes with "adamw", which needs it, and with no other optimizer. '
            f"Received: name={name!r}, weight_decay={weight_decay}"
        )
    if ema is not None and not 0 <= ema < 1:
        raise UserError(f"The momentum of an average of weights is from 0 to below 1. Received: ema={ema}")
    options = {"global_clipnorm": clip, "use_ema": ema is not None, "ema_momentum": ema or 0.0}
    if name == "adam":
        return FusedAdam(learning_rate, beta_1, beta_2, epsilon, **options)
    if name == "adamw":
        return FusedAdamW(
            learning_rate,
            weight_decay=weight_decay,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            **options,
        )
    if name == "sgd":
        return keras.optimizers.SGD(learning_rate, momentum=momentum, **options)
    raise UserError(f'The optimizer must be "adam", "adamw" or "sgd". Received: name={name!r}')
