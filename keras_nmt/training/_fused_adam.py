"""Adam in one pass over memory."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf


class FusedAdam(keras.optimizers.Adam):
    """Keras' Adam, whose update of a variable is one operation: a dozen passes over memory become one.

    Formula, options, variables and what is saved are Keras' own. There is no `amsgrad`.
    """

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        step = tf.cast(self.iterations + 1, dtype)
        tf.raw_ops.ResourceApplyAdam(
            # Of a variable with replicas, the handle is that on the replica that is updated.
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=tf.pow(tf.cast(self.beta_1, dtype), step),
            beta2_power=tf.pow(tf.cast(self.beta_2, dtype), step),
            lr=tf.cast(learning_rate, dtype),
            beta1=tf.cast(self.beta_1, dtype),
            beta2=tf.cast(self.beta_2, dtype),
            epsilon=tf.cast(self.epsilon, dtype),
            grad=tf.cast(tf.convert_to_tensor(gradient), dtype),
        )


class FusedAdamW(FusedAdam, keras.optimizers.AdamW):
    """The same after Keras' AdamW has let the weights decay."""
