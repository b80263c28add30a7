"""The mechanisms that the names of options stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras

from keras_nmt.layers._common import LAYER_NORM_EPSILON, STARTS
from keras_nmt.layers.bilinear_pooling import BilinearPooling
from keras_nmt.layers.feed_forward import FeedForward
from keras_nmt.layers.gated_feed_forward import GatedFeedForward
from keras_nmt.layers.hierarchical_aggregation import HierarchicalAggregation
from keras_nmt.layers.key_value_projection import KeyValueProjection
from keras_nmt.layers.lexical_shortcut import LexicalShortcut
from keras_nmt.layers.linear_combination import LinearCombination
from keras_nmt.layers.low_rank_bilinear_pooling import LowRankBilinearPooling
from keras_nmt.layers.mechanism import Mechanism
from keras_nmt.layers.rotary_encoding import RotaryEncoding

COMPOSITIONS: dict[Any, Mechanism | None] = {
    None: None,
    "linear": Mechanism(LinearCombination),
    "hierarchical": Mechanism(HierarchicalAggregation),
    "low_rank": Mechanism(LowRankBilinearPooling, first_order=False),
    "extended": Mechanism(LowRankBilinearPooling, first_order=True),
    "bilinear": Mechanism(BilinearPooling),
}
# "linear" is plain attention: the sum of W_h O_h is W_O on the concatenated heads.
HEAD_COMPOSITIONS = {**COMPOSITIONS, "linear": None}
SHORTCUTS: dict[Any, Mechanism] = {
    None: Mechanism(KeyValueProjection),
    **{kind: Mechanism(LexicalShortcut, kind=kind) for kind in ("plain", "fusion", "ungated")},
}
FEED_FORWARDS = {
    "relu": Mechanism(FeedForward, activation="relu"),
    "gelu": Mechanism(FeedForward, activation="gelu"),
    "swiglu": Mechanism(GatedFeedForward, activation="silu"),
}
_LAYER_NORM = Mechanism(keras.layers.LayerNormalization, epsilon=LAYER_NORM_EPSILON)
NORMS = {
    "pre": _LAYER_NORM,
    "post": _LAYER_NORM,
    "released": _LAYER_NORM,
    "rms": Mechanism(keras.layers.RMSNormalization, epsilon=LAYER_NORM_EPSILON),
}
POSITIONS: dict[Any, Mechanism | None] = {None: None, "rotary": Mechanism(RotaryEncoding)}


def make_composition(
    mechanism: Mechanism | None,
    number: int,
    units: int | None,
    *,
    start: str,
    residual: bool,
    name: str,
    unset: Sequence[str] = (),
    **given: Any,
) -> Any:
    """The layer that composes a number of representations, or None."""
    if mechanism is None:
        return None
    if number < 2:
        raise ValueError(f"Composition needs two representations or more. Received: {name}={mechanism!r} of {number}")
    unset = [*unset, *["start"] * (start == STARTS[0]), *["residual"] * (not residual)]
    sizes = {"num_representations": number, "units": units}
    return mechanism.make(name=name, sizes=sizes, start=start, residual=residual, unset=unset, **given)


def is_in_attention(mechanism: Mechanism | None) -> bool:
    """Whether positions act on the queries and keys of self-attention, and not on embeddings."""
    return mechanism is not None and getattr(mechanism.layer, "in_attention", False)


def aggregates(mechanism: Mechanism | None) -> bool:
    """Whether a composition is a tree, whose nodes the stack calls and whose aggregates replace states."""
    return mechanism is not None and hasattr(mechanism.layer, "aggregate")


def is_residual(composition: Any) -> bool:
    """Whether what a layer composes is added to the last representation: the layer says so, by its attribute."""
    return getattr(composition, "residual", False)
