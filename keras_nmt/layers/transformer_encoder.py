"""The stack of Transformer encoder layers."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import check_mask, keras_mask
from keras_nmt.layers._transformer_stack import TransformerStack


@keras.saving.register_keras_serializable(package="keras_nmt")
class TransformerEncoder(TransformerStack):
    """A stack of `TransformerEncoderLayer`, from source embeddings to the encoder's output.

    The input is E = H_0, the source of lexical shortcuts.

    Args:
        layers: Sequence of `TransformerEncoderLayer`.
        composition: Layer that composes the states H^1 .. H^L of all layers, such as `LowRankBilinearPooling`. A layer
            with the method `aggregate`, such as `HierarchicalAggregation`, replaces states: see
            `docs/own_mechanism.md`. Defaults to None: the output is H^L.
        composition_norms: Sequence of the norms of H^1 .. H^L before their composition. Defaults to none.
        final_norm: Layer, the norm of the output. Defaults to None.
        shortcut_source: "lexical": E; or "non_lexical": H_{l-2}, not normalised, for layer l, and E for layers 1 and 2.
            Defaults to "lexical".
        num_layers: Integer L, the depth of the stack. If there are fewer layers, they are applied in turn; a single
            layer is applied L times. Defaults to the number of layers.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the embeddings E with their positions.
        mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`, if
            any.
        training: Boolean, whether dropout is active.
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

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        for layer in self.unique_layers:
            layer.build(inputs_shape, inputs_shape if self.has_shortcut else None)
        self._build_composition(inputs_shape)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_gates: bool = False,
    ) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        states, gates = [inputs], []  # H_0 = E
        for layer in self.layers:
            shortcut_states = self._shortcut_states(states)
            found = layer(
                states[-1], shortcut_states=shortcut_states, mask=mask, training=training, return_gates=return_gates
            )
            if return_gates:
                found, of_layer = found
                gates.append(of_layer)
            states.append(found)
            self._feed_back(states)
        output = self._finish(states)
        more = [states] * return_states + [gates] * return_gates
        return (output, *more) if more else output

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool | None = None,
        return_states: bool = False,
        return_gates: bool = False,
    ) -> Any:
        check_mask("mask", mask, 2, inputs)
        output, states = self._state_specs(inputs, keras_mask(inputs) if mask is None else mask)
        gates = self._gate_specs(inputs) if return_gates else []
        more = [states] * return_states + [gates] * return_gates
        return (output, *more) if more else output
