"""The attention of a bridge over sentences: its values, figures and entropies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keras_nmt.analysis.measurements import Key, Measurements, new_figure
from keras_nmt.analysis.token_states import hidden_states
from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.models import AttentionBridgeModel, MultilingualModel, TranslationModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class BridgeAttention(NamedTuple):
    """The attention of a bridge's heads over one sentence.

    Attributes:
        tokens: Tuple of the n subwords, as SentencePiece writes them, and the end of the sentence.
        attention: Array A `[k, n]`, float32: each head's distribution over the tokens.
    """

    tokens: tuple[str, ...]
    attention: np.ndarray


def bridge_attention(
    model: TranslationModel | MultilingualModel, tokenizer: SubwordTokenizer, language: str, sentences: Sequence[str]
) -> list[BridgeAttention]:
    """Returns the attention A of a model's bridge over sentences, without padding.

    Args:
        model: `AttentionBridgeModel` with a bridge.
        tokenizer: `SubwordTokenizer` of the language.
        language: String, the language of the sentences.
        sentences: Sequence of texts of any length, which are not truncated. An empty text has only its end.

    Returns:
        A list of `BridgeAttention`, one per sentence.

    Raises:
        UserError: The model has no bridge, or does not have the language.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> model = AttentionBridgeModel({"en": 20}, hidden_dim=8, bridge_heads=4, bridge_hidden_dim=8)
    >>> tokens, attention = bridge_attention(model, tokenizer, "en", ["the cat"])[0]
    >>> tokens[-1], attention.shape == (4, len(tokens))
    ('</s>', True)

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), Eq. 8.
    """
    if not isinstance(model, AttentionBridgeModel) or model.bridge is None:
        raise UserError(f"The model has no attention bridge. Received: {type(model).__name__} without one")
    check_choice("language", language, model.languages)
    pair = model.pair(language, language), (tokenizer, tokenizer)
    results: dict[int, BridgeAttention] = {}
    for side, _ in hidden_states(pair, sentences, tensors=("bridge",)):
        assert side.bridge is not None
        subwords = iter(side.subwords)
        for row, attention in zip(side.rows.tolist(), side.bridge[1], strict=True):  # [k, n]
            tokens = tuple(itertools.islice(subwords, attention.shape[1]))
            results[row] = BridgeAttention(tokens, attention.copy())
    return [results[row] for row in range(len(sentences))]


def plot_bridge_attention(attention: BridgeAttention, title: str | None = None) -> Figure:
    """Draws A as a heat map for a sentence: heads (rows, numbered from 1) by tokens (columns).

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


def bridge_entropy(attentions: Sequence[BridgeAttention], num_first: int | None = None) -> Measurements:
    """Measures the entropies of the rows of A, over all heads, the first n and the others, by head and by length.

    The entropy of head i is - sum_j A_ij log A_ij over the tokens j, in nats: 0 if a head attends to one token, log n
    if a head attends to all n tokens alike. The first heads tend to attend to one token each until the sentence is
    covered, and the other heads to more tokens, the more so with the bridge's penalty: the paper compares these means
    between models with and without the penalty. Each head of each sentence counts once in a mean.

    Args:
        attentions: Sequence of `BridgeAttention`, as `bridge_attention` returns. The paper takes 10,000 sentences of up
            to 40 tokens.
        num_first: Integer n. Defaults, as in the paper, to n_i, the number of tokens of each sentence, here with its
            end, to which heads attend as well.

    Returns:
        `Measurements` of the groups "entropy" (all, first and other heads), "head" (1 to k), and "all heads by length",
        "first heads by length" and "other heads by length": by the number of tokens, the end included. Means over no
        rows are left out. The sentences are the samples of the first two groups; their number is in the details.

    Raises:
        UserError: There are no sentences, or sentences of several bridges, or `num_first` is negative.

    Example:

    >>> even, sharp = np.full([3, 2], 1 / 2), np.eye(3)
    >>> entropy = bridge_entropy([BridgeAttention(("▁a", "</s>"), even), BridgeAttention(("▁b", "c", "</s>"), sharp)])
    >>> [(length, round(entropy.values["all heads by length", length], 4)) for length in ("2", "3")]
    [('2', 0.6931), ('3', 0.0)]

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), section 5.3, table 13.
    """
    heads = sorted({len(attention) for _, attention in attentions})
    problem = "`attentions` must be of at least one sentence, all with one number of heads"
    require(len(heads) == 1, f"{problem}. Received: {len(attentions)} sentences with heads {heads}")
    require(num_first is None or num_first >= 0, f"`num_first` must not be negative. Received: num_first={num_first}")
    lengths = np.array([attention.shape[1] for _, attention in attentions])
    entropies = np.stack([_entropies(attention) for _, attention in attentions])  # [N, k]
    firsts = lengths if num_first is None else np.full_like(lengths, num_first)
    is_first = np.arange(heads[0]) < firsts[:, None]  # [N, k]
    chosen = {"all heads": np.ones_like(is_first), "first heads": is_first, "other heads": ~is_first}

    samples: dict[Key, np.ndarray] = {}  # of each sentence, a sum of entropies and the number of its rows: [N, 2]
    for name, mask in chosen.items():
        samples["entropy", name] = np.stack([np.sum(entropies * mask, axis=1), np.sum(mask, axis=1)], axis=1)
    for head in range(heads[0]):
        samples["head", str(head + 1)] = np.stack([entropies[:, head], np.ones(len(entropies))], axis=1)
    each_length, counts = np.unique(lengths, return_counts=True)
    by_length = {
        (f"{name} by length", str(length)): samples["entropy", name][lengths == length]
        for name in chosen
        for length in each_length
    }
    sums = {key: of_key.sum(axis=0) for key, of_key in (samples | by_length).items()}
    values = {key: float(total / count) for key, (total, count) in sums.items() if count}
    return Measurements(
        "bridge",
        "entropy (nats)",
        values,
        {key: of_key for key, of_key in samples.items() if key in values},
        details={
            "sentences": len(attentions),
            "sentences_by_length": dict(zip(map(str, each_length), counts.tolist(), strict=True)),
        },
    )


def _entropies(attention: np.ndarray) -> np.ndarray:
    """Returns the entropies `[k]` of the rows of A `[k, n]`. The limit of p log p at 0 is 0."""
    p = attention.astype("float64")
    return np.sum(p * -np.log(np.where(p > 0, p, 1.0)), axis=1)
