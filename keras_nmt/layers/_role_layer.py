"""The shared part of the layers that combine embeddings with roles from the context."""

from __future__ import annotations

from typing import Any

import keras

from keras_nmt.layers._common import keras_mask, with_mask
from keras_nmt.layers.role_assignment import RoleAssignment


class RoleLayer(keras.layers.Layer):
    """A layer between an embedding and the network: `role_assignment` reads roles, `combine` puts them to use."""

    role_assignment: RoleAssignment

    def combine(self, inputs: Any, roles: Any, few_rows: bool = False) -> Any:
        """Embeddings e `[..., d]` and their roles r `[..., hr]` to e~ `[..., d]`; a step has `few_rows`."""
        raise NotImplementedError

    def call(self, inputs: Any, mask: Any = None, training: bool | None = None, return_roles: bool = False) -> Any:
        roles = self.role_assignment(inputs, mask=mask, training=training)  # r, [B, T, hr]
        outputs = self.combine(inputs, roles)
        return (outputs, roles) if return_roles else outputs

    def empty_cache(self, batch_size: Any, beam_size: int) -> dict[str, Any]:
        """The cache of the first `step`; see `RoleAssignment.empty_cache`."""
        return self.role_assignment.empty_cache(batch_size, beam_size)

    def step(self, inputs: Any, position: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Runs one position of K hypotheses per sentence.

        Args:
            inputs: Float tensor `[B, K, d]`, the embeddings at this position.
            position: Integer scalar tensor, the position, from 0.
            cache: Output of `empty_cache` or of the previous step.

        Returns:
            Tensor `[B, K, d]`, equal to the output of `call` at this position, and the new cache.

        Raises:
            ValueError: The layer is not causal.
        """
        roles, cache = self.role_assignment.step(inputs, position, cache)
        return self.combine(inputs, roles, few_rows=True), cache

    def compute_output_shape(self, inputs_shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return inputs_shape

    def compute_output_spec(
        self, inputs: Any, mask: Any = None, training: bool | None = None, return_roles: bool = False
    ) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        roles = with_mask(self.role_assignment.compute_output_spec(inputs, mask), mask)
        outputs = keras.KerasTensor(inputs.shape, self.compute_dtype)
        return (outputs, roles) if return_roles else outputs
