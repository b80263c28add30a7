"""Layers that combine embeddings with the roles of their tokens: role interaction, and contextualized embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import ConfiguredLayer, add_matrix, keep_frozen, keras_mask, shapes_of_spec, with_mask
from keras_nmt.layers._projection import Int8Kernels, product
from keras_nmt.layers.role_assignment import RoleAssignment

CHUNKS = 16  # groups of roles; only the products e_t U_i of one group are in memory at a time


class RoleLayer(ConfiguredLayer):
    """The base of layers between embeddings and the network: `role_assignment` gives roles, which `combine` uses."""

    role_assignment: RoleAssignment

    def combine(self, inputs: Any, roles: Any, is_decoding_step: bool = False) -> Any:
        """Combines embeddings e `[..., d]` and their roles r `[..., hr]` to e~ `[..., d]`."""
        raise NotImplementedError

    def call(self, inputs: Any, mask: Any = None, training: bool | None = None, return_roles: bool = False) -> Any:
        roles = self.role_assignment(inputs, mask=mask, training=training)  # r, [B, T, hr]
        outputs = self.combine(inputs, roles)
        return (outputs, roles) if return_roles else outputs

    def empty_cache(self, batch_size: Any, beam_size: int) -> dict[str, Any]:
        """Makes the cache for the first `step`; see `RoleAssignment.empty_cache`."""
        return self.role_assignment.empty_cache(batch_size, beam_size)

    def step(self, inputs: Any, position: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Maps embeddings `[B, K, d]` of one position to e~ `[B, K, d]` and a new cache; see `RoleAssignment.step`."""
        roles, cache = self.role_assignment.step(inputs, position, cache)
        return self.combine(inputs, roles, is_decoding_step=True), cache

    def get_config(self) -> dict[str, Any]:
        config, names = self.role_assignment.get_config(), self.argument_names()
        return {**{name: value for name, value in config.items() if name in names}, **super().get_config()}

    compute_output_shape = shapes_of_spec

    def compute_output_spec(
        self, inputs: Any, mask: Any = None, training: bool | None = None, return_roles: bool = False
    ) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        roles = with_mask(self.role_assignment.compute_output_spec(inputs, mask), mask)
        outputs = keras.KerasTensor(inputs.shape, self.compute_dtype)
        return (outputs, roles) if return_roles else outputs


@keras.saving.register_keras_serializable(package="keras_nmt")
class RoleInteraction(RoleLayer, Int8Kernels):
    """Transforms each token's embedding by the roles that its context assigns to the token.

    `RoleAssignment` computes the roles r_t from the context. Each role i has a matrix U_i, and the roles weight these
    transformations of the embedding:

        e~_t = sum_i r_{t,i} U_i e_t                                (Eq. 5)
        e~_t = sum_i r_{t,i} U_i e_t + e_t                          (Eq. 7, with `residual`)
        e~_t = U_o [(U_r r_t) * (U_e e_t)] + e_t                    (Eq. 8, with `low_rank`)

    The layer stands between an embedding and the network, and can transform any tensor `[B, T, d]`. The full form has
    hr d^2 weights. `call` and its gradient compute c = ceil(hr / 16) roles at a time, so the largest tensors have
    B T c d numbers instead of B T hr d. Sums over roles are float32 under every dtype policy. `step`, which has few
    rows, computes all roles by one product in half the time.

    Args:
        num_roles to dropout_on: See `RoleAssignment`.
        residual: Boolean, whether to add e_t, like a role whose matrix is the identity. Without `residual`, the initial
            U_i of softmax roles are sqrt(hr) times as large, because e~ is initially about their average, and should be
            as large as e. Defaults to False.
        low_rank: Boolean, whether to use the factors of Eq. 8. It always adds e_t, whatever `residual`. Defaults to
            False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs, mask, training: See `RoleAssignment`.
        return_roles: Boolean, whether to return the roles too. Defaults to False.

    Returns:
        Float tensor `[B, T, d]`, the transformed embeddings e~; with `return_roles=True` also the roles `[B, T, hr]`.

    Raises:
        ValueError: An argument is unknown or out of range, or `causal` contradicts `context` or `exclusive`.

    Example:

    >>> import numpy as np
    >>> embeddings = keras.layers.Embedding(100, 16, mask_zero=True)(np.array([[7, 8, 9, 0]]))
    >>> layer = RoleInteraction(4, assignment="softmax", context="bilstm", residual=True)
    >>> outputs, roles = layer(embeddings, return_roles=True)
    >>> tuple(outputs.shape), tuple(roles.shape)
    ((1, 4, 16), (1, 4, 4))

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, Eq. 5, 7 and 8.
    """

    kernels = ("role_kernel", "embedding_kernel", "output_kernel", "kernel")

    def __init__(
        self,
        num_roles: int,
        assignment: str = "dense",
        context: str = "lstm",
        units: int | None = None,
        kernel_size: int = 7,
        activation: str = "relu",
        causal: bool = False,
        exclusive: bool = False,
        straight_through: bool = False,
        dropout: float = 0.0,
        dropout_on: str = "logits",
        *,
        residual: bool = False,
        low_rank: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.residual = residual
        self.low_rank = low_rank
        arguments = num_roles, assignment, context, units, kernel_size, activation, causal, exclusive, straight_through
        self.role_assignment = RoleAssignment(
            *arguments, dropout, dropout_on, dtype=self.dtype_policy, name="assignment"
        )
        self.num_roles = self.role_assignment.num_roles

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.role_assignment.build(inputs_shape)
        d = inputs_shape[-1]
        if self.low_rank:
            self.role_kernel = add_matrix(self, "role_kernel", self.num_roles, d)  # U_r
            self.embedding_kernel = add_matrix(self, "embedding_kernel", d, d)  # U_e
            self.output_kernel = add_matrix(self, "output_kernel", d, d)  # U_o
        else:
            # Each U_i is initialised like a separate projection, but Keras counts the roles as part of the fan-in.
            scale = self.num_roles
            if self.role_assignment.assignment == "softmax" and not self.residual:
                scale *= self.num_roles  # initially r_i is about 1 / hr, and so is sum_i r_i^2
            initializer = keras.initializers.VarianceScaling(scale, mode="fan_in", distribution="uniform")
            self.kernel = self.add_weight(shape=(self.num_roles, d, d), initializer=initializer, name="kernel")
        keep_frozen(self)

    def combine(self, inputs: Any, roles: Any, is_decoding_step: bool = False) -> Any:
        def cast(x: Any) -> Any:
            return ops.cast(x, self.compute_dtype)

        inputs = cast(inputs)
        if self.low_rank:
            roles = self.product(roles, "role_kernel")  # U_r r
            embeddings = self.product(inputs, "embedding_kernel")  # U_e e
            return self.product(roles * embeddings, "output_kernel") + inputs
        shape = ops.shape(inputs)
        rows = [ops.reshape(x, (-1, x.shape[-1])) for x in (roles, inputs)]  # [N, hr], [N, d]
        if is_decoding_step or self.is_int8 or self.lora_enabled:  # all roles by one product
            products = rows[0][:, :, None] * rows[1][:, None, :]  # r_i e: [N, hr, d]
            mixed = self.product(ops.reshape(products, (-1, self.num_roles * inputs.shape[-1])), "kernel")
        else:
            mixed = _mix_roles(*rows, cast(self.kernel))
        outputs = ops.reshape(mixed, shape)
        return outputs + inputs if self.residual else outputs


@keras.saving.register_keras_serializable(package="keras_nmt")
class ContextualizedEmbedding(RoleLayer):
    """Adds a token's context to its embedding.

    This is the baseline of `RoleInteraction`: it adds the same dense roles r_t instead of multiplying by them,

        e~_t = U r_t + e_t,    U in R^{d x hr}

    Args:
        num_roles to dropout: See `RoleAssignment`.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs, mask, training: See `RoleAssignment`.
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
        arguments = num_roles, "dense", context, units, kernel_size, activation, causal, exclusive
        self.role_assignment = RoleAssignment(*arguments, dropout=dropout, dtype=self.dtype_policy, name="assignment")

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        self.role_assignment.build(inputs_shape)
        self.kernel = add_matrix(self, "kernel", self.role_assignment.num_roles, inputs_shape[-1])  # U
        keep_frozen(self)

    def combine(self, inputs: Any, roles: Any, is_decoding_step: bool = False) -> Any:
        return product(roles, ops.cast(self.kernel, self.compute_dtype)) + ops.cast(inputs, self.compute_dtype)


@ops.custom_gradient
def _mix_roles(roles: Any, inputs: Any, kernel: Any) -> Any:
    """Computes sum_i r_i U_i e for each row (Eq. 5), from r [N, hr], e [N, d] and U [hr, d, d] to [N, d].

    Both passes compute one chunk of c roles at a time, so no tensor has N x hr x d numbers. The backward pass needs no
    intermediate tensor of the forward pass: the gradients of e and r follow from h_i = U_i^T g, where g is the gradient
    of the output.
    """
    # Otherwise TensorFlow's eager tape would keep all tensors that it can differentiate.
    roles, inputs, kernel = (ops.stop_gradient(x) for x in (roles, inputs, kernel))
    size = -(-kernel.shape[0] // CHUNKS)
    starts = range(0, kernel.shape[0], size)
    dtype = inputs.dtype

    def chunk(start: int, *done: Any) -> tuple[Any, Any]:
        chunk_roles = _after(done, roles[:, start : start + size])  # r_i: [N, c, 1]
        return ops.expand_dims(chunk_roles, -1), kernel[start : start + size]

    each_input = ops.expand_dims(inputs, 1)  # [N, 1, d]
    outputs = ops.zeros(ops.shape(inputs), "float32")
    for start in starts:
        r, u = chunk(start, outputs)
        outputs = outputs + ops.cast(ops.einsum("nck,ckd->nd", r * each_input, u), "float32")

    def gradient(*args: Any, upstream: Any = None) -> tuple[Any, Any, Any]:
        g = ops.cast(args[0] if upstream is None else upstream, dtype)  # [N, d]
        d_inputs = ops.zeros(ops.shape(inputs), "float32")
        d_roles: list[Any] = []
        d_kernel: list[Any] = []
        for start in starts:
            r, u = chunk(start, d_inputs, *d_kernel[-1:])
            d_kernel.append(ops.einsum("nck,nd->ckd", r * each_input, g))  # r_i e g^T
            h = ops.einsum("nd,ckd->nck", _after([d_inputs, d_kernel[-1]], g), u)
            d_roles.append(ops.sum(ops.cast(h * each_input, "float32"), -1))  # <h_i, e>: [N, c]
            d_inputs = d_inputs + ops.sum(ops.cast(r * h, "float32"), 1)  # sum_i r_i h_i
        return (ops.cast(ops.concatenate(d_roles, -1), dtype), ops.cast(d_inputs, dtype), ops.concatenate(d_kernel, 0))

    return ops.cast(outputs, dtype), gradient


def _after(done: Sequence[Any], x: Any) -> Any:
    """Returns `x`, but only after all of `done` are computed. TensorFlow would otherwise store all chunks at once."""
    # One number of each tensor, or none if there are no rows.
    some = [ops.cast(ops.ravel(y)[:1], "float32") for y in done]
    never = ops.any(ops.concatenate(some) > float("inf"))
    return ops.where(never, ops.zeros_like(x), x)
