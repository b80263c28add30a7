"""The gates of lexical shortcuts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from keras_nmt.analysis._sums import Sums
from keras_nmt.analysis.hidden_states import HiddenStates, HiddenStatesBatch, Model, hidden_states, named
from keras_nmt.analysis.measurements import Measurements
from keras_nmt.analysis.token_groups import TokenGroups
from keras_nmt.errors import UserError

BINS = 20


def gates(
    model: Model,
    source: Iterable[str],
    target: Iterable[str] | None = None,
    *,
    by_head: bool = False,
    groups: TokenGroups | None = None,
    **options: Any,
) -> Measurements:
    """Mean gates of a model's lexical shortcuts: 1 takes the embedding's features alone, 0 the state's.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings.
        target: Iterable of strings, a translation of each source, for the gates of the decoder. Defaults to None.
        by_head: Boolean, whether means are also given for each head of keys and values. Defaults to False.
        groups: Groups of tokens, of `by_frequency` or `by_tag`, by which means are also given. Defaults to None.
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        `Measurements` with groups such as "encoder self keys" and layers as items, and histograms of 20 equal bins from
        0 to 1 in the details. Gates of cross-attention are at the tokens of the source, or the vectors of a bridge.

    Raises:
        UserError: The model has no gated shortcuts; see also `hidden_states`.

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), Eq. 8 to 11.
    """
    tensors = ("gates", "attention", "states") if by_head else ("gates",)
    found = gates_of_batches(hidden_states(model, source, target, tensors=tensors, **options), by_head, groups)
    if found is None:
        raise UserError(f"The model has no shortcuts with gates. Received: {named(model)}")
    return found


def gates_of_batches(
    batches: Iterable[HiddenStatesBatch], by_head: bool = False, groups: TokenGroups | None = None
) -> Measurements | None:
    """The same of hidden states with "gates", and with "attention" and "states" if `by_head`.

    The measurements are None without gated shortcuts.
    """
    sums = Sums()
    histograms: dict[str, np.ndarray] = {}
    for batch in batches:
        for side, name in ((batch.source, "encoder"), (batch.target, "decoder")):
            if side is None:
                continue
            for site, values in side.gates.items():  # [L, N, 2, d]
                at = batch.source if site == "cross" else side
                labels = None if groups is None else groups(at)
                if site == "cross" and side.attends_to_bridge:  # the mean of the k vectors counts for each token
                    k = values.shape[1] // len(at.texts)
                    of_text = values.reshape(len(values), -1, k, *values.shape[2:]).mean(axis=2)
                    values = of_text[:, at.sentences]
                for layer, of_layer in enumerate(values, 1):
                    for kind, of_kind in zip(("keys", "values"), np.moveaxis(of_layer, 1, 0), strict=True):  # [N, d]
                        group = f"{name} {site} {kind}"
                        means = of_kind.mean(axis=1)
                        sums.add((group, str(layer)), at, means)
                        counts = np.histogram(of_kind, BINS, (0, 1))[0]
                        key = f"{group} {layer}"
                        histograms[key] = histograms.get(key, 0) + counts
                        if labels is not None:
                            sums.add_by(f"{group}, layer {layer}", at, means, labels)
                        if by_head:
                            for head, of_head in enumerate(_heads(side, site, of_kind), 1):
                                sums.add((f"{group}, layer {layer}, head", str(head)), at, of_head.mean(axis=1))
    if not histograms:
        return None
    details = {"histograms": {key: counts.tolist() for key, counts in histograms.items()}}
    return sums.measurements("gates", "mean gate", details=details, limits=(0.0, 1.0))


def _heads(side: HiddenStates, site: str, gates: np.ndarray) -> list[np.ndarray]:
    """Gates `[N, d]` of keys or values by head: of keys and values, which may be fewer than the heads of queries."""
    assert side.states is not None
    head_dim = side.states.shape[-1] // side.attention[site][0].shape[1]
    return np.split(gates, gates.shape[1] // head_dim, axis=1)
