from __future__ import annotations

from typing import Any

from keras import ops

from keras_nmt.ids import BEGIN, END, PAD


def shift_right(targets: Any) -> Any:
    """The target input of teacher forcing: what a decoder has read when it is to predict `targets`.

    Args:
        targets: `[B, T]` int32, `y1 ... yn END`, then `PAD`.

    Returns:
        `[B, T]` int32, `BEGIN y1 ... yn`, then `PAD`: `END` is predicted, not read.

    Example:

    >>> from keras import ops
    >>> ops.convert_to_numpy(shift_right(ops.array([[7, 8, 3, 0]]))).tolist()
    [[2, 7, 8, 0]]
    """
    begin = ops.full_like(targets[:, :1], BEGIN)
    shifted = targets[:, :-1]
    return ops.concatenate([begin, ops.where(shifted == END, PAD, shifted)], axis=1)
