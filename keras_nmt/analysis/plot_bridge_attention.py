"""A figure of a bridge's attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keras_nmt.analysis.bridge_attention import BridgeAttention
from keras_nmt.files.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_bridge_attention(attention: BridgeAttention, title: str | None = None) -> Figure:
    """A heat map of A for a sentence: heads (rows, numbered from 1) by tokens (columns).

    Args:
        attention: `BridgeAttention` of a sentence.
        title: String, text above the figure. Defaults to None.

    Returns:
        A `matplotlib.figure.Figure`: `figure.savefig("attention.png")`.

    Raises:
        UserError: matplotlib is missing.

    Example:

    >>> import numpy as np
    >>> figure = plot_bridge_attention(BridgeAttention(("▁a", "▁cat", "</s>"), np.full([2, 3], 1 / 3)))
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['▁a', '▁cat', '</s>']

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), figure 7.
    """
    tokens, weights = attention
    k, n = weights.shape
    figure = new_figure(min(2 + 0.3 * n, 60), min(1.5 + 0.25 * k, 60))
    axes = figure.add_subplot()
    image = axes.imshow(weights, cmap="Blues", vmin=0, aspect="auto", interpolation="nearest")
    # Dollar signs in a subword are not a formula.
    axes.set_xticks(range(n), tokens, rotation=90, parse_math=False)
    axes.set_yticks(range(k), [str(head) for head in range(1, k + 1)])
    axes.set_ylabel("head")
    figure.colorbar(image, label="attention")
    if title is not None:
        axes.set_title(title, parse_math=False)
    return figure
