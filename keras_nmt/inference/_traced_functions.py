"""Functions that TensorFlow traces once: of a model's weights, and the runners of the methods of a `TextGraph`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.inference._phrases import PHRASES
from keras_nmt.progress import count_steps

IDS = tf.TensorSpec([None, None], tf.int32)
Inputs = Mapping[str, tf.Tensor]
Method = Callable[[Inputs, bool], dict[str, tf.Tensor]]  # of inputs [N, ...] by name, and whether XLA compiles
FEW_ROWS = 16  # which take little time together


def function(body: Callable[..., Any], signature: Sequence[Any] | None, jit_compile: bool | None = None) -> Any:
    """Makes a function that is traced once, for its signature: an export has its graph once for all callers."""
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
            # A `tf.function` would hash the handles of all weights at each call.
            self._traced[key] = function(call, specs).get_concrete_function()
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
        is_few = count <= FEW_ROWS and not set(inputs) & set(PHRASES)  # whose errors are eager
        if not is_few:
            return method(inputs, compiled)
        if key not in self._called:
            self._called.add(key)
            return method(inputs, compiled)
        with count_steps(count, "lines") as advance:
            answers = self._traced(method, inputs, compiled)
            advance(count)
        return answers
