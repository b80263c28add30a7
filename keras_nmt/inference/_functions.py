"""Traced functions that plain and compiled graphs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

TEXTS = tf.TensorSpec([None], tf.string)
IDS = tf.TensorSpec([None, None], tf.int32)
NUMBERS = tf.TensorSpec([None], tf.int32)


def function(body: Callable[..., Any], *signature: Any, jit_compile: bool | None = None) -> Any:
    """A function that is traced once, for its signature: an export holds it once, however many call it."""
    return tf.function(body, input_signature=signature, autograph=False, jit_compile=jit_compile)


def inside_xla(plain: Any) -> Callable[..., Any]:
    """What a compiled function calls instead of a plain one.

    That is the plain one itself, unless it holds a loop: a session turns a loop in a nested function into operators
    that XLA does not know. Then it is traced anew.
    """

    def call(*arguments: Any) -> Any:
        return (plain.python_function if _holds_loop(plain) else plain)(*arguments)

    return call


def of_count(count: tf.Tensor, *rows: tf.Tensor) -> list[tf.Tensor]:
    """The tensors, checked in the graph to have one dimension and a number of rows."""
    rows = tuple(map(one_dimension, rows))
    # Not by a reshape, which graphs drop where it is from one dimension to one.
    counts = tf.stack([tf.shape(x)[0] for x in rows])
    check = tf.debugging.Assert(tf.reduce_all(counts == count), ["Inputs differ in number. Received:", count, counts])
    with tf.control_dependencies([check]):  # sessions run nothing that no result depends on
        return [tf.identity(x) for x in rows]


def one_dimension(x: tf.Tensor) -> tf.Tensor:
    """The tensor, checked in the graph: a server gives a signature whatever shape a request has."""
    return tf.ensure_shape(x, [None])


def _holds_loop(plain: Any) -> bool:
    graph = plain.get_concrete_function().graph.as_graph_def()
    nodes = [*graph.node, *(node for called in graph.library.function for node in called.node_def)]
    return any(node.op in ("While", "StatelessWhile") for node in nodes)
