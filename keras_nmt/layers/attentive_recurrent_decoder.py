"""A recurrent decoder with Luong attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import require
from keras_nmt.layers._common import (
    ConfiguredLayer,
    check_mask,
    check_positive,
    check_rate,
    check_width,
    keep_frozen,
    keras_mask,
    projection_initializer,
    shapes_of_spec,
    without_padding,
)
from keras_nmt.layers._taps import is_recording, record
from keras_nmt.layers.dropout import Dropout
from keras_nmt.layers.luong_attention import LuongAttention


@keras.saving.register_keras_serializable(package="keras_nmt")
class AttentiveRecurrentDecoder(ConfiguredLayer):
    """A stack of LSTMs with attention over a memory; the attentional state is also an input of the next position.

        h_t = LSTM_L(.. LSTM_1([e_t ; h~_{t-1}]))               input feeding, h~_0 = 0
        c_t = attention of h_t over the memory                  see `LuongAttention`
        h~_t = tanh(W_c [h_t ; c_t])                            (5)

    The recurrence runs in float32 under every dtype policy. `prepare` and `step` run it one position at a time.

    Args:
        num_layers: Integer L, number of LSTMs.
        hidden_dim: Integer u, width of all states.
        score: "general", "dot" or "concat"; see `LuongAttention`. Defaults to "general".
        input_feeding: Boolean, whether h~_{t-1} is an input of position t. Defaults to True.
        dropout: Float, dropout rate of the outputs h~ and of the inputs of all LSTMs but the first. Defaults to 0.
        dropout_in_loop: Boolean. False: h~ is fed back without dropout, and the inputs of the LSTMs drop the same units
            at all positions of a sequence. True, as in OpenNMT-py: h~ is fed back with dropout, and every position
            drops other units. Defaults to False.
        attention: `LuongAttention` of u units, which several decoders may share (Firat et al., 2016). The paths of the
            shared weights contain the name of the decoder that builds the attention: if other models start from these
            weights, build the attention first. Load a model with a shared attention by code and `load_weights`, because
            `keras.models.load_model` would make one attention for each decoder. Defaults to an attention with `score`.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, e]`, the target embeddings. Padding is at the end.
        memory: Float tensor `[B, S, d]`. d = u for score "dot".
        initial_state: A list with [h, c] of each layer, float tensors `[B, u]`. Defaults to zeros.
        memory_mask: Boolean tensor `[B, S]`, True at real tokens. Defaults to the mask that Keras attached to `memory`.
            Without a mask, all positions are real.
        training: Boolean, whether dropout is active.
        return_attention_scores: Boolean, whether to return the attention weights too. Defaults to False.

    Returns:
        The states h~, `[B, T, u]`; with `return_attention_scores` also the weights `[B, T, S]`, float32.

    Raises:
        ValueError: An argument is out of range, or shapes do not match.

    Example:

    >>> import numpy as np
    >>> embeddings, memory = np.random.rand(2, 4, 6).astype("float32"), np.random.rand(2, 5, 8).astype("float32")
    >>> decoder = AttentiveRecurrentDecoder(num_layers=2, hidden_dim=8)
    >>> tuple(decoder(embeddings, memory).shape)
    (2, 4, 8)

    Reference:
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025), Eq. 5, 7 and 8 and section 3.3;
        [Firat et al., 2016](https://arxiv.org/abs/1601.01073), for the attention that decoders share.
    """

    RENAMED = (("return_attention", "return_attention_scores"),)

    def __init__(
        self,
        num_layers: int,
        hidden_dim: int,
        score: str = "general",
        input_feeding: bool = True,
        dropout: float = 0.0,
        attention: LuongAttention | None = None,
        dropout_in_loop: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(autocast=False, **kwargs)
        check_positive(num_layers=num_layers, hidden_dim=hidden_dim)
        check_rate(dropout=dropout)
        self.num_layers = int(num_layers)
        self.hidden_dim = int(hidden_dim)
        self.input_feeding = input_feeding
        self.dropout = dropout
        self.dropout_in_loop = dropout_in_loop
        self.cells = [
            keras.layers.LSTMCell(self.hidden_dim, dtype="float32", name=f"cell_{i}") for i in range(self.num_layers)
        ]
        self.owns_attention = attention is None
        self.attention = attention or LuongAttention(self.hidden_dim, score, dtype="float32", name="attention")
        is_right = self.attention.units == self.hidden_dim and self.attention.compute_dtype == "float32"
        problem = f"`attention` must have {self.hidden_dim} units, like the decoder, and the dtype float32"
        require(is_right, f"{problem}. Received: {self.attention.units} units, {self.attention.compute_dtype}")
        problem = f"`attention` has the score {self.attention.score!r}: leave {{score}} out"
        require(score in ("general", self.attention.score), problem, score=score)
        self.score = self.attention.score
        self.attentional = keras.layers.Dense(  # W_c
            self.hidden_dim,
            activation="tanh",
            use_bias=False,
            kernel_initializer=projection_initializer(),
            dtype="float32",
            name="attentional",
        )
        self.output_dropout = Dropout(dropout, dtype="float32", name="output_dropout")
        self.layer_dropouts = [
            Dropout(dropout, dtype="float32", name=f"dropout_{i}") for i in range(1, self.num_layers)
        ]

    def build(self, inputs_shape: tuple[int | None, ...], memory_shape: tuple[int | None, ...]) -> None:
        e, d = (_width(name, shape) for name, shape in (("inputs", inputs_shape), ("memory", memory_shape)))
        width = e + (self.hidden_dim if self.input_feeding else 0)
        for cell in self.cells:
            cell.build((None, width))
            width = self.hidden_dim
        if not self.attention.built:
            self.attention.build((None, None, self.hidden_dim), memory_shape)
        elif self.attention.memory_width != d:  # another decoder built it
            raise ValueError(
                f"The shared attention reads memories of width {self.attention.memory_width}. "
                f"Received: shape {tuple(memory_shape)}"
            )
        self.attentional.build((None, None, self.hidden_dim + d))
        keep_frozen(self)

    def call(
        self,
        inputs: Any,
        memory: Any,
        initial_state: Sequence[Sequence[Any]] | None = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Any:
        memory_mask = keras_mask(memory) if memory_mask is None else memory_mask
        check_mask("memory_mask", memory_mask, 2, memory)
        inputs, memory = ops.cast(inputs, "float32"), without_padding(ops.cast(memory, "float32"), memory_mask)
        batch_size, e, u = ops.shape(inputs)[0], inputs.shape[-1], self.hidden_dim
        keys = self.attention.keys(memory)
        # Dropout factors, 0 at dropped units: of the inputs of all LSTMs but the first and, in the loop, of h~.
        dropouts = [*self.layer_dropouts, self.output_dropout] if self.dropout_in_loop else self.layer_dropouts
        sizes = (batch_size, ops.shape(inputs)[1], u) if self.dropout_in_loop else (batch_size, u)
        factors = [dropout(ops.ones(sizes, "float32"), training=training) for dropout in dropouts]
        # [B, T, e + L u] in the loop
        all_inputs = ops.concatenate([inputs, *factors], -1) if self.dropout_in_loop else inputs

        layers = self.num_layers if is_recording() else 1  # the loop returns h of so many layers, the last one's last

        def position(inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
            """Maps inputs [B, e] and states (h, c of each layer, the last h~) to [h~; h ..] and the new states."""
            here = factors
            if self.dropout_in_loop:
                inputs, *here = ops.split(inputs, [e + i * u for i in range(self.num_layers)], axis=-1)
            attentional, cells = self._position(inputs, states, keys, memory, memory_mask, factors=here)
            return ops.concatenate([attentional, *cells[-2 * layers :: 2]], -1), [*cells, attentional]

        loop = keras.layers.RNN(
            _Loop(position, output_size=(1 + layers) * u, state_size=[u] * (2 * self.num_layers + 1)),
            return_sequences=True,
            dtype="float32",
        )
        states = [*self._flat(initial_state, batch_size), ops.zeros((batch_size, u), "float32")]
        attentional, *hidden = ops.split(loop(all_inputs, initial_state=states), 1 + layers, axis=-1)  # [B, T, u] each
        outputs = attentional if self.dropout_in_loop else self.output_dropout(attentional, training=training)
        outputs = ops.cast(outputs, self.compute_dtype)
        if not (return_attention_scores or is_recording()):
            return outputs
        weights = self.attention.attend(hidden[-1], keys, memory, memory_mask)[1]
        record(self, "states", [inputs, *hidden, attentional])
        record(self, "attention", weights)
        return (outputs, weights) if return_attention_scores else outputs

    def _position(
        self,
        inputs: Any,
        states: Sequence[Any],
        keys: Any,
        memory: Any,
        memory_mask: Any,
        beam_size: int = 1,
        factors: Sequence[Any] = (),
    ) -> tuple[Any, list[Any]]:
        """Runs one position: inputs `[B K, e]` and states [h, c, h, c, .., h~], `[B K, u]` each, to the next states.

        `keys` are the attention's keys of each sentence's `memory` `[B, S, d]`, which is zero at padding. `factors` are
        those of dropout of the inputs of all LSTMs but the first and, if there is one more, of h~; or there are none.
        Returns h~ and the new [h, c, h, c, ..].
        """
        *states, previous = states
        x, new_states = ops.concatenate([inputs, previous], -1) if self.input_feeding else inputs, []
        for i, cell in enumerate(self.cells):
            if i and factors:
                x = x * factors[i - 1]
            x, state = cell(x, [states[2 * i], states[2 * i + 1]])
            new_states += state
        # All other tensors are 2-D: in a loop, XLA infers no shapes for the gradient of a Dense on 3-D tensors.
        h = ops.reshape(x, (-1, beam_size, self.hidden_dim))  # [B, K, u]
        context, _ = self.attention.attend(h, keys, memory, memory_mask)  # c, [B, K, d]
        context = ops.reshape(context, (-1, memory.shape[-1]))  # [B K, d]
        attentional = self.attentional(ops.concatenate([x, context], -1))  # h~, [B K, u]
        return attentional * factors[-1] if len(factors) == self.num_layers else attentional, new_states

    def _flat(self, initial_state: Sequence[Sequence[Any]] | None, batch_size: Any) -> list[Any]:
        """Returns the states of the layers as [h, c, h, c, ..], `[B, u]` each."""
        if initial_state is None:
            return [ops.zeros((batch_size, self.hidden_dim), "float32") for _ in range(2 * self.num_layers)]
        is_right = len(initial_state) == self.num_layers and not any(len(state) != 2 for state in initial_state)
        problem = f"`initial_state` must be a list with [h, c] for each of the {self.num_layers} layers"
        require(is_right, f"{problem}. Received: {[len(state) for state in initial_state]} tensors")
        flat = [x for state in initial_state for x in state]
        for x in flat:
            check_width("initial_state", x.shape, self.hidden_dim)
        return [ops.cast(x, "float32") for x in flat]

    def prepare(
        self, memory: Any, beam_size: int, initial_state: Sequence[Sequence[Any]] | None = None, memory_mask: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Computes the constants of a sentence and the caches of the first step, for search.

        The arguments are those of `call`, for K = `beam_size` hypotheses per sentence. A mask that Keras attached to
        the memory counts in `call` only.

        Returns:
            Constants: the "memory" and its "keys", tensors `[B, ...]`. Caches `[B, K, u]`: the "states", a list of h
            and c of each layer in turn, and the "attentional" state h~.
        """
        memory = without_padding(ops.cast(memory, "float32"), memory_mask)
        batch_size = ops.shape(memory)[0]

        def repeated(x: Any) -> Any:
            return ops.repeat(ops.expand_dims(x, 1), beam_size, axis=1)  # [B, K, u]

        caches = {
            "states": [repeated(x) for x in self._flat(initial_state, batch_size)],
            "attentional": ops.zeros((batch_size, beam_size, self.hidden_dim), "float32"),
        }
        return {"memory": memory, "keys": self.attention.keys(memory)}, caches

    def step(
        self, inputs: Any, position: Any, constants: dict[str, Any], caches: dict[str, Any], memory_mask: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Maps embeddings `[B, K, e]` of one position to h~ `[B, K, u]`, equal to the output of `call`, and new caches.

        The arguments are those of `TransformerDecoder.step`; `position` is not used, because the caches determine it.
        """
        shape = (*ops.shape(inputs)[:2], self.hidden_dim)
        rows = ops.reshape(ops.cast(inputs, "float32"), (-1, inputs.shape[-1]))  # [B K, e]
        states = [ops.reshape(x, (-1, self.hidden_dim)) for x in (*caches["states"], caches["attentional"])]
        attentional, states = self._position(
            rows, states, constants["keys"], constants["memory"], memory_mask, beam_size=inputs.shape[1]
        )
        attentional = ops.reshape(attentional, shape)
        new_caches = {"states": [ops.reshape(x, shape) for x in states], "attentional": attentional}
        return ops.cast(attentional, self.compute_dtype), new_caches

    compute_output_shape = shapes_of_spec

    def compute_output_spec(
        self,
        inputs: Any,
        memory: Any,
        initial_state: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
    ) -> Any:
        outputs = keras.KerasTensor((*inputs.shape[:-1], self.hidden_dim), dtype=self.compute_dtype)
        if not return_attention_scores:
            return outputs
        return outputs, keras.KerasTensor((*inputs.shape[:-1], memory.shape[1]), dtype="float32")

    def get_config(self) -> dict[str, Any]:
        attention = None if self.owns_attention else keras.saving.serialize_keras_object(self.attention)
        return {**super().get_config(), "attention": attention}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> AttentiveRecurrentDecoder:
        attention = keras.saving.deserialize_keras_object(config.get("attention"))
        return cls(**{**config, "attention": attention})


def _width(name: str, shape: tuple[int | None, ...]) -> int:
    if len(shape) != 3 or shape[-1] is None:
        raise ValueError(f"`{name}` must have rank 3 and a known last dimension. Received: shape {tuple(shape)}")
    return shape[-1]


class _Loop:
    """A cell for `keras.layers.RNN` that calls a function. The function may use tensors of the surrounding trace."""

    def __init__(self, body: Callable[..., Any], output_size: int, state_size: list[int]) -> None:
        self.body = body
        self.output_size = output_size
        self.state_size = state_size
        self.compute_dtype = "float32"

    def call(self, inputs: Any, states: Sequence[Any]) -> Any:
        return self.body(inputs, states)

    __call__ = call
