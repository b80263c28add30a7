"""The base of encoder and decoder stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras

from keras_nmt.layers._common import check_gated, check_positive, check_width, with_mask
from keras_nmt.layers._mechanisms import COMPOSITIONS, NORMS, SHORTCUTS, aggregates, is_residual, make_composition
from keras_nmt.layers._options import LayerOptions, StackOptions
from keras_nmt.layers._recording import record
from keras_nmt.layers.mechanism import Mechanism, as_json, choose, mechanism_of


class TransformerStack(keras.layers.Layer):
    """Arguments, layers, the source of each layer's shortcut and the output of encoder and decoder stacks.

    `make_layer` makes a layer from the arguments of `TransformerLayer`.
    """

    def __init__(
        self,
        make_layer: Callable[..., Any],
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        *,
        shortcut: str | Mechanism | None,
        **kwargs: Any,
    ) -> None:
        options = StackOptions.take(
            kwargs, num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim
        )
        super().__init__(**kwargs)
        check_positive(num_layers=num_layers)
        options.check_shortcut(shortcut)
        self.options = options
        self.num_layers = int(num_layers)
        self.shortcut = choose("shortcut", shortcut, SHORTCUTS)
        self.supports_masking = True
        numbers, policy = range(1, self.num_layers + 1), self.dtype_policy
        composition, norm = mechanism_of(options.layer_composition, COMPOSITIONS), mechanism_of(options.norm, NORMS)
        self._aggregates = aggregates(composition)
        self.composition: Any = make_composition(
            composition,
            self.num_layers,
            units=options.hidden_dim,
            rank=options.layer_composition_rank,
            start=options.composition_start,
            residual=options.composition_residual,
            dtype=policy,
            name="layer_composition",
        )
        pre = options.is_pre_norm
        # One norm for each of H^1 .. H^L, which only post-LN layers normalise.
        self.composition_norms = [
            norm.make(dtype=policy, name=f"layer_composition_norm_{number}")
            for number in numbers
            if pre and self.composition is not None
        ]
        normalised = getattr(self.composition, "is_normalised", False)
        self.final_norm = norm.make(dtype=policy, name="final_norm") if pre and not normalised else None
        layer_options = options.config(LayerOptions)
        self.layers = [
            make_layer(**layer_options, shortcut=self.shortcut, dtype=policy, name=f"layer_{number}")
            for number in numbers
        ]

    def _lexical(self, states: list[Any]) -> Any:
        """The source of the next layer's shortcut, given the states [H_0 = E, H_1, ..., H_{l-1}] so far.

        Lexical: E in every layer. Non-lexical: H_{l-2}, not normalised, in layer l, and E in layers 1 and 2.
        """
        if self.shortcut is None:
            return None
        return states[0] if self.options.shortcut_source == "lexical" else states[max(len(states) - 2, 0)]

    def _feed_back(self, states: list[Any]) -> None:
        """A tree: after the layer that completes a node, the node's aggregate is the input of the next layer.

        The aggregate is of the states since the previous node. It replaces the last of the states [H_0, ..., H_l] so
        far (Dou et al., 2018), or is added to it.
        """
        if not self._aggregates:
            return
        *nodes, node = (self.composition.node_after(number) for number in range(1, len(states)))
        if node is not None:
            before = max((number for number, of_layer in enumerate(nodes, 1) if of_layer is not None), default=0)
            previous = states[before] if before else None  # the state that the previous node's aggregate gave
            aggregate = self.composition.aggregate(node, self._representations(states, before + 1), previous)
            record(self.composition, "output", aggregate)
            states[-1] = states[-1] + aggregate if is_residual(self.composition) else aggregate

    def _finish(self, states: list[Any]) -> Any:
        """The stack's output, given the states [H_0, ..., H_L] of all layers."""
        output = states[-1]
        if self.composition is not None and not self._aggregates:
            output = self.composition(self._representations(states, 1))
        output = output if self.final_norm is None else self.final_norm(output)
        record(self, "states", [*states, output])
        return output

    def _representations(self, states: list[Any], first: int) -> list[Any]:
        """r_l = H^l, normalised unless the layers are post-LN, from layer `first` on."""
        if not self.composition_norms:
            return states[first:]
        return [norm(state) for norm, state in zip(self.composition_norms[first - 1 :], states[first:], strict=False)]

    def _build_composition(self, inputs_shape: tuple[int | None, ...]) -> None:
        if self.composition is not None:
            self.composition.build([inputs_shape] * self.num_layers)
        for norm in self.composition_norms:
            norm.build(inputs_shape)
        if self.final_norm is not None:
            self.final_norm.build(inputs_shape)

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    def _state_specs(self, inputs: Any, mask: Any) -> tuple[keras.KerasTensor, list[keras.KerasTensor]]:
        """The stack's output and the states [H_0, ..., H_L], with the mask attached, if any.

        The layers are not traced, because tracing takes longer than building.
        """
        check_width("inputs", inputs.shape, self.options.hidden_dim)
        output, *states = (
            with_mask(keras.KerasTensor(inputs.shape, self.compute_dtype), mask) for _ in range(self.num_layers + 2)
        )
        return output, states

    def _gate_specs(self, inputs: Any) -> list[tuple[keras.KerasTensor, keras.KerasTensor]]:
        """The gates (r_K, r_V) of each layer's self-attention."""
        attention = self.layers[0].self_attention
        check_gated(attention.has_gates, self.shortcut)
        gate = keras.KerasTensor((*inputs.shape[:-1], attention.key_value_dim), self.compute_dtype)
        return [(gate, gate)] * self.num_layers

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TransformerStack:
        config = StackOptions.converted(config)
        if config.get("shortcut") is None:  # earlier releases accepted a source without effect
            config = {**config, "shortcut_source": "lexical"}
        stack: TransformerStack = super().from_config(config)
        return stack

    def get_config(self) -> dict[str, Any]:
        own = {"num_layers": self.num_layers, "shortcut": as_json(self.shortcut)}
        return {**super().get_config(), **self.options.config(), **own}
