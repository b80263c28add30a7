"""Records inner tensors of layers, such as gates and attention weights, to look inside a model while it runs."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import keras


class Record(NamedTuple):
    """An inner tensor, or a nest of inner tensors, of a layer's call.

    Attributes:
        layer: The layer. Its path, such as "encoder/layer_1/self_attention", tells where it is in the model.
        name: String, the tensor's name, such as "attention".
        value: The tensor, or a nest of tensors.
    """

    layer: keras.layers.Layer
    name: str
    value: Any


_records: contextvars.ContextVar[list[Record] | None] = contextvars.ContextVar("records", default=None)


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
    [('attention', (1, 2, 3, 3))]
    """
    records: list[Record] = []
    token = _records.set(records)
    try:
        yield records
    finally:
        _records.reset(token)


def record(layer: keras.layers.Layer, name: str, value: Any) -> None:
    """Records an inner tensor, or a nest of tensors, of a layer. Does nothing outside a `recording` block.

    Tensors from the body of a loop must not be recorded, because they do not exist outside the loop.
    """
    records = _records.get()
    if records is not None:
        records.append(Record(layer, name, value))


@contextlib.contextmanager
def recording_outputs(layers: Iterable[keras.layers.Layer]) -> Iterator[None]:
    """Makes layers of any class record what they return, as "output", each time they are called.

    While the block runs, the `call` of each layer is wrapped. Other threads can call the layers in the meantime; their
    calls are not recorded. If several threads use this block, they wait for each other.

    Example:

    >>> dense = keras.layers.Dense(3)
    >>> with recording() as records, recording_outputs([dense]):
    ...     _ = dense(keras.ops.ones((1, 2)))
    >>> [(record.name, tuple(record.value.shape)) for record in records]
    [('output', (1, 3))]
    """
    with _recording_outputs, contextlib.ExitStack() as stack:
        for layer in layers:
            name = "quantized_call" if getattr(layer, "quantization_mode", None) else "call"
            # Keras looks the method up on the layer. `setattr` would make Keras track the function.
            vars(layer)[name] = _with_record(layer, getattr(layer, name))
            stack.callback(vars(layer).pop, name)
        yield


_recording_outputs = threading.Lock()


def _with_record(layer: keras.layers.Layer, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        outputs = call(*args, **kwargs)
        record(layer, "output", outputs)
        return outputs

    return recorded


def is_recording() -> bool:
    """Returns whether a `recording` block runs, so that layers also compute tensors that only records need."""
    return _records.get() is not None
