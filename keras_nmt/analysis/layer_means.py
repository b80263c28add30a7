"""Means over tokens by layer: similarity to the embeddings, gates of shortcuts, parts of compositions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from keras_nmt.analysis.measurements import Key, Measurements, items_of_groups
from keras_nmt.analysis.token_groups import TokenGroups, notes_of
from keras_nmt.analysis.token_states import HiddenStates, HiddenStatesBatch, Model, hidden_states, named
from keras_nmt.errors import UserError, require

BINS = 20
# Rounding errors of float32 stay below this part of the composition's norm.
LARGEST_REST = 0.01


class Sums:
    """Sums and counts by key and sentence, which arrive in any order of sentences."""

    def __init__(self) -> None:
        self._rows: dict[Key, list[np.ndarray]] = {}
        self._sums: dict[Key, list[np.ndarray]] = {}

    def add(self, key: Key, side: HiddenStates, values: np.ndarray, counted: np.ndarray | None = None) -> None:
        """Adds a value for each token `[N]` of a batch; only tokens where `counted` `[N]` is True, if given."""
        counts = np.ones(len(values)) if counted is None else counted.astype("float64")
        both = side.by_sentence(np.stack([values * counts, counts], axis=1).astype("float64"))  # [B, 2]
        self._rows.setdefault(key, []).append(side.rows)
        self._sums.setdefault(key, []).append(both)

    def add_by(self, group: str, side: HiddenStates, values: np.ndarray, labels: np.ndarray) -> None:
        """Adds values `[N]` by the label of each token, strings `[N]`; tokens with an empty label are left out."""
        for label in np.unique(labels[labels != ""]):
            self.add((group, str(label)), side, values, labels == label)

    def measurements(self, analysis: str, unit: str, **more: Any) -> Measurements:
        """Returns the means by key, with the sums of each sentence as samples; a `UserError` without tokens.

        Groups are in the order of the first addition, and items too, unless all items of a group are numbers.
        """
        number = 1 + max((int(rows.max()) for of_key in self._rows.values() for rows in of_key), default=-1)
        samples = {}
        for key in [(group, item) for group, items in items_of_groups(self._rows).items() for item in items]:
            samples[key] = np.zeros([number, 2])  # also for sentences without a token that counts
            samples[key][np.concatenate(self._rows[key])] = np.concatenate(self._sums[key])
        has_tokens = any(x[:, 1].any() for x in samples.values())
        require(has_tokens, f"There are no lines with tokens to measure for {analysis}.")
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {key: float(np.divide(*x.sum(axis=0))) for key, x in samples.items()}
        return Measurements(analysis, unit, values, samples, **more)


def similarity(
    model: Model, source: Iterable[str], target: Iterable[str] | None = None, **options: Any
) -> Measurements:
    """Measures the mean cosine between the embedding E and the state H_l at the same position, by side and layer.

    Lexical shortcuts should free the states from carrying the embeddings: similarity falls in lower layers.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings.
        target: Iterable of strings, a translation of each source, to measure the decoder too. Defaults to None.
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        `Measurements` with the groups "encoder" and "decoder" and the layers as items, with sums of sentences as
        samples.

    Raises:
        UserError: See `hidden_states`.

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 4.1, figures 6 and 7.
    """
    sums = Sums()
    for batch in hidden_states(model, source, target, tensors=("states",), **options):
        for side in filter(None, batch):
            if side.states is None:
                continue
            group = "decoder" if side.is_target else "encoder"
            norms = np.linalg.norm(side.states, axis=-1)  # [L + 1, N]
            products = np.einsum("nd,lnd->ln", side.states[0], side.states)
            cosines = products / np.maximum(norms[0] * norms, 1e-12)
            for layer in range(1, len(cosines)):
                sums.add((group, str(layer)), side, cosines[layer])
    return sums.measurements("similarity", "cosine of E and H_l")


def gates(
    model: Model,
    source: Iterable[str],
    target: Iterable[str] | None = None,
    *,
    by_head: bool = False,
    groups: TokenGroups | None = None,
    **options: Any,
) -> Measurements:
    """Measures the gates of a model's lexical shortcuts: 1 takes the embedding's features alone, 0 the state's.

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
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), Eq. 9 and 10.
    """
    tensors = ("gates", "attention", "states") if by_head else ("gates",)
    measured = gates_of_batches(hidden_states(model, source, target, tensors=tensors, **options), by_head, groups)
    if measured is None:
        raise UserError(f"The model has no shortcuts with gates. Received: {named(model)}")
    return measured


def gates_of_batches(
    batches: Iterable[HiddenStatesBatch], by_head: bool = False, groups: TokenGroups | None = None
) -> Measurements | None:
    """Measures the gates of hidden states with "gates", and with "attention" and "states" if `by_head`.

    The measurements are None without gated shortcuts.
    """
    sums = Sums()
    histograms: dict[str, np.ndarray] = {}
    for batch in batches:
        for side in filter(None, batch):
            name = "decoder" if side.is_target else "encoder"
            for site, values in side.gates.items():  # [L, N, 2, d]
                at = batch.source if site == "cross" else side
                labels = None if groups is None else groups(at)
                counted = values
                if site == "cross" and side.attends_to_bridge:  # the mean of the k vectors counts for each token
                    k = values.shape[1] // len(at.texts)
                    of_text = values.reshape(len(values), -1, k, *values.shape[2:]).mean(axis=2)
                    values = of_text[:, at.sentences]
                for i, j in np.ndindex(len(values), 2):
                    group, layer = f"{name} {site} {('keys', 'values')[j]}", str(i + 1)
                    of_layer, key = values[i, :, j], f"{group} {layer}"  # [N, d]
                    histograms[key] = histograms.get(key, 0) + np.histogram(counted[i, :, j], BINS, (0, 1))[0]
                    means = of_layer.mean(axis=1)
                    sums.add((group, layer), at, means)
                    if labels is not None:
                        sums.add_by(f"{group}, layer {layer}", at, means, labels)
                    for head, of_head in enumerate(_heads(side, site, of_layer) if by_head else (), 1):
                        sums.add((f"{group}, layer {layer}, head", str(head)), at, of_head.mean(axis=1))
    if not histograms:
        return None
    details = {"histograms": {key: counts.tolist() for key, counts in histograms.items()}}
    return sums.measurements("gates", "mean gate", notes=notes_of(groups), details=details, limits=(0.0, 1.0))


def _heads(side: HiddenStates, site: str, gates: np.ndarray) -> list[np.ndarray]:
    """Splits the gates `[N, d]` of keys or values by head of keys and values; queries may have more heads."""
    assert side.states is not None
    head_dim = side.states.shape[-1] // side.attention[site][0].shape[1]
    return np.split(gates, gates.shape[1] // head_dim, axis=1)


def composition(
    model: Model, source: Iterable[str], target: Iterable[str] | None = None, **options: Any
) -> Measurements:
    """Measures the norm of each representation's part of a composition, first and second order apart.

    The parts of the n layers or heads sum to the composition, but for its constant. Half of the products of a
    representation with another belong to either. A residual path belongs to the first order.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings.
        target: Iterable of strings, a translation of each source, for the decoder's compositions. Defaults to None.
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        `Measurements` with a group for each composition and order, and its layers or heads as items.

    Raises:
        UserError: The model has no composition that derives from `keras_nmt.layers.CompositionLayer`, or one that is
            not of second order, such as hierarchical aggregation.

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 10 and 11.
    """
    measured, refused = composition_of_batches(
        hidden_states(model, source, target, tensors=("composition",), **options)
    )
    if refused:
        raise UserError(
            "The model must have a composition of first and second order: linear, low_rank, extended or bilinear. "
            f"Received: {refused[0]} of {named(model)}"
        )
    if measured is None:  # `hidden_states` refuses a model without compositions
        raise UserError("There are no lines with tokens to measure for composition.")
    return measured


def composition_of_batches(batches: Iterable[HiddenStatesBatch]) -> tuple[Measurements | None, list[str]]:
    """Measures those of hidden states with "composition", and returns the paths of compositions without second order.

    The measurements are None without compositions of second order.
    """
    sums, is_measured, refused = Sums(), False, []
    for batch in batches:
        for side in filter(None, batch):
            for path, parts in side.composition.items():
                if parts["rest"].mean() > LARGEST_REST:
                    refused.append(path)
                    continue
                is_measured = True
                for order in ("first", "second"):
                    for number, norms in enumerate(parts[order], 1):
                        sums.add((f"{path}, {order} order", str(number)), side, norms)
    return sums.measurements("composition", "norm of the part") if is_measured else None, refused
