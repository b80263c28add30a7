from __future__ import annotations

from typing import Any

import numpy as np
from keras import ops

from keras_nmt.decoding.suppress_tokens import IMPOSSIBLE
from keras_nmt.ids import PAD


def force_prefix(logits: Any, given: Any, prefix: Any, position: Any) -> Any:
    """Makes every token impossible to choose but that of the prefix, where there is one at this position.

    Args:
        logits: `[B, K, V]` float32, what may be chosen.
        given: `[B, K, V]` float32, the model's logits, of which the prefix's token keeps its own, suppressed or not.
        prefix: `[B, P]` int32, `PAD` where any token may be chosen, or None.
        position: int32 scalar.

    Returns:
        Logits of the same shape.
    """
    if prefix is None:
        return logits
    if isinstance(prefix, np.ndarray) and np.any((prefix < 0) | (prefix >= logits.shape[-1])):  # else it is not known
        raise ValueError(f"`prefix` has ids of a vocabulary of {logits.shape[-1]} only. Received: {prefix.tolist()}")
    here = ops.arange(ops.shape(prefix)[1], dtype="int32") == position
    token = ops.sum(ops.where(here, ops.cast(prefix, "int32"), 0), axis=1)[:, None, None]  # [B, 1, 1], PAD past its end
    ids = ops.arange(logits.shape[-1], dtype="int32")
    return ops.where(token == PAD, logits, ops.where(ids == token, given, IMPOSSIBLE))
