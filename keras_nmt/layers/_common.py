"""Masks, initial weights and argument checks of several layers."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._keras_private import get_keras_mask, set_keras_mask

SHORTCUT_KINDS = ("plain", "fusion", "ungated")
SHORTCUT_SOURCES = ("lexical", "non_lexical")
STARTS = ("random", "identity")
LAYER_NORM_EPSILON = 1e-6


def projection_initializer() -> keras.initializers.Initializer:
    """Glorot uniform of one d x d matrix, also for several such matrices side by side in one kernel.

    The variance is 1 / fan-in, which does not depend on the number of the kernel's columns.
    """
    return keras.initializers.VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform")


def layer_norm(dtype: Any, name: str, scale: str = "ones") -> keras.layers.LayerNormalization:
    """The LayerNorm that is part of a mechanism; `scale` is the initializer of its scale."""
    return keras.layers.LayerNormalization(epsilon=LAYER_NORM_EPSILON, gamma_initializer=scale, dtype=dtype, name=name)


def masked_softmax(scores: Any, mask: Any, axis: int = -1) -> Any:
    """Softmax in float32 over the positions that `mask` admits; zeros where `mask` admits none."""
    scores = ops.cast(scores, "float32")
    if mask is None:
        return ops.softmax(scores, axis=axis)
    return ops.where(mask, ops.softmax(ops.where(mask, scores, -1e30), axis=axis), 0.0)


def without_padding(states: Any, mask: Any) -> Any:
    """The states `[B, S, d]` with zeros at padding: a product with zero would keep NaN and infinity."""
    return states if mask is None else ops.where(ops.expand_dims(mask, -1), states, 0)


def keras_mask(tensor: Any) -> Any:
    """The mask that a layer such as `Embedding(mask_zero=True)` attached to a tensor, or None."""
    return get_keras_mask(tensor)


def with_mask(tensor: Any, mask: Any) -> Any:
    """The tensor with the mask attached, if there is one: Keras attaches masks to a layer's first output only."""
    if mask is not None:
        set_keras_mask(tensor, mask)
    return tensor


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    if value not in choices:
        raise ValueError(f"`{name}` must be one of {', '.join(map(repr, choices))}. Received: {name}={value!r}")


def constructor_parameters(of: type) -> dict[str, inspect.Parameter]:
    """The parameters of a class's `__init__`, which the class may inherit, by name.

    Before Python 3.11.4, `inspect.signature` of a layer class that inherits `__init__` gives the `__new__` of Keras.
    """
    _, *parameters = inspect.signature(of.__init__).parameters.values()  # type: ignore[misc]  # without self
    return {parameter.name: parameter for parameter in parameters}


class NoEffect(ValueError):
    """An option that is set, and has no effect because another option is missing."""

    def __init__(self, name: str, value: Any, partner: str) -> None:
        super().__init__(f"`{name}` has no effect without {partner}. Received: {name}={value!r}")
        self.name = name


def check_effect(has_partner: bool, partner: str, **options: Any) -> None:
    """Rejects options that are not None, if the option that gives them an effect is missing."""
    for name, value in options.items():
        if not has_partner and value is not None:
            raise NoEffect(name, value, partner)


def check_mask(name: str, mask: Any, rank: int, states: Any = None) -> None:
    """Rejects masks of other shapes, which would broadcast, and float masks, in which 1 may mean padding."""
    if mask is None:
        return
    meant = {2: "[B, T]", 3: "[B, T, S] or [B, 1, S]"}[rank]
    if not hasattr(mask, "shape"):
        raise ValueError(f"`{name}` must be a boolean tensor {meant}. Received: {name}={mask!r}")
    shape, dtype = tuple(mask.shape), keras.backend.standardize_dtype(mask.dtype)
    if len(shape) != rank or dtype != "bool":
        raise ValueError(
            f"`{name}` must be boolean, {meant}, True at real positions. Received: shape {shape}, dtype {dtype}"
        )
    if states is None:
        return
    of_states = tuple(states.shape)[:2]
    if any(None not in sizes and sizes[0] != sizes[1] for sizes in zip(shape, of_states, strict=True)):
        raise ValueError(f"`{name}` must be {meant}, of states {tuple(states.shape)}. Received: shape {shape}")


def check_width(name: str, states_shape: Any, width: int) -> None:
    if len(states_shape) < 2 or states_shape[-1] != width:
        raise ValueError(
            f"`{name}` must be float states whose last dimension is {width}. Received: shape {tuple(states_shape)}"
        )


def check_alike(**shapes: Any) -> None:
    """Rejects two tensors that differ in a dimension other than the last, and might broadcast."""
    (one, one_shape), (other, other_shape) = shapes.items()
    pairs = list(zip(one_shape[:-1], other_shape[:-1], strict=False))
    if len(one_shape) != len(other_shape) or any(None not in pair and pair[0] != pair[1] for pair in pairs):
        raise ValueError(
            f"`{one}` and `{other}` must have the same shape except for their last dimension. "
            f"Received: {tuple(one_shape)} and {tuple(other_shape)}"
        )


def check_source(name: str, shape: Any, **shortcut: Any) -> None:
    """Checks that the source of a shortcut is given if, and only if, the layer has the shortcut."""
    ((setting, kind),) = shortcut.items()
    if (kind is None) != (shape is None):
        raise ValueError(
            f"`{name}` must be given if `{setting}` is set, and only then. "
            f"Received: {setting}={kind!r}, shape of {name}={shape}"
        )


def check_gated(has_gates: bool, *shortcuts: Any) -> None:
    """Checks that one of the shortcuts has gates to return."""
    if not has_gates:
        shown = " and ".join(map(repr, shortcuts))
        raise ValueError(f"`return_gates` needs a gated shortcut, 'plain' or 'fusion'. Received: shortcut {shown}")


def check_positive(**sizes: Any) -> None:
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
            raise ValueError(f"`{name}` must be a positive integer. Received: {name}={value!r}")


def optional_size(name: str, value: Any) -> int | None:
    """A size, or None for a default."""
    if value is None:
        return None
    check_positive(**{name: value})
    return int(value)


def check_rate(**rates: Any) -> None:
    for name, value in rates.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= float(value) < 1:
            raise ValueError(f"`{name}` must be a rate from 0 to below 1. Received: {name}={value!r}")
