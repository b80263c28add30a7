"""What all searches check of their arguments, as far as it is known before they run."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np


def check_arguments(
    batch_size: Any, length_penalty: Any, seeds: Any = None, max_lengths: Any = None, prefix: Any = None
) -> None:
    """Raises a `ValueError` where the penalty is not finite, or a tensor has another rank or number of rows."""
    if isinstance(length_penalty, numbers.Real) and not math.isfinite(length_penalty):
        raise ValueError(f"`length_penalty` must be finite. Received: length_penalty={length_penalty}")
    for name, value, form in (
        ("seeds", seeds, "[B]"),
        ("max_lengths", max_lengths, "[B]"),
        ("prefix", prefix, "[B, P]"),
    ):
        if value is None:
            continue
        shape = value.shape if hasattr(value, "shape") else np.shape(value)
        if getattr(shape, "rank", 0) is None:  # of TensorFlow, not known
            continue
        rows_differ = len(shape) and isinstance(batch_size, int) and shape[0] not in (None, batch_size)
        if len(shape) != form.count(",") + 1 or rows_differ:
            raise ValueError(f"`{name}` must be {form}, with B = {batch_size}. Received: shape {tuple(shape)}")
