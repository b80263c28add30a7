"""A figure of the entropies of a bridge's attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keras_nmt.analysis._figures import new_figure
from keras_nmt.analysis.bridge_entropy import BridgeEntropy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_bridge_entropy(entropy: BridgeEntropy) -> Figure:
    """The mean entropy of the rows of A: by head, and by the sentences' length over all, the first and other heads.

    Args:
        entropy: `BridgeEntropy` of some sentences.

    Returns:
        A `matplotlib.figure.Figure` of two axes.

    Raises:
        UserError: matplotlib is missing.

    Example:

    >>> import numpy as np
    >>> from keras_nmt.analysis import BridgeAttention, bridge_entropy
    >>> figure = plot_bridge_entropy(bridge_entropy([BridgeAttention(("▁a", "</s>"), np.full([3, 2], 1 / 2))]))
    >>> len(figure.axes)
    2
    """
    figure = new_figure(10, 4)
    by_head, by_length = figure.subplots(1, 2, sharey=True)
    by_head.bar(range(1, len(entropy.by_head) + 1), entropy.by_head)
    by_head.set_xlabel("head")
    by_head.set_ylabel("mean entropy (nats)")
    groups = entropy.by_length
    for name, label in (("all_heads", "all heads"), ("first_heads", "first n heads"), ("other_heads", "other heads")):
        means = [getattr(group, name) for group in groups.values()]
        by_length.plot(list(groups), means, marker="o", markersize=4, label=label)
    by_length.set_xlabel("tokens of the sentence")
    by_length.legend()
    return figure
