"""The attention of a bridge, its figures and entropies."""

import functools
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_nmt.analysis import BridgeAttention, bridge_attention, bridge_entropy, hidden_states, plot_bridge_attention
from keras_nmt.analysis.measurements import save_figure
from keras_nmt.errors import UserError
from keras_nmt.ids import EOS
from keras_nmt.models import AttentionBridgeModel


def test_equals_the_attention_of_each_sentence_alone(attentions, model, tokenizer, sentences, monkeypatch):
    """Padding, order and batches make no difference to the layers' outputs for one sentence at a time."""
    assert len(attentions) == len(sentences)
    for (tokens, attention), sentence in zip(attentions, sentences, strict=True):
        ids = np.array([[*tokenizer.tokenize([sentence])[0].numpy(), EOS]], "int32")
        memory = model._sides.sources["de"](ids)
        alone = model.bridge(memory["states"], return_attention_scores=True)[1][0]
        assert attention.shape == (12, len(tokens)) == (12, ids.shape[1])
        assert attention.dtype == np.float32
        np.testing.assert_allclose(attention, alone, atol=1e-6)
        np.testing.assert_allclose(attention.sum(axis=1), 1, atol=1e-5)
        assert tokens[-1] == "</s>"
        if "ü" not in sentence:
            assert "".join(tokens[:-1]).replace("▁", " ").split() == sentence.split()
    assert "<unk>" in attentions[-1].tokens
    assert attentions[1].tokens == ("</s>",)
    other = bridge_attention(model, tokenizer, "en", sentences[:1])[0].attention  # of another encoder
    assert np.abs(other - attentions[0].attention).max() > 1e-3
    few = functools.partial(hidden_states, max_tokens=10)
    monkeypatch.setattr(sys.modules[bridge_attention.__module__], "hidden_states", few)
    for one, other in zip(attentions, bridge_attention(model, tokenizer, "de", sentences), strict=True):
        assert one.tokens == other.tokens
        np.testing.assert_allclose(one.attention, other.attention, atol=1e-6)
    assert bridge_attention(model, tokenizer, "de", []) == []


def test_bad_input(model, tokenizer):
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8}
    without = AttentionBridgeModel({"de": 60}, bridge_heads=None, **sizes)
    with pytest.raises(UserError, match=r"no attention bridge.*Received: AttentionBridgeModel"):
        bridge_attention(without, tokenizer, "de", ["the cat"])
    with pytest.raises(UserError, match="one of en, de. Received: language='fr'"):
        bridge_attention(model, tokenizer, "fr", ["the cat"])
    for attentions, num_first, received in (
        ([], None, "0 sentences"),
        (of(np.eye(2), np.eye(3)), None, r"2 sentences with heads \[2, 3\]"),
        (of(np.eye(2)), -1, "num_first=-1"),
    ):
        with pytest.raises(UserError, match=f"Received: {received}"):
            bridge_entropy(attentions, num_first)


def of(*matrices):
    return [BridgeAttention(("t",) * len(matrix[0]), np.asarray(matrix, "float32")) for matrix in matrices]


@given(
    k=st.integers(1, 6),
    lengths=st.lists(st.integers(1, 8), min_size=1, max_size=6),
    num_first=st.none() | st.integers(0, 8),
)
def test_numbers_agree_with_a_plain_sum(k, lengths, num_first):
    rng = np.random.default_rng(k + sum(lengths))
    attentions = of(*(rng.dirichlet(np.full(n, 0.3), k) for n in lengths))
    of_group = {}  # entropies
    for _, attention in attentions:
        n = attention.shape[1]
        for head in range(1, k + 1):
            entropy = -sum(float(p) * math.log(p) for p in attention[head - 1] if p > 0)
            first = head <= (n if num_first is None else num_first)
            for name in ("all heads", "first heads" if first else "other heads"):
                for group in (("entropy", name), (f"{name} by length", str(n))):
                    of_group.setdefault(group, []).append(entropy)
            of_group.setdefault(("head", str(head)), []).append(entropy)
    entropy = bridge_entropy(attentions, num_first)
    assert entropy.values == {group: pytest.approx(np.mean(x), abs=1e-6) for group, x in of_group.items()}
    assert entropy.details["sentences_by_length"] == {str(n): lengths.count(n) for n in lengths}
    for key, of_sentences in entropy.samples.items():
        total, count = of_sentences.sum(axis=0)
        assert entropy.values[key] == pytest.approx(total / count)


def test_heat_map_shows_heads_by_tokens(attentions, tmp_path):
    for attention in attentions:
        figure = plot_bridge_attention(attention, title="costs $1 or $2")
        axes = figure.axes[0]
        (image,) = axes.images
        np.testing.assert_array_equal(image.get_array(), attention.attention)
        assert image.get_clim() == (0, attention.attention.max())
        assert image.origin == "upper"  # the first head on top
        assert [tick.get_text() for tick in axes.get_xticklabels()] == list(attention.tokens)
        assert [tick.get_text() for tick in axes.get_yticklabels()] == [str(head) for head in range(1, 13)]
        assert axes.get_title() == "costs $1 or $2"
    # The smallest and the largest are drawn. "$x^$" would be an invalid formula, but is text.
    for k, n in ((1, 1), (25, 100)):
        figure = plot_bridge_attention(BridgeAttention(("$x^$",) * n, np.full([k, n], 1 / n)))
        save_figure(tmp_path / "map.png", figure)
        assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
        assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


def test_without_matplotlib_the_extra_is_named(attentions, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UserError, match=r"pip install 'keras_nmt\[analysis\]'. Received: "):
        plot_bridge_attention(attentions[0])
    with pytest.raises(UserError, match="Missing package for figures: pip install"):
        bridge_entropy(attentions).plot()
