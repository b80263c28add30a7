"""Multiply-adds of TensorFlow's graphs."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf


def multiply_adds(graph: Any, trips: int | None = None, root: Any = None) -> int:
    """Multiply-adds of all matrix products and convolutions that a traced graph of known shapes computes.

    Args:
        graph: The graph of a concrete function.
        trips: Number of iterations of loops that do not state the number.
        root: The graph that has the called functions. Defaults to `graph`.

    Returns:
        The number of multiply-adds. The body of a loop counts once per iteration.

    Raises:
        ValueError: A shape or the number of a loop's iterations is not known.
    """
    root = root or graph
    total = 0
    for operation in _needed(graph):
        if operation.type in ("While", "StatelessWhile"):
            body = multiply_adds(root._get_function(operation.get_attr("body").name).graph, trips, root)
            total += body * (_iterations(operation, trips) if body else 0)
        elif operation.type in ("PartitionedCall", "StatefulPartitionedCall"):
            total += multiply_adds(root._get_function(operation.get_attr("f").name).graph, trips, root)
        elif operation.type in ("If", "StatelessIf", "Case", "StatelessCase"):
            raise ValueError(f"Which branch runs is not known. Received: {operation.name}, a {operation.type}")
        else:
            total += _products(operation)
    return total


def _needed(graph: Any) -> list[Any]:
    """The operations that results or effects depend on; TensorFlow prunes the others."""
    left = [tensor.op for tensor in graph.outputs] + list(getattr(graph, "control_outputs", ()))
    found: dict[str, Any] = {}
    while left:
        operation = left.pop()
        if operation.name not in found:
            found[operation.name] = operation
            left += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
    return list(found.values())


def _iterations(loop: Any, trips: int | None) -> int:
    """The number of iterations of a loop: its second input, or -1 if unknown."""
    limit = loop.inputs[1]
    if limit.op.type == "Max" and limit.op.inputs[0].shape == ():  # Keras' recurrence: the maximum of one number
        limit = limit.op.inputs[0]
    most = tf.get_static_value(limit)
    if most is not None and most >= 0:
        return int(most)
    if trips is None:
        raise ValueError(f"How often a loop runs is not known. Received: {loop.name}")
    return trips


def _products(operation: Any) -> int:
    """The multiply-adds of one operation; 0 if the operation is not a product."""

    def size(tensor: Any) -> int:
        if not tensor.shape.is_fully_defined():
            raise ValueError(f"All shapes must be known. Received: shape {tensor.shape} in {operation.name}")
        return math.prod(tensor.shape)

    kind, inputs = operation.type, operation.inputs
    if kind in ("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"):
        transposed = operation.get_attr("transpose_a" if kind == "MatMul" else "adj_x")
        size(inputs[0])
        return size(operation.outputs[0]) * inputs[0].shape[-2 if transposed else -1]
    if kind in ("Einsum", "XlaEinsum"):
        of_inputs, of_output = operation.get_attr("equation").decode().split("->")
        sizes: dict[str, int] = {}
        for labels, tensor in zip(of_inputs.split(","), inputs, strict=True):
            size(tensor)
            sizes |= dict(zip(labels, tensor.shape, strict=True))
        # Without a sum, or with one factor, there are no multiply-adds.
        return math.prod(sizes.values()) if len(inputs) > 1 and set(sizes) - set(of_output) else 0
    if kind == "Conv2D":  # one-dimensional convolutions, too
        return size(operation.outputs[0]) * math.prod(inputs[1].shape[:3])
    if kind == "Conv2DBackpropInput":
        return size(inputs[2]) * math.prod(inputs[1].shape[:3])
    if kind == "Conv2DBackpropFilter":
        return size(inputs[2]) * math.prod(operation.outputs[0].shape[:3])
    if "MatMul" in kind or "Conv" in kind:
        raise ValueError(f"A product of a kind that is not counted. Received: {operation.name}, a {kind}")
    return 0
