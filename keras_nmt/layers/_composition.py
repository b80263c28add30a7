"""The composition layer of attentions and stacks, by name."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers.bilinear_pooling import BilinearPooling
from keras_nmt.layers.hierarchical_aggregation import HierarchicalAggregation
from keras_nmt.layers.linear_combination import LinearCombination
from keras_nmt.layers.low_rank_bilinear_pooling import LowRankBilinearPooling


def make_composition(
    kind: str | None,
    num_representations: int,
    units: int,
    *,
    rank: int | None,
    intermediate_dim: int | None = None,
    start: str,
    residual: bool,
    dtype: Any,
    name: str,
) -> keras.layers.Layer | None:
    """The layer that composes representations, or None."""
    if kind is None:
        return None
    if num_representations < 2:
        raise ValueError(
            f"Composition needs two representations or more. Received: {name}={kind!r} of {num_representations}"
        )
    options: dict[str, Any] = {"start": start, "residual": residual, "dtype": dtype, "name": name}
    if kind == "linear":
        return LinearCombination(units, **options)
    if kind == "hierarchical":  # as wide as a representation, but for what is added to all heads
        return HierarchicalAggregation(num_representations, intermediate_dim, units if residual else None, **options)
    if kind == "bilinear":
        return BilinearPooling(units, **options)
    return LowRankBilinearPooling(units, rank, first_order=kind == "extended", **options)
