"""Runners of the methods of a `TextGraph`: as a function that is traced once, or part by part."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.inference._phrases import PHRASES
from keras_nmt.inference._weight_functions import function, values_of
from keras_nmt.progress import count_steps

Inputs = Mapping[str, tf.Tensor]
Method = Callable[[Inputs, bool], dict[str, tf.Tensor]]  # of inputs [N, ...] by name, and whether XLA compiles
FEW = 16  # rows, which take little time together


class TracedRunner:
    """Runs each method as one function, which is traced once for its inputs, in this process and in exports.

    Args:
        weights: Sequence of the weights that the methods read.
        numbered: Function that replaces names of languages among the inputs by their numbers.
    """

    def __init__(self, weights: Sequence[keras.Variable], numbered: Callable[[Inputs], Inputs]) -> None:
        self._weights, self._numbered = weights, numbered
        self._traced: dict[Hashable, Any] = {}

    def __call__(self, method: Method, inputs: Inputs, compiled: bool) -> dict[str, tf.Tensor]:
        inputs = self._numbered(inputs)
        key = method, compiled, *inputs
        if key not in self._traced:
            names = tuple(inputs)

            def call(*tensors: tf.Tensor) -> dict[str, tf.Tensor]:
                # Read before the loops, which a variable read inside would keep in order.
                with keras.StatelessScope(list(zip(self._weights, values_of(self._weights), strict=True))):
                    return method(dict(zip(names, tensors, strict=True)), compiled)

            specs = [tf.TensorSpec([None, None] if name in PHRASES else [None], x.dtype) for name, x in inputs.items()]
            self._traced[key] = function(call, specs)
        answers: dict[str, tf.Tensor] = self._traced[key](*inputs.values())
        return answers


class PartsRunner:
    """Runs methods on the rows in parts, so that Ctrl-C works between them.

    Few rows run as one traced function from the second call on: tracing takes longer than a call saves. Between the
    functions of a part, Python takes a third of a sentence's time.
    """

    def __init__(self, traced: TracedRunner) -> None:
        self._traced = traced
        self._called: set[Hashable] = set()  # with few rows

    def __call__(self, method: Method, inputs: Inputs, compiled: bool) -> dict[str, tf.Tensor]:
        key, count = (method, compiled, *inputs), len(next(iter(inputs.values())))
        is_few = count <= FEW and not set(inputs) & set(PHRASES)  # whose errors are eager
        if not is_few:
            return method(inputs, compiled)
        if key not in self._called:
            self._called.add(key)
            return method(inputs, compiled)
        with count_steps(count, "lines") as advance:
            answers = self._traced(method, inputs, compiled)
            advance(count)
        return answers
