"""Counts the parameters of models, and finds the width of a baseline that has a given number of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from keras_nmt.errors import require
from keras_nmt.layers._common import check_positive
from keras_nmt.layers._keras_private import without_values
from keras_nmt.layers.layer_spec import choose, spec_of
from keras_nmt.models.factory import POSITIONS, act_on_attention
from keras_nmt.models.transformer import TRANSFORMER_PRESETS, Transformer


def count_parameters(*, preset: str = "transformer_base", **arguments: Any) -> int:
    """Returns the number of trainable parameters of a Transformer, without allocating them.

    Args:
        preset: String, sizes of the Transformer; see `Transformer.from_preset`. Defaults to "transformer_base".
        **arguments: Arguments of `Transformer`, which override the preset. Must include `source_vocabulary_size`.

    Raises:
        ValueError: `Transformer` rejects the arguments.

    Example:

    >>> count_parameters(preset="transformer_base", source_vocabulary_size=41_138)
    65166336
    """
    model = without_values(lambda: Transformer.from_preset(preset, **arguments))
    return sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)


class MatchedWidth(NamedTuple):
    """The width of a Transformer that has about a requested number of parameters.

    Attributes:
        hidden_dim: Integer, the width d.
        parameters: Integer, number of trainable parameters at this width.
        residual: Integer, `parameters` minus the requested number.
    """

    hidden_dim: int
    parameters: int
    residual: int


def matched_width(parameters: int, *, preset: str = "transformer_base", **arguments: Any) -> MatchedWidth:
    """Finds the width at which a Transformer has about a given number of parameters, as a baseline for another model.

    Only the width of the states changes, in multiples of the number of heads, or of twice that number with rotary
    positions. The number of layers and heads and the inner width of the feed-forward networks stay.

    Args:
        parameters: Integer, the requested number of trainable parameters.
        preset: String, sizes of the Transformer; see `Transformer.from_preset`. Defaults to "transformer_base".
        **arguments: Arguments of `Transformer`, which override the preset. Must include `source_vocabulary_size`.

    Returns:
        A `MatchedWidth`.

    Raises:
        ValueError: `parameters` is not a positive integer, `hidden_dim` is given, or even the smallest width has more
            parameters.

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
    sizes = {"num_heads": 8, "hidden_dim": 512, **TRANSFORMER_PRESETS.get(preset, {}), **arguments}
    check_positive(num_heads=sizes["num_heads"])
    positions = choose("positions", sizes.get("positions", "sinusoidal"), POSITIONS)
    # Positions of attentions rotate pairs of a head's dimensions.
    step = sizes["num_heads"] * (2 if act_on_attention(spec_of(positions, POSITIONS)) else 1)

    def count(steps: int) -> int:
        return count_parameters(preset=preset, **arguments, hidden_dim=steps * step)

    # The number of parameters grows with the width: bisect between a width below and one above.
    below, above = 0, max(sizes["hidden_dim"] // step, 1)
    while count(above) <= parameters:
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if count(middle) <= parameters else (below, middle)
    require(below, f"The smallest Transformer, of width {step}, has more parameters. Received: parameters={parameters}")
    counts = {steps * step: count(steps) for steps in (below, above)}
    best = min(counts, key=lambda width: abs(counts[width] - parameters))
    return MatchedWidth(best, counts[best], counts[best] - parameters)
