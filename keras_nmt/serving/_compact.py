"""Makes the graph of a SavedModel small: beside the weights of a small model it would weigh a lot."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import saved_model_pb2

# Operators without state, whose results depend on inputs and attributes alone. Arithmetic on shapes that are known only
# when the graph runs is made of these, hundreds of them, over and over the same.
_ARITHMETIC = {"AddV2", "Cast", "GreaterEqual", "Less", "Maximum", "Minimum", "Mul", "Neg", "Prod", "Range", "Sub"}
_SHAPING = {"BroadcastTo", "ConcatV2", "ExpandDims", "GatherV2", "Pack", "Reshape", "Shape", "Squeeze", "StridedSlice"}
PURE = _ARITHMETIC | _SHAPING | {"Const"}


def compact(folder: Path) -> None:
    """Shortens `saved_model.pb` in place, without a change of what it computes.

    In every function operators that compute the same are merged, notes of tracing removed, and names made short.
    Functions keep their names, and so do the operators of the main graph, which signatures refer to.

    Args:
        folder: A SavedModel.
    """
    path = folder / "saved_model.pb"
    saved_model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    for meta_graph in saved_model.meta_graphs:
        for node in meta_graph.graph_def.node:
            node.attr.pop("_output_shapes", None)
        for function in meta_graph.graph_def.library.function:
            _remove_notes(function)
            while _merge(function):  # a merge makes the inputs of others the same
                pass
            _rename(function)
    path.write_bytes(saved_model.SerializeToString(deterministic=True))
    # It holds a checksum of the file as it was; loaders do without.
    (folder / "fingerprint.pb").unlink(missing_ok=True)


def _remove_notes(function: Any) -> None:
    """Removes what shape inference finds again, and what only people read."""
    for node in function.node_def:
        node.ClearField("experimental_debug_info")
        node.attr.pop("_output_shapes", None)
    for i in _resources(function):
        function.arg_attr[i].attr.pop("_user_specified_name", None)


def _merge(function: Any) -> bool:
    """Merges the nodes of pure operators that have the same inputs and attributes. Returns whether there were any."""
    first: dict[Any, str] = {}
    names: dict[str, str] = {}
    kept = []
    for node in function.node_def:
        if node.op in PURE:
            attributes = tuple(sorted((name, value.SerializeToString()) for name, value in node.attr.items()))
            key = (node.op, node.device, tuple(node.input), attributes)
            if first.setdefault(key, node.name) != node.name:
                names[node.name] = first[key]
                continue
        kept.append(type(node).FromString(node.SerializeToString()))
    if names:
        del function.node_def[:]
        function.node_def.extend(kept)
        _replace(function, names)
    return bool(names)


def _rename(function: Any) -> None:
    """Gives nodes, and arguments that are resources, the shortest names. Other arguments may be known by theirs."""
    resources = [function.signature.input_arg[i] for i in _resources(function)]
    taken = {argument.name for argument in function.signature.input_arg} - {argument.name for argument in resources}
    short = (name for name in _short_names() if name not in taken)
    nodes = {node.name: next(short) for node in function.node_def}
    arguments = {argument.name: next(short) for argument in resources}
    _replace(function, nodes, arguments)
    for node in function.node_def:
        node.name = nodes[node.name]
    for argument in resources:
        argument.name = arguments[argument.name]
    # Names of operators that run for their effect: any will do, if both places agree.
    effects = [function.control_ret[effect] for effect in function.signature.control_output]
    function.signature.control_output[:] = effects
    function.control_ret.clear()
    function.control_ret.update({effect: effect for effect in effects})


def _resources(function: Any) -> list[int]:
    """Which arguments are resources: variables, most of all."""
    arguments = function.signature.input_arg
    return [i for i, argument in enumerate(arguments) if argument.type == types_pb2.DT_RESOURCE]


def _replace(function: Any, nodes: dict[str, str], arguments: dict[str, str] | None = None) -> None:
    """Replaces names of nodes and arguments wherever a function uses them."""
    arguments = arguments or {}

    def replaced(reference: str) -> str:
        """Of "^node", "node:output:index" or "argument"."""
        if reference.startswith("^"):
            name = reference[1:]
            return "^" + nodes.get(name, arguments.get(name, name))
        name, colon, output = reference.partition(":")
        return nodes.get(name, name) + colon + output if colon else arguments.get(name, name)

    for node in function.node_def:
        node.input[:] = [replaced(reference) for reference in node.input]
        if "_class" in node.attr:  # "loc:@node": to be on one device with that node
            places = node.attr["_class"].list
            places.s[:] = [b"loc:@" + replaced("^" + place.decode()[5:])[1:].encode() for place in places.s]
    for result, reference in list(function.ret.items()):
        function.ret[result] = replaced(reference)
    for effect, name in list(function.control_ret.items()):
        function.control_ret[effect] = nodes.get(name, name)


def _short_names() -> Iterator[str]:
    for length in itertools.count(1):
        yield from map("".join, itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=length))
