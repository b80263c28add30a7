"""The layer that adds context to embeddings."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import constructor_parameters, projection_initializer
from keras_nmt.layers._projection import product
from keras_nmt.layers.role_assignment import RoleAssignment, RoleLayer


@keras.saving.register_keras_serializable(package="keras_nmt")
class ContextualizedEmbedding(RoleLayer):
    """Adds a token's context to its embedding.

    This is the baseline of `RoleInteraction`: it adds the same dense roles r_t instead of multiplying by them,

        e~_t = U r_t + e_t,    U in R^{d x hr}

    Args:
        num_roles: Integer, width hr of the roles.
        context: "lstm", "bilstm" or "cnn". This and the following arguments are those of `RoleAssignment`. Defaults to
            "lstm".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the embeddings e.
        mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`.
            Without a mask, all positions are real.
        training: Boolean, whether dropout is active.
        return_roles: Boolean, whether to return the roles too. Defaults to False.

    Returns:
        Float tensor `[B, T, d]`, the embeddings e~; with `return_roles=True` also the roles `[B, T, hr]`.

    Raises:
        ValueError: An argument is unknown or out of range, or `causal` contradicts `context` or `exclusive`.

    Example:

    >>> import numpy as np
    >>> embeddings = np.random.rand(2, 5, 16).astype("float32")
    >>> tuple(ContextualizedEmbedding(4, context="bilstm")(embeddings).shape)
    (2, 5, 16)

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, section 4, "Baseline".
    """

    def __init__(
        self,
        num_roles: int,
        context: str = "lstm",
        units: int | None = None,
        kernel_size: int = 7,
        activation: str = "relu",
        causal: bool = False,
        exclusive: bool = False,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        arguments = num_roles, "dense", context, units, kernel_size, activation, causal, exclusive
        self.role_assignment = RoleAssignment(*arguments, dropout=dropout, dtype=self.dtype_policy, name="assignment")

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.role_assignment.build(inputs_shape)
        self.kernel = self.add_weight(  # U
            shape=(self.role_assignment.num_roles, inputs_shape[-1]),
            initializer=projection_initializer(),
            name="kernel",
        )

    def combine(self, inputs: Any, roles: Any, is_decoding_step: bool = False) -> Any:
        return product(roles, ops.cast(self.kernel, self.compute_dtype)) + ops.cast(inputs, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        config = self.role_assignment.get_config()
        own = set(constructor_parameters(type(self)))
        return {**super().get_config(), **{name: value for name, value in config.items() if name in own}}
