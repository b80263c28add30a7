"""What several layers share: masks, initial weights, argument checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras

SHORTCUT_KINDS = (None, "plain", "fusion")
NORMS = ("pre", "post")


def projection_initializer() -> keras.initializers.Initializer:
    """Glorot uniform of one d x d matrix, also where several such matrices lie side by side in one kernel.

    Its variance is 1 / fan-in, so it does not change when the kernel's columns are those of two or four projections.
    """
    return keras.initializers.VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform")


def keras_mask(tensor: Any) -> Any:
    """The mask that a layer such as `Embedding(mask_zero=True)` attached to its output, or None."""
    return getattr(tensor, "_keras_mask", None)


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    if value not in choices:
        raise ValueError(f"`{name}` must be one of {', '.join(map(repr, choices))}. Received: {name}={value!r}")


def check_positive(**sizes: Any) -> None:
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"`{name}` must be a positive integer. Received: {name}={value!r}")


def check_rate(**rates: Any) -> None:
    for name, value in rates.items():
        if not isinstance(value, (int, float)) or not 0 <= value < 1:
            raise ValueError(f"`{name}` must be a rate from 0 to below 1. Received: {name}={value!r}")
