"""An update of a model's weights on JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import keras
from keras import ops

from keras_nmt.ids import PAD
from keras_nmt.models import TranslationModel

# (state, source [B, S], target input [B, T], target output [B, T]) -> (state, loss)
Update = Callable[[Any, Any, Any, Any], tuple[Any, Any]]


def jax_update(
    model: TranslationModel, optimizer: keras.optimizers.Optimizer, label_smoothing: float
) -> tuple[Update, Any]:
    """Makes the update of `Trainer` on JAX: forward pass with dropout, backward pass, optimizer.

    Args:
        model: TranslationModel.
        optimizer: Keras optimizer that is not built.
        label_smoothing: Float, as in `LabelSmoothedCrossEntropy`.

    Returns:
        The update, which `jax.jit` can compile, and the first state: the values of all variables.
    """
    optimizer.build(model.trainable_variables)

    def loss(weights: Any, others: Any, source: Any, target_input: Any, target_output: Any) -> tuple[Any, Any]:
        logits, others, extra = model.stateless_call(
            weights, others, [source, target_input], training=True, return_losses=True
        )
        real = ops.cast(target_output != PAD, "float32")  # [B, T]
        logits = ops.cast(logits, "float32")  # [B, T, V]
        chosen = ops.take_along_axis(logits, target_output[..., None], axis=-1)[..., 0]
        smoothed = (1 - label_smoothing) * chosen + label_smoothing * ops.mean(logits, -1)
        losses = ops.logsumexp(logits, -1) - smoothed
        return ops.sum(losses * real) / ops.sum(real) + sum(extra), others

    def update(state: Any, source: Any, target_input: Any, target_output: Any) -> tuple[Any, Any]:
        weights, others, of_optimizer = state
        gradient = jax.value_and_grad(loss, has_aux=True)
        (value, others), gradients = gradient(weights, others, source, target_input, target_output)
        weights, of_optimizer = optimizer.stateless_apply(of_optimizer, gradients, weights)
        return (weights, others, of_optimizer), value

    variables = model.trainable_variables, model.non_trainable_variables, optimizer.variables
    # Copies, as the update may overwrite its state.
    return update, tuple([jax.numpy.array(variable.value) for variable in group] for group in variables)
