"""Traced functions that plain and compiled graphs share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

TEXTS = tf.TensorSpec([None], tf.string)
IDS = tf.TensorSpec([None, None], tf.int32)
NUMBERS = tf.TensorSpec([None], tf.int32)


def function(body: Callable[..., Any], *signature: Any, jit_compile: bool | None = None) -> Any:
    """A function that is traced once, for its signature: an export holds the graph once for all callers."""
    # TensorFlow counts traces by the code of the body, and would warn of several translators. A partial has no code.
    body = functools.partial(body)
    return tf.function(body, input_signature=signature, autograph=False, jit_compile=jit_compile)


def plain_and_compiled(body: Callable[..., Any], *signature: Any) -> dict[bool, Any]:
    """A function, and the function that XLA compiles from it, by whether it is compiled.

    The compiled function calls the plain function. If the plain function holds a loop, the body is traced again: a
    session turns a loop of a nested function into operators that XLA does not know.
    """
    plain = function(body, *signature)

    def call(*arguments: Any) -> Any:
        return (body if _holds_loop(plain) else plain)(*arguments)

    return {False: plain, True: function(call, *signature, jit_compile=True)}


def of_count(*rows: tf.Tensor) -> list[tf.Tensor]:
    """The tensors, checked in the graph to have one dimension and one number of rows.

    A server hands a request of any shape to a signature.
    """
    rows = tuple(tf.ensure_shape(x, [None]) for x in rows)
    # Graphs drop a reshape from one dimension to one dimension: hence an assertion.
    counts = tf.stack([tf.shape(x)[0] for x in rows])
    check = tf.debugging.Assert(tf.reduce_all(counts == counts[0]), ["Inputs differ in number. Received:", counts])
    with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
        return [tf.identity(x) for x in rows]


def _holds_loop(plain: Any) -> bool:
    graph = plain.get_concrete_function().graph.as_graph_def()
    nodes = [*graph.node, *(node for called in graph.library.function for node in called.node_def)]
    return any(node.op in ("While", "StatelessWhile") for node in nodes)
