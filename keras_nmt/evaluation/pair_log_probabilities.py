"""Log-probabilities of given translations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras import ops

from keras_nmt.decoding import sequence_log_probability, shift_right


def pair_log_probabilities(model: Callable[..., Any], source_ids: Any, target_ids: Any) -> Any:
    """Log-probabilities that a model assigns to targets, given their sources.

    One teacher-forced pass over one batch, which a graph can trace. All logits `[B, T, V]` are in memory at once: pass
    a large corpus in batches.

    Args:
        model: Callable translation model: `model([source, target_input], training=False)` returns logits `[B, T, V]`.
        source_ids: Integer tensor `[B, S]`. Each row ends with `END`, then `PAD`.
        target_ids: Integer tensor `[B, T]` without `BEGIN`. Each row ends with `END`, then `PAD`. A row of padding
            alone has log-probability 0.

    Returns:
        float32 tensor `[B]`, natural logarithms, `END` included.

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
