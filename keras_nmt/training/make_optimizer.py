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
) -> keras.optimizers.Optimizer:
    """Makes a Keras optimizer, with the Transformer paper's settings as defaults. Call it in the strategy's scope.

    Args:
        name: "adam", "adamw" or "sgd".
        learning_rate: a number or a schedule.
        beta_1: decay of the first moment ("adam", "adamw").
        beta_2: decay of the second moment ("adam", "adamw").
        epsilon: added to the root of the second moment ("adam", "adamw").
        momentum: momentum ("sgd").
        weight_decay: decoupled weight decay: "adamw" only, and required there.
        clip: largest global norm of the gradient; None does not clip. `Trainer` clips the gradient of the whole
            update, that is, after it has been summed over micro-batches and replicas.

    Returns:
        The optimizer: Keras' own, "adam" and "adamw" with an update in one pass over memory.

    Raises:
        UserError: if the name is unknown, or the weight decay does not go with it.

    Example:

    >>> make_optimizer("adam", 2e-4, clip=1.0).global_clipnorm
    1.0
    """
    if (weight_decay is not None) != (name == "adamw") and name in ("adam", "adamw", "sgd"):
        raise UserError(
            'Weight decay goes with "adamw", which needs it, and with no other optimizer. '
            f"Received: name={name!r}, weight_decay={weight_decay}"
        )
    if name == "adam":
        return FusedAdam(learning_rate, beta_1, beta_2, epsilon, global_clipnorm=clip)
    if name == "adamw":
        return FusedAdamW(
            learning_rate,
            weight_decay=weight_decay,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            global_clipnorm=clip,
        )
    if name == "sgd":
        return keras.optimizers.SGD(learning_rate, momentum=momentum, global_clipnorm=clip)
    raise UserError(f'The optimizer must be "adam", "adamw" or "sgd". Received: name={name!r}')
