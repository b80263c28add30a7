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

    Raises:
        ValueError: An id is none of the vocabulary.
    """
    if not tokens:
        return logits
    if wrong := [token for token in tokens if not 0 <= token < logits.shape[-1]]:
        raise ValueError(f"`suppress` has ids of a vocabulary of {logits.shape[-1]} only. Received: {wrong}")
    ids = ops.arange(logits.shape[-1], dtype="int32")
    suppressed = ops.any(ids[:, None] == ops.convert_to_tensor(list(tokens), "int32")[None, :], axis=-1)  # [V]
    return ops.where(suppressed, IMPOSSIBLE, logits)
