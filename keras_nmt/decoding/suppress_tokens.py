from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras import ops

# Stands for minus infinity: finite, so that no sum or product of it is NaN. What is below half of it is impossible.
IMPOSSIBLE = -1e9


def suppress_tokens(logits: Any, tokens: Sequence[int]) -> Any:
    """Makes tokens impossible to choose. The other logits, and so their log-probabilities, stay as they are.

    Args:
        logits: `[..., V]` float32.
        tokens: ids that must not be generated.

    Returns:
        Logits of the same shape.
    """
    if not tokens:
        return logits
    ids = ops.arange(logits.shape[-1], dtype="int32")
    suppressed = ops.any(ids[:, None] == ops.convert_to_tensor(list(tokens), "int32")[None, :], axis=-1)  # [V]
    return ops.where(suppressed, IMPOSSIBLE, logits)
