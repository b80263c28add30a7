"""The simpler simple recurrent unit."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import add_matrix, check_mask, check_positive, check_width, keras_mask
from keras_nmt.layers._projection import Int8Kernels


@keras.saving.register_keras_serializable(package="keras_nmt")
class SSRU(Int8Kernels):
    """Simpler simple recurrent unit (SSRU), a recurrent layer in place of a decoder's self-attention.

        f_t = sigmoid(x_t W_f + b_f)
        c_t = f_t * c_{t-1} + (1 - f_t) * x_t W,   c_0 = 0
        h_t = relu(c_t)

    A decoding step reads only the state c, so it takes the same time at every position. The gates and the state are
    float32 under every dtype policy. There are 2 d d' + d parameters.

    Args:
        hidden_dim: Integer, width d of states and output.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d']`.
        mask: Boolean tensor `[B, T]`, True at real tokens. Padding does not change the state. Defaults to the mask that
            Keras attached to `inputs`, if any. If padding is at the end, no mask is needed.

    Returns:
        Tensor `[B, T, d]`, the outputs h.

    Example:

    >>> import numpy as np
    >>> x = np.random.rand(2, 5, 8).astype("float32")
    >>> layer = SSRU(8)
    >>> tuple(layer(x).shape)
    (2, 5, 8)
    >>> first, cache = layer.step(x[:, :1], 0, layer.empty_cache(2, 1))  # one hypothesis for each sentence
    >>> tuple(first.shape), tuple(cache["state"].shape)
    ((2, 1, 8), (2, 1, 8))

    Reference:
        [Kim et al., 2019](https://aclanthology.org/D19-5632/).
    """

    kernels = ("kernel",)

    def __init__(self, hidden_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(hidden_dim=hidden_dim)
        self.hidden_dim = int(hidden_dim)

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        # W and W_f lie side by side, so one product computes both.
        self.kernel = add_matrix(self, "kernel", inputs_shape[-1], 2 * self.hidden_dim)
        self.gate_bias = self.add_weight(  # b_f
            shape=(self.hidden_dim,), initializer="zeros", autocast=False, name="gate_bias"
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        check_mask("mask", mask, 2, inputs)
        gates, added = self._project(inputs)
        if mask is not None:
            real = ops.expand_dims(mask, -1)  # [B, T, 1]
            gates, added = ops.where(real, gates, 1.0), ops.where(real, added, 0.0)
        return self._output(_recurrence(gates, added))

    def empty_cache(self, batch_size: Any, beam_size: int) -> dict[str, Any]:
        """Makes the cache of the first `step`: the "state" c_0, zeros `[B, K, d]`; see `docs/own_mechanism.md`."""
        return {"state": ops.zeros((batch_size, beam_size, self.hidden_dim), dtype="float32")}

    def step(self, inputs: Any, position: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Maps inputs `[B, K, d']` of one position to outputs `[B, K, d]`, equal to those of `call`, and a new cache.

        `position` is not used, because the cache determines it.
        """
        gates, added = self._project(inputs)
        state = gates * cache["state"] + added
        return self._output(state), {"state": state}

    def _project(self, inputs: Any) -> tuple[Any, Any]:
        """Computes f and (1 - f) * x W, `[..., d]` each, float32."""
        check_width("inputs", inputs.shape, self.kernel.shape[0])
        inputs = ops.cast(inputs, self.compute_dtype)
        candidates, gates = ops.split(ops.cast(self.product(inputs, "kernel"), "float32"), 2, axis=-1)
        gates = ops.sigmoid(gates + ops.cast(self.gate_bias, "float32"))  # the bias has the dtype of weights
        return gates, (1.0 - gates) * candidates

    def _output(self, states: Any) -> Any:
        return ops.cast(ops.relu(states), self.compute_dtype)

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return (*inputs_shape[:-1], self.hidden_dim)


def _recurrence(gates: Any, added: Any) -> Any:
    """Computes c_t = f_t * c_{t-1} + a_t with c_0 = 0, from gates f and summands a, `[B, T, d]` each.

    The gradient of a is the same recurrence from the end. It is given here because differentiating a loop would take
    memory for each pass.
    """

    @ops.custom_gradient
    def run(gates: Any, added: Any) -> tuple[Any, Any]:
        states = _scan(gates, added)

        def gradient(*upstreams: Any, upstream: Any = None) -> tuple[Any, Any]:
            upstream = upstreams[0] if upstream is None else upstream
            following = ops.pad(gates[:, 1:], ((0, 0), (0, 1), (0, 0)))  # f_{t+1}
            added_gradient = ops.flip(_scan(ops.flip(following, axis=1), ops.flip(upstream, axis=1)), axis=1)
            previous = ops.pad(states[:, :-1], ((0, 0), (1, 0), (0, 0)))  # c_{t-1}
            return added_gradient * previous, added_gradient

        return states, gradient

    return run(gates, added)


def _scan(gates: Any, added: Any) -> Any:
    """Computes the recurrence in log2(T) passes: after n passes, each position has combined the last 2^n positions.

    `keras.ops.associative_scan` and `keras.ops.scan` do not run in TensorFlow graphs with an unknown length T. Products
    of gates may underflow to zero, which does no harm because nothing is divided by them.
    """
    length = ops.shape(gates)[1]
    positions = ops.arange(length, dtype="int32")[:, None]  # [T, 1]

    def body(reach: Any, gates: Any, states: Any) -> tuple[Any, Any, Any]:
        has_earlier = positions >= reach
        earlier_gates = ops.where(has_earlier, ops.roll(gates, reach, axis=1), 1.0)
        earlier_states = ops.where(has_earlier, ops.roll(states, reach, axis=1), 0.0)
        return 2 * reach, gates * earlier_gates, states + gates * earlier_states

    start = ops.convert_to_tensor(1, "int32"), gates, added
    return ops.while_loop(lambda reach, *_: reach < length, body, start)[2]
