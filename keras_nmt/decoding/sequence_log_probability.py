from __future__ import annotations

from typing import Any

from keras import ops

from keras_nmt.ids import PAD


def sequence_log_probability(logits: Any, targets: Any) -> Any:
    """Log-probability of whole target sequences, given the logits of a teacher-forced pass.

    Args:
        logits: `[B, T, V]`, the model's output for the target input `BEGIN y1 ... yn`.
        targets: `[B, T]` int, the target output `y1 ... yn END`, then `PAD`, which does not count.

    Returns:
        `[B]` float32, natural logarithm; 0 for a row that is all padding.

    Example:

    >>> from keras import ops
    >>> even = ops.zeros((1, 3, 4))  # four tokens, all as likely
    >>> result = sequence_log_probability(even, ops.array([[1, 3, 0]]))
    >>> round(float(result[0]), 4)  # 2 ln(1/4)
    -2.7726
    """
    logits = ops.cast(logits, "float32")
    targets = ops.cast(targets, "int32")
    chosen = ops.squeeze(ops.take_along_axis(logits, targets[:, :, None], axis=-1), axis=-1)  # [B, T]
    log_probabilities = chosen - ops.logsumexp(logits, axis=-1)
    return ops.sum(ops.where(targets == PAD, 0.0, log_probabilities), axis=-1)
