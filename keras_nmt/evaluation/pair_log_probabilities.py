from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras import ops

from keras_nmt.decoding import sequence_log_probability, shift_right


def pair_log_probabilities(model: Callable[..., Any], source_ids: Any, target_ids: Any) -> Any:
    """Log-probabilities that a model gives to targets, each given its source.

    One teacher-forced pass over one batch; traceable. The whole `[B, T, V]` of logits is in memory at once, so hand
    over a large corpus in batches.

    Args:
        model: a translation model: `model([source, target_input], training=False)` gives logits `[B, T, V]`.
        source_ids: `[B, S]` int, each row ending with `END`, then `PAD`.
        target_ids: `[B, T]` int, each row ending with `END`, then `PAD`; without `BEGIN`. A row of nothing but
            padding gets 0.

    Returns:
        `[B]` float32, natural logarithm, `END` included.

    Example:

    >>> from keras import ops
    >>> def even(inputs, training):  # four tokens, all as likely
    ...     return ops.zeros((*inputs[1].shape, 4))
    >>> scores = pair_log_probabilities(even, ops.array([[1, 3]]), ops.array([[1, 1, 3]]))
    >>> round(float(scores[0]), 4)  # 3 ln(1/4)
    -4.1589
    """
    source_ids = ops.cast(source_ids, "int32")
    target_ids = ops.cast(target_ids, "int32")
    logits = model([source_ids, shift_right(target_ids)], training=False)
    return sequence_log_probability(logits, target_ids)
