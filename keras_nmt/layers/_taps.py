"""Taps: where layers show inner tensors, such as gates and attention weights, and take others in their place."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import keras
from keras import ops

from keras_nmt.errors import require


class Record(NamedTuple):
    """An inner tensor, or a nest of inner tensors, of a layer's call.

    Attributes:
        layer: The layer. Its path, such as "encoder/layer_1/self_attention", tells where it is in the model.
        name: String, the tensor's name, such as "attention".
        value: The tensor, or a nest of tensors.
        inputs: What the layer computed the value from, where a replacement may need it; else None.
        parts: Integer, the axis of the parts that can be replaced alone, counted from the end; or None.
    """

    layer: keras.layers.Layer
    name: str
    value: Any
    inputs: Any = None
    parts: int | None = None

    @property
    def place(self) -> str:
        """The path of the layer and the name of the tensor: "encoder/layer_1/self_attention:attention"."""
        return f"{self.layer.path}:{self.name}"

    @property
    def num_parts(self) -> int:
        """The number of parts; 0 if no part can be replaced alone."""
        if self.parts is None:
            return 0
        is_list = isinstance(self.value, (list, tuple))
        return len(self.value) if is_list else int(self.value.shape[self.parts])


Replacement = Callable[[Record], Any]

# Context variables are those of one thread: other threads, such as requests to a server, see neither. Threads of a
# translator's call have a copy of the caller's.
_records: contextvars.ContextVar[list[Record] | None] = contextvars.ContextVar("records", default=None)
_replacements: contextvars.ContextVar[_Replacements | None] = contextvars.ContextVar("replacements", default=None)


def tap(layer: keras.layers.Layer, name: str, value: Any, *, parts: int | None = None, inputs: Any = None) -> Any:
    """Returns an inner tensor of a layer, or what an `intervening` block puts in its place; and records it.

    Outside of the blocks `intervening` and `recording`, it returns the value as it is: the graph of a model has no
    traces of its taps.

    In the body of a loop, a layer may only tap what nothing records, because its tensors do not exist outside.

    Args:
        layer: The layer whose call computed the value.
        name: String, the name of the value in this layer.
        value: Tensor, or a nest of tensors.
        parts: Integer, the axis of the parts that can be replaced alone, such as the heads of an attention; the parts
            of a list are its items. Defaults to None: no parts.
        inputs: What the value was computed from. Defaults to None.

    Returns:
        The tensor or the nest with which the layer must go on.
    """
    replacements = _replacements.get()
    if replacements is not None:
        value = replacements.replace(Record(layer, name, value, inputs, parts))
    record(layer, name, value, inputs, parts)
    return value


def record(layer: keras.layers.Layer, name: str, value: Any, inputs: Any = None, parts: int | None = None) -> None:
    """Records what a layer has computed, but cannot replace, such as the states of a loop that has run."""
    records = _records.get()
    if records is not None:
        records.append(Record(layer, name, value, inputs, parts))


@contextlib.contextmanager
def recording() -> Iterator[list[Record]]:
    """Collects what layers record while the block runs, in the order of computation.

    Inside `tf.function`, records are tensors of the function's graph: the function must return those that you need.

    Example:

    >>> from keras_nmt.layers import MultiHeadAttention
    >>> attention = MultiHeadAttention(num_heads=2, hidden_dim=4)
    >>> with recording() as records:
    ...     _ = attention(keras.ops.ones((1, 3, 4)))
    >>> [(record.name, tuple(record.value.shape)) for record in records]
    [('attention', (1, 2, 3, 3)), ('heads', (1, 3, 2, 2))]
    """
    records: list[Record] = []
    token = _records.set(records)
    try:
        yield records
    finally:
        _records.reset(token)


def is_recording() -> bool:
    """Returns whether a `recording` block runs, so that layers also compute tensors that only records need."""
    return _records.get() is not None


@contextlib.contextmanager
def intervening(replacements: Mapping[str, Replacement]) -> Iterator[None]:
    """Replaces inner tensors of layers while the block runs, in this thread and in those of a translator's call.

    A pattern of places chooses the tensors: the path of a layer and the name of the tensor, as in
    "encoder/layer_1/self_attention:heads", with `*` for any characters. A number after a further colon chooses one
    part, from 1: "encoder/layer_1/self_attention:heads:2" is the second head. The places are:

    | tensor | of | shape | parts |
    | --- | --- | --- | --- |
    | gates | `LexicalShortcut` | `[..., T, 2 d]`, r_K and r_V | |
    | attention | `MultiHeadAttention`, the weights | `[..., H, T, S]` | heads |
    | heads | the same, O_1 .. O_H | `[..., T, H, d / H]` | heads |
    | representations | `CompositionLayer`, its inputs | list of `[..., d']`, or `[..., N, d']` | layers or heads |
    | composed | the same, before the residual path | `[..., units]` | |
    | output | aggregates between layers (hierarchical) | `[..., d]` | |
    | roles | `RoleAssignment` | `[..., hr]` | roles |
    | bridge | `AttentionBridge`, M | `[B, k, d]` | heads |
    | bridge_attention | the same, A | `[B, k, n]` | heads |
    | state_0, .., state_L, final_state | the stacks of a Transformer | `[..., d]` | |

    A replacement is a function of a `Record`, whose value is the tensor, or the part. It returns a tensor that
    broadcasts to the shape of the value, or for a list a list of such tensors. In a step of a decoder, the axis T of
    the decoder's own positions is that of the K hypotheses.

    A function that was traced before the block, such as that of `model.predict`, does not call layers again: the block
    has no effect on it. A function that is traced in the block keeps the replacements. So trace functions of your own.
    A `Translator` does so for each block.

    Args:
        replacements: Mapping from patterns to functions. If several patterns match, the last of them counts.

    Raises:
        ValueError: At the end of the block: no tensor matched a pattern while it ran, or there is no such part.

    Example:

    >>> from keras_nmt.layers import MultiHeadAttention
    >>> attention = MultiHeadAttention(num_heads=2, hidden_dim=4)
    >>> inputs = keras.random.normal((1, 3, 4))
    >>> whole = attention(inputs)
    >>> with intervening({"*:heads": lambda record: 0 * record.value}):
    ...     without = attention(inputs)
    >>> float(keras.ops.sum(keras.ops.abs(without))), bool(keras.ops.all(attention(inputs) == whole))
    (0.0, True)
    """
    active = _Replacements(replacements)
    token = _replacements.set(active)
    try:
        yield
    finally:
        _replacements.reset(token)
    active.check_used()


def active_block() -> Hashable | None:
    """Returns what tells the innermost `intervening` block of this thread from others, or None outside of blocks."""
    return _replacements.get()


class _Replacements:
    def __init__(self, replacements: Mapping[str, Replacement]) -> None:
        self.by_pattern = dict(replacements)
        self.used: set[str] = set()
        self.places: dict[str, None] = {}  # those that ran, in order

    def replace(self, record: Record) -> Any:
        self.places[record.place] = None
        matching = [pattern for pattern in self.by_pattern if _matches(pattern, record.place)]
        for pattern in matching:
            self.used.add(pattern)
            number, replacement = _part(pattern), self.by_pattern[pattern]
            if number is None:
                new = keras.tree.map_structure(_alike, record.value, replacement(record))
            else:
                new = _with_part(record, number, replacement)
            record = record._replace(value=new)
        return record.value

    def check_used(self) -> None:
        for pattern in self.by_pattern:
            if pattern not in self.used:
                places = ", ".join(self.places) or "none (was the function traced before?)"
                raise ValueError(f"No tensor that was computed matches {pattern!r}. There were: {places}")


def _matches(pattern: str, place: str) -> bool:
    return fnmatchcase(place, pattern if _part(pattern) is None else pattern.rpartition(":")[0])


def _part(pattern: str) -> int | None:
    """Returns the number of the part, if the pattern ends with one."""
    number = pattern.rpartition(":")[2]
    return int(number) if number.isdecimal() else None


def _with_part(record: Record, number: int, replacement: Replacement) -> Any:
    """Returns the value with another part `number`, from 1."""
    is_list, count, axis = isinstance(record.value, (list, tuple)), record.num_parts, record.parts
    require(count, f"{record.place} has no parts that can be replaced alone. Received: part {number}")
    require(1 <= number <= count, f"{record.place} has the parts 1 to {count}. Received: part {number}")
    parts = list(record.value) if is_list else ops.unstack(record.value, count, axis=axis)
    parts[number - 1] = _alike(parts[number - 1], replacement(record._replace(value=parts[number - 1])))
    return parts if is_list else ops.stack(parts, axis=axis)


def _alike(value: Any, new: Any) -> Any:
    """Returns a replacement with the dtype and the shape of the value."""
    return ops.broadcast_to(ops.cast(new, value.dtype), ops.shape(value))


@contextlib.contextmanager
def tapping_outputs(layers: Iterable[keras.layers.Layer]) -> Iterator[None]:
    """Makes layers of any class tap what they return, as "output", each time they are called.

    While the block runs, the `call` of each layer is wrapped. Other threads can call the layers in the meantime; their
    calls are not tapped. If several threads use this block, they wait for each other.

    Example:

    >>> dense = keras.layers.Dense(3)
    >>> with recording() as records, tapping_outputs([dense]):
    ...     _ = dense(keras.ops.ones((1, 2)))
    >>> [(record.name, tuple(record.value.shape)) for record in records]
    [('output', (1, 3))]
    """
    with _tapping_outputs, contextlib.ExitStack() as stack:
        for layer in layers:
            name = "quantized_call" if getattr(layer, "quantization_mode", None) else "call"
            # Keras looks the method up on the layer. `setattr` would make Keras track the function.
            vars(layer)[name] = _with_tap(layer, getattr(layer, name))
            stack.callback(vars(layer).pop, name)
        yield


_tapping_outputs = threading.Lock()


def _with_tap(layer: keras.layers.Layer, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def tapped(*args: Any, **kwargs: Any) -> Any:
        return tap(layer, "output", call(*args, **kwargs))

    return tapped
