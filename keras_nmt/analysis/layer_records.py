"""Records of layers: the outputs of chosen layers, and the parts of layers and heads in compositions."""

from __future__ import annotations

import itertools
from collections.abc import Container, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_nmt.errors import UserError
from keras_nmt.layers._taps import Record
from keras_nmt.models import TranslationModel, inner_layers

OWN, MEMORY = 1, 2  # kinds of axes: of the tokens of a side, and of the tokens that its cross-attention reads


def matching_layers(pair: TranslationModel, patterns: Sequence[str]) -> dict[str, keras.layers.Layer]:
    """Returns the layers by the paths that match.

    Raises:
        UserError: A pattern matches none.
    """
    layers = inner_layers(pair) if patterns else {}
    for pattern in patterns:
        if not any(fnmatchcase(path, pattern) for path in layers):
            raise UserError(
                "No layer has such a path; `keras_nmt.models.inner_layers` lists the paths, such as "
                f"{', '.join(list(layers)[:3])}. Received: {pattern}"
            )
    return {path: layer for path, layer in layers.items() if any(fnmatchcase(path, p) for p in patterns)}


def layer_outputs(
    records: Sequence[Record], paths: Mapping[int, str], axes: Mapping[int, tuple[tf.Tensor, int]], graph: Any
) -> dict[str, Any]:
    """Returns the output tensors of layers by path, from the first token on, each with the kinds of its axes.

    `paths` are those of the layers by their `id`. `axes` has the length of each kind of axis, and the number of
    positions before its tokens. Layers that run in a loop, whose outputs are in other graphs than `graph`, are left
    out.
    """
    calls = [
        (layer, [x for x in keras.tree.flatten(value) if tf.is_tensor(x) and x.shape.rank])
        for layer, name, value, *_ in records
        if name == "output" and id(layer) in paths
    ]
    # Keras calls the layers of a loop once outside of it.
    in_loops = {id(layer) for layer, outputs in calls if any(x.graph is not graph for x in outputs)}
    outputs_by_path: dict[str, Any] = {}
    for layer, outputs in calls:
        if outputs and id(layer) not in in_loops:
            outputs_by_path[numbered(paths[id(layer)], outputs_by_path)] = tuple(_with_kinds(x, axes) for x in outputs)
    return outputs_by_path


def numbered(path: str, taken: Container[str]) -> str:
    """Returns the path for a call of a layer, with ":2", ":3" and so on for further calls of the same layer."""
    candidates = (f"{path}:{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain([path], candidates) if name not in taken)


def _with_kinds(x: tf.Tensor, axes: Mapping[int, tuple[tf.Tensor, int]]) -> tuple[tf.Tensor, tf.Tensor]:
    kinds: list[Any] = [0] * x.shape.rank
    starts: list[Any] = [0] * x.shape.rank
    for axis in range(1, x.shape.rank):
        for kind, (length, before) in axes.items():
            if x.shape[axis] is None:  # only numbers of tokens are unknown while the function is traced
                is_kind = tf.shape(x)[axis] == length
                kinds[axis] = tf.where(is_kind, kind, kinds[axis])
                starts[axis] = tf.where(is_kind, before, starts[axis])
    x = tf.slice(x, starts, [-1] * len(starts))
    return tf.cast(x, tf.float32) if x.dtype.is_floating else x, tf.stack(kinds)


def by_text(
    outputs: Mapping[str, Any], count: int, ends: Mapping[int, np.ndarray | None]
) -> dict[str, list[np.ndarray | tuple[np.ndarray, ...]]]:
    """Returns the outputs of each text by path. `ends` has their lengths for each kind of axis; None: as it is."""

    def of_text(tensors: Sequence[tuple[np.ndarray, np.ndarray]], i: int) -> np.ndarray | tuple[np.ndarray, ...]:
        cut = []
        for x, kinds in tensors:
            stops = (ends.get(kind) for kind in kinds[1:].tolist())
            cut.append(x[(i, *(slice(None if stop is None else int(stop[i])) for stop in stops))])
        return cut[0] if len(cut) == 1 else tuple(cut)

    return {path: [of_text(tensors, i) for i in range(count)] for path, tensors in outputs.items()}


def composition_parts(composition: Any, representations: Any) -> dict[str, Any]:
    """Returns the norms of the parts of n representations in a composition, separately for first and second order.

    A composition f of second order, its residual path included, is c + l(R^) + q(R^), with l linear and q quadratic:
    l(x) = (f(x) - f(-x)) / 2, and q(x) = (f(x) + f(-x)) / 2 - c. R^ is the sum of the R^_i, in which all
    representations but the i-th are zero. The part of first order of representation i is l(R^_i). The part of second
    order is b(R^_i, R^), where b is q's symmetric bilinear form: half of the products of representation i with any
    other belong to either. Parts and c sum to f.

    So the parts need no knowledge of the layer's weights, and exist for any composition with `compose` and `separate`.

    Args:
        composition: `CompositionLayer`, such as `LowRankBilinearPooling`.
        representations: List of n tensors `[..., d']`, or one tensor `[..., n, d']`.

    Returns:
        Dictionary of tensors: "first" and "second" `[..., n]`, the norms of the parts, and "rest" `[..., 1]`, the norm
        of the difference between f and the sum of its parts divided by the norm of f: rounding errors only, unless f is
        not of second order.

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 10 and 11.
    """
    parts = composition.separate(representations)

    def compose(scales: list[float]) -> Any:
        scaled = [scale * r for scale, r in zip(scales, parts, strict=True)]
        return ops.cast(composition.compose_with_residual(scaled), "float32")

    count = len(parts)
    constant = compose([0.0] * count)

    def quadratic(scales: list[float]) -> Any:
        return (compose(scales) + compose([-scale for scale in scales])) / 2 - constant

    whole = compose([1.0] * count)
    all_products = quadratic([1.0] * count)
    first, second, rest = [], [], whole - constant
    for i in range(count):
        alone = [float(i == j) for j in range(count)]
        twice = [1.0 + x for x in alone]
        linear = (compose(alone) - compose([-x for x in alone])) / 2
        bilinear = (quadratic(twice) - all_products - quadratic(alone)) / 2
        first.append(ops.norm(linear, axis=-1))
        second.append(ops.norm(bilinear, axis=-1))
        rest = rest - linear - bilinear
    relative = ops.norm(rest, axis=-1, keepdims=True) / ops.maximum(ops.norm(whole, axis=-1, keepdims=True), 1e-9)
    return {"first": ops.stack(first, axis=-1), "second": ops.stack(second, axis=-1), "rest": relative}
