"""The attention bridge, which connects the encoders and decoders of several languages."""

from __future__ import annotations

import math
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice, is_number, require
from keras_nmt.layers._common import (
    ConfiguredLayer,
    check_mask,
    check_positive,
    keep_frozen,
    keras_mask,
    masked_softmax,
    projection_initializer,
    shapes_of_spec,
    without_padding,
)
from keras_nmt.layers._projection import Projection
from keras_nmt.layers._taps import tap

PENALTIES = ("squared", "root")


@keras.saving.register_keras_serializable(package="keras_nmt")
class AttentionBridge(ConfiguredLayer):
    """Represents a sentence of any length by k vectors, each the result of one attention over the sentence.

    The encoders and decoders of all languages share the bridge, so any encoder works with any decoder. With the states
    H^T = (h_1 .. h_n), and a softmax over the positions that are not padding:

        A = softmax(W2 ReLU(W1 H^T))        W1 in R^{dw x dh}, W2 in R^{k x dw}    (8)
        M = A H                                                                    (9)
        penalty = weight * || A A^T - I ||_F                                       (10)

    The penalty keeps the k attentions different from each other. `penalty="root"` is the norm itself, as in Eq. 10 and
    in the code of its authors. `penalty="squared"` is its square, as in Lin et al. (2017), who introduced the term. The
    gradient of the square is 2 ||A A^T - I||_F times that of the norm, and initially the norm grows with k. With the
    same weight, the squared penalty is therefore stronger: several times as strong at k = 10.

    M has no padding, so the layers that read it need no mask. States at padding have no effect. A sentence that is all
    padding gives zeros and no penalty.

    Args:
        num_heads: Integer k, number of vectors.
        hidden_dim: Integer dw, inner width.
        penalty_weight: Float, at least 0. Weight of the penalty. Defaults to 1.
        penalty: "root": the Frobenius norm, Eq. 10; or "squared": its square (Lin et al., 2017, Eq. 8). Defaults to
            "squared".
        use_bias: Boolean, whether W1 and W2 have biases. Defaults to True.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: Float tensor `[B, n, dh]`, the states H of an encoder.
        mask: Boolean tensor `[B, n]`, True at real tokens. Defaults to the mask that Keras attached to `inputs`.
            Without a mask, all positions are real.
        return_attention_scores: Boolean, whether to return A too. Defaults to False.
        return_penalty: Boolean. True: the layer also returns the penalty of each sentence, which the caller must add to
            the loss. False: the layer adds the mean penalty over sentences by `add_loss`. Defaults to False.

    Returns:
        M, float tensor `[B, k, dh]`. With `return_attention_scores` or `return_penalty` a tuple of M and, as requested,
        A `[B, k, n]` and the penalty `[B]`, both float32.

    Raises:
        ValueError: A size is not a positive integer, the weight is negative, the penalty is unknown, or inputs or mask
            have another shape.

    Example:

    >>> import numpy as np
    >>> states = np.random.rand(2, 7, 16).astype("float32")
    >>> bridge = AttentionBridge(num_heads=4, hidden_dim=32)
    >>> tuple(bridge(states).shape)
    (2, 4, 16)
    >>> sentence, attention = bridge(states, return_attention_scores=True)
    >>> tuple(attention.shape)
    (2, 4, 7)

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), Eq. 8 to 10;
        [Lin et al., 2017](https://arxiv.org/abs/1703.03130), Eq. 6 to 8.
    """

    RENAMED = (("return_attention", "return_attention_scores"),)

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        penalty_weight: float = 1.0,
        penalty: str = "squared",
        use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_positive(num_heads=num_heads, hidden_dim=hidden_dim)
        check_choice("penalty", penalty, PENALTIES)
        problem = "{penalty_weight} must be finite and at least 0"
        require(is_number(penalty_weight) and 0 <= penalty_weight < math.inf, problem, penalty_weight=penalty_weight)
        self.num_heads = int(num_heads)
        self.hidden_dim = int(hidden_dim)
        self.penalty_weight = float(penalty_weight)
        self.penalty = penalty
        self.use_bias = use_bias

        def dense(width: int, name: str, activation: str | None = None) -> keras.layers.Layer:
            return Projection(
                width,
                activation,
                use_bias,
                kernel_initializer=projection_initializer(),  # one for each: an initializer repeats its numbers
                dtype=self.dtype_policy,
                name=name,
            )

        self.inner = dense(self.hidden_dim, "inner", "relu")  # W1
        self.scores = dense(self.num_heads, "scores")  # W2

    def build(self, inputs_shape: tuple[int | None, ...]) -> None:
        if len(inputs_shape) != 3 or inputs_shape[-1] is None:
            raise ValueError(f"`inputs` must be [B, n, dh] with a known dh. Received: shape {tuple(inputs_shape)}")
        self.inner.build(inputs_shape)
        self.scores.build((*inputs_shape[:-1], self.hidden_dim))
        keep_frozen(self)

    def call(
        self, inputs: Any, mask: Any = None, return_attention_scores: bool = False, return_penalty: bool = False
    ) -> Any:
        mask = keras_mask(inputs) if mask is None else mask
        check_mask("mask", mask, 2, inputs)
        states = without_padding(ops.cast(inputs, self.compute_dtype), mask)  # H, [B, n, dh]
        scores = ops.transpose(self.scores(self.inner(states)), (0, 2, 1))  # [B, k, n]
        attention = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, 1))  # A
        attention = tap(self, "bridge_attention", attention, parts=-2)
        vectors = ops.matmul(ops.cast(attention, self.compute_dtype), states)  # M, [B, k, dh]
        outputs = [tap(self, "bridge", vectors, parts=-2)]
        if return_attention_scores:
            outputs.append(attention)
        if return_penalty:
            outputs.append(self._penalties(attention, mask))
        elif self.penalty_weight:
            penalties = self._penalties(attention, mask)
            sentences = ops.shape(penalties)[0] if mask is None else ops.sum(ops.cast(ops.any(mask, 1), "float32"))
            mean = ops.sum(penalties) / ops.maximum(ops.cast(sentences, "float32"), 1.0)
            self.add_loss(ops.cast(mean, keras.config.floatx()))  # the dtype of the losses to which Keras adds it
        return tuple(outputs) if len(outputs) > 1 else outputs[0]

    def _penalties(self, attention: Any, mask: Any) -> Any:
        """Computes the penalty of each sentence, `[B]`."""
        products = ops.matmul(attention, ops.transpose(attention, (0, 2, 1)))  # A A^T, [B, k, k]
        squared = ops.sum(ops.square(products - ops.eye(self.num_heads, dtype="float32")), axis=(1, 2))  # [B]
        if self.penalty == "root":  # the derivative of the root is infinite at zero
            positive = squared > 0
            squared = ops.where(positive, ops.sqrt(ops.where(positive, squared, 1.0)), 0.0)
        if mask is not None:
            squared = ops.where(ops.any(mask, axis=1), squared, 0.0)
        return self.penalty_weight * squared

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """Returns None, because M has no padding."""

    compute_output_shape = shapes_of_spec

    def compute_output_spec(
        self, inputs: Any, mask: Any = None, return_attention_scores: bool = False, return_penalty: bool = False
    ) -> Any:
        batch_size, length, width = inputs.shape
        outputs = [keras.KerasTensor((batch_size, self.num_heads, width), self.compute_dtype)]
        if return_attention_scores:
            outputs.append(keras.KerasTensor((batch_size, self.num_heads, length), "float32"))
        if return_penalty:
            outputs.append(keras.KerasTensor((batch_size,), "float32"))
        return tuple(outputs) if len(outputs) > 1 else outputs[0]
