"""Entropies of a bridge's attention."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_nmt.analysis.bridge_attention import BridgeAttention
from keras_nmt.analysis.measurements import Key, Measurements
from keras_nmt.errors import UserError


def bridge_entropy(attentions: Sequence[BridgeAttention], num_first: int | None = None) -> Measurements:
    """Entropies of the rows of A, over all heads, the first n and the others, by head and by length.

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
    if len(heads) != 1:
        raise UserError(
            "Entropies are taken over sentences of one bridge, at least one. "
            f"Received: {len(attentions)} sentences with heads {heads}"
        )
    if num_first is not None and num_first < 0:
        raise UserError(f"`num_first` must not be negative. Received: num_first={num_first}")
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
    """Entropies `[k]` of the rows of A `[k, n]`. The limit of p log p at 0 is 0."""
    p = attention.astype("float64")
    return np.sum(p * -np.log(np.where(p > 0, p, 1.0)), axis=1)
