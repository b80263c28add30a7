from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import NORMS, SHORTCUT_KINDS, check_choice, check_positive
from keras_nmt.layers._transformer_layer import TransformerLayer

SHORTCUT_SOURCES = ("lexical", "non_lexical")


class TransformerStack(keras.layers.Layer):
    """What encoder and decoder stacks share: arguments, layers, the final norm, the source of each layer's shortcut."""

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
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(
            num_layers=num_layers, num_heads=num_heads, hidden_dim=hidden_dim, intermediate_dim=intermediate_dim
        )
        check_choice("norm", norm, NORMS)
        check_choice("shortcut", shortcut, SHORTCUT_KINDS)
        check_choice("shortcut_source", shortcut_source, SHORTCUT_SOURCES)
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
        self.supports_masking = True
        self.final_norm = (
            keras.layers.LayerNormalization(epsilon=1e-6, dtype=self.dtype_policy, name="final_norm")
            if norm == "pre"
            else None
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

    def _finish(self, states: list[Any]) -> Any:
        """The stack's output, given the states [H_0, ..., H_L] of all layers."""
        return states[-1] if self.final_norm is None else self.final_norm(states[-1])

    def compute_output_shape(
        self, inputs_shape: tuple[int | None, ...], *shapes: Any, **more_shapes: Any
    ) -> tuple[int | None, ...]:
        return inputs_shape

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        # What is returned depends on the arguments: infer it from `call`, not from `compute_output_shape`.
        return keras.Operation.compute_output_spec(self, *args, **kwargs)

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
        }
