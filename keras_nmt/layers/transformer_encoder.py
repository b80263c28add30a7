"""The stack of Transformer encoder layers, and the base class of encoder and decoder stacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import keras

from keras_nmt.errors import check_choice, require
from keras_nmt.layers._common import (
    AssembledLayer,
    build_part,
    call_keeping_shape,
    check_gated,
    check_mask,
    check_width,
    keras_mask,
    optional_size,
    with_mask,
)
from keras_nmt.layers._taps import record, tap
from keras_nmt.layers.mechanisms import SOURCES, CompositionTree, missing_members
from keras_nmt.layers.transformer_encoder_layer import TransformerEncoderLayer, TransformerLayer


class TransformerStack(AssembledLayer):
    """The base of encoder and decoder stacks: layers, their composition, norms, and the sources of shortcuts."""

    PARTS = ("layers", "composition", "composition_norms", "final_norm")
    LAYER: ClassVar[type[TransformerLayer]]  # the class of the layers

    def __init__(
        self,
        layers: Sequence[Any],
        composition: Any = None,
        composition_norms: Sequence[keras.layers.Layer] = (),
        final_norm: keras.layers.Layer | None = None,
        shortcut_source: str = "lexical",
        num_layers: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_choice("shortcut_source", shortcut_source, SOURCES)
        require(layers, "Missing layers: a stack needs at least one layer.")
        wrong = [type(layer).__name__ for layer in layers if not isinstance(layer, self.LAYER)]
        require(not wrong, f"The layers of a stack must be of {self.LAYER.__name__}. Received: {', '.join(wrong)}")
        depth = optional_size("num_layers", num_layers) or len(layers)
        if depth < len(layers):
            raise ValueError(f"`num_layers` must be at least {len(layers)}, the given layers. Received: {num_layers}")
        if len({id(layer) for layer in layers}) < len(layers):  # would be lost when the stack is saved
            raise ValueError("A layer must be given once: to apply layers again, set `num_layers`.")
        problem = f"`composition_norms` must be empty or have {depth} norms, one for each layer"
        require(len(composition_norms) in (0, depth), f"{problem}. Received: {len(composition_norms)}")
        self.composition = composition
        self._aggregates = not missing_members(composition, CompositionTree)
        self.composition_norms = list(composition_norms)
        self.final_norm = final_norm
        self.num_unique_layers = len(layers)
        self.layers = [layers[number % len(layers)] for number in range(depth)]
        self.shortcut_source = shortcut_source

    @property
    def unique_layers(self) -> list[Any]:
        """The layers that have their own weights; the stack applies them in turn."""
        return list(self.layers[: self.num_unique_layers])

    def _given_layers(self) -> list[Any]:
        others = [x for x in (self.composition, *self.composition_norms, self.final_norm) if x is not None]
        return [*self.unique_layers, *others]

    @property
    def hidden_dim(self) -> int:
        """The width d of the states."""
        width: int = self.layers[0].hidden_dim
        return width

    @property
    def has_shortcut(self) -> bool:
        """Whether the self-attentions have shortcuts."""
        has: bool = self.layers[0].has_shortcut
        return has

    def _shortcut_states(self, states: list[Any]) -> Any:
        """Returns the source of the next layer's shortcut, given the states [H_0 = E, H_1, ..., H_{l-1}] so far.

        Lexical: E for every layer. Non-lexical: H_{l-2}, not normalised, for layer l, and E for layers 1 and 2.
        """
        if not self.has_shortcut:
            return None
        return states[0] if self.shortcut_source == "lexical" else states[max(len(states) - 2, 0)]

    def _first_states(self, inputs: Any) -> list[Any]:
        """Returns the list of the states before the first layer, [H_0 = E]."""
        return [tap(self, "state_0", inputs)]

    def _add_state(self, states: list[Any], state: Any) -> None:
        """Adds the output H_l of layer l to the states, or what an aggregate makes of it."""
        states.append(state)
        self._feed_back(states)
        states[-1] = tap(self, f"state_{len(states) - 1}", states[-1])

    def _feed_back(self, states: list[Any]) -> None:
        """Makes a node's aggregate the input of the next layer, after the layer that completes the node.

        The aggregate combines the states since the previous node. It replaces H_l, the last of the states so far
        (Dou et al., 2018), or is added to it.
        """
        if not self._aggregates:
            return
        *nodes, node = (self.composition.node_after(number) for number in range(1, len(states)))
        if node is not None:
            before = max((number for number, earlier in enumerate(nodes, 1) if earlier is not None), default=0)
            previous = states[before] if before else None  # the state that the previous node's aggregate gave
            aggregate = self.composition.aggregate(node, self._representations(states, before + 1), previous)
            aggregate = tap(self.composition, "output", aggregate)
            is_added = getattr(self.composition, "residual", CompositionTree.residual)
            states[-1] = states[-1] + aggregate if is_added else aggregate

    def _finish(self, states: list[Any]) -> Any:
        """Returns the stack's output, given the states [H_0, ..., H_L] of all layers."""
        output = states[-1]
        if self.composition is not None and not self._aggregates:
            output = call_keeping_shape(self.composition, self._representations(states, 1), output)
        output = output if self.final_norm is None else call_keeping_shape(self.final_norm, output)
        output = tap(self, "final_state", output)
        record(self, "states", [*states, output])
        return output

    def _representations(self, states: list[Any], first: int) -> list[Any]:
        """Returns the representations r_l = H^l from layer `first` on; each is normalised unless layers are post-LN."""
        if not self.composition_norms:
            return states[first:]
        norms = self.composition_norms[first - 1 :]
        return [call_keeping_shape(norm, state) for norm, state in zip(norms, states[first:], strict=False)]

    def _build_rest(self, inputs_shape: tuple[int | None, ...]) -> None:
        """Builds what follows the layers."""
        dtypes = {layer.compute_dtype for layer in self.layers} - {self.compute_dtype}
        problem = "The layers must be made with the stack's `dtype`"
        require(not dtypes, f"{problem}. Received: layers in {', '.join(sorted(dtypes))}, dtype={self.compute_dtype}")
        if self.composition is not None:
            build_part(self.composition, [inputs_shape] * len(self.layers))
        for norm in (*self.composition_norms, *([] if self.final_norm is None else [self.final_norm])):
            build_part(norm, inputs_shape)
        self._end_build()

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    def _state_specs(self, inputs: Any, mask: Any) -> tuple[keras.KerasTensor, list[keras.KerasTensor]]:
        """Returns symbolic tensors: the stack's output and the states [H_0, ..., H_L], with the mask attached, if any.

        They are made without tracing the layers, because tracing takes longer than building.
        """
        check_width("inputs", inputs.shape, self.hidden_dim)
        output, *states = (
            with_mask(keras.KerasTensor(inputs.shape, self.compute_dtype), mask) for _ in range(len(self.layers) + 2)
        )
        return output, states

    def _gate_specs(self, inputs: Any) -> list[tuple[keras.KerasTensor, keras.KerasTensor]]:
        """Returns symbolic gates (r_K, r_V) of each layer's self-attention."""
        attention = self.layers[0].self_attention
        check_gated(attention.has_gates)
        gate = keras.KerasTensor((*inputs.shape[:-1], attention.key_value_dim), self.compute_dtype)
        return [(gate, gate)] * len(self.layers)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        unique = config["layers"][: self.num_unique_layers]
        return {**config, "layers": unique, "num_layers": len(self.layers)}


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerEncoder(TransformerStack):
    """A stack of `TransformerEncoderLayer`, from source embeddings to the encoder's output.

    The input is E = H_0, the source of lexical shortcuts.

    Args:
        layers: Sequence of `TransformerEncoderLayer`.
        composition: Layer that composes the states H^1 .. H^L of all layers, such as `LowRankBilinearPooling`. A
            `CompositionTree` of `keras_nmt.layers.mechanisms`, such as `HierarchicalAggregation`, replaces states.
            Defaults to None: the output is H^L.
        composition_norms: Sequence of the norms of H^1 .. H^L before their composition. Defaults to none.
        final_norm: Layer, the norm of the output. Defaults to None.
        shortcut_source: "lexical": E; or "non_lexical": H_{l-2}, not normalised, for layer l, and E for layers 1 and 2.
            Defaults to "lexical".
        num_layers: Integer L, the depth of the stack. If there are fewer layers, they are applied in turn; a single
            layer is applied L times. Defaults to the number of layers.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the embeddings E with their positions.
        padding_mask, training: See `TransformerEncoderLayer`.
        return_states: Boolean, whether to return the states of every layer too. Defaults to False.
        return_gates: Boolean, whether to return the shortcut's gates of every layer too. Defaults to False.

    Returns:
        Tensor `[B, T, d]`. With `return_states=True` also the list [H_0, ..., H_L] of the layers' states, in which
        hierarchical aggregates replace states; they are normalised only if the layers are post-LN. With
        `return_gates=True` also the list of the L layers' gates (r_K, r_V), `[B, T, d]` each.

    Example:

    >>> import numpy as np
    >>> from keras_nmt.layers import FeedForward, LexicalShortcut, MultiHeadAttention, TransformerEncoderLayer
    >>> layers = [
    ...     TransformerEncoderLayer(
    ...         MultiHeadAttention(num_heads=2, hidden_dim=8, key_value=LexicalShortcut(8, kind="fusion")),
    ...         FeedForward(intermediate_dim=16, hidden_dim=8),
    ...         *(keras.layers.LayerNormalization() for _ in range(2)),
    ...         keras.layers.Dropout(0.1),
    ...     )
    ...     for _ in range(2)
    ... ]
    >>> encoder = TransformerEncoder(layers, final_norm=keras.layers.LayerNormalization())
    >>> output, states = encoder(np.random.rand(3, 5, 8).astype("float32"), return_states=True)
    >>> tuple(output.shape), len(states)
    ((3, 5, 8), 3)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1;
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), sections 2.2 and 4.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), for the composition of layers and heads.
    """

    LAYER = TransformerEncoderLayer
    RENAMED = (("mask", "padding_mask"),)

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        for layer in self.unique_layers:
            build_part(layer, inputs_shape, inputs_shape if self.has_shortcut else None)
        self._build_rest(inputs_shape)

    def call(
        self,
        inputs: Any,
        padding_mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_gates: bool = False,
    ) -> Any:
        mask = keras_mask(inputs) if padding_mask is None else padding_mask
        states, gates = self._first_states(inputs), []
        for layer in self.layers:
            shortcut_states = self._shortcut_states(states)
            outputs = layer(
                states[-1],
                shortcut_states=shortcut_states,
                padding_mask=mask,
                training=training,
                return_gates=return_gates,
            )
            if return_gates:
                outputs, layer_gates = outputs
                gates.append(layer_gates)
            self._add_state(states, outputs)
        output = self._finish(states)
        more = [states] * return_states + [gates] * return_gates
        return (output, *more) if more else output

    def compute_output_spec(
        self,
        inputs: Any,
        padding_mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_gates: bool = False,
    ) -> Any:
        check_mask("padding_mask", padding_mask, 2, inputs)
        output, states = self._state_specs(inputs, keras_mask(inputs) if padding_mask is None else padding_mask)
        gates = self._gate_specs(inputs) if return_gates else []
        more = [states] * return_states + [gates] * return_gates
        return (output, *more) if more else output
