"""Functions of a model's weights that TensorFlow traces once. Plain and compiled graphs share them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras
import tensorflow as tf

IDS = tf.TensorSpec([None, None], tf.int32)


def function(body: Callable[..., Any], signature: Sequence[Any] | None, jit_compile: bool | None = None) -> Any:
    """Makes a function that is traced once, for its signature, so that an export has its graph once for all callers."""
    # TensorFlow counts traces by the code of the body, and would warn about several translators. A partial has no code.
    body = functools.partial(body)
    return tf.function(body, input_signature=signature, autograph=False, jit_compile=jit_compile)


class WeightFunction:
    """A function of weights that is traced once, for its signature, and reads no variable.

    The values of the weights are inputs of the graph. Reading a variable would be an operation with a state, which
    TensorFlow keeps in order: it would not compute two parts of a text at the same time. Without a signature, each
    structure of the arguments is traced. `traced` is the `tf.function`, whose first argument is the list of values.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        weights: Sequence[keras.Variable],
        signature: Sequence[Any] | None = None,
        jit_compile: bool | None = None,
    ) -> None:
        self._weights = weights

        def call(values: Sequence[tf.Tensor], *arguments: Any) -> Any:
            with keras.StatelessScope(list(zip(weights, values, strict=True))):
                return body(*arguments)

        specs = [tf.TensorSpec(x.shape, x.dtype) for x in weights]
        self.traced = function(call, None if signature is None else [specs, *signature], jit_compile)

    def __call__(self, *arguments: Any) -> Any:
        return self.traced(values_of(self._weights), *arguments)


def values_of(weights: Iterable[keras.Variable]) -> list[tf.Tensor]:
    """Returns the values of weights; inside a `WeightFunction`, those that it was called with."""
    return [tf.convert_to_tensor(x.value) for x in weights]


def plain_and_compiled(
    body: Callable[..., Any], weights: Sequence[keras.Variable], signature: Sequence[Any]
) -> dict[bool, WeightFunction]:
    """Makes a function of weights and its version compiled by XLA, as a dictionary by whether it is compiled.

    The compiled function calls the plain function. If the plain function has a loop, the body is traced again, because
    a session would turn a loop of a nested function into operators that XLA does not know.
    """
    plain = WeightFunction(body, weights, signature)

    def call(*arguments: Any) -> Any:
        return (body if _holds_loop(plain.traced) else plain)(*arguments)

    return {False: plain, True: WeightFunction(call, weights, signature, jit_compile=True)}


def _holds_loop(plain: Any) -> bool:
    graph = plain.get_concrete_function().graph.as_graph_def()
    nodes = [*graph.node, *(node for called in graph.library.function for node in called.node_def)]
    return any(node.op in ("While", "StatelessWhile") for node in nodes)
