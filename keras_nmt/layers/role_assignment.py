"""The layer that assigns roles to tokens by their context."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice, require
from keras_nmt.layers._common import (
    ConfiguredLayer,
    check_mask,
    check_positive,
    check_rate,
    check_width,
    keep_frozen,
    keras_mask,
    optional_size,
    shapes_of_spec,
    without_padding,
)
from keras_nmt.layers._taps import tap
from keras_nmt.layers.dropout import Dropout

ASSIGNMENTS = ("dense", "softmax", "one_hot")
CONTEXTS = ("lstm", "bilstm", "cnn")
DROPOUT_ON = ("logits", "vector")


@keras.saving.register_keras_serializable(package="keras_nmt")
class RoleAssignment(ConfiguredLayer):
    """Assigns roles to each token by its context.

    A small network reads the embeddings `e_1 .. e_T` and computes the context `h_t` of each position: an LSTM, an LSTM
    in each direction ("bilstm"), or a convolution ("cnn"). The roles are a function of the context (section 3.1):

        dense:    r_t = tanh(W h_t + b)
        softmax:  r_t = softmax(U' tanh(W h_t + b))
        one-hot:  in training r_t = softmax((U' tanh(W h_t + b) + g) / temperature), with Gumbel noise g;
                  in inference the one-hot vector of the largest U' tanh(W h_t + b)                        (Eq. 6)

    The layer computes in float32 under every dtype policy, because it is small and its recurrence is long.

    The paper does not specify the width of the context or the convolution's activation. It applies dropout to the role
    vector r_t. For one-hot roles, dropout of the vector can leave a token without a role. Dropout of the logits assigns
    another role instead, at rate 0.3 to three of ten tokens, which makes the role itself noisy.

    Args:
        num_roles: Integer, number of roles hr.
        assignment: "dense", "softmax" or "one_hot". Defaults to "dense".
        context: "lstm", "bilstm" or "cnn". Defaults to "lstm".
        units: Integer, width of h_t in one direction. Defaults to `num_roles`.
        kernel_size: Integer, width of the convolution. Defaults to 7.
        activation: String, the convolution's Keras activation. Defaults to "relu".
        causal: Boolean, whether r_t depends on e_1 .. e_t only, which `step` needs. An LSTM is always causal, "bilstm"
            never. A causal convolution reads positions on its left instead of on both sides. Defaults to False.
        exclusive: Boolean, whether r_t depends on e_1 .. e_{t-1} only; needs `causal`. Defaults to False.
        straight_through: Boolean, whether "one_hot" gives one-hot vectors also in training, with the gradient of the
            relaxed vectors. Defaults to False.
        dropout: Float, dropout rate of the roles. Defaults to 0.
        dropout_on: "logits" or "vector", to which dropout of "one_hot" roles is applied; "vector" is the paper's. For
            other assignments it is always the vector. Defaults to "logits".
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Attributes:
        temperature: Scalar weight of "one_hot", not trainable, initially 5; see `keras_nmt.training.RoleTemperature`.
            It is None for other assignments.

    Call arguments:
        inputs: Float tensor `[B, T, d]`, the embeddings e.
        mask: Boolean tensor `[B, T]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`.
            Without a mask, all positions are real.
        training: Boolean, whether dropout and Gumbel noise are active.

    Returns:
        Float tensor `[B, T, hr]`, the roles r.

    Raises:
        ValueError: An argument is unknown or out of range, or `causal` contradicts `context` or `exclusive`.

    Example:

    >>> import numpy as np
    >>> embeddings = np.random.rand(2, 5, 16).astype("float32")
    >>> roles = RoleAssignment(4, assignment="softmax", context="bilstm")(embeddings)
    >>> tuple(roles.shape)
    (2, 5, 4)

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, Eq. 4 and 6, section 3.1.
    """

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
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(num_roles=num_roles, kernel_size=kernel_size)
        check_choice("assignment", assignment, ASSIGNMENTS)
        check_choice("context", context, CONTEXTS)
        check_rate(dropout=dropout)
        check_choice("dropout_on", dropout_on, DROPOUT_ON)
        problem = "A causal layer must not read later tokens: use the context 'lstm' or 'cnn'"
        require(not causal or context != "bilstm", problem, causal=causal, context=context)
        require(not exclusive or causal, "{exclusive} needs {causal}", exclusive=exclusive, causal=causal)
        is_right = not straight_through or assignment == "one_hot"
        problem = "{straight_through} has an effect on assignment='one_hot' only"
        require(is_right, problem, straight_through=straight_through, assignment=assignment)
        is_right = dropout_on == "logits" or assignment == "one_hot"
        problem = "{dropout_on} has an effect on assignment='one_hot' only; other roles always drop the vector"
        require(is_right, problem, dropout_on=dropout_on, assignment=assignment)
        self.num_roles = int(num_roles)
        self.assignment = assignment
        self.context = context
        self.units = optional_size("units", units)
        self.kernel_size = int(kernel_size)
        self.activation = activation
        self.causal = causal
        self.exclusive = exclusive
        self.straight_through = straight_through
        self.dropout = dropout
        self.dropout_on = dropout_on
        self._drops_logits = assignment == "one_hot" and dropout_on == "logits"
        self.temperature: Any = None
        self._context_width = self.units or self.num_roles
        self._width: Any = None  # d, known once built

        self.context_layer: keras.layers.Layer
        if context == "cnn":
            self.context_layer = keras.layers.Conv1D(
                self._context_width,
                self.kernel_size,
                padding="valid" if causal else "same",  # causal: `call` pads on the left, and `step` passes one window
                activation=activation,
                dtype="float32",
                name="context",
            )
        else:
            # XLA cannot compile cuDNN's kernels, and cuDNN rejects rows that are all padding.
            lstm = keras.layers.LSTM(
                self._context_width,
                return_sequences=True,
                use_cudnn=False,
                dtype="float32",
                name="lstm" if context == "bilstm" else "context",
            )
            # The attribute is set once: Keras would keep this LSTM, too, which Bidirectional copies and nothing builds.
            if context == "bilstm":
                self.context_layer = keras.layers.Bidirectional(lstm, dtype="float32", name="context")
            else:
                self.context_layer = lstm
        self.projection = keras.layers.Dense(  # W, b
            self.num_roles, activation="tanh", dtype="float32", name="projection"
        )
        self.logits = (
            None
            if assignment == "dense"
            else keras.layers.Dense(self.num_roles, use_bias=False, dtype="float32", name="logits")  # U'
        )
        self.role_dropout = Dropout(dropout, dtype="float32", name="dropout")
        self.seed_generator = keras.random.SeedGenerator() if assignment == "one_hot" else None

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        if len(inputs_shape) != 3 or inputs_shape[-1] is None:
            raise ValueError(f"`inputs` must be [B, T, d] with a known d. Received: shape {tuple(inputs_shape)}")
        self._width = inputs_shape[-1]
        self.context_layer.build((inputs_shape[0], None, self._width))  # of any length
        context_width = self._context_width * (2 if self.context == "bilstm" else 1)
        self.projection.build((*inputs_shape[:-1], context_width))
        if self.logits is not None:
            self.logits.build((*inputs_shape[:-1], self.num_roles))
        if self.assignment == "one_hot":
            self.temperature = self.add_weight(
                shape=(),
                initializer=keras.initializers.Constant(5.0),
                dtype="float32",
                trainable=False,
                autocast=False,
                name="temperature",
            )
        keep_frozen(self)

    def call(self, inputs: Any, mask: Any = None, training: bool | None = None) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        self._check_inputs(inputs, mask)
        if self.context != "cnn":
            context = self.context_layer(inputs, mask=mask)  # h, [B, T, units]
        else:
            # A convolution takes no mask: set padding to zero, like the positions beyond the ends.
            real = without_padding(inputs, mask)
            if self.causal:
                real = ops.pad(real, ((0, 0), (self.kernel_size - 1, 0), (0, 0)))
            context = self.context_layer(real)
        if self.exclusive:  # h_{t-1}, h_0 = 0
            context = ops.pad(context, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        return self._assign(context, training)

    def _check_inputs(self, inputs: Any, mask: Any) -> None:
        check_width("inputs", inputs.shape, self._width or inputs.shape[-1])
        check_mask("mask", mask, 2, inputs)

    def _assign(self, context: Any, training: bool | None) -> Any:
        """Maps the context h `[..., units]` to roles r `[..., hr]`."""
        roles = self.projection(context)  # tanh(W h + b)
        if self.logits is not None:
            logits = self.logits(roles)  # U' tanh(W h + b)
            if self._drops_logits:
                logits = self.role_dropout(logits, training=training)
            roles = self._one_hot(logits, training) if self.assignment == "one_hot" else ops.softmax(logits)
        if not self._drops_logits:
            roles = self.role_dropout(roles, training=training)
        return ops.cast(tap(self, "roles", roles, parts=-1), self.compute_dtype)

    def _one_hot(self, logits: Any, training: bool | None) -> Any:
        if not training:
            return self._largest(logits)
        uniform = keras.random.uniform(ops.shape(logits), minval=1e-20, dtype="float32", seed=self.seed_generator)
        gumbel = -ops.log(-ops.log(uniform))
        relaxed = ops.softmax((logits + gumbel) / self.temperature)
        if not self.straight_through:
            return relaxed
        return self._largest(relaxed) + (relaxed - ops.stop_gradient(relaxed))

    def _largest(self, scores: Any) -> Any:
        # `ops.argmax` would bring an operator for -0.0 into exports, which LiteRT and ONNX do not have.
        return ops.one_hot(ops.top_k(scores, 1)[1][..., 0], self.num_roles, dtype="float32")

    def empty_cache(self, batch_size: Any, beam_size: int) -> dict[str, Any]:
        """Makes the cache of the first `step`: the state of the context before it; see `docs/own_mechanism.md`.

        Returns:
            A dictionary of tensors `[B, K, ...]`: the "hidden" and "carry" state of an LSTM, or the last "inputs" of a
            convolution; with `exclusive` also the "previous" context.

        Raises:
            ValueError: The layer is not causal.
        """
        self._check_steps()

        def zeros(*shape: int, dtype: str = "float32") -> Any:
            return ops.zeros((batch_size, beam_size, *shape), dtype=dtype)

        if self.context == "cnn":
            cache = {"inputs": zeros(self.kernel_size - 1, self._width, dtype=self.compute_dtype)}
        else:
            cache = {"hidden": zeros(self._context_width), "carry": zeros(self._context_width)}
        return {**cache, "previous": zeros(self._context_width)} if self.exclusive else cache

    def step(self, inputs: Any, position: Any, cache: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Maps embeddings `[B, K, d]` of one position to roles `[B, K, hr]`, equal to those of `call`, and a new cache.

        `position` is not used, because the cache determines it. A layer that is not causal raises a `ValueError`.
        """
        self._check_steps()
        beams = ops.shape(inputs)[:2]
        inputs = ops.cast(inputs, self.compute_dtype)
        if self.context == "cnn":
            window = ops.concatenate([cache["inputs"], ops.expand_dims(inputs, 2)], axis=2)  # [B, K, kernel_size, d]
            rows = ops.reshape(window, (-1, self.kernel_size, self._width))  # [B K, kernel_size, d]
            context = self.context_layer(rows)  # one position, which reads the whole window: [B K, 1, units]
            new_cache = {"inputs": window[:, :, 1:]}
        else:
            rows, hidden, carry = (ops.reshape(x, (-1, x.shape[-1])) for x in (inputs, cache["hidden"], cache["carry"]))
            context, (hidden, carry) = self.context_layer.cell(ops.cast(rows, "float32"), [hidden, carry])
            new_cache = {
                name: ops.reshape(x, (*beams, self._context_width))
                for name, x in (("hidden", hidden), ("carry", carry))
            }
        context = ops.reshape(context, (*beams, self._context_width))
        if self.exclusive:
            new_cache["previous"], context = context, cache["previous"]
        return self._assign(context, training=False), new_cache

    def _check_steps(self) -> None:
        require(self.causal, "Only a causal layer can run step by step", causal=self.causal)

    compute_output_shape = shapes_of_spec

    def compute_output_spec(self, inputs: Any, mask: Any = None, training: bool | None = None) -> keras.KerasTensor:
        self._check_inputs(inputs, mask)
        return keras.KerasTensor((*inputs.shape[:-1], self.num_roles), self.compute_dtype)
