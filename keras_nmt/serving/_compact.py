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

    In every function operators that compute the same are merged, those that compute nothing left out, notes of tracing
    removed, and names made short. Of functions that are then the same, such as the loop's body in the plain and the
    compiled search, one is kept. In the main graph, whose names signatures refer to, variables alone are renamed.

    Args:
        folder: A SavedModel.
    """
    path = folder / "saved_model.pb"
    saved_model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    for meta_graph in saved_model.meta_graphs:
        _compact_main(meta_graph)
        for function in meta_graph.graph_def.library.function:
            _remove_notes(function)
            _bypass(function)
            while _merge(function):  # a merge makes the inputs of others the same
                pass
            _rename(function)
        named = frozenset(meta_graph.object_graph_def.concrete_functions)
        while _share(meta_graph.graph_def, named):  # then what calls them may be the same
            pass
    path.write_bytes(saved_model.SerializeToString(deterministic=True))
    # It holds a checksum of the file as it was; loaders do without.
    (folder / "fingerprint.pb").unlink(missing_ok=True)


def _compact_main(meta_graph: Any) -> None:
    """Drops what nothing refers to from the main graph, and shortens the names of variables."""
    graph = meta_graph.graph_def
    nodes = {node.name: node for node in graph.node}
    waiting = [
        *(info.name for signature in meta_graph.signature_def.values() for info in signature.inputs.values()),
        *(info.name for signature in meta_graph.signature_def.values() for info in signature.outputs.values()),
        *(meta_graph.saver_def.filename_tensor_name, meta_graph.saver_def.save_tensor_name),
        meta_graph.saver_def.restore_op_name,
        *(name for collection in meta_graph.collection_def.values() for name in collection.node_list.value),
    ]
    reached: set[str] = set()
    while waiting:
        name = _node_of(waiting.pop())
        if name in nodes and name not in reached:
            reached.add(name)
            waiting.extend(nodes[name].input)
    kept = [node for node in graph.node if node.name in reached]
    variables = [node.name for node in kept if node.op == "VarHandleOp"]
    names = {name: f"variable_{i}" for i, name in enumerate(variables)}
    for node in kept:
        node.attr.pop("_output_shapes", None)
        node.input[:] = [names.get(reference, reference) for reference in node.input]
        if node.name in names:
            node.attr.pop("debug_name", None)
            node.name = names[node.name]
            node.attr["shared_name"].s = node.name.encode()
    _keep(graph.node, kept)


def _remove_notes(function: Any) -> None:
    """Removes what shape inference finds again, and what only people read."""
    function.attr.pop("_input_shapes", None)
    for node in function.node_def:
        node.ClearField("experimental_debug_info")
        node.attr.pop("_output_shapes", None)
        node.attr.pop("_has_manual_control_dependencies", None)
    for argument in function.signature.input_arg:
        argument.ClearField("handle_data")
    for i, attributes in list(function.arg_attr.items()):
        attributes.attr.pop("_user_specified_name", None)
        attributes.attr.pop("_output_shapes", None)
        if not attributes.attr:
            del function.arg_attr[i]


def _bypass(function: Any) -> None:
    """Takes out operators that hand on their input, which tracing and gradients put in."""
    outputs = {
        f"{node.name}:output:0": node.input[0]
        for node in function.node_def
        if node.op in ("Identity", "StopGradient") and len(node.input) == 1
    }
    needed = set(function.control_ret.values())  # for their effect, in their place
    needed |= {reference[1:] for node in function.node_def for reference in node.input if reference.startswith("^")}
    results = {_node_of(reference) for reference in function.ret.values()}

    def source(reference: str) -> str:
        while reference in outputs:
            reference = outputs[reference]
        return reference

    for node in function.node_def:
        node.input[:] = [source(reference) for reference in node.input]
    kept = [
        node
        for node in function.node_def
        if f"{node.name}:output:0" not in outputs or node.name in needed or node.name in results
    ]
    _keep(function.node_def, kept)


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
        kept.append(node)
    if names:
        _keep(function.node_def, kept)
        _replace(function, names)
    return bool(names)


def _rename(function: Any) -> None:
    """Gives nodes, arguments and results the shortest names. Functions are called by position."""
    signature, short = function.signature, _short_names()
    arguments = {argument.name: next(short) for argument in signature.input_arg}
    nodes = {node.name: next(short) for node in function.node_def}
    _replace(function, nodes, arguments)
    for node in function.node_def:
        node.name = nodes[node.name]
    for argument in signature.input_arg:
        argument.name = arguments[argument.name]
    results = {result.name: function.ret[result.name] for result in signature.output_arg}
    function.ret.clear()
    for result in signature.output_arg:
        name = next(short)
        function.ret[name] = results[result.name]
        result.name = name
    # Names of operators that run for their effect: any will do, if both places agree.
    effects = [function.control_ret[effect] for effect in function.signature.control_output]
    function.signature.control_output[:] = effects
    function.control_ret.clear()
    function.control_ret.update({effect: effect for effect in effects})


def _share(graph: Any, named: frozenset[str]) -> bool:
    """Keeps one of functions that differ in name only, and all in `named`. Returns whether any was dropped."""
    first: dict[bytes, str] = {}
    names: dict[str, str] = {}
    kept = []
    for function in graph.library.function:
        # Loops over lists, as an LSTM's: XLA crashes where two of them have one body.
        if any(argument.type == types_pb2.DT_VARIANT for argument in function.signature.input_arg):
            kept.append(function)
            continue
        name, function.signature.name = function.signature.name, ""
        content = function.SerializeToString(deterministic=True)
        function.signature.name = name
        if first.setdefault(content, name) == name or name in named:
            kept.append(function)
        else:
            names[name] = first[content]
    if names:
        _keep(graph.library.function, kept)
        nodes = itertools.chain(graph.node, *(function.node_def for function in graph.library.function))
        for value in itertools.chain.from_iterable(node.attr.values() for node in nodes):
            for called in (value.func, *value.list.func):
                if called.name in names:
                    called.name = names[called.name]
    return bool(names)


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


def _keep(messages: Any, kept: list[Any]) -> None:
    """Leaves some messages only in a repeated field."""
    copies = [type(message).FromString(message.SerializeToString()) for message in kept]
    del messages[:]
    messages.extend(copies)


def _node_of(reference: str) -> str:
    """The node's name in "node:0", "node:output:0" or "^node"."""
    return reference.lstrip("^").partition(":")[0]


def _short_names() -> Iterator[str]:
    for length in itertools.count(1):
        yield from map("".join, itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=length))
