"""Log-probabilities of whole sequences, and the length penalty of a hypothesis' score."""

from __future__ import annotations

from typing import Any

from keras import ops

from keras_nmt.ids import BOS, EOS, PAD


def length_penalty(length: Any, alpha: float) -> Any:
    """Returns the divisor of a hypothesis' log-probability: `((5 + length) / 6) ** alpha`.

    Args:
        length: Tensor or number, number of generated tokens, `EOS` included.
        alpha: Float, 0 ranks by log-probability; a larger value favours longer hypotheses.

    Returns:
        A float32 tensor of the shape of `length`.

    Example:

    >>> from keras import ops
    >>> ops.convert_to_numpy(length_penalty([1, 7, 13], alpha=1.0)).tolist()
    [1.0, 2.0, 3.0]

    Reference:
        [Wu et al., 2016](https://arxiv.org/abs/1609.08144), equation 14, without the coverage term.
    """
    return ops.power((5.0 + ops.cast(length, "float32")) / 6.0, float(alpha))


def shift_right(targets: Any) -> Any:
    """Returns the target input of teacher forcing, from which a decoder predicts `targets`.

    Args:
        targets: int32 tensor `[B, T]`, `y1 ... yn EOS`, then `PAD`.

    Returns:
        int32 tensor `[B, T]`, `BOS y1 ... yn`, then `PAD`: `EOS` is predicted, not read.

    Example:

    >>> from keras import ops
    >>> ops.convert_to_numpy(shift_right(ops.array([[7, 8, 3, 0]]))).tolist()
    [[2, 7, 8, 0]]
    """
    begin = ops.full_like(targets[:, :1], BOS)
    shifted = targets[:, :-1]
    return ops.concatenate([begin, ops.where(shifted == EOS, PAD, shifted)], axis=1)


def token_log_probabilities(logits: Any, targets: Any) -> Any:
    """Returns the log-probabilities of each token of target sequences, from the logits of teacher forcing.

    Args:
        logits: Float tensor `[B, T, V]`, the model's output for the target input `BOS y1 ... yn`.
        targets: Integer tensor `[B, T]`, the target output `y1 ... yn EOS`, then `PAD`.

    Returns:
        float32 tensor `[B, T]`, natural logarithms; 0 for `PAD`.

    Example:

    >>> from keras import ops
    >>> even = ops.zeros((1, 3, 4))  # four equally likely tokens
    >>> [round(x, 2) for x in ops.convert_to_numpy(token_log_probabilities(even, ops.array([[1, 3, 0]])))[0].tolist()]
    [-1.39, -1.39, 0.0]
    """
    logits = ops.cast(logits, "float32")
    targets = ops.cast(targets, "int32")
    chosen = ops.squeeze(ops.take_along_axis(logits, targets[:, :, None], axis=-1), axis=-1)  # [B, T]
    return ops.where(targets == PAD, 0.0, chosen - ops.logsumexp(logits, axis=-1))


def sequence_log_probability(logits: Any, targets: Any) -> Any:
    """Returns the log-probability of whole target sequences, from the logits of teacher forcing.

    Args:
        logits: Float tensor `[B, T, V]`, the model's output for the target input `BOS y1 ... yn`.
        targets: Integer tensor `[B, T]`, the target output `y1 ... yn EOS`, then `PAD`, which does not count.

    Returns:
        float32 tensor `[B]`, natural logarithm; 0 for a row that is all padding.

    Example:

    >>> from keras import ops
    >>> even = ops.zeros((1, 3, 4))  # four equally likely tokens
    >>> result = sequence_log_probability(even, ops.array([[1, 3, 0]]))
    >>> round(float(result[0]), 4)  # 2 ln(1/4)
    -2.7726
    """
    return ops.sum(token_log_probabilities(logits, targets), axis=-1)
