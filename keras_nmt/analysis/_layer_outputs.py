"""Outputs of chosen layers of a model, text by text and without padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.layers._recording import Record
from keras_nmt.models import TranslationModel, inner_layers

OWN, MEMORY = 1, 2  # kinds of axes: of the tokens of a side, and of the tokens that its cross-attention reads


def matching_layers(pair: TranslationModel, patterns: Sequence[str]) -> dict[str, keras.layers.Layer]:
    """The layers by the paths that match.

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
    """The outputs by path, without what is before the tokens; of each tensor with the kinds of its axes.

    `paths` are those of the layers by their `id`. `axes` has the length of each kind of axis, and how much of it is
    before the tokens. Layers that run in a loop, whose outputs are in other graphs than `graph`, are left out.
    """
    calls = [
        (layer, [x for x in keras.tree.flatten(value) if tf.is_tensor(x) and x.shape.rank])
        for layer, name, value in records
        if name == "output" and id(layer) in paths
    ]
    # Keras calls the layers of a loop once outside of it.
    in_loops = {id(layer) for layer, outputs in calls if any(x.graph is not graph for x in outputs)}
    found: dict[str, Any] = {}
    for layer, outputs in calls:
        if outputs and id(layer) not in in_loops:
            path = paths[id(layer)]
            number = 1 + sum(other.partition(":")[0] == path for other in found)
            found[path if number == 1 else f"{path}:{number}"] = tuple(_with_kinds(x, axes) for x in outputs)
    return found


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
    """For each path a list of the texts' outputs, cut where the axes of each kind end in each text; None: nowhere."""

    def of_text(tensors: Sequence[tuple[np.ndarray, np.ndarray]], i: int) -> np.ndarray | tuple[np.ndarray, ...]:
        cut = []
        for x, kinds in tensors:
            stops = (ends.get(kind) for kind in kinds[1:].tolist())
            cut.append(x[(i, *(slice(None if stop is None else int(stop[i])) for stop in stops))])
        return cut[0] if len(cut) == 1 else tuple(cut)

    return {path: [of_text(tensors, i) for i in range(count)] for path, tensors in outputs.items()}
