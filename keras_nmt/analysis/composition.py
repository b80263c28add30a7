"""The contribution of each layer and head to a composition of representations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from keras_nmt.analysis._sums import Sums
from keras_nmt.analysis.hidden_states import HiddenStatesBatch, Model, hidden_states, named
from keras_nmt.analysis.measurements import Measurements
from keras_nmt.errors import UserError

# Rounding errors of float32 stay below this part of the composition's norm.
LARGEST_REST = 0.01


def composition(
    model: Model, source: Iterable[str], target: Iterable[str] | None = None, **options: Any
) -> Measurements:
    """The mean norm of each representation's part of a composition, first and second order apart.

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
        UserError: The model has no composition that derives from `keras_nmt.layers.Composition`, or one that is not of
            second order, such as hierarchical aggregation.

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 10 and 11.
    """
    found, refused = composition_of_batches(hidden_states(model, source, target, tensors=("composition",), **options))
    if refused:
        raise UserError(
            "Parts are of compositions of first and second order: linear, low_rank, extended and bilinear. "
            f"Received: {refused[0]} of {named(model)}"
        )
    if found is None:
        raise UserError(
            "The model has no composition of layers or heads that derives from `keras_nmt.layers.Composition`. "
            f"Received: {named(model)}"
        )
    return found


def composition_of_batches(batches: Iterable[HiddenStatesBatch]) -> tuple[Measurements | None, list[str]]:
    """The same of hidden states with "composition", and the paths of compositions that are not of second order.

    The measurements are None without compositions of second order.
    """
    sums, found, refused = Sums(), False, []
    for batch in batches:
        for side in filter(None, batch):
            for path, parts in side.composition.items():
                if parts["rest"].mean() > LARGEST_REST:
                    refused.append(path)
                    continue
                found = True
                for order in ("first", "second"):
                    for number, norms in enumerate(parts[order], 1):
                        sums.add((f"{path}, {order} order", str(number)), side, norms)
    return sums.measurements("composition", "norm of the part") if found else None, refused
