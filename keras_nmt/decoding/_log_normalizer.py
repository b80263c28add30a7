from __future__ import annotations

from typing import Any

from keras import ops


def log_normalizer(logits: Any) -> Any:
    """The logarithm of the sum of exponentials over the vocabulary, `[B, K, V]` -> `[B, K, 1]`.

    As `top_k`, it takes the hypotheses side by side: sums over the vocabulary then vectorise.
    """
    columns = ops.transpose(logits, (2, 0, 1))  # [V, B, K]
    highest = ops.max(columns, axis=0)
    return (highest + ops.log(ops.sum(ops.exp(columns - highest), axis=0)))[:, :, None]
