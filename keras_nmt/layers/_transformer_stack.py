from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import (
    COMPOSITIONS,
    NORMS,
    SHORTCUT_KINDS,
    check_choice,
    check_positive,
    check_width,
    layer_norm,
    optional_size,
    with_mask,
)
from keras_nmt.layers._composition import make_composition
from keras_nmt.layers._transformer_layer import TransformerLayer

SHORTCUT_SOURCES = ("lexical", "non_lexical")


class TransformerStack(keras.layers.Layer):
    """What encoder and decoder stacks share: arguments, layers, the source of each layer's shortcut, the output."""

    def __init__(
        self,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        intermediate_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        norm: str = "pre",
        shortcut: str | None = None,
        shortcut_source: str = "lexical",
        layer_composition: str | None = None,
        head_composition: str | None = None,
        composition_rank: int | None = None,
        head_intermediate_dim: int | None = None,
        output_projection: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(
            num_layers=num_layers, num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim
        )
        check_choice("norm", norm, NORMS)
        check_choice("shortcut", shortcut, SHORTCUT_KINDS)
        check_choice("shortcut_source", shortcut_source, SHORTCUT_SOURCES)
        check_choice("layer_composition", layer_composition, COMPOSITIONS)
        self.num_layers = int(num_layers)
        self.num_heads = int(num_heads)
        self.hidden_dim = int(hidden_dim)
        self.intermediate_dim = int(intermediate_dim)
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        self.activation_dropout = activation_dropout
        self.norm = norm
        self.shortcut = shortcut
        self.shortcut_source = shortcut_source
        self.layer_composition = layer_composition
        self.head_composition = head_composition
        self.composition_rank = optional_size("composition_rank", composition_rank)
        self.head_intermediate_dim = optional_size("head_intermediate_dim", head_intermediate_dim)
        self.output_projection = output_projection
        self.supports_masking = True
        self.composition: Any = make_composition(
            layer_composition,
            self.num_layers,
            self.hidden_dim,
            rank=composition_rank,
            dtype=self.dtype_policy,
            name="layer_composition",
        )
        pre = norm == "pre"
        # One for each of H^1 .. H^L, which pre-LN layers leave un-normalised.
        self.composition_norms = [
            layer_norm(self.dtype_policy, f"layer_composition_norm_{number}")
            for number in range(1, self.num_layers + 1)
            if pre and self.composition is not None
        ]
        # An aggregate is normalised already.
        self.final_norm = (
            layer_norm(self.dtype_policy, "final_norm") if pre and layer_composition != "hierarchical" else None
        )

    def _make_layers(self, layer_class: type[TransformerLayer], **arguments: Any) -> list[Any]:
        return [
            layer_class(
                self.num_heads,
                self.hidden_dim,
                self.intermediate_dim,
                dropout=self.dropout,
                attention_dropout=self.attention_dropout,
                activation_dropout=self.activation_dropout,
                norm=self.norm,
                shortcut=self.shortcut,
                head_composition=self.head_composition,
                composition_rank=self.composition_rank,
                head_intermediate_dim=self.head_intermediate_dim,
                output_projection=self.output_projection,
                dtype=self.dtype_policy,
                name=f"layer_{number}",
                **arguments,
            )
            for number in range(1, self.num_layers + 1)
        ]

    def _lexical(self, states: list[Any]) -> Any:
        """The source of the next layer's shortcut, given the states [H_0 = E, H_1, ..., H_{l-1}] so far.

        Lexical: E in every layer. Non-lexical: H_{l-2}, not normalised, in layer l, and E in layers 1 and 2.
        """
        if self.shortcut is None:
            return None
        return states[0] if self.shortcut_source == "lexical" else states[max(len(states) - 2, 0)]

    def _feed_back(self, states: list[Any]) -> None:
        """Hierarchical composition: once layers 2i + 1 and 2i + 2 are done, their aggregate goes into the next layer.

        It takes the place of the last of the states [H_0, ..., H_l] so far (Dou et al., 2018).
        """
        if self.layer_composition != "hierarchical":
            return
        node = self.composition.node_after(len(states) - 1)
        if node is not None:
            first = 2 * node + 1
            previous = states[first - 1] if node > 0 else None  # the aggregate of the node before
            states[-1] = self.composition.aggregate(node, self._representations(states, first), previous)

    def _finish(self, states: list[Any]) -> Any:
        """The stack's output, given the states [H_0, ..., H_L] of all layers."""
        output = states[-1]
        if self.layer_composition not in (None, "hierarchical"):
            output = self.composition(self._representations(states, 1))
        return output if self.final_norm is None else self.final_norm(output)

    def _representations(self, states: list[Any], first: int) -> list[Any]:
        """r_l = H^l, normalised under pre-LN, of layer `first` and those after it."""
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
        """The stack's output and the states [H_0, ..., H_L], with the mask attached, if any, and without tracing the
        layers: that takes longer than to build them."""
        check_width("inputs", inputs.shape, self.hidden_dim)
        output, *states = (
            with_mask(keras.KerasTensor(inputs.shape, self.compute_dtype), mask) for _ in range(self.num_layers + 2)
        )
        return output, states

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_layers": self.num_layers,
            "num_heads": self.num_heads,
            "hidden_dim": self.hidden_dim,
            "intermediate_dim": self.intermediate_dim,
            "dropout": self.dropout,
            "attention_dropout": self.attention_dropout,
            "activation_dropout": self.activation_dropout,
            "norm": self.norm,
            "shortcut": self.shortcut,
            "shortcut_source": self.shortcut_source,
            "layer_composition": self.layer_composition,
            "head_composition": self.head_composition,
            "composition_rank": self.composition_rank,
            "head_intermediate_dim": self.head_intermediate_dim,
            "output_projection": self.output_projection,
        }
