"""Context added to embeddings."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import constructor_parameters, projection_initializer
from keras_nmt.layers._options import take_arguments, with_options
from keras_nmt.layers._projection import product
from keras_nmt.layers._role_layer import RoleLayer
from keras_nmt.layers.role_assignment import RoleAssignment

NOT_TAKEN = ("assignment", "straight_through", "dropout_on")  # arguments of `RoleAssignment`: roles are dense here


@keras.saving.register_keras_serializable(package="keras_nmt")
class ContextualizedEmbedding(RoleLayer):
    """Adds a token's context to its embedding.

    The baseline of the role interaction layer: the same dense roles r_t, added instead of multiplied,

        e~_t = U r_t + e_t,    U in R^{d x hr}

    Args:
        num_roles: Integer, width hr of the roles.
        context: "lstm", "bilstm" or "cnn"; see `RoleAssignment`. Defaults to "lstm".
        context_units: Integer, width of the context in one direction. Defaults to `num_roles`.
        kernel_size: Integer, width of the convolution. Defaults to 7.
        activation: String, the convolution's Keras activation. Defaults to "relu".
        causal: Boolean, whether e~_t depends on e_1 .. e_t only. Defaults to False.
        exclusive: Boolean, whether the role of t depends on e_1 .. e_{t-1} only; needs `causal`. Defaults to False.
        dropout: Float, dropout rate of the roles. Defaults to 0.
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
        ValueError: An argument is unknown or out of range, or `causal` and `context` or `exclusive` contradict each
            other.

    Example:

    >>> import numpy as np
    >>> embeddings = np.random.rand(2, 5, 16).astype("float32")
    >>> tuple(ContextualizedEmbedding(4, context="bilstm")(embeddings).shape)
    (2, 5, 16)

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, section 4, "Baseline".
    """

    @with_options(RoleAssignment, without=NOT_TAKEN)
    def __init__(self, num_roles: int, context: str = "lstm", **kwargs: Any) -> None:
        options = take_arguments(RoleAssignment, kwargs)
        if unknown := sorted(set(options) & set(NOT_TAKEN)):
            raise TypeError(f"Roles are dense here: leave out {', '.join(unknown)}. Received: {options}")
        super().__init__(**kwargs)
        self.supports_masking = True
        self.role_assignment = RoleAssignment(
            num_roles, context=context, **options, dtype=self.dtype_policy, name="assignment"
        )

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.role_assignment.build(inputs_shape)
        self.kernel = self.add_weight(  # U
            shape=(self.role_assignment.num_roles, inputs_shape[-1]),
            initializer=projection_initializer(),
            name="kernel",
        )

    def combine(self, inputs: Any, roles: Any, few_rows: bool = False) -> Any:
        return product(roles, ops.cast(self.kernel, self.compute_dtype)) + ops.cast(inputs, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        config = self.role_assignment.get_config()
        own = set(constructor_parameters(type(self)))
        return {**super().get_config(), **{name: value for name, value in config.items() if name in own}}
