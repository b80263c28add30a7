"""Heat maps of a bridge's attention."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from keras_nmt.analysis import BridgeAttention, bridge_entropy, plot_bridge_attention
from keras_nmt.analysis.measurements import save_figure
from keras_nmt.errors import UserError


def labels(ticks):
    return [tick.get_text() for tick in ticks]


def test_heat_map_shows_heads_by_tokens(attentions):
    for attention in attentions:
        figure = plot_bridge_attention(attention, title="costs $1 or $2")
        axes = figure.axes[0]
        (image,) = axes.images
        np.testing.assert_array_equal(image.get_array(), attention.attention)
        assert image.get_clim() == (0, attention.attention.max())
        assert image.origin == "upper"  # the first head on top
        assert labels(axes.get_xticklabels()) == list(attention.tokens)
        assert labels(axes.get_yticklabels()) == [str(head) for head in range(1, 13)]
        assert axes.get_xticks().tolist() == list(range(len(attention.tokens)))
        assert axes.get_title() == "costs $1 or $2"


@pytest.mark.parametrize(("k", "n"), [(1, 1), (25, 100)])
def test_the_smallest_and_the_largest_heat_maps_are_drawn(tmp_path, k, n):
    # "$x^$" would be an invalid formula, but is text.
    figure = plot_bridge_attention(BridgeAttention(("$x^$",) * n, np.full([k, n], 1 / n)))
    save_figure(tmp_path / "map.png", figure)
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


def test_without_matplotlib_the_extra_is_named(attentions, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UserError, match=r"pip install 'keras_nmt\[analysis\]'. Received: "):
        plot_bridge_attention(attentions[0])
    with pytest.raises(UserError, match="need matplotlib"):
        bridge_entropy(attentions).plot()
