"""Entropies of a bridge's attention."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_nmt.analysis.bridge_attention import BridgeAttention
from keras_nmt.errors import UserError


@dataclasses.dataclass(frozen=True, eq=False)
class BridgeEntropy:
    """Entropies of the attention of a bridge's k heads over N sentences, in nats.

    The entropy is 0 if a head attends to one token, and log n if it attends to all n tokens alike. Means are over rows
    of A: each head of each sentence counts once. A mean over no rows is not a number (nan).

    Args:
        entropies: Array `[N, k]`, float64, the entropy of each head for each sentence.
        lengths: Array `[N]`, the number of tokens of each sentence, its end included.
        num_first: Array `[N]`, the number of first heads for each sentence.
    """

    entropies: np.ndarray
    lengths: np.ndarray
    num_first: np.ndarray

    @property
    def all_heads(self) -> float:
        """The mean over all heads."""
        return _mean(self.entropies)

    @property
    def first_heads(self) -> float:
        """The mean over the first n heads of each sentence."""
        return _mean(self.entropies[self._is_first])

    @property
    def other_heads(self) -> float:
        """The mean over the heads after the first n; not a number if no sentence has fewer than k tokens."""
        return _mean(self.entropies[~self._is_first])

    @property
    def by_head(self) -> np.ndarray:
        """The mean of each head over the sentences, `[k]`."""
        return self.entropies.mean(axis=0)

    @property
    def by_length(self) -> dict[int, BridgeEntropy]:
        """The sentences of each length, in increasing order."""
        return {
            int(length): BridgeEntropy(*(values[self.lengths == length] for values in self._arrays))
            for length in np.unique(self.lengths)
        }

    def numbers(self) -> dict[str, Any]:
        """All means in types of JSON; None if the mean is not a number."""

        def means(entropy: BridgeEntropy) -> dict[str, Any]:
            values = {name: getattr(entropy, name) for name in ("all_heads", "first_heads", "other_heads")}
            return {
                "sentences": len(entropy.lengths),
                **{name: None if np.isnan(value) else value for name, value in values.items()},
            }

        return {
            "unit": "nats",
            **means(self),
            "by_head": self.by_head.tolist(),
            "by_length": [{"length": length, **means(entropy)} for length, entropy in self.by_length.items()],
        }

    @property
    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.entropies, self.lengths, self.num_first

    @property
    def _is_first(self) -> np.ndarray:
        """`[N, k]`, boolean."""
        return np.arange(self.entropies.shape[1]) < self.num_first[:, None]


def bridge_entropy(attentions: Sequence[BridgeAttention], num_first: int | None = None) -> BridgeEntropy:
    """Entropies of the rows of A, over all heads, the first n and the others.

    The entropy of head i is - sum_j A_ij log A_ij over the tokens j, in nats. The first heads tend to attend to one
    token each until the sentence is covered, and the other heads to more tokens, the more so with the bridge's penalty:
    the paper compares these means between models with and without the penalty.

    Args:
        attentions: Sequence of `BridgeAttention`, as `bridge_attention` returns. The paper takes 10,000 sentences of up
            to 40 tokens.
        num_first: Integer n. Defaults, as in the paper, to n_i, the number of tokens of each sentence, here with its
            end, to which heads attend as well.

    Returns:
        A `BridgeEntropy`.

    Raises:
        UserError: There are no sentences, or sentences of several bridges, or `num_first` is negative.

    Example:

    >>> even, sharp = np.full([3, 2], 1 / 2), np.eye(3)
    >>> entropy = bridge_entropy([BridgeAttention(("▁a", "</s>"), even), BridgeAttention(("▁b", "c", "</s>"), sharp)])
    >>> [(length, round(part.all_heads, 4)) for length, part in entropy.by_length.items()]
    [(2, 0.6931), (3, 0.0)]

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
    return BridgeEntropy(entropies, lengths, lengths if num_first is None else np.full_like(lengths, num_first))


def _entropies(attention: np.ndarray) -> np.ndarray:
    """Entropies `[k]` of the rows of A `[k, n]`. The limit of p log p at 0 is 0."""
    p = attention.astype("float64")
    return np.sum(p * -np.log(np.where(p > 0, p, 1.0)), axis=1)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else float("nan")
