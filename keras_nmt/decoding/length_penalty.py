from __future__ import annotations

from typing import Any

from keras import ops


def length_penalty(length: Any, alpha: float) -> Any:
    """The divisor of a hypothesis' log-probability: `((5 + length) / 6) ** alpha`.

    Args:
        length: number of generated tokens, `END` included; a tensor or a number.
        alpha: 0 ranks by log-probability; the larger, the more long hypotheses are favoured.

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
