"""The elements of batches as arrays, and those of one update joined."""

from __future__ import annotations

import itertools

import numpy as np
import tensorflow as tf

KEYS = ("source", "target_input", "target_output", "line_numbers")
Batch = dict[str, np.ndarray]


def take(dataset: tf.data.Dataset, number: int) -> list[Batch]:
    return list(itertools.islice(dataset.as_numpy_iterator(), number))


def same(left: list[Batch], right: list[Batch]) -> bool:
    return len(left) == len(right) > 0 and all(
        np.array_equal(a[key], b[key]) for a, b in zip(left, right, strict=True) for key in KEYS
    )


def join(parts: list[Batch], size: int) -> list[Batch]:
    """Concatenates every `size` successive elements to the batch of one update."""
    runs = [parts[i : i + size] for i in range(0, len(parts), size)]
    return [{key: np.concatenate([part[key] for part in run]) for key in KEYS} for run in runs]
