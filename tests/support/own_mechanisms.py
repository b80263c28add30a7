"""Mechanisms that the package does not have, one for each option that takes mechanisms."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers import LayerSpec, Shortcuts

registered = keras.saving.register_keras_serializable(package="own")


@registered
class Mixing(keras.layers.Layer):
    """sum_l a_l r_l of N states or heads, a = softmax(w / temperature)."""

    def __init__(self, num_representations: int, temperature: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.number, self.temperature = num_representations, temperature

    def build(self, shape: Any) -> None:
        self.w = self.add_weight(shape=(self.number,), name="w")

    def call(self, representations: Any) -> Any:
        if isinstance(representations, list):
            representations = ops.stack(representations, -2)  # [..., N, d]
        return ops.sum(ops.softmax(self.w / self.temperature)[:, None] * representations, -2)


@registered
class Summed(keras.layers.Layer):
    """Keys and values (h * a + E * b) W."""

    has_gates = True

    def __init__(self, hidden_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.hidden_dim = hidden_dim

    def build(self, hidden_shape: Any, shortcut_states_shape: Any) -> None:
        self.a = self.add_weight(shape=hidden_shape[-1:], initializer="ones", name="a")
        self.b = self.add_weight(shape=shortcut_states_shape[-1:], initializer="ones", name="b")
        self.kernel = self.add_weight(shape=(hidden_shape[-1], 2 * self.hidden_dim), name="kernel")

    def call(self, hidden: Any, shortcut_states: Any, return_gates: bool = False) -> Any:
        keys, values = ops.split(ops.matmul(hidden * self.a + shortcut_states * self.b, self.kernel), 2, -1)
        return (keys, values, keys, values) if return_gates else (keys, values)


@registered
class Previous(keras.layers.Layer):
    """e~_t = e_t + s * e_{t-1}; on the source, where it need not be causal, also s * e_{t+1}."""

    def __init__(self, causal: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.causal = causal

    def build(self, shape: Any) -> None:
        self.s = self.add_weight(shape=shape[-1:], initializer="ones", name="s")

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is not None:
            inputs = ops.where(mask[..., None], inputs, 0)
        padded = ops.pad(inputs, ((0, 0), (1, 1), (0, 0)))
        outputs = self.add(inputs, padded[:, :-2])
        return outputs if self.causal else self.add(outputs, padded[:, 2:])

    def add(self, inputs: Any, other: Any) -> Any:
        return inputs + ops.cast(self.s, self.compute_dtype) * other

    def empty_cache(self, batch_size: Any, beam_size: int) -> Any:
        return ops.zeros((batch_size, beam_size, self.s.shape[0]), self.compute_dtype)

    def step(self, inputs: Any, position: Any, cache: Any) -> Any:
        return self.add(inputs, cache), inputs


@registered
class Sine(keras.layers.Layer):
    """sin(x W_1) W_2."""

    def __init__(self, intermediate_dim: int, hidden_dim: int, frequency: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.frequency = frequency
        self.inner = keras.layers.Dense(intermediate_dim, dtype=self.dtype_policy, name="inner")
        self.outer = keras.layers.Dense(hidden_dim, dtype=self.dtype_policy, name="outer")

    def build(self, shape: Any) -> None:
        self.inner.build(shape)
        self.outer.build((*shape[:-1], self.inner.units))

    def call(self, inputs: Any) -> Any:
        return self.outer(ops.sin(self.frequency * self.inner(inputs)))


@registered
class Squashed(keras.layers.Layer):
    """g * tanh(x)."""

    def build(self, shape: Any) -> None:
        self.g = self.add_weight(shape=shape[-1:], initializer="ones", name="g")

    def call(self, inputs: Any) -> Any:
        return self.g * ops.tanh(inputs)


@registered
class Learnt(keras.layers.Layer):
    """A vector for each position."""

    def __init__(self, length: int = 64, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.length = length

    def build(self, shape: Any) -> None:
        self.table = self.add_weight(shape=(self.length, shape[-1]), name="table")

    def call(self, inputs: Any, position: Any = None) -> Any:
        positions = ops.arange(ops.shape(inputs)[-2]) if position is None else ops.reshape(position, (1,))
        return inputs + ops.cast(ops.take(self.table, positions, axis=0), inputs.dtype)


@registered
class Fading(keras.layers.Layer):
    """Queries and keys divided by (1 + t)^|w|."""

    in_attention = True

    def build(self, shape: Any) -> None:
        self.w = self.add_weight(shape=(), name="w")

    def call(self, inputs: Any, position: Any = None) -> Any:
        positions = ops.arange(ops.shape(inputs)[-2]) if position is None else ops.reshape(position, (1,))
        factors = ops.power(1 + ops.cast(positions, "float32"), -ops.abs(ops.cast(self.w, "float32")))
        return inputs * ops.cast(factors, inputs.dtype)[:, None]


# An option of a model with a mechanism of each kind, and the end of the paths of the mechanism's weights.
OWN: dict[str, tuple[dict[str, Any], str]] = {
    "layer_composition": ({"layer_composition": LayerSpec(Mixing, temperature=2.0)}, "layer_composition/w"),
    "head_composition": ({"head_composition": LayerSpec(Mixing)}, "head_composition/w"),
    "shortcuts": ({"shortcuts": Shortcuts(LayerSpec(Summed), sites=["self", "cross"])}, "key_value/b"),
    "roles": ({"roles": LayerSpec(Previous)}, "roles/s"),
    "feed_forward": ({"feed_forward": LayerSpec(Sine, frequency=0.5)}, "feed_forward/*/kernel"),
    "norm": ({"norm": LayerSpec(Squashed)}, "norm/g"),
    "positions": ({"positions": LayerSpec(Learnt)}, "positions/table"),
    "positions in attention": ({"positions": LayerSpec(Fading)}, "positions/w"),
}
# The last positions, those in attention, count.
EVERYWHERE: dict[str, Any] = {name: value for options, _ in OWN.values() for name, value in options.items()}
