"""The width of a baseline with a given number of parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from keras_nmt.layers._common import check_positive
from keras_nmt.models.count_parameters import count_parameters
from keras_nmt.models.presets import TRANSFORMER_PRESETS


class MatchedWidth(NamedTuple):
    """A width of the Transformer, and its number of parameters.

    Attributes:
        hidden_dim: Integer, the width d.
        parameters: Integer, number of trainable parameters at that width.
        residual: Integer, `parameters` minus the requested number.
    """

    hidden_dim: int
    parameters: int
    residual: int


def matched_width(parameters: int, *, preset: str = "transformer_base", **arguments: Any) -> MatchedWidth:
    """The width at which a Transformer has nearly a given number of parameters: the baseline of a larger model.

    Only the width of the states changes, in multiples of the number of heads; layers, heads and the feed-forward
    networks' inner width do not. The number is a quadratic function of the width, which three small models determine.

    Args:
        parameters: Integer, the wanted number of trainable parameters.
        preset: String, sizes of the Transformer; see `Transformer.from_preset`. Defaults to "transformer_base".
        **arguments: Arguments of `Transformer`, which override the preset. `source_vocabulary_size` is needed.

    Returns:
        A `MatchedWidth`.

    Raises:
        ValueError: `parameters` is not a positive integer, `hidden_dim` is given, or the smallest width has too many.

    Example:

    >>> from keras_nmt.models import count_parameters
    >>> target = count_parameters(preset="transformer_tiny", source_vocabulary_size=99, roles="softmax")
    >>> matched = matched_width(target, preset="transformer_tiny", source_vocabulary_size=99)
    >>> matched.hidden_dim, matched.residual == matched.parameters - target
    (232, True)
    """
    check_positive(parameters=parameters)
    if "hidden_dim" in arguments:
        raise ValueError(f"`hidden_dim` is the result: leave it out. Received: hidden_dim={arguments['hidden_dim']!r}")
    num_heads = int(arguments.get("num_heads", TRANSFORMER_PRESETS.get(preset, {}).get("num_heads", 8)))

    def count(hidden_dim: int) -> int:
        return count_parameters(preset=preset, **arguments, hidden_dim=hidden_dim)

    widths = [num_heads * times for times in (2, 4, 8)]
    quadratic = np.polynomial.Polynomial.fit(widths, [count(width) for width in widths], deg=2).convert()
    roots: np.ndarray = np.asarray((quadratic - parameters).roots(), complex)
    nearest = max((root.real for root in roots if abs(root.imag) < 1e-6), default=0.0)
    below = num_heads * int(nearest // num_heads)
    if below < num_heads:
        raise ValueError(
            f"A Transformer of width {num_heads}, one unit per head, is larger. Received: parameters={parameters}"
        )
    counts = {width: count(width) for width in (below, below + num_heads)}
    best = min(counts, key=lambda width: abs(counts[width] - parameters))
    return MatchedWidth(best, counts[best], counts[best] - parameters)
