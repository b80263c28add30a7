"""A recurrent encoder."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice, require
from keras_nmt.layers._common import (
    ConfiguredLayer,
    check_mask,
    check_positive,
    check_rate,
    keep_frozen,
    keras_mask,
    shapes_of_spec,
    without_padding,
)
from keras_nmt.layers._taps import record
from keras_nmt.layers.dropout import Dropout


@keras.saving.register_keras_serializable(package="keras_nmt")
class RecurrentEncoder(ConfiguredLayer):
    """A stack of LSTMs, each of which reads the states of the LSTM below, in both directions or from left to right.

    The recurrence runs in float32 under every dtype policy, because it is long and its state is a sum.

    Args:
        num_layers: Integer, number of LSTMs.
        hidden_dim: Integer, width of the states, both directions together; must be even if there are two directions.
        dropout: Float, dropout rate of the inputs of all LSTMs but the first. Defaults to 0.
        bidirectional: Boolean, whether each layer reads in both directions. `step` needs one direction. Defaults to
            True.
        use_cudnn: False, or "auto": cuDNN's kernels if TensorFlow sees a GPU. They train faster, but XLA cannot compile
            them, and a graph that contains them runs on GPUs only. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, e]`, the embeddings.
        mask: Boolean tensor `[B, T]`, True at real tokens, which precede the padding. Defaults to the mask that Keras
            attached to `inputs`. Without a mask, all positions are real.
        training: Boolean, whether dropout is active.
        return_state: Boolean, whether to return the last states too. Defaults to False.

    Returns:
        The states `[B, T, hidden_dim]`, directions concatenated, zero at padding. With `return_state` also a list with
        [h, c] of each layer at the last real token (the first for the backward direction), `[B, hidden_dim]` each,
        float32.

    Raises:
        ValueError: A size is not a positive integer, `hidden_dim` is odd with two directions, or a rate or an option is
            out of range.

    Example:

    >>> import numpy as np
    >>> embeddings = np.random.rand(2, 5, 6).astype("float32")
    >>> states, final = RecurrentEncoder(num_layers=2, hidden_dim=8)(embeddings, return_state=True)
    >>> tuple(states.shape), len(final), tuple(final[0][0].shape)
    ((2, 5, 8), 2, (2, 8))

    Reference:
        [Hochreiter and Schmidhuber, 1997](https://doi.org/10.1162/neco.1997.9.8.1735);
        [Graves and Schmidhuber, 2005](https://doi.org/10.1016/j.neunet.2005.06.042).
    """

    def __init__(
        self,
        num_layers: int,
        hidden_dim: int,
        dropout: float = 0.0,
        bidirectional: bool = True,
        use_cudnn: bool | str = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(autocast=False, **kwargs)
        check_positive(num_layers=num_layers, hidden_dim=hidden_dim)
        check_rate(dropout=dropout)
        check_choice("use_cudnn", use_cudnn, (False, "auto"))
        if bidirectional and hidden_dim % 2:
            raise ValueError(f"`hidden_dim` must be even for two directions. Received: hidden_dim={hidden_dim!r}")
        self.num_layers = int(num_layers)
        self.hidden_dim = int(hidden_dim)
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.use_cudnn = use_cudnn
        self.layers = [self._make_layer(i) for i in range(self.num_layers)]
        self.dropouts = [Dropout(dropout, dtype="float32", name=f"dropout_{i}") for i in range(1, self.num_layers)]

    def _make_layer(self, i: int) -> keras.layers.Layer:
        lstm = keras.layers.LSTM(
            self.hidden_dim // (2 if self.bidirectional else 1),
            return_sequences=True,
            return_state=True,
            use_cudnn=self.use_cudnn,
            dtype="float32",
            name="lstm" if self.bidirectional else f"lstm_{i}",
        )
        return keras.layers.Bidirectional(lstm, dtype="float32", name=f"lstm_{i}") if self.bidirectional else lstm

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        if len(inputs_shape) != 3 or inputs_shape[-1] is None:
            raise ValueError(f"`inputs` must be [B, T, e] with a known e. Received: shape {tuple(inputs_shape)}")
        width = inputs_shape[-1]
        for layer in self.layers:
            layer.build((None, None, width))
            width = self.hidden_dim
        keep_frozen(self)

    def call(self, inputs: Any, mask: Any = None, training: bool | None = None, return_state: bool = False) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        check_mask("mask", mask, 2, inputs)
        read = mask
        if mask is not None:
            # cuDNN rejects rows that are all padding: let it read one token, and set the states to zero below.
            real = ops.any(mask, axis=1, keepdims=True)  # [B, 1]
            first = ops.arange(ops.shape(mask)[1], dtype="int32") == 0  # [T]
            read = ops.logical_or(mask, ops.logical_and(ops.logical_not(real), first))
        states, final = ops.cast(inputs, "float32"), []
        every = [states]  # E, H_1 .. H_L
        for i, layer in enumerate(self.layers):
            if i:
                states = self.dropouts[i - 1](states, training=training)
            states, *last = layer(states, mask=read, training=training)
            # [h, c], or forward and backward [h, c, h, c]
            final.append([ops.concatenate(last[j::2], axis=-1) for j in (0, 1)])
            every.append(states)
        states = without_padding(states, mask)
        record(self, "states", [*every, states])
        if mask is not None:
            final = [[ops.where(real, x, 0.0) for x in layer_states] for layer_states in final]
        states = ops.cast(states, self.compute_dtype)
        return (states, final) if return_state else states

    def empty_cache(self, batch_size: Any, beam_size: int) -> list[list[Any]]:
        """Makes the cache of the first `step`: a list with [h, c] of each layer, zeros `[B, K, hidden_dim]` each.

        Cache and steps are those of `docs/own_mechanism.md`. A bidirectional layer raises a `ValueError`.
        """
        self._check_steps()
        return [[ops.zeros((batch_size, beam_size, self.hidden_dim), "float32") for _ in range(2)] for _ in self.layers]

    def step(self, inputs: Any, position: Any, cache: list[list[Any]]) -> tuple[Any, list[list[Any]]]:
        """Maps embeddings `[B, K, e]` of one position to states `[B, K, hidden_dim]`, equal to those of `call`.

        It also returns the new cache. `position` is not used, because the cache determines it.
        """
        self._check_steps()
        beams = ops.shape(inputs)[:2]
        state, new_cache = ops.reshape(ops.cast(inputs, "float32"), (-1, inputs.shape[-1])), []  # [B K, e]
        for layer, previous in zip(self.layers, cache, strict=True):
            rows = [ops.reshape(x, (-1, self.hidden_dim)) for x in previous]
            state, rows = layer.cell(state, rows)
            new_cache.append([ops.reshape(x, (*beams, self.hidden_dim)) for x in rows])
        return ops.cast(ops.reshape(state, (*beams, self.hidden_dim)), self.compute_dtype), new_cache

    def _check_steps(self) -> None:
        require(not self.bidirectional, "A bidirectional layer cannot run step by step. Received: bidirectional=True")

    compute_output_shape = shapes_of_spec

    def compute_output_spec(
        self, inputs: Any, mask: Any = None, training: bool | None = None, return_state: bool = False
    ) -> Any:
        states = keras.KerasTensor((*inputs.shape[:-1], self.hidden_dim), self.compute_dtype)
        if not return_state:
            return states
        shape = (inputs.shape[0], self.hidden_dim)
        return states, [[keras.KerasTensor(shape, dtype="float32") for _ in range(2)] for _ in self.layers]
