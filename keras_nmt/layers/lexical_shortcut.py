"""Lexical shortcuts to attention keys and values."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice
from keras_nmt.layers._common import SHORTCUT_KINDS, add_matrix, check_alike, check_gated, check_positive, spec_of_call
from keras_nmt.layers._projection import Int8Kernels
from keras_nmt.layers._taps import tap


@keras.saving.register_keras_serializable(package="keras_nmt")
class LexicalShortcut(Int8Kernels):
    """Gated shortcut from the embeddings to the keys and values of an attention sub-layer.

    The layer projects the hidden states h and the shortcut's source E (the embeddings, or any other tensor of the same
    length) to keys and values. A gate weights the two for each feature:

        K_sc = E W_Ksc                V_sc = E W_Vsc                  (Eq. 5, 6)
        K    = h W_K                  V    = h W_V                    (Eq. 7, 8)
        r_K  = sigmoid(K_sc + K + b_K)    r_V = sigmoid(V_sc + V + b_V)       (Eq. 9, 10)
        K'   = r_K * K_sc + (1 - r_K) * K    V' = r_V * V_sc + (1 - r_V) * V  (Eq. 11, 12)

    With `kind="fusion"`, both projections read both tensors (Eq. 13, 14); the gate is the same:

        K_sc, K = split([E; h] W_K, 2)    V_sc, V = split([E; h] W_V, 2)

    With `kind="ungated"`, there is no gate:

        K' = K_sc + K = [E; h] [W_Ksc; W_K]    V' = V_sc + V = [E; h] [W_Vsc; W_V]

    The paper's footnote 1 describes two variants without a gate: the shortcut as a residual connection, and feature
    fusion alone. Both are this function. The paper reports that neither could be trained.

    The layer adds 2 d^2 + 2 d ("plain"), 6 d^2 + 2 d ("fusion") or 2 d^2 ("ungated") weights to an attention with
    states of width d. Each position is computed independently, so a decoder caches only the gated keys and values.

    Args:
        hidden_dim: Integer, width d of keys and values.
        kind: "plain", "fusion" or "ungated". Defaults to "plain".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        hidden: Float tensor `[..., T, d_h]`, the input h of the attention sub-layer.
        shortcut_states: Float tensor `[..., T, d_e]`, the source E of the shortcut.
        return_gates: Boolean, whether to return the gates too; must be False for "ungated". Defaults to False.

    Returns:
        The gated keys K' and values V', two tensors `[..., T, d]`; with `return_gates=True` also the gates r_K and r_V,
        `[..., T, d]` each.

    Raises:
        ValueError: `kind` is unknown, `hidden_dim` is not a positive integer, or `return_gates` is set for an ungated
            shortcut.

    Example:

    >>> import numpy as np
    >>> embeddings = np.random.rand(2, 7, 16).astype("float32")
    >>> hidden = np.random.rand(2, 7, 16).astype("float32")
    >>> keys, values = LexicalShortcut(16, kind="fusion")(hidden, embeddings)
    >>> tuple(keys.shape)
    (2, 7, 16)

    Reference:
        Addressing the Representation Bottleneck in Neural Machine Translation with Lexical Shortcuts
        ([Emelin et al., 2019](https://arxiv.org/abs/1906.12284)), section 2.2. Gate biases are initially zero.
    """

    kernels = ("lexical_kernel", "hidden_kernel", "fusion_kernel")

    def __init__(self, hidden_dim: int, kind: str = "plain", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_positive(hidden_dim=hidden_dim)
        check_choice("kind", kind, SHORTCUT_KINDS)
        self.hidden_dim = int(hidden_dim)
        self.kind = kind

    @property
    def has_gates(self) -> bool:
        """Whether the layer has gates, which `call` returns with `return_gates=True`."""
        return self.kind != "ungated"

    def build(self, hidden_shape: tuple[int | None, ...], shortcut_states_shape: tuple[int | None, ...]) -> None:
        d, hidden_width, lexical_width = self.hidden_dim, hidden_shape[-1], shortcut_states_shape[-1]
        if hidden_width is None or lexical_width is None:
            raise ValueError(
                "The last dimension of `hidden` and of `shortcut_states` must be known. "
                f"Received: hidden_shape={hidden_shape}, shortcut_states_shape={shortcut_states_shape}"
            )
        # The projections to keys and to values lie side by side, so one product computes both.
        if self.kind != "fusion":
            self.lexical_kernel = add_matrix(self, "lexical_kernel", lexical_width, 2 * d)  # W_Ksc | W_Vsc
            self.hidden_kernel = add_matrix(self, "hidden_kernel", hidden_width, 2 * d)  # W_K | W_V
        else:  # columns of W_K and W_V: K_sc | V_sc first, then K | V
            self.fusion_kernel = add_matrix(self, "fusion_kernel", lexical_width + hidden_width, 4 * d)
        if self.has_gates:
            self.gate_bias = self.add_weight(shape=(2 * d,), initializer="zeros", name="gate_bias")  # b_K | b_V

    def call(self, hidden: Any, shortcut_states: Any, return_gates: bool = False) -> tuple[Any, ...]:
        check_alike(hidden=hidden.shape, shortcut_states=shortcut_states.shape)
        if self.kind != "fusion":
            shortcut = self.product(shortcut_states, "lexical_kernel")  # [..., T, 2d]: K_sc | V_sc
            plain = self.product(hidden, "hidden_kernel")  # [..., T, 2d]: K | V
        else:
            both = ops.concatenate([shortcut_states, hidden], axis=-1)  # [E; h]
            fused = self.product(both, "fusion_kernel")  # [..., T, 4d]
            shortcut, plain = ops.split(fused, 2, axis=-1)  # K_sc | V_sc and K | V
        if not self.has_gates:
            check_gated(not return_gates)
            keys, values = ops.split(shortcut + plain, 2, axis=-1)
            return keys, values
        gates = tap(self, "gates", ops.sigmoid(shortcut + plain + self.gate_bias))  # r_K | r_V
        gated = gates * shortcut + (1 - gates) * plain  # K' | V'
        gated_keys, gated_values = ops.split(gated, 2, axis=-1)
        if return_gates:
            return gated_keys, gated_values, *ops.split(gates, 2, axis=-1)
        return gated_keys, gated_values

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return [previous_mask] * 4  # keys, values and gates have the positions of the inputs

    def compute_output_shape(
        self, hidden_shape: tuple[int | None, ...], shortcut_states_shape: tuple[int | None, ...]
    ) -> tuple[tuple[int | None, ...], ...]:
        shape = (*hidden_shape[:-1], self.hidden_dim)
        return shape, shape

    compute_output_spec = spec_of_call
